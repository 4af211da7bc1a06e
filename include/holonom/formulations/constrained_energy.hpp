// Hamiltonians without constraints whose motion from states on the manifold is that of the constrained system:
//   h-m     H_M = H + λ(q, p)·g                  Reich's (15)-(18); for unit mass (3.9)-(3.10) of Leimkuhler and Reich
//   dirac   H_T = H + μ(q, p)·g + η(q, p)·ψ      Dirac's, (3.2)-(3.3) and section 3.6
// with η = K⁻¹(αg − ψ), where α (section 3.4) is free, and μ = λ + K⁻¹{ψ, ψ}η. In terms of γ = K⁻¹g, ρ = K⁻¹(ψ − Bγ):
//   H_T = H + γ·r + η·ψ + γᵀB η,
//   ∇H_T = ∇H + γ·∇r + (η − ρ)·∇ψ + γᵀ(∇B)η + (μ + αρ)·∇g − μᵀ(∇K)γ − ρᵀ(∇K)η,
// which is exact anywhere; H_M is the same with η = ρ = 0 and μ = λ.
#pragma once

#include "holonom/solve/brackets.hpp"
#include "holonom/unconstrained.hpp"

namespace holonom {

template <class S>
class ConstrainedEnergy final : public Unconstrained<S> {
 public:
  // with_hidden: H_T, with a multiplier of the hidden constraint; else H_M
  ConstrainedEnergy(const AnySystem<S>& sys, bool with_hidden, const S& alpha = S(0))
      : Unconstrained<S>(sys.n(), sys.labels()),
        sys_(sys),
        with_hidden_(with_hidden),
        alpha_(alpha),
        at_(sys),
        gradient_(sys.n()),
        product_(sys.n()),
        none_(sys.n()) {
    for (Vec<S>* x : {&gamma_, &eta_, &rho_, &mu_, &x_, &y_, &K_x_, &K_y_, &z_}) *x = Vec<S>(sys.m());
  }

