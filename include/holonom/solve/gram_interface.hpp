// What is asked of G A Gᵀ, and of the metric A in it, written down.
#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "holonom/jacobian.hpp"
#include "holonom/mass.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

// A, applied to vectors: M⁻¹ of a constant mass, or H_pp at a point (system.hpp). Its diagonal, if it has nothing else.
// A metric may also have sparse_mass(): a sparse M, if A = M⁻¹, or nullptr.
template <class T, class S, int N = Dynamic>
concept MetricOf = requires(const T& A, const Vec<S, N>& u, Vec<S, N>& out) {
  A(u, out);
  { A.diagonal() } -> std::convertible_to<const Vec<S, N>*>;
};

template <class S, class Metric>
const SparseMass<S>* sparse_mass_of(const Metric& A) {
  if constexpr (requires { A.sparse_mass(); })
    return A.sparse_mass();
  else
    return nullptr;
}

// A kind of G A Gᵀ, its rank known from a first point.
//   set_directions(G, A)   A Gᵀ at a point: the directions of displacements from it
//   factor(G)              K = G A Gᵀ there; factor(G, A): both
//   solve(b)               K x = b, in place
//   newton(G₁, r, refresh) r ← (G₁ A Gᵀ)⁻¹ r, a step of Newton's method on g(q − A Gᵀλ) = 0. Where this does not always
//                          make the matrix anew (`refreshes`), it does so if `refresh`.
//   negative_pivots()      of that matrix, or of the one at G₁, eliminated in the order of the constraints: 0 as long
//   as their gradients span
//                          at G₁ what they span at G, the same way round. A body that has become its mirror image has
//                          one.
//   multiply(G, u, out)    out = G A u,   subtract_displacement(G, c, λ, out)   out ← out − c A Gᵀλ
//   independent(i)         the i-th of rank() independent constraints;   dropped()   those that are left out
//   keep_rows()            the same ones are left out wherever K is factored, and no others
template <class T, class S, class Metric>
concept GramOf = MetricOf<Metric, S> && requires(T& gram, const T& known, const Jacobian<S>& G, const Metric& A,
                                                 Vec<S>& r, const Vec<S>& u, const S& c, bool refresh, int i) {
  gram.set_directions(G, A);
  { gram.factor(G, A) } -> std::same_as<Status>;
  { gram.factor(G) } -> std::same_as<Status>;
  gram.solve(r);
  gram.newton(G, r, refresh);
  gram.multiply(G, u, r);
  gram.subtract_displacement(G, c, u, r);
  gram.keep_rows();
  { known.rank() } -> std::same_as<int>;
  { known.independent(i) } -> std::same_as<int>;
  { known.dropped() } -> std::same_as<std::vector<int>>;
  { T::refreshes } -> std::convertible_to<bool>;
  { known.negative_pivots() } -> std::same_as<int>;
  { gram.negative_pivots(G) } -> std::same_as<int>;
};

// Any metric, for the check of a kind where it is defined
template <class S>
struct SomeMetric {
  void operator()(const Vec<S>&, Vec<S>&) const {}
  const Vec<S>* diagonal() const { return nullptr; }
};

// Pivots of sparse factorisations that are good: more than the rounding errors of their terms. Along a motion, whose
// rank is known, the motion may pass near a dead centre. (Solves lose digits there; those who use them look at
// residuals.)
template <class S>
Real<S> nothing_left() {
  return epsilon<S>() * Real<S>(4);
}

// The constraints that a sparse factorisation leaves out, because they depend on others.
class DroppedRows {
 public:
  explicit DroppedRows(int m) : dropped_(static_cast<std::size_t>(m), 0) {}

  // Any number of them may be, from now on; then as many as were.
  void allow_all() {
    allowed_ = static_cast<int>(dropped_.size());
    same_ = false;
  }
  void allow_these() {
    allowed_ = 0;
    for (const char d : dropped_) allowed_ += d;
  }
  void keep() { same_ = true; }
  int count() const { return allowed_; }
  bool contains(int k) const { return dropped_[static_cast<std::size_t>(k)] != 0; }

  // Before a factorisation; then 1/d for each pivot d, or 0 if row k is dropped. `name`: the constraint's number.
  void begin() { now_ = 0; }
  template <class S>
  S reciprocal(int k, const S& d, bool good, int name, Status& status) {
    char& dropped = dropped_[static_cast<std::size_t>(k)];
    if (same_ && dropped) return S(0);
    dropped = !good;
    if (good) return S(S(1) / d);
    if (!(value(d) == value(d)))
      status = {Failure::not_finite, name};
    else if (++now_ > allowed_)
      status = {Failure::singular, name};
    return S(0);
  }

 private:
  std::vector<char> dropped_;
  int allowed_ = 0, now_ = 0;
  bool same_ = false;
};

}  // namespace holonom
