// The full Newton matrix of the stage equations (3.11) of Jay (1996), with all second derivatives: unknowns are
// Q_i − q₀ where Q_i is one, all P_i, and Λ_j (of redundant constraints, the independent ones). Dense, so for small
// systems; for those whose forces change too much in a step for the simplified iteration.
// With hidden constraints (index_two_stages.hpp) there are as many multipliers M_j more. Derivatives of H_pp Gᵀ are
// missing there: M_j is small.
#pragma once

#include "holonom/dense.hpp"
#include "holonom/solve/fine_coefficients.hpp"
#include "holonom/system.hpp"

namespace holonom {

template <class Sys>
class StageNewton {
  using S = ScalarOf<Sys>;

 public:
  // Up to here the matrix is worth its factorisation.
  static constexpr int most_unknowns = 600;

  StageNewton(const Sys& sys, int stages, int first, int multipliers, bool hidden = false)
      : n_(size_q(sys)), m_(size_g(sys)), s_(stages), first_(first), multipliers_(multipliers), hidden_(hidden) {
    if (!HasHqq<Sys> || unknowns(n_, m_, s_, first_, hidden_) > most_unknowns) return;
    mixed_ = Square<S>(n_);
    for (auto* v : {&unit_, &a_, &b_, &c_, &v_}) *v = QVec<Sys>(n_);
    psi_ = MVec<Sys>(m_);
  }

  // first: whether Q_1 = q₀ and Λ_s are none of them
  static int unknowns(int n, int m, int stages, int first, bool hidden = false) {
    return (stages - first) * (n + (hidden ? 2 : 1) * m) + stages * n;
  }

  // Second derivatives are made ready for their first use. rank: of the constraints
  void prepare(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, const MVec<Sys>& lambda, int rank) {
    if constexpr (HasHqq<Sys>) {
      exists_ = unit_.size() == n_ && knows(sys, Quantity::H_qq) && knows(sys, Quantity::lambda_g_qq);
      if constexpr (HasCurvature<Sys>) exists_ = exists_ && (!hidden_ || knows(sys, Quantity::g_qq));
      if (!exists_) return;
      has_H_qp_ = !HasHpp<Sys> || (Has<Sys, Quantity::H_qp> && knows(sys, Quantity::H_qp));
      rank_ = rank;
      lu_ = PivotedLu<S>(unknowns(n_, rank_, s_, first_, hidden_));
      x_ = Vec<S>(lu_.size());
      energy_qq(sys, q, p, unit_, a_);
      energy_pq(sys, q, p, unit_, a_);
      if (m_ > 0) sys.lambda_g_qq(q, lambda, unit_, a_);
    }
  }
  bool exists() const { return exists_; }

  // Whether a factorisation costs little more than an iteration without one.
  bool is_cheap() const { return lu_.size() <= 60; }

  // Where things stand among the unknowns, and the residuals that belong to them.
  S& position(int i, int k) { return x_[(i - first_) * n_ + k]; }
  S& momentum(int i, int k) { return x_[(s_ - first_ + i) * n_ + k]; }
  S& multiplier(int j, int k) { return x_[(2 * s_ - first_) * n_ + j * rank_ + k]; }
  S& hidden(int j, int k) { return x_[(2 * s_ - first_) * n_ + (multipliers_ + j) * rank_ + k]; }

