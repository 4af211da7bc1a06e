// The multipliers of stages: h² Σ_j B_ij δΛ_j = r_i with B_ij = (AÂ)_ij G(Q_i) H_pp G(Q_j)ᵀ, for the stages i that have
// a constraint and the stages j that have a multiplier.
//   few unknowns    B is a dense matrix, factored at the first guess of a step; of redundant constraints the
//   independent
//                   ones stand for all
//   many            B ≈ A₀Â₀ ⊗ K with K = G H_pp Gᵀ at the start of the step, as in Jay's (3.15), is the preconditioner
//   of a
//                   few linear iterations with B, which evaluate nothing
#pragma once

#include "holonom/dense.hpp"
#include "holonom/solve/fine_coefficients.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

template <class Sys>
class StageGram {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;
  using Multipliers = std::vector<Vec<S, M>>;
  // Up to here B is factored as a dense matrix.
  static constexpr int few_unknowns = 24;
  // Linear iterations with B stop at this part of the first residual, or after so many.
  static constexpr double linear_reduction = 0.02;
  static constexpr int linear_iterations = 4;

 public:
  // path: AÂ; first: the first stage with a constraint; count: the number of these, and of multipliers
  StageGram(const Sys& sys, const FineCoefficients<S>& path, int first, int count)
      : path_(path),
        first_(first),
        count_(count),
        inverse_(inverse_of_path()),
        gram_(size_q(sys), size_g(sys)),
        w_(size_q(sys)),
        u_(size_q(sys)),
        e_(at(count), Vec<S, M>(size_g(sys))),
        trial_(e_),
        v_(at(count), Vec<S, N>(size_q(sys))) {}

  int m() const { return gram_.m(); }
  bool redundant() const { return gram_.rank() < gram_.m(); }
  GramSolver<S, N, M>& start() { return gram_; }  // of K
  const GramSolver<S, N, M>& start() const { return gram_; }

  // At a first point
  Status analyse(const Sys& sys, const JacobianOf<Sys>& G, const QVec<Sys>& q, const QVec<Sys>& p,
                 const Vec<R, M>& row_units) {
    if (const Status s = gram_.analyse(G, metric_at(sys, q, p), row_units); !s.ok()) return s;
    const int unknowns = count_ * gram_.rank();
    const bool factors = m() > 0 && unknowns <= few_unknowns && (!redundant() || is_dense());
    lu_ = PivotedLu<S>(factors ? unknowns : 0);
    x_ = Vec<S>(lu_.size());
    return {};
  }

  // B at these stages, if it is a matrix. False if it is singular.
  template <class Stages>
  bool factor(const Sys& sys, const Stages& stages, StageMatrix matrix, Counters& counters) {
    if (!factors(matrix)) return true;
    const int rank = gram_.rank();
    Square<S>& B = lu_.matrix();
    for (int j = 0; j < count_; ++j)
      for (int l = 0; l < rank; ++l) {
        fill(w_, S(0));
        stages.G(j).row(gram_.independent(l), [&](int k, const S& a) { w_[k] = a; });
        energy_pp(sys, stages.Q(j), stages.P(j), w_, u_);
        for (int i = 0; i < count_; ++i)
          for (int k = 0; k < rank; ++k) {
            S sum(0);
            stages.G(i + first_).row(gram_.independent(k), [&](int n, const S& a) { sum += a * u_[n]; });
            B(i * rank + k, j * rank + l) = path_(i + first_, j) * sum;
          }
      }
    ++counters.factorisation;
    return lu_.factor();
  }

