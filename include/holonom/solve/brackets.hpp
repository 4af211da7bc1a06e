// Brackets<S>: what reformulations of a constrained system are made of, at a state (q, p), on the manifold or not
// (Leimkuhler and Reich, sections 3.1 and 3.6). With v = H_p, f = H_q and the bracket {a, b} = a_q b_pᵀ − a_p b_qᵀ:
//   ψ = {g, H} = G v,   K = {g, ψ} = G H_pp Gᵀ,   r = {ψ, H} = g_qq(v, v) + G (H_pq v − H_pp f),   B = {ψ, ψ},
// and λ(q, p) = K⁻¹r. Gradients of x·g, x·ψ, x·r, xᵀK y and xᵀB y for fixed x and y are contractions of derivatives up
// to third order: there are no tensors, and no K⁻¹ but in solves.
#pragma once

#include "holonom/solve/manifold.hpp"

namespace holonom {

// Of a function of (q, p)
template <class S>
struct Gradient {
  Vec<S> q, p;
  explicit Gradient(int n) : q(n), p(n) {}
  void clear() {
    fill(q, S(0));
    fill(p, S(0));
  }
};

template <class S>
class Brackets {
 public:
  explicit Brackets(const AnySystem<S>& sys)
      : sys_(sys), manifold_(sys), x_(sys.n(), sys.m()), g_(sys.m()), psi_(sys.m()), r_(sys.m()) {
    for (Vec<S>* v : {&v_, &f_, &X_, &Y_, &e_, &s_, &t_, &a_, &b_, &dv_, &df_, &da_, &force_}) *v = Vec<S>(sys.n());
  }

  // Why there are no brackets, or no gradients of them; empty if there are.
  static std::string lacks(const AnySystem<S>& sys) {
    return first_lack(sys, Quantity::H_pp, Quantity::H_pq, Quantity::H_qp, Quantity::H_qq, Quantity::g_qq,
                      Quantity::lambda_g_qq);
  }
  static std::string lacks_gradients(const AnySystem<S>& sys) {
    std::string reason = lacks(sys);
    return !reason.empty() ? reason
                           : first_lack(sys, Quantity::g_qqq, Quantity::lambda_g_qqq, Quantity::H_qqp, Quantity::H_qpp,
                                        Quantity::H_pqq, Quantity::H_pqp, Quantity::H_ppp);
  }

  // All of them at a state; nothing is done where they are known.
  Status at(const Vec<S>& q, const Vec<S>& p) {
    if (is_at(q, p)) return {};
    known_ = false;
    x_.q = q;
    x_.p = p;
    if (const Status status = manifold_.multipliers(x_, true); !status.ok()) return status;
    sys_.g(q, g_);
    sys_.H_p(q, p, v_);
    sys_.H_q(q, p, f_);
    multiply(G(), v_, psi_);
    known_ = true;
    return {};
  }

  // Whether they are known at this state
  bool is_at(const Vec<S>& q, const Vec<S>& p) const { return known_ && same(q, x_.q) && same(p, x_.p); }

  const Jacobian<S>& G() const { return manifold_.jacobian(); }
  const Vec<S>& g() const { return g_; }
  const Vec<S>& psi() const { return psi_; }
  const Vec<S>& lambda() const { return x_.lambda; }
  const Vec<S>& H_p() const { return v_; }
  const Vec<S>& H_q() const { return f_; }
  // x ← K⁻¹x
  void solve(Vec<S>& x) { manifold_.solve_gram(x); }

  // ---- gradients, added with a factor