  // False if the matrix is singular. `at` knows Q, P, Λ and G of the stages by number, and which constraints are
  // independent.
  template <class Stages>
  bool factor(const Sys& sys, const FineCoefficients<S>& A, const FineCoefficients<S>& A_hat, const S& h,
              const Stages& at) {
    if constexpr (HasHqq<Sys>) {
      Square<S>& J = lu_.matrix();
      for (int r = 0; r < J.size(); ++r)
        for (int c = 0; c < J.size(); ++c) J(r, c) = S(r == c && r < (2 * s_ - first_) * n_ ? 1 : 0);
      const auto row_q = [&](int i) { return (i - first_) * n_; };
      const auto row_p = [&](int i) { return (s_ - first_ + i) * n_; };
      const auto row_g = [&](int i) { return (2 * s_ - first_) * n_ + i * rank_; };
      const auto row_psi = [&](int i) { return row_g(multipliers_ + i); };
      for (int j = 0; j < s_; ++j) {
        if (hidden_) energy_p(sys, at.Q(j), at.P(j), v_);
        for (int l = 0; l < n_; ++l) {
          fill(unit_, S(0));
          unit_[l] = S(1);
          energy_pq(sys, at.Q(j), at.P(j), unit_, a_);
          if (!has_H_qp_)
            for (int k = 0; k < n_; ++k) mixed_(k, l) = a_[k];
          if (j < first_) continue;
          energy_qq(sys, at.Q(j), at.P(j), unit_, b_);
          if (j < multipliers_ && m_ > 0) {
            sys.lambda_g_qq(at.Q(j), at.Lambda(j), unit_, c_);
            axpy(S(1), c_, b_);
          }
          add_column(J, A, j, S(-h), a_, row_q, first_, row_q(j) + l);
          add_column(J, A_hat, j, h, b_, row_p, 0, row_q(j) + l);
          if constexpr (HasCurvature<Sys>)
            if (hidden_) {  // ψ_q = g_qq(H_p, ·) + G H_pq
              sys.g_qq(at.Q(j), v_, unit_, psi_);
              for (int k = 0; k < rank_; ++k)
                J(row_psi(j) + k, row_q(j) + l) = psi_[at.independent(k)] + along(at.G(j), at.independent(k), a_);
            }
        }
        for (int l = 0; l < n_; ++l) {
          fill(unit_, S(0));
          unit_[l] = S(1);
          energy_pp(sys, at.Q(j), at.P(j), unit_, a_);
          if (has_H_qp_)
            energy_qp(sys, at.Q(j), at.P(j), unit_, b_);
          else  // H_qp = H_pqᵀ
            for (int k = 0; k < n_; ++k) b_[k] = mixed_(l, k);
          add_column(J, A, j, S(-h), a_, row_q, first_, row_p(j) + l);
          add_column(J, A_hat, j, h, b_, row_p, 0, row_p(j) + l);
          for (int k = 0; k < rank_ && hidden_; ++k)
            J(row_psi(j) + k, row_p(j) + l) = along(at.G(j), at.independent(k), a_);
        }
        for (int k = 0; k < rank_; ++k) {
          const int constraint = at.independent(k);
          if (j < multipliers_) {
            fill(a_, S(0));
            at.G(j).row(constraint, [&](int l, const S& x) { a_[l] = x; });
            add_column(J, A_hat, j, h, a_, row_p, 0, row_g(j) + k);
            if (hidden_) {
              energy_pp(sys, at.Q(j), at.P(j), a_, b_);
              add_column(J, A, j, S(-h), b_, row_q, first_, row_psi(j) + k);
            }
          }
          if (j >= first_)
            at.G(j).row(constraint, [&](int l, const S& x) { J(row_g(j - first_) + k, row_q(j) + l) = x; });
        }
      }
      return lu_.factor();
    }
    return false;
  }
  // Residuals become corrections.
  void solve() { lu_.solve(x_); }
  Vec<S>& corrections() { return x_; }

 private:
  // J(row(i) + k, column) += c M_ij x_k for the stages i from `from` on
  template <class Row>
  void add_column(Square<S>& J, const FineCoefficients<S>& M, int j, const S& c, const QVec<Sys>& x, Row&& row,
                  int from, int column) {
    for (int i = from; i < s_; ++i) {
      const S factor = c * M(i, j);
      if (factor == S(0)) continue;
      for (int k = 0; k < n_; ++k) J(row(i) + k, column) += factor * x[k];
    }
  }

  // The k-th row of G times x
  static S along(const JacobianOf<Sys>& G, int k, const QVec<Sys>& x) {
    S sum(0);
    G.row(k, [&](int l, const S& y) { sum += y * x[l]; });
    return sum;
  }

  int n_ = 0, m_ = 0, s_ = 0, first_ = 0, multipliers_ = 0, rank_ = 0;
  bool hidden_ = false, exists_ = false, has_H_qp_ = false;
  PivotedLu<S> lu_;
  Vec<S> x_;
  Square<S> mixed_;
  QVec<Sys> unit_, a_, b_, c_, v_;
  MVec<Sys> psi_;
};

}  // namespace holonom
