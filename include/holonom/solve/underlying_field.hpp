// UnderlyingField<S>: the underlying ordinary differential equation of a constrained system (underlying.hpp) as a
// field.
#pragma once

#include "holonom/field.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom {

template <class S>
class UnderlyingField final : public Field<S> {
 public:
  explicit UnderlyingField(const AnySystem<S>& sys)
      : sys_(sys), manifold_(sys), x_(sys.n(), sys.m()), lambda_change_(sys.m()), r_(sys.m()) {
    for (Vec<S>* v : {&v_, &f_, &a_, &b_, &dv_, &df_, &da_, &force_}) *v = Vec<S>(sys.n());
  }

  int n() const override { return sys_.n(); }
  void rates(const Vec<S>& q, const Vec<S>& p, Vec<S>& q_rate, Vec<S>& p_rate) const override {
    x_.q = q;
    x_.p = p;
    if (slopes(x_, q_rate, p_rate).ok()) return;
    fill(q_rate, not_a_number());
    fill(p_rate, not_a_number());
  }
  // The same at a state, whose multipliers are found on the way
  Status slopes(State<S>& x, Vec<S>& q_rate, Vec<S>& p_rate) const {
    if (const Status s = manifold_.multipliers(x); !s.ok()) return s;
    sys_.H_p(x.q, x.p, q_rate);
    sys_.H_q(x.q, x.p, p_rate);
    for (S& a : p_rate) a = -a;
    subtract_force(manifold_.jacobian(), x.lambda, p_rate);
    return {};
  }

  // λ is such that g_qq(v, v) + G a = 0 for a = v' = H_pq v − H_pp (H_q + Gᵀλ). With d for the derivative along (u, w),
  // dv = H_pq u + H_pp w and K = G H_pp Gᵀ:
  //   K dλ = g_qqq(v, v, u) + 2 g_qq(v, dv) + g_qq(a, u) + G da,   da without its part −H_pp Gᵀdλ
  void along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& q_change,
             Vec<S>& p_change) const override {
    x_.q = q;
    x_.p = p;
    if (!manifold_.multipliers(x_).ok()) {
      fill(q_change, not_a_number());
      fill(p_change, not_a_number());
      return;
    }
    const Jacobian<S>& G = manifold_.jacobian();
    sys_.H_p(q, p, v_);
    sys_.H_q(q, p, f_);
    // dv and d(H_q)
    sys_.H_pq(q, p, u, dv_);
    sys_.H_pp(q, p, w, b_);
    axpy(S(1), b_, dv_);
    sys_.H_qq(q, p, u, df_);
    sys_.H_qp(q, p, w, b_);
    axpy(S(1), b_, df_);
    q_change = dv_;
    p_change = df_;
    if (sys_.m() > 0) {
      fill(force_, S(0));
      subtract_force(G, x_.lambda, force_);
      for (S& y : force_) y = -y;  // Gᵀλ
      free_acceleration(sys_, q, p, v_, f_, a_, b_);
      sys_.H_pp(q, p, force_, b_);
      axpy(S(-1), b_, a_);
      // Gᵀλ changes by (λ·g)_qq u.
      sys_.lambda_g_qq(q, x_.lambda, u, b_);
      axpy(S(1), b_, p_change);
      axpy(S(1), b_, df_);
      axpy(S(1), force_, f_);
      sys_.H_pq(q, p, dv_, da_);
      add(S(1), Quantity::H_pqq, q, p, v_, u);
      add(S(1), Quantity::H_pqp, q, p, v_, w);
      sys_.H_pp(q, p, df_, b_);
      axpy(S(-1), b_, da_);
      add(S(-1), Quantity::H_pqp, q, p, u, f_);
      add(S(-1), Quantity::H_ppp, q, p, f_, w);
      multiply(G, da_, lambda_change_);
      sys_.g_qq(q, a_, u, r_);
      axpy(S(1), r_, lambda_change_);
      sys_.g_qq(q, v_, dv_, r_);
      axpy(S(2), r_, lambda_change_);
      sys_.g_qqq(q, v_, v_, u, r_);
      axpy(S(1), r_, lambda_change_);
      manifold_.solve_gram(lambda_change_);
      for (S& y : p_change) y = -y;
      subtract_force(G, lambda_change_, p_change);
    } else {
      for (S& y : p_change) y = -y;
    }
  }
  std::string lacks_derivative() const override {
    std::string reason = first_lack(sys_, Quantity::H_pp, Quantity::H_pq, Quantity::H_qp, Quantity::H_qq);
    if (reason.empty() && sys_.m() > 0)
      reason = first_lack(sys_, Quantity::g_qq, Quantity::g_qqq, Quantity::lambda_g_qq, Quantity::H_pqq,
                          Quantity::H_pqp, Quantity::H_ppp);
    return reason;
  }
  S energy(const Vec<S>& q, const Vec<S>& p) const override { return sys_.H(q, p); }

  // Scales are those of the first state.
  template <class F>
  void visit_memory(F&& f) {
    manifold_.visit_memory(f);
  }

 private:
  static S not_a_number() { return S(std::numeric_limits<Real<S>>::quiet_NaN()); }
  // da += c f(u, v)
  void add(const S& c, Quantity f, const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& v) const {
    sys_.evaluate(f, {.q = &q, .p = &p, .u = &u, .v = &v}, b_);
    axpy(c, b_, da_);
  }

  const AnySystem<S>& sys_;
  mutable Manifold<S> manifold_;
  mutable State<S> x_;
  mutable Vec<S> v_, f_, a_, b_, dv_, df_, da_, force_;
  mutable Vec<S> lambda_change_, r_;
};

}  // namespace holonom
