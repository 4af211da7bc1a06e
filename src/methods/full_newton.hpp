// If the full Newton matrix of stages is asked for, it must exist.
#pragma once

#include "holonom/methods/any_method.hpp"
#include "holonom/solve/stage_newton.hpp"

namespace holonom {

// unknowns: of the stages of a step. Throws Unsuitable.
template <class S>
void check_newton(const std::string& key, const AnySystem<S>& sys, const MethodOptions& options, int unknowns) {
  if (options.newton.matrix != StageMatrix::full) return;
  if (const std::string reason = first_lack(sys, Quantity::H_qq, Quantity::lambda_g_qq); !reason.empty())
    throw Unsuitable(key + " with the full Newton matrix: " + reason);
  constexpr int most = StageNewton<HamiltonianView<S>>::most_unknowns;
  if (unknowns > most)
    throw Unsuitable(key + " with the full Newton matrix: " + std::to_string(unknowns) +
                     " unknowns are too many for it (at most " + std::to_string(most) +
                     "); leave the choice to the method");
}

}  // namespace holonom