  // x·g: Gᵀx
  void add_g(const S& c, const Vec<S>& x, Vec<S>& q_row) const {
    for (int k = 0; k < x.size(); ++k) G().row(k, [&](int j, const S& y) { q_row[j] += c * (y * x[k]); });
  }
  // x·ψ: (x·g)_qq v + H_qp X,   H_pp X,   X = Gᵀx
  void add_psi(const S& c, const Vec<S>& x, Gradient<S>& out) {
    psi_q(x, t_);
    axpy(c, t_, out.q);
    axpy(c, psi_p(x, s_), out.p);
  }
  // xᵀK y = X·H_pp Y
  void add_K(const S& c, const Vec<S>& x, const Vec<S>& y, Gradient<S>& out) {
    row(x, X_);
    row(y, Y_);
    add(c, Quantity::H_qpp, X_, Y_, out.q);
    add(c, Quantity::H_ppp, X_, Y_, out.p);
    sys_.H_pp(x_.q, x_.p, Y_, a_);
    add_g_qq(c, x, a_, out.q);
    sys_.H_pp(x_.q, x_.p, X_, a_);
    add_g_qq(c, y, a_, out.q);
  }
  // x·r
  void add_r(const S& c, const Vec<S>& x, Gradient<S>& out) {
    row(x, X_);
    free_acceleration(sys_, x_.q, x_.p, v_, f_, a_, b_);
    add_g_qq(c, x, a_, out.q);
    add_g_qqq(c, x, v_, v_, out.q);
    add(c, Quantity::H_qqp, v_, X_, out.q);
    add(c, Quantity::H_pqp, v_, X_, out.p);
    add(S(-c), Quantity::H_qpp, f_, X_, out.q);
    add(S(-c), Quantity::H_ppp, f_, X_, out.p);
    // by way of v
    sys_.lambda_g_qq(x_.q, x, v_, e_);
    sys_.H_qp(x_.q, x_.p, X_, a_);
    for (int i = 0; i < e_.size(); ++i) e_[i] = S(2) * e_[i] + a_[i];
    add(c, Quantity::H_qp, e_, out.q);
    add(c, Quantity::H_pp, e_, out.p);
    // by way of f
    sys_.H_pp(x_.q, x_.p, X_, e_);
    add(S(-c), Quantity::H_qq, e_, out.q);
    add(S(-c), Quantity::H_pq, e_, out.p);
  }
  // xᵀB y = x·ψ_q ψ_pᵀy − x·ψ_p ψ_qᵀy, each of the four with the others fixed
  void add_B(const S& c, const Vec<S>& x, const Vec<S>& y, Gradient<S>& out) {
    psi_q(x, t_);
    add_along_psi_p(c, y, t_, out);
    psi_p(y, s_);
    add_along_psi_q(c, x, s_, out);
    psi_q(y, t_);
    add_along_psi_p(S(-c), x, t_, out);
    psi_p(x, s_);
    add_along_psi_q(S(-c), y, s_, out);
  }

  // ---- products

  // {ψ, ψ} y
  void B(const Vec<S>& y, Vec<S>& out) {
    psi_p(y, s_);
    psi_q(y, t_);
    sys_.H_pq(x_.q, x_.p, s_, a_);
    sys_.H_pp(x_.q, x_.p, t_, b_);
    axpy(S(-1), b_, a_);
    multiply(G(), a_, out);
    sys_.g_qq(x_.q, v_, s_, r_);
    axpy(S(1), r_, out);
  }
  // ψ_q u + ψ_p w
  void psi_along(const Vec<S>& u, const Vec<S>& w, Vec<S>& out) {
    sys_.H_pq(x_.q, x_.p, u, a_);
    sys_.H_pp(x_.q, x_.p, w, b_);
    axpy(S(1), b_, a_);
    multiply(G(), a_, out);
    sys_.g_qq(x_.q, v_, u, r_);
    axpy(S(1), r_, out);
  }
  // dλ along (u, w). λ is such that g_qq(v, v) + G a = 0 for a = v' = H_pq v − H_pp (f + Gᵀλ). With
  // dv = H_pq u + H_pp w:
  //   K dλ = g_qqq(v, v, u) + 2 g_qq(v, dv) + g_qq(a, u) + G da,   da without its part −H_pp Gᵀdλ
  void lambda_along(const Vec<S>& u, const Vec<S>& w, Vec<S>& out) {
    const Vec<S>&q = x_.q, &p = x_.p;
    sys_.H_pq(q, p, u, dv_);
    add(S(1), Quantity::H_pp, w, dv_);
    sys_.H_qq(q, p, u, df_);
    add(S(1), Quantity::H_qp, w, df_);
    add_g_qq(S(1), x_.lambda, u, df_);
    force_ = f_;
    add_g(S(1), x_.lambda, force_);
    free_acceleration(sys_, q, p, v_, force_, a_, b_);
    sys_.g_qq(q, a_, u, out);
    sys_.H_pq(q, p, dv_, da_);
    add(S(1), Quantity::H_pqq, v_, u, da_);
    add(S(1), Quantity::H_pqp, v_, w, da_);
    add(S(-1), Quantity::H_pp, df_, da_);
    add(S(-1), Quantity::H_pqp, u, force_, da_);
    add(S(-1), Quantity::H_ppp, force_, w, da_);
    multiply(G(), da_, r_);
    axpy(S(1), r_, out);
    sys_.g_qq(q, v_, dv_, r_);
    axpy(S(2), r_, out);
    sys_.g_qqq(q, v_, v_, u, r_);
    axpy(S(1), r_, out);
    solve(out);
  }
  // out += c (x·g)_qq u
  void add_g_qq(const S& c, const Vec<S>& x, const Vec<S>& u, Vec<S>& out) {
    sys_.lambda_g_qq(x_.q, x, u, b_);
    axpy(c, b_, out);
  }
  // out += c f(u) of a second derivative of H
  void add(const S& c, Quantity f, const Vec<S>& u, Vec<S>& out) {
    sys_.evaluate(f, {.q = &x_.q, .p = &x_.p, .u = &u}, b_);
    axpy(c, b_, out);
  }

