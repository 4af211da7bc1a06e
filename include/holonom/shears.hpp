// A field y' = f(y) as a sum of shears. Its variables y = (q, p) come in parts, in their order, such that no rate of a
// part depends on that part (Hairer, Lubich, Wanner 2003, (2.20), with any number of parts of any sizes):
//   y_k' = f_k(y without y_k),   y_k ← y_k + t f_k  with the other parts at rest
// is then the exact flow of the term k, and preserves volume.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "holonom/any_system.hpp"

namespace holonom {

struct ShearParts {
  std::string obstacle;    // why there are none; empty: there are
  int in_q = 0;            // how many of the variables are in q; the others are in p
  std::vector<int> start;  // part k: the variables from start[k] to start[k + 1], those in q before those in p

  int count() const { return start.empty() ? 0 : static_cast<int>(start.size()) - 1; }
  int first(int k) const { return start[static_cast<std::size_t>(k)]; }
  int size(int k) const { return first(k + 1) - first(k); }
};

template <class S>
class Shears {
 public:
  virtual ~Shears() = default;

  virtual const ShearParts& shears() const {
    static const ShearParts unknown{
        "what its rates depend on is not known: it is code, not formulas. Say it by shears() and shear_rates(), or "
        "take "
        "a Runge-Kutta method such as gauss-2 or rk-4",
        0,
        {}};
    return unknown;
  }
  // f_k, one rate for each variable of the part
  virtual void shear_rates(int /*k*/, const Vec<S>& /*q*/, const Vec<S>& /*p*/, Vec<S>& /*out*/) const {
    throw std::logic_error(shears().obstacle);
  }
};

// A field that is a sum of shears
template <class S>
class ShearView : public HamiltonianView<S> {
 public:
  explicit ShearView(const AnySystem<S>& sys)
      : HamiltonianView<S>(sys), shears_(dynamic_cast<const Shears<S>*>(&sys)) {}
  static std::string missing(const AnySystem<S>& sys) {
    if (!sys.is_field())
      return "it has a Hamiltonian. Take a symplectic method, which preserves volume too: where H = T(p) + V(q) and "
             "there are no constraints, verlet-b is this splitting";
    const auto* shears = dynamic_cast<const Shears<S>*>(&sys);
    return shears ? shears->shears().obstacle : Shears<S>().shears().obstacle;
  }

  const ShearParts& shears() const { return shears_->shears(); }
  void shear_rates(int k, const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const { shears_->shear_rates(k, q, p, out); }

 private:
  const Shears<S>* shears_;
};

}  // namespace holonom
