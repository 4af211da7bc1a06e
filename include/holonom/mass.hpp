// Constant mass matrices. A method asks for M⁻¹p and ½ pᵀM⁻¹p; solvers also ask whether M is
// diagonal, because then G M⁻¹ Gᵀ keeps the sparsity of G Gᵀ.
#pragma once

#include <memory>
#include <optional>

#include "holonom/solve/dense.hpp"

namespace holonom {

struct UnitMass {
  template <class S, int N>
  void solve(const Vec<S, N>& p, Vec<S, N>& v) const {
    v = p;
  }
  template <class S, int N>
  void multiply(const Vec<S, N>& v, Vec<S, N>& p) const {
    p = v;
  }
};

template <class S, int N>
class DiagonalMass {
 public:
  DiagonalMass() = default;
  explicit DiagonalMass(const Vec<S, N>& mass) : mass_(mass), inverse_(mass) {
    for (S& x : inverse_) x = S(1) / x;
  }
  void solve(const Vec<S, N>& p, Vec<S, N>& v) const {
    for (int i = 0; i < p.size(); ++i) v[i] = inverse_[i] * p[i];
  }
  void multiply(const Vec<S, N>& v, Vec<S, N>& p) const {
    for (int i = 0; i < p.size(); ++i) p[i] = mass_[i] * v[i];
  }
  const Vec<S, N>& inverse() const { return inverse_; }

 private:
  Vec<S, N> mass_, inverse_;
};

// A full matrix, given as M or as M⁻¹. Nothing is inverted: the one is a product, the other a solve.
template <class S>
class DenseMass {
 public:
  // nullopt if the matrix is not positive definite
  static std::optional<DenseMass> of(const Square<S>& M) { return make(M, false); }
  static std::optional<DenseMass> of_inverse(const Square<S>& M_inverse) { return make(M_inverse, true); }

  void solve(const Vec<S>& p, Vec<S>& v) const { inverse_ ? product(p, v) : solution(p, v); }
  void multiply(const Vec<S>& v, Vec<S>& p) const { inverse_ ? solution(v, p) : product(v, p); }

 private:
  static std::optional<DenseMass> make(const Square<S>& A, bool inverse) {
    DenseMass mass;
    mass.matrix_ = mass.factor_ = A;
    mass.inverse_ = inverse;
    if (factor_ldl(mass.factor_, Real<S>(0)) >= 0) return std::nullopt;
    return mass;
  }
  void product(const Vec<S>& x, Vec<S>& y) const {
    for (int i = 0; i < y.size(); ++i) {
      y[i] = S(0);
      for (int j = 0; j < x.size(); ++j) y[i] += matrix_(i, j) * x[j];
    }
  }
  void solution(const Vec<S>& x, Vec<S>& y) const {
    y = x;
    solve_ldl(factor_, y);
  }

  Square<S> matrix_, factor_;
  bool inverse_ = false;
};

// Diagonal or full, decided at run time.
template <class S>
class AnyMass {
 public:
  AnyMass() = default;
  explicit AnyMass(DiagonalMass<S, Dynamic> mass) : diagonal_(std::move(mass)) {}
  explicit AnyMass(DenseMass<S> mass) : dense_(std::make_shared<DenseMass<S>>(std::move(mass))) {}

  // 1/m for each coordinate, or nullptr if M is full
  const Vec<S>* inverse_diagonal() const { return dense_ ? nullptr : &diagonal_.inverse(); }
  void solve(const Vec<S>& p, Vec<S>& v) const {
    if (dense_) dense_->solve(p, v);
    else diagonal_.solve(p, v);
  }
  void multiply(const Vec<S>& v, Vec<S>& p) const {
    if (dense_) dense_->multiply(v, p);
    else diagonal_.multiply(v, p);
  }

 private:
  DiagonalMass<S, Dynamic> diagonal_;
  std::shared_ptr<const DenseMass<S>> dense_;
};

}  // namespace holonom