  S H(const Vec<S>& q, const Vec<S>& p) const override {
    if (!find_multipliers(q, p)) return not_a_number<S>();
    S sum = sys_.H(q, p) + dot(mu_, at_.g());
    if (with_hidden_) sum += dot(eta_, at_.psi());
    return sum;
  }
  void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    find_gradient(q, p);
    out = gradient_.q;
  }
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    find_gradient(q, p);
    out = gradient_.p;
  }
  // Products of the Hessian, for Newton's method: exact on the manifold. (Elsewhere terms are missing that have a
  // factor g or ψ, and fourth derivatives of H and g.)
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override {
    const bool of_p = f == Quantity::H_pp || f == Quantity::H_qp;
    if (!of_p && f != Quantity::H_pq && f != Quantity::H_qq) throw std::logic_error(lacks(f));
    find_product(*x.q, *x.p, of_p ? none_ : *x.u, of_p ? *x.u : none_);
    out = f == Quantity::H_pp || f == Quantity::H_pq ? product_.p : product_.q;
  }
  std::string lacks(Quantity f) const override {
    if (f == Quantity::H_pp || f == Quantity::H_pq || f == Quantity::H_qp || f == Quantity::H_qq)
      return Brackets<S>::lacks_gradients(sys_);
    if (is_per_constraint(f) || is_of_multipliers(f)) return {};
    if (f == Quantity::V || f == Quantity::V_parts || f == Quantity::V_fast)
      return "with the multipliers in it the Hamiltonian is no sum p.M^-1 p/2 + V(q)";
    return "the Hamiltonian with multipliers has no " + std::string(name_of(f));
  }
  std::string diagnose(const Vec<S>& q, const Vec<S>& p) const override { return sys_.diagnose(q, p); }

  template <class F>
  void visit_memory(F&& f) {
    at_.visit_memory(f);
    known_ = false;
  }

 private:
  // γ, η, ρ and μ
  bool find_multipliers(const Vec<S>& q, const Vec<S>& p) const {
    if (at_.is_at(q, p) && known_) return true;
    known_ = false;
    if (!at_.at(q, p).ok()) return false;
    gamma_ = at_.g();
    at_.solve(gamma_);
    mu_ = at_.lambda();
    if (with_hidden_) {
      for (int k = 0; k < eta_.size(); ++k) eta_[k] = alpha_ * at_.g()[k] - at_.psi()[k];
      at_.solve(eta_);
      at_.B(eta_, x_);
      at_.solve(x_);
      axpy(S(1), x_, mu_);
      at_.B(gamma_, rho_);
      for (int k = 0; k < rho_.size(); ++k) rho_[k] = at_.psi()[k] - rho_[k];
      at_.solve(rho_);
    }
    known_ = true;
    gradient_known_ = false;
    return true;
  }

  void find_gradient(const Vec<S>& q, const Vec<S>& p) const {
    if (!find_multipliers(q, p)) {
      fill(gradient_.q, not_a_number<S>());
      fill(gradient_.p, not_a_number<S>());
      return;
    }
    if (gradient_known_) return;
    gradient_.q = at_.H_q();
    gradient_.p = at_.H_p();
    at_.add_r(S(1), gamma_, gradient_);
    at_.add_g(S(1), mu_, gradient_.q);
    at_.add_K(S(-1), mu_, gamma_, gradient_);
    if (with_hidden_) {
      for (int k = 0; k < x_.size(); ++k) x_[k] = eta_[k] - rho_[k];
      at_.add_psi(S(1), x_, gradient_);
      at_.add_B(S(1), gamma_, eta_, gradient_);
      at_.add_g(alpha_, rho_, gradient_.q);
      at_.add_K(S(-1), rho_, eta_, gradient_);
    }
    gradient_known_ = true;
  }

  // Along (u, w), with x = G u and y = ψ_q u + ψ_p w. On the manifold the Hessian is that of H + λ·g with fixed λ, and
  // of the quadratic form
  //   λ'·x + (αx − y)ᵀK⁻¹y − xᵀK⁻¹B K⁻¹y.
  void find_product(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w) const {
    if (!find_multipliers(q, p)) {
      fill(product_.q, not_a_number<S>());
      fill(product_.p, not_a_number<S>());
      return;
    }
    product_.clear();
    at_.add(S(1), Quantity::H_qq, u, product_.q);
    at_.add(S(1), Quantity::H_qp, w, product_.q);
    at_.add(S(1), Quantity::H_pq, u, product_.p);
    at_.add(S(1), Quantity::H_pp, w, product_.p);
    at_.add_g_qq(S(1), mu_, u, product_.q);
    multiply(at_.G(), u, x_);
    K_x_ = x_;
    at_.solve(K_x_);
    at_.add_r(S(1), K_x_, product_);
    at_.add_K(S(-1), K_x_, at_.lambda(), product_);
    at_.lambda_along(u, w, z_);
    if (with_hidden_) {
      at_.psi_along(u, w, y_);
      K_y_ = y_;
      at_.solve(K_y_);
      // by x: K⁻¹(αy − B K⁻¹y)
      at_.B(K_y_, x_);
      for (int k = 0; k < x_.size(); ++k) x_[k] = alpha_ * y_[k] - x_[k];
      at_.solve(x_);
      axpy(S(1), x_, z_);
      // by y: K⁻¹(αx + B K⁻¹x) − 2 K⁻¹y
      at_.B(K_x_, x_);
      at_.solve(x_);
      for (int k = 0; k < x_.size(); ++k) x_[k] += alpha_ * K_x_[k] - S(2) * K_y_[k];
      at_.add_psi(S(1), x_, product_);
    }
    at_.add_g(S(1), z_, product_.q);
  }

  const AnySystem<S>& sys_;
  const bool with_hidden_;
  const S alpha_;
  mutable Brackets<S> at_;
  mutable bool known_ = false, gradient_known_ = false;
  mutable Gradient<S> gradient_, product_;
  mutable Vec<S> gamma_, eta_, rho_, mu_, x_, y_, K_x_, K_y_, z_;
  const Vec<S> none_;  // zeros
};

}  // namespace holonom
