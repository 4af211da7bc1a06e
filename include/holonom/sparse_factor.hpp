// The one sparse factorisation of this library, in every scalar: up-looking, without exchanges, on a pattern
// that was made before. No allocation after construction.
//   SparseLdl<S>   A = L D Lᵀ
//   SparseLdu<S>   A = L D U, A not symmetric, but with a symmetric pattern
// Whose matrix it is (a mass, G A Gᵀ, a saddle point) is the business of those who hand in rows and judge pivots.
#pragma once

#include "holonom/factor_pattern.hpp"
#include "holonom/scalar.hpp"

namespace holonom {

// x ← (L D U)⁻¹ x, where upper holds Uᵀ in the places of L. In place and in the order as written, so that no
// scratch is needed; place(k) is where the k-th unknown stands, target[p] that of entry p of L.
template <class S, class Place>
void substitute(const FactorPattern& f, const Vec<S>& lower, const Vec<S>& upper, const Vec<S>& inverse_d, S* x,
                const FactorPattern::Index* target, Place&& place) {
  const auto* start = f.factor_start.data();
  const S *l = lower.data(), *u = upper.data(), *d = inverse_d.data();
  for (int j = 0; j < f.rows(); ++j) {
    const S xj = x[place(j)];
    for (auto p = start[j]; p < start[j + 1]; ++p) x[target[p]] -= l[p] * xj;
    x[place(j)] = xj * d[j];
  }
  for (int j = f.rows() - 1; j >= 0; --j) {
    S s = x[place(j)];
    for (auto p = start[j]; p < start[j + 1]; ++p) s -= u[p] * x[target[p]];
    x[place(j)] = s;
  }
}
template <class S>
void substitute(const FactorPattern& f, const Vec<S>& lower, const Vec<S>& upper, const Vec<S>& inverse_d, S* x) {
  if (f.natural) return substitute(f, lower, upper, inverse_d, x, f.factor_row.data(), [](int k) { return k; });
  substitute(f, lower, upper, inverse_d, x, f.factor_target.data(),
             [order = f.order.data()](int k) { return order[k]; });
}

template <class S>
class SparseLdl {
  using Index = FactorPattern::Index;
  using R = Real<S>;

 public:
  SparseLdl() = default;
  explicit SparseLdl(const FactorPattern& f) : lower_(f.entries()), inverse_d_(f.rows()), y_(f.rows()) {}

  // row(k, y): puts the entries of the k-th row left of the diagonal into y, at their places of elimination,
  // and returns the diagonal.
  // pivot(k, d, size, stop): 1/d, or 0 to leave out this row and column; may set stop to give up, and false is
  // returned. `size` is the largest of the sums that led to d: what is left below ε of it is rounding error. (For a
  // positive definite matrix it is the original diagonal.)
  template <class Row, class Pivot>
  bool factor(const FactorPattern& f, Row&& row, Pivot&& pivot) {
    for (int k = 0; k < f.rows(); ++k) {
      S d = row(k, y_);
      R size = magnitude(value(d));
      const Index first = f.factor_row_start[at(k)], last = f.factor_row_start[at(k) + 1];
      for (Index e = first; e < last; ++e) {
        const Index j = f.factor_column[at(e)], place = f.factor_place[at(e)];
        const S ld = y_[j], l = ld * inverse_d_[j];
        y_[j] = S(0);
        d -= l * ld;
        const R sum = magnitude(value(d));
        size = size < sum ? sum : size;
        for (Index p = f.factor_start[at(j)]; p < place; ++p) y_[f.factor_row[at(p)]] -= lower_[p] * ld;
        lower_[place] = l;
      }
      bool stop = false;
      inverse_d_[k] = pivot(k, d, size, stop);
      if (stop) return false;
      if (value(inverse_d_[k]) == R(0))  // nothing that is eliminated later may refer to this row
        for (Index e = first; e < last; ++e) lower_[f.factor_place[at(e)]] = S(0);
    }
    return true;
  }

  void solve(const FactorPattern& f, S* x) const { substitute(f, lower_, lower_, inverse_d_, x); }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Vec<S> lower_, inverse_d_, y_;
};

template <class S>
class SparseLdu {
  using Index = FactorPattern::Index;
  using R = Real<S>;

 public:
  SparseLdu() = default;
  explicit SparseLdu(const FactorPattern& f)
      : lower_(f.entries()), upper_(f.entries()), inverse_d_(f.rows()), y_(f.rows()), z_(f.rows()) {}

  // row(k, y, z): as above; y for the row left of the diagonal, z for the column above it.
  // pivot(k, d): 1/d, or 0 to leave out this row and column.
  template <class Row, class Pivot>
  void factor(const FactorPattern& f, Row&& row, Pivot&& pivot) {
    for (int k = 0; k < f.rows(); ++k) {
      S d = row(k, y_, z_);
      const Index first = f.factor_row_start[at(k)], last = f.factor_row_start[at(k) + 1];
      for (Index e = first; e < last; ++e) {
        const Index j = f.factor_column[at(e)], place = f.factor_place[at(e)];
        const S ld = y_[j], du = z_[j], l = ld * inverse_d_[j];
        y_[j] = z_[j] = S(0);
        d -= l * du;
        for (Index p = f.factor_start[at(j)]; p < place; ++p) {
          const Index i = f.factor_row[at(p)];
          y_[i] -= ld * upper_[p];
          z_[i] -= lower_[p] * du;
        }
        lower_[place] = l;
        upper_[place] = du * inverse_d_[j];
      }
      inverse_d_[k] = pivot(k, d);
      if (value(inverse_d_[k]) == R(0))
        for (Index e = first; e < last; ++e) lower_[f.factor_place[at(e)]] = upper_[f.factor_place[at(e)]] = S(0);
    }
  }

  void solve(const FactorPattern& f, S* x) const { substitute(f, lower_, upper_, inverse_d_, x); }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Vec<S> lower_, upper_, inverse_d_, y_, z_;
};

}  // namespace holonom