  // Scales are those of the first state.
  template <class F>
  void visit_memory(F&& f) {
    manifold_.visit_memory(f);
    known_ = false;
  }

 private:
  static bool same(const Vec<S>& x, const Vec<S>& y) {
    for (int i = 0; i < x.size(); ++i)
      if (!(magnitude(S(x[i] - y[i])) == Real<S>(0))) return false;  // of dual numbers, in both parts
    return true;
  }
  // Gᵀx
  void row(const Vec<S>& x, Vec<S>& out) const {
    fill(out, S(0));
    add_g(S(1), x, out);
  }
  // ψ_pᵀx = H_pp Gᵀx,   ψ_qᵀx = (x·g)_qq v + H_qp Gᵀx
  const Vec<S>& psi_p(const Vec<S>& x, Vec<S>& out) {
    row(x, X_);
    sys_.H_pp(x_.q, x_.p, X_, out);
    return out;
  }
  void psi_q(const Vec<S>& x, Vec<S>& out) {
    row(x, X_);
    sys_.H_qp(x_.q, x_.p, X_, out);
    add_g_qq(S(1), x, v_, out);
  }
  // The gradient of u·ψ_pᵀy = u·H_pp Y
  void add_along_psi_p(const S& c, const Vec<S>& y, const Vec<S>& u, Gradient<S>& out) {
    row(y, Y_);
    add(c, Quantity::H_qpp, u, Y_, out.q);
    add(c, Quantity::H_ppp, u, Y_, out.p);
    sys_.H_pp(x_.q, x_.p, u, a_);
    add_g_qq(c, y, a_, out.q);
  }
  // The gradient of u·ψ_qᵀy = (y·g)_qq(v, u) + u·H_qp Y
  void add_along_psi_q(const S& c, const Vec<S>& y, const Vec<S>& u, Gradient<S>& out) {
    row(y, Y_);
    add_g_qqq(c, y, v_, u, out.q);
    add(c, Quantity::H_qqp, u, Y_, out.q);
    add(c, Quantity::H_pqp, u, Y_, out.p);
    sys_.H_pq(x_.q, x_.p, u, a_);
    add_g_qq(c, y, a_, out.q);
    sys_.lambda_g_qq(x_.q, y, u, a_);
    add(c, Quantity::H_qp, a_, out.q);
    add(c, Quantity::H_pp, a_, out.p);
  }
  void add_g_qqq(const S& c, const Vec<S>& x, const Vec<S>& u, const Vec<S>& v, Vec<S>& out) {
    sys_.lambda_g_qqq(x_.q, x, u, v, b_);
    axpy(c, b_, out);
  }
  void add(const S& c, Quantity f, const Vec<S>& u, const Vec<S>& v, Vec<S>& out) {
    sys_.evaluate(f, {.q = &x_.q, .p = &x_.p, .u = &u, .v = &v}, b_);
    axpy(c, b_, out);
  }

  const AnySystem<S>& sys_;
  Manifold<S> manifold_;
  State<S> x_;
  bool known_ = false;
  Vec<S> g_, psi_, r_;
  Vec<S> v_, f_, X_, Y_, e_, s_, t_, a_, b_, dv_, df_, da_, force_;
};

}  // namespace holonom
