// Why a model cannot start where the cause is in a formula and not in the initial values: a constraint without a
// gradient, an H without H_pp, an invariant without a value. Each function gives the first such formula, or nothing.
#pragma once

#include <cstdio>
#include <limits>
#include <random>

#include "holonom/any_system.hpp"
#include "holonom/errors.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom::detail {

inline std::string short_number(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

struct FormulaTrouble {
  std::string part;  // of the model, for its place; empty: there is no trouble
  std::string what;
};

// Where constraint k was written: that of link[3] is constraints.link.
template <class S>
std::string constraint_part(const AnySystem<S>& sys, int k) {
  const std::string& name = sys.labels().constraints[static_cast<std::size_t>(k)];
  return "constraints." + name.substr(0, name.find('['));
}

// A constraint whose gradient is zero, or so small or large that its square is no number, holds nothing, and would be
// taken for one that follows from others. At a dead centre the gradient vanishes too, but not at positions around it;
// that of a formula that holds on one side only, such as max(..., 0), vanishes at many of them.
template <class S>
FormulaTrouble flat_constraint(const AnySystem<S>& sys, const Vec<S>& q) {
  using R = Real<S>;
  using std::sqrt;
  const R least = sqrt(std::numeric_limits<R>::min()), most = sqrt(std::numeric_limits<R>::max());
  Jacobian<S> G(sys.pattern());
  const auto sizes = [&](const Vec<S>& at) {
    Vec<R> largest(sys.m());
    sys.G(at, G);
    for (int k = 0; k < sys.m(); ++k) G.row(k, [&](int, const S& x) { keep_largest(largest[k], R(magnitude(x))); });
    return largest;
  };
  const auto usable = [&](const R& x) { return x >= least && x <= most; };
  const Vec<R> here = sizes(q);
  std::vector<int> suspects;
  for (int k = 0; k < sys.m(); ++k)
    if (!usable(here[k])) suspects.push_back(k);
  if (suspects.empty()) return {};
  R extent(0);
  for (const S& x : q) keep_largest(extent, R(magnitude(x)));
  if (!(extent > R(0))) extent = R(1);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int trials = 16;
  std::vector<int> flat(suspects.size(), 0), unknown(suspects.size(), 0);
  for (int trial = 0; trial < trials; ++trial) {
    Vec<S> nearby = q;
    for (S& x : nearby) x += S(extent) * S(1e-2 * normal(random));
    const Vec<R> there = sizes(nearby);
    for (std::size_t i = 0; i < suspects.size(); ++i) {
      const R& size = there[suspects[i]];
      flat[i] += size == size && !usable(size);
      unknown[i] += !(size == size);
    }
  }
  std::size_t worst = suspects.size();
  for (std::size_t i = suspects.size(); i-- > 0;)
    if (flat[i] > 0 && unknown[i] == 0) worst = i;
  if (worst == suspects.size()) return {};
  const int k = suspects[worst];
  const std::string name = "constraint '" + sys.labels().constraints[static_cast<std::size_t>(k)] + "'";
  const std::string precision = precision_name<S>() == "100" ? "100 digits" : precision_name<S>() + " precision";
  if (here[k] == R(0) && flat[worst] < trials)
    return {constraint_part(sys, k),
            "the gradient of " + name +
                " is zero at the initial position and at others around it, on one side: a formula that holds on one "
                "side only, as max(..., 0) does, cannot hold a motion. Write one that changes across both"};
  if (here[k] == R(0))
    return {constraint_part(sys, k),
            "the gradient of " + name + " is zero at the initial position and around it, or too small for " +
                precision + ": it cannot hold a motion. Multiply it by a large constant, or correct its formula"};
  return {constraint_part(sys, k), "the gradient of " + name + " is of the size " +
                                       short_number(to_double(S(here[k]))) + ", too " +
                                       (here[k] < least ? "small" : "large") + " for " + precision +
                                       ". Multiply the constraint by a power of ten that makes it moderate"};
}

// RATTLE and all others solve with G H_pp Gᵀ. If that is singular although the gradients are independent, H is the
// cause.
template <class S>
FormulaTrouble degenerate_energy(const AnySystem<S>& sys, const State<S>& x) {
  constexpr int few = 300;
  const int m = sys.m();
  if (m == 0 || m > few || knows(sys, Quantity::V)) return {};
  const Real<S> threshold = GramSolver<S, Dynamic, Dynamic>::threshold(m);
  const auto dependent = dependent_rows(Manifold<S>(sys).gram_matrix(x), threshold);
  if (dependent.empty()) return {};
  Jacobian<S> G(sys.pattern());
  sys.G(x.q, G);
  Square<S> gradients(m);  // G Gᵀ
  Vec<S> row(sys.n());
  for (int k = 0; k < m; ++k) {
    fill(row, S(0));
    G.row(k, [&](int j, const S& a) { row[j] = a; });
    for (int i = 0; i < m; ++i) {
      S sum(0);
      G.row(i, [&](int j, const S& a) { sum += a * row[j]; });
      gradients(i, k) = sum;
    }
  }
  if (dependent_rows(gradients, threshold).size() >= dependent.size()) return {};
  const std::string which = quoted_list(sys.labels().constraints, dependent.front());
  return {"energy.hamiltonian",
          "at the initial values H_pp, the second derivative of the hamiltonian by the momenta, vanishes along the "
          "gradient" +
              std::string(dependent.front().size() == 1 ? " of constraint " : "s of the constraints ") + which +
              ": the constraint force would have no effect. Start with other momenta or another position, or give a "
              "hamiltonian that is quadratic in the momenta there"};
}

template <class S>
FormulaTrouble undefined_invariant(const AnySystem<S>& sys, const State<S>& x) {
  const std::vector<std::string>& names = sys.labels().invariants;
  if (names.empty()) return {};
  Vec<S> values(static_cast<int>(names.size()));
  sys.invariants(x.q, x.p, values);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!is_finite(values[static_cast<int>(k)]))
      return {"invariants." + names[k], "at the initial values invariant '" + names[k] +
                                            "' is not finite (a division by zero, or a function outside its domain)"};
  return {};
}

}  // namespace holonom::detail
