// ResidualField<S>: underlying differential equations with a prescribed behaviour of the residuals off the manifold,
//   g' = a g + b ψ,   ψ' = c g + d ψ,
// identically and for every H and g: g and ψ obey a linear equation whatever the state is. With K, B and λ of Brackets,
//   q' = H_p + H_pp Gᵀx,   p' = −H_q − Gᵀy − ψ_qᵀx,
//   K x = a g + (b − 1) ψ,   K (y − λ) = B x − c g − d ψ.
// On the manifold x = 0 and y = λ, so that all of them have the same motion there.
#pragma once

#include "holonom/field.hpp"
#include "holonom/solve/brackets.hpp"

namespace holonom {

template <class S>
struct ResidualRates {
  S a, b, c, d;

  // The standard underlying equation
  static ResidualRates underlying() { return {S(0), S(1), S(0), S(0)}; }
  // (3.7)-(3.8) of Leimkuhler and Reich, with the α of section 3.4. With α = 0 both residuals are strong invariants.
  static ResidualRates weak(const S& alpha) { return {alpha, S(0), S(0), S(0)}; }
  // Baumgarte's stabilisation as it is usually written: g'' + 2αg' + α²g = 0
  static ResidualRates baumgarte(const S& alpha) { return {S(0), S(1), S(-alpha * alpha), S(-2) * alpha}; }
  // The variant of Leimkuhler and Reich, section 4: each residual decays by itself.
  static ResidualRates baumgarte_twice(const S& alpha) { return {S(-alpha), S(1), S(0), S(-alpha)}; }
};

template <class S>
class ResidualField final : public Field<S> {
 public:
  ResidualField(const AnySystem<S>& sys, const ResidualRates<S>& rates)
      : sys_(sys), want_(rates), at_(sys), sum_(sys.n()) {
    for (Vec<S>* z : {&x_, &y_, &dg_, &dpsi_}) *z = Vec<S>(sys.m());
  }

  int n() const override { return sys_.n(); }
  void rates(const Vec<S>& q, const Vec<S>& p, Vec<S>& q_rate, Vec<S>& p_rate) const override {
    if (!at_.at(q, p).ok()) return undefined(q_rate, p_rate);
    find_multipliers(at_.g(), at_.psi());
    axpy(S(1), at_.lambda(), y_);
    sum_.q = at_.H_q();
    sum_.p = at_.H_p();
    at_.add_g(S(1), y_, sum_.q);
    if (moves_positions()) at_.add_psi(S(1), x_, sum_);
    q_rate = sum_.p;
    for (int i = 0; i < n(); ++i) p_rate[i] = -sum_.q[i];
  }
  // Exact on the manifold; elsewhere terms with a factor g or ψ are missing.
  void along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& q_change,
             Vec<S>& p_change) const override {
    if (!at_.at(q, p).ok()) return undefined(q_change, p_change);
    multiply(at_.G(), u, dg_);
    at_.psi_along(u, w, dpsi_);
    find_multipliers(dg_, dpsi_);
    at_.lambda_along(u, w, dg_);
    axpy(S(1), dg_, y_);
    sum_.clear();
    at_.add(S(1), Quantity::H_qq, u, sum_.q);
    at_.add(S(1), Quantity::H_qp, w, sum_.q);
    at_.add(S(1), Quantity::H_pq, u, sum_.p);
    at_.add(S(1), Quantity::H_pp, w, sum_.p);
    at_.add_g_qq(S(1), at_.lambda(), u, sum_.q);
    at_.add_g(S(1), y_, sum_.q);
    if (moves_positions()) at_.add_psi(S(1), x_, sum_);
    q_change = sum_.p;
    for (int i = 0; i < n(); ++i) p_change[i] = -sum_.q[i];
  }
  std::string lacks_derivative() const override { return Brackets<S>::lacks_gradients(sys_); }
  S energy(const Vec<S>& q, const Vec<S>& p) const override { return sys_.H(q, p); }

  template <class F>
  void visit_memory(F&& f) {
    at_.visit_memory(f);
  }

 private:
  bool moves_positions() const { return !(want_.a == S(0) && want_.b == S(1)); }
  // x, and y without λ
  void find_multipliers(const Vec<S>& g, const Vec<S>& psi) const {
    for (int k = 0; k < x_.size(); ++k) {
      x_[k] = want_.a * g[k] + (want_.b - S(1)) * psi[k];
      y_[k] = -(want_.c * g[k] + want_.d * psi[k]);
    }
    if (moves_positions()) {
      at_.solve(x_);
      at_.B(x_, r_);
      axpy(S(1), r_, y_);
    }
    at_.solve(y_);
  }
  static void undefined(Vec<S>& q_rate, Vec<S>& p_rate) {
    fill(q_rate, not_a_number<S>());
    fill(p_rate, not_a_number<S>());
  }

  const AnySystem<S>& sys_;
  const ResidualRates<S> want_;
  mutable Brackets<S> at_;
  mutable Gradient<S> sum_;
  mutable Vec<S> x_, y_, r_ = Vec<S>(sys_.m()), dg_, dpsi_;
};

}  // namespace holonom
