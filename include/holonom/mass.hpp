// Constant mass matrices. A method asks for M⁻¹p and ½ pᵀM⁻¹p; solvers also ask whether M is diagonal,
// because then G M⁻¹ Gᵀ keeps the sparsity of G Gᵀ, or sparse, because then the saddle point matrix is.
#pragma once

#include <memory>
#include <optional>

#include "holonom/dense.hpp"
#include "holonom/sparse_factor.hpp"

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

// A large matrix M with few entries, such as the consistent masses of finite elements. Copies share the numbers.
template <class S>
class SparseMass {
 public:
  // M by compressed rows: all entries of both triangles, no entry twice. nullopt if M is not positive definite
  // to working precision; then *not_positive is the coordinate at which it fails.
  static std::optional<SparseMass> of(const Pattern& rows, Vec<S> values, int* not_positive = nullptr) {
    auto parts = std::make_shared<Parts>();
    parts->rows = rows;
    parts->value = std::move(values);
    if (const int bad = parts->factor(); bad >= 0) {
      if (not_positive) *not_positive = bad;
      return std::nullopt;
    }
    SparseMass mass;
    mass.parts_ = std::move(parts);
    return mass;
  }

  void solve(const Vec<S>& p, Vec<S>& v) const {
    v = p;
    parts_->ldl.solve(parts_->elimination, v.data());
  }
  void multiply(const Vec<S>& v, Vec<S>& p) const {
    const Pattern& M = pattern();
    for (int i = 0; i < M.n; ++i) {
      S s(0);
      for (int z = M.row_start[at(i)]; z < M.row_start[at(i) + 1]; ++z) s += values()[z] * v[M.column[at(z)]];
      p[i] = s;
    }
  }

  const Pattern& pattern() const { return parts_->rows; }
  const Vec<S>& values() const { return parts_->value; }
  const S& diagonal(int i) const { return parts_->diagonal[i]; }
  const SparseMass* sparse() const { return this; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  struct Parts {
    Pattern rows;
    Vec<S> value, diagonal;
    FactorPattern elimination;
    SparseLdl<S> ldl;

    // The first coordinate whose pivot is not positive, or -1
    int factor() {
      diagonal = Vec<S>(rows.n);
      Adjacency graph;
      for (int i = 0; i < rows.n; ++i) {
        for (int z = rows.row_start[at(i)]; z < rows.row_start[at(i) + 1]; ++z) {
          if (rows.column[at(z)] == i)
            diagonal[i] = value[z];
          else
            graph.neighbour.push_back(rows.column[at(z)]);
        }
        std::sort(graph.neighbour.begin() + graph.start.back(), graph.neighbour.end());
        graph.start.push_back(static_cast<SparseIndex>(graph.neighbour.size()));
      }
      elimination = FactorPattern(graph);
      ldl = SparseLdl<S>(elimination);
      int bad = -1;
      const auto row = [&](int k, Vec<S>& y) {
        const int i = elimination.order[at(k)];
        for (int z = rows.row_start[at(i)]; z < rows.row_start[at(i) + 1]; ++z)
          if (const int j = elimination.place[at(rows.column[at(z)])]; j < k) y[j] = value[z];
        return diagonal[i];
      };
      ldl.factor(elimination, row, [&](int k, const S& d, const Real<S>& size, bool& stop) {
        stop = !(holonom::value(d) > epsilon<S>() * size && is_finite(d));
        if (stop) bad = elimination.order[at(k)];
        return S(S(1) / d);
      });
      return bad;
    }
  };

  std::shared_ptr<const Parts> parts_;
};

// Diagonal, sparse or full, decided at run time.
template <class S>
class AnyMass {
 public:
  AnyMass() = default;
  explicit AnyMass(DiagonalMass<S, Dynamic> mass) : diagonal_(std::move(mass)) {}
  explicit AnyMass(SparseMass<S> mass) : sparse_(std::move(mass)) {}
  explicit AnyMass(DenseMass<S> mass) : dense_(std::make_shared<DenseMass<S>>(std::move(mass))) {}

  // 1/m for each coordinate, or nullptr if M is not diagonal
  const Vec<S>* inverse_diagonal() const { return dense_ || sparse_ ? nullptr : &diagonal_.inverse(); }
  // M by its entries, or nullptr if it is diagonal or full
  const SparseMass<S>* sparse() const { return sparse_ ? &*sparse_ : nullptr; }
  void solve(const Vec<S>& p, Vec<S>& v) const {
    if (dense_)
      dense_->solve(p, v);
    else if (sparse_)
      sparse_->solve(p, v);
    else
      diagonal_.solve(p, v);
  }
  void multiply(const Vec<S>& v, Vec<S>& p) const {
    if (dense_)
      dense_->multiply(v, p);
    else if (sparse_)
      sparse_->multiply(v, p);
    else
      diagonal_.multiply(v, p);
  }

 private:
  DiagonalMass<S, Dynamic> diagonal_;
  std::optional<SparseMass<S>> sparse_;
  std::shared_ptr<const DenseMass<S>> dense_;
};

}  // namespace holonom
