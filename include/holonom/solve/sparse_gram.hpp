// G A Gᵀ with diagonal A for many constraints: our own up-looking factorisation in the scalar S.
//   K = G A Gᵀ = L D Lᵀ                       for momenta and multipliers
//   N = G₁ A Gᵀ = L D U, same pattern as K     for Newton steps; N is K but for the turn of a step
// N is factored at the first iterate of a step and kept for the others: the error of that is as small
// as the first guess of the multipliers is good. No allocation after construction.
#pragma once

#include <memory>

#include "holonom/solve/gram_pattern.hpp"
#include "holonom/solve/status.hpp"
#include "holonom/scalar.hpp"

namespace holonom {

template <class S>
class SparseGram {
  using R = Real<S>;
  using Index = GramPattern::Index;

 public:
  explicit SparseGram(std::shared_ptr<const GramPattern> pattern, const Pattern& G)
      : k_(std::move(pattern)), weighted_(G.nonzeros()), lower_(static_cast<int>(k_->factor_row.size())),
        newton_lower_(static_cast<int>(k_->factor_row.size())), newton_upper_(static_cast<int>(k_->factor_row.size())),
        inverse_d_(k_->m), newton_inverse_d_(k_->m), y_(k_->m), z_(k_->m), x_(k_->m), dropped_(static_cast<std::size_t>(k_->m), 0) {}

  int m() const { return k_->m; }
  int rank() const { return m() - allowed_to_drop_; }
  std::vector<int> dropped() const {
    std::vector<int> constraints;
    for (int k = 0; k < m(); ++k)
      if (dropped_[at(k)]) constraints.push_back(k_->order[at(k)]);
    return constraints;
  }

  // Finds the rank: dependent constraints are dropped, their multipliers are zero.
  Status analyse(const Jacobian<S>& G, const Vec<S>& inverse_mass, const R& threshold) {
    allowed_to_drop_ = m();
    const Status status = factor(G, inverse_mass, threshold);
    allowed_to_drop_ = 0;
    for (const char d : dropped_) allowed_to_drop_ += d;
    return status;
  }

  // A Gᵀ, the directions of displacements from a point, without a factorisation
  void displace(const Jacobian<S>& G, const Vec<S>& inverse_mass) {
    const Vec<S>& g = G.values();
    for (int z = 0; z < g.size(); ++z) weighted_[z] = g[z] * inverse_mass[G.pattern().column[static_cast<std::size_t>(z)]];
  }

  Status factor(const Jacobian<S>& G, const Vec<S>& inverse_mass, const R& threshold) {
    displace(G, inverse_mass);
    return factor(G, threshold);
  }
  // At the point of the last `displace`
  Status factor(const Jacobian<S>& G, const R& threshold) {
    const Vec<S>& g = G.values();
    int dropped = 0;
    for (int k = 0; k < m(); ++k) {
      S d = diagonal(g, k);
      const R original = value(d);
      for (Index e = k_->row_start[at(k)]; e < k_->row_start[at(k) + 1]; ++e) {
        S s(0);
        for (Index p = k_->product_start[at(e)]; p < k_->product_start[at(e) + 1]; ++p)
          s += g[k_->products[at(p)].a] * weighted_[k_->products[at(p)].b];
        y_[k_->column[at(e)]] = s;
      }
      for (Index e = k_->factor_row_start[at(k)]; e < k_->factor_row_start[at(k) + 1]; ++e) {
        const Index j = k_->factor_column[at(e)], place = k_->factor_place[at(e)];
        const S ld = y_[j], l = ld * inverse_d_[j];
        y_[j] = S(0);
        d -= l * ld;
        for (Index p = k_->factor_start[at(j)]; p < place; ++p) y_[k_->factor_row[at(p)]] -= lower_[p] * ld;
        lower_[place] = l;
      }
      const bool good = value(d) > threshold * original;
      dropped_[at(k)] = !good;
      if (!good) {
        if (!(original == original)) return {Failure::not_finite, k_->order[at(k)]};
        if (++dropped > allowed_to_drop_) return {Failure::singular, k_->order[at(k)]};
        // Nothing that is eliminated later may refer to this row.
        for (Index e = k_->factor_row_start[at(k)]; e < k_->factor_row_start[at(k) + 1]; ++e) lower_[k_->factor_place[at(e)]] = S(0);
      }
      inverse_d_[k] = good ? S(S(1) / d) : S(0);
    }
    return {};
  }

  // (G A Gᵀ) x = b
  void solve(Vec<S>& b) { substitute(b, lower_, lower_, inverse_d_); }

