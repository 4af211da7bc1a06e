// Projections after a step, as objects that a method is handed. A new one is a class like JayProjection in a file of
// its own, and one more entry in the list below; keys, options and messages follow from it.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "holonom/any_system.hpp"
#include "holonom/solve/jay_projection.hpp"

namespace holonom {

// The step as it is
template <class Sys>
struct NoProjection {
  static constexpr std::string_view name{};
};

// ---- the list
template <class Sys>
using AnyProjection = std::variant<NoProjection<Sys>, JayProjection<Sys>>;

// A projection by its name:
//   begin(sys, A, q, G)                            at a first point, with the metric A and G = G(q)
//   projection(sys, gram, G, q, p, counters, options)   (q, p) onto the manifold; G and the factorisation in `gram` are
//                                                  then those of the new q and the old p
template <class Sys>
class Projection {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  Projection(const Sys& sys, std::string_view name) { choose<1>(sys, name); }

  explicit operator bool() const { return any_.index() > 0; }

  template <class Metric>
  void begin(const Sys& sys, const Metric& A, const QVec<Sys>& q, const JacobianOf<Sys>& G) {
    visit([&](auto& projection) { projection.begin(sys, A, q, G); });
  }
  Status operator()(const Sys& sys, GramSolver<S, N, M>& gram, JacobianOf<Sys>& G, QVec<Sys>& q, QVec<Sys>& p,
                    Counters& counters, const NewtonOptions& options) {
    Status status;
    visit([&](auto& projection) { status = projection(sys, gram, G, q, p, counters, options); });
    return status;
  }
  template <class F>
  void visit_memory(F&& f) {
    visit([&](auto& projection) { projection.visit_memory(f); });
  }

 private:
  template <std::size_t i>
  void choose(const Sys& sys, std::string_view name) {
    if constexpr (i < std::variant_size_v<AnyProjection<Sys>>) {
      if (std::variant_alternative_t<i, AnyProjection<Sys>>::name == name)
        any_.template emplace<i>(sys);
      else
        choose<i + 1>(sys, name);
    }
  }
  template <class F>
  void visit(F&& f) {
    std::visit(
        [&](auto& projection) {
          if constexpr (!std::is_same_v<decltype(projection), NoProjection<Sys>&>) f(projection);
        },
        any_);
  }

  AnyProjection<Sys> any_;
};

// Of all projections
inline constexpr auto projection_names = []<std::size_t... i>(std::index_sequence<i...>) {
  using Any = AnyProjection<HamiltonianView<double>>;
  return std::array{std::variant_alternative_t<i + 1, Any>::name...};
}
(std::make_index_sequence<std::variant_size_v<AnyProjection<HamiltonianView<double>>> - 1>());

}  // namespace holonom
