// H + g·g/(2ε), Reich's (7): constraints as stiff springs. Its motion tends to the constrained one as ε → 0, while its
// oscillations across the manifold, of frequency 1/√ε, stay as large as the start has them.
#pragma once

#include "holonom/unconstrained.hpp"

namespace holonom {

template <class S>
class PenaltySystem final : public Unconstrained<S> {
 public:
  PenaltySystem(const AnySystem<S>& sys, const S& epsilon)
      : Unconstrained<S>(sys.n(), sys.labels()),
        sys_(sys),
        stiffness_(S(1) / epsilon),
        G_(sys.pattern()),
        lambda_(sys.m()),
        along_(sys.m()),
        b_(sys.n()) {}

  S H(const Vec<S>& q, const Vec<S>& p) const override { return sys_.H(q, p) + penalty(q); }
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override { sys_.H_p(q, p, out); }
  void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    sys_.H_q(q, p, out);
    add_force(q, out);
  }
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override {
    if (f == Quantity::V_qq && x.part == Part::fast)
      fill(out, S(0));
    else if (f == Quantity::V_qq)
      sys_.V_qq(Part::all, *x.q, *x.u, out);
    else
      sys_.evaluate(f, x, out);
    if (f == Quantity::H_qq || (f == Quantity::V_qq && x.part != Part::slow)) add_product(*x.q, *x.u, out);
  }
  std::string lacks(Quantity f) const override {
    if (f == Quantity::V_parts || f == Quantity::V_fast) return sys_.lacks(Quantity::V);
    if (f == Quantity::H_qq || f == Quantity::V_qq)
      if (std::string reason = sys_.lacks(Quantity::lambda_g_qq); !reason.empty()) return reason;
    if (f == Quantity::H_qqq) return "the third derivatives of a penalty are not made";
    if (is_per_constraint(f) || is_of_multipliers(f)) return {};
    return sys_.lacks(f);
  }
  S V(const Vec<S>& q) const override { return sys_.V(q) + penalty(q); }
  void V_q(const Vec<S>& q, Vec<S>& out) const override {
    sys_.V_q(q, out);
    add_force(q, out);
  }
  // The penalty is what is fast.
  void V_slow_q(const Vec<S>& q, Vec<S>& out) const override { sys_.V_q(q, out); }
  void V_fast_q(const Vec<S>& q, Vec<S>& out) const override {
    fill(out, S(0));
    add_force(q, out);
  }
  S V_fast(const Vec<S>& q) const override { return penalty(q); }
  const AnyMass<S>& mass() const override { return sys_.mass(); }
  std::string diagnose(const Vec<S>& q, const Vec<S>& p) const override { return sys_.diagnose(q, p); }

  template <class F>
  void visit_memory(F&&) {}

 private:
  S penalty(const Vec<S>& q) const {
    sys_.g(q, lambda_);
    return stiffness_ * dot(lambda_, lambda_) / S(2);
  }
  // λ = g/ε and G
  void find(const Vec<S>& q) const {
    sys_.g_and_G(q, lambda_, G_);
    for (S& l : lambda_) l *= stiffness_;
  }
  void add_force(const Vec<S>& q, Vec<S>& out) const {
    find(q);
    for (S& l : lambda_) l = -l;
    subtract_force(G_, lambda_, out);
  }
  void add_product(const Vec<S>& q, const Vec<S>& u, Vec<S>& out) const {
    find(q);
    sys_.lambda_g_qq(q, lambda_, u, b_);
    axpy(S(1), b_, out);
    multiply(G_, u, along_);
    for (S& a : along_) a *= -stiffness_;
    subtract_force(G_, along_, out);
  }

  const AnySystem<S>& sys_;
  const S stiffness_;
  mutable Jacobian<S> G_;
  mutable Vec<S> lambda_, along_, b_;
};

}  // namespace holonom