  // r ← N⁻¹ r; N is factored anew if `refresh`. Returns the constraint at which N is not positive, or -1.
  int newton(const Jacobian<S>& G1, Vec<S>& r, bool refresh) {
    if (refresh) suspicious_ = factor_newton(G1.values());
    substitute(r, newton_lower_, newton_upper_, newton_inverse_d_);
    return suspicious_;
  }

  // out = G A u
  void multiply(const Pattern& G, const Vec<S>& u, Vec<S>& out) const {
    for (int k = 0; k < m(); ++k) {
      S s(0);
      for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z) s += weighted_[z] * u[G.column[static_cast<std::size_t>(z)]];
      out[k] = s;
    }
  }
  // out -= c A Gᵀλ
  void subtract_displacement(const Pattern& G, const S& c, const Vec<S>& lambda, Vec<S>& out) const {
    for (int k = 0; k < m(); ++k) {
      const S l = c * lambda[k];
      for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z) out[G.column[static_cast<std::size_t>(z)]] -= weighted_[z] * l;
    }
  }
  int turned(const Jacobian<S>& G1) const {
    for (int k = 0; k < m(); ++k) {
      S s(0);
      const Pattern& G = G1.pattern();
      for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z) s += G1.values()[z] * weighted_[z];
      if (!(value(s) > R(0)) && rank() == m()) return k;
    }
    return -1;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  S diagonal(const Vec<S>& g, int k) const {
    S d(0);
    for (Index e = k_->diagonal_start[at(k)]; e < k_->diagonal_start[at(k) + 1]; ++e) {
      const Index z = k_->diagonal_entry[at(e)];
      d += g[z] * weighted_[z];
    }
    return d;
  }

  int factor_newton(const Vec<S>& g) {
    int suspicious = -1;
    for (int k = 0; k < m(); ++k) {
      S d = diagonal(g, k);
      for (Index e = k_->row_start[at(k)]; e < k_->row_start[at(k) + 1]; ++e) {
        S lower(0), upper(0);
        for (Index p = k_->product_start[at(e)]; p < k_->product_start[at(e) + 1]; ++p) {
          const auto [a, b] = k_->products[at(p)];
          lower += g[a] * weighted_[b];
          upper += g[b] * weighted_[a];
        }
        y_[k_->column[at(e)]] = lower;
        z_[k_->column[at(e)]] = upper;
      }
      for (Index e = k_->factor_row_start[at(k)]; e < k_->factor_row_start[at(k) + 1]; ++e) {
        const Index j = k_->factor_column[at(e)], place = k_->factor_place[at(e)];
        const S ld = y_[j], du = z_[j], l = ld * newton_inverse_d_[j];
        y_[j] = z_[j] = S(0);
        d -= l * du;
        for (Index p = k_->factor_start[at(j)]; p < place; ++p) {
          const Index i = k_->factor_row[at(p)];
          y_[i] -= ld * newton_upper_[p];
          z_[i] -= newton_lower_[p] * du;
        }
        const bool keep = !dropped_[at(k)];
        newton_lower_[place] = keep ? l : S(0);
        newton_upper_[place] = keep ? S(du * newton_inverse_d_[j]) : S(0);
      }
      if (dropped_[at(k)]) {
        newton_inverse_d_[k] = S(0);
        continue;
      }
      if (!(value(d) > R(0)) && suspicious < 0) suspicious = k_->order[at(k)];
      newton_inverse_d_[k] = S(1) / d;
    }
    return suspicious;
  }

  void substitute(Vec<S>& b, const Vec<S>& lower, const Vec<S>& upper, const Vec<S>& inverse_d) {
    Vec<S>& x = k_->natural ? b : x_;
    if (!k_->natural)
      for (int k = 0; k < m(); ++k) x[k] = b[k_->order[at(k)]];
    for (int j = 0; j < m(); ++j) {
      const S xj = x[j];
      for (Index p = k_->factor_start[at(j)]; p < k_->factor_start[at(j) + 1]; ++p) x[k_->factor_row[at(p)]] -= lower[p] * xj;
      x[j] = xj * inverse_d[j];
    }
    for (int j = m() - 1; j >= 0; --j) {
      S s = x[j];
      for (Index p = k_->factor_start[at(j)]; p < k_->factor_start[at(j) + 1]; ++p) s -= upper[p] * x[k_->factor_row[at(p)]];
      x[j] = s;
    }
    if (!k_->natural)
      for (int k = 0; k < m(); ++k) b[k_->order[at(k)]] = x[k];
  }

  std::shared_ptr<const GramPattern> k_;
  Vec<S> weighted_;  // G A, entry by entry
  Vec<S> lower_, newton_lower_, newton_upper_;
  Vec<S> inverse_d_, newton_inverse_d_;
  Vec<S> y_, z_, x_;
  std::vector<char> dropped_;
  int allowed_to_drop_ = 0, suspicious_ = -1;
};

}  // namespace holonom