  // δΛ from r, which is spoiled
  template <class Stages>
  void solve(const Sys& sys, const Stages& stages, StageMatrix matrix, const S& h, Multipliers& r,
             Multipliers& dlambda) {
    const S scale = S(1) / (h * h);
    for (Vec<S, M>& x : dlambda) fill(x, S(0));
    if (factors(matrix)) return solve_dense(scale, r, dlambda);
    const bool with_B = matrix != StageMatrix::start && !redundant();
    R before = largest_of(r);
    const R enough = R(linear_reduction) * before;
    for (int round = 1;; ++round) {
      precondition(scale, r);
      for (int j = 0; j < count_; ++j) axpy(S(1), e_[at(j)], dlambda[at(j)]);
      if (!with_B || round == linear_iterations) return;
      subtract_product(sys, stages, h, r);
      const R after = largest_of(r);
      if (after <= enough) return;
      if (!(after < before)) {  // K is too far from B: what it said last was no improvement
        for (int j = 0; j < count_ && round > 1; ++j) axpy(S(-1), e_[at(j)], dlambda[at(j)]);
        return;
      }
      before = after;
    }
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_dense() const {
    if constexpr (M == Dynamic)
      return gram_.refreshes();
    else
      return true;
  }
  bool factors(StageMatrix matrix) const { return lu_.size() > 0 && matrix != StageMatrix::start; }
  static R largest_of(const Multipliers& r) {
    R size(0);
    for (const Vec<S, M>& x : r) keep_largest(size, largest(x));
    return size;
  }

  // (A₀Â₀)⁻¹
  Square<S> inverse_of_path() const {
    PivotedLu<S> lu(count_);
    for (int i = 0; i < count_; ++i)
      for (int j = 0; j < count_; ++j) lu.matrix()(i, j) = path_(i + first_, j);
    Square<S> inverse(count_);
    if (!lu.factor()) return inverse;  // no method for constraints (a free one may be)
    Vec<S> unit(count_);
    for (int j = 0; j < count_; ++j) {
      fill(unit, S(0));
      unit[j] = S(1);
      lu.solve(unit);
      for (int i = 0; i < count_; ++i) inverse(i, j) = unit[i];
    }
    return inverse;
  }

  void solve_dense(const S& scale, const Multipliers& r, Multipliers& dlambda) {
    const int rank = gram_.rank();
    for (int i = 0; i < count_; ++i)
      for (int k = 0; k < rank; ++k) x_[i * rank + k] = r[at(i)][gram_.independent(k)] * scale;
    lu_.solve(x_);
    for (int j = 0; j < count_; ++j)
      for (int k = 0; k < rank; ++k) dlambda[at(j)][gram_.independent(k)] = x_[j * rank + k];
  }
  // e = (A₀Â₀)⁻¹ ⊗ K⁻¹ r / h²
  void precondition(const S& scale, const Multipliers& r) {
    for (int i = 0; i < count_; ++i) {
      trial_[at(i)] = r[at(i)];
      gram_.solve(trial_[at(i)]);
    }
    for (int j = 0; j < count_; ++j) {
      fill(e_[at(j)], S(0));
      for (int i = 0; i < count_; ++i) axpy(S(inverse_(j, i) * scale), trial_[at(i)], e_[at(j)]);
    }
  }
  // r −= h² B e
  template <class Stages>
  void subtract_product(const Sys& sys, const Stages& stages, const S& h, Multipliers& r) {
    for (int j = 0; j < count_; ++j) {
      fill(w_, S(0));
      subtract_force(stages.G(j), e_[at(j)], w_);
      energy_pp(sys, stages.Q(j), stages.P(j), w_, v_[at(j)]);
    }
    for (int i = 0; i < count_; ++i) {
      fill(w_, S(0));
      for (int j = 0; j < count_; ++j) axpy(path_(i + first_, j), v_[at(j)], w_);
      multiply(stages.G(i + first_), w_, trial_[0]);
      axpy(S(h * h), trial_[0], r[at(i)]);
    }
  }

  FineCoefficients<S> path_;
  int first_, count_;
  Square<S> inverse_;
  GramSolver<S, N, M> gram_;
  Vec<S, N> w_, u_;
  Multipliers e_, trial_;
  std::vector<Vec<S, N>> v_;
  PivotedLu<S> lu_;
  Vec<S> x_;
};

}  // namespace holonom
