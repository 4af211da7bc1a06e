// ½ pᵀM⁻¹p + V(π(q)) for linear constraints g = G q − c (Leimkuhler and Reich, section 3), where
// π(q) = q − M⁻¹Gᵀ(G M⁻¹Gᵀ)⁻¹g(q) is the projection onto them: a separable Hamiltonian, for which g and G H_p keep what
// they are: g'' = 0.
#pragma once

#include "holonom/solve/brackets.hpp"
#include "holonom/unconstrained.hpp"

namespace holonom {

template <class S>
class LinearlyConstrained final : public Unconstrained<S> {
 public:
  explicit LinearlyConstrained(const AnySystem<S>& sys)
      : Unconstrained<S>(sys.n(), sys.labels()), sys_(sys), at_(sys), x_(sys.m()) {
    for (Vec<S>* v : {&on_, &u_, &a_}) *v = Vec<S>(sys.n());
  }

  // Whether G is the same everywhere, as far as two points can tell.
  static bool is_linear(const AnySystem<S>& sys) {
    Jacobian<S> here(sys.pattern()), there(sys.pattern());
    Vec<S> q(sys.n());
    for (int i = 0; i < sys.n(); ++i) q[i] = S(Real<S>(0.3 + 0.7 / (1 + i)));
    sys.G(q, here);
    for (int i = 0; i < sys.n(); ++i) q[i] = S(Real<S>(1.9 - 0.4 / (2 + i)));
    sys.G(q, there);
    for (int z = 0; z < here.values().size(); ++z)
      if (!(magnitude(S(here.values()[z] - there.values()[z])) <=
            Real<S>(16) * epsilon<S>() * magnitude(here.values()[z])))
        return false;
    return true;
  }

  S H(const Vec<S>& q, const Vec<S>& p) const override {
    sys_.H_p(q, p, a_);
    return dot(p, a_) / S(2) + V(q);
  }
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override { sys_.H_p(q, p, out); }
  void H_q(const Vec<S>& q, const Vec<S>&, Vec<S>& out) const override { V_q(q, out); }
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override {
    if (f != Quantity::H_qq && f != Quantity::V_qq) return sys_.evaluate(f, x, out);
    if (!project(*x.q)) return fill(out, not_a_number<S>());
    u_ = *x.u;
    multiply(at_.G(), u_, x_);
    displace(u_);
    sys_.V_qq(Part::all, on_, u_, out);
    tangent(out);
  }
  std::string lacks(Quantity f) const override {
    if (f == Quantity::V_parts || f == Quantity::V_fast || f == Quantity::H_qqq)
      return "the parts of V are not projected";
    if (is_per_constraint(f) || is_of_multipliers(f)) return {};
    return sys_.lacks(f == Quantity::H_qq ? Quantity::V_qq : f);
  }
  S V(const Vec<S>& q) const override { return project(q) ? sys_.V(on_) : not_a_number<S>(); }
  void V_q(const Vec<S>& q, Vec<S>& out) const override {
    if (!project(q)) return fill(out, not_a_number<S>());
    sys_.V_q(on_, out);
    tangent(out);
  }
  const AnyMass<S>& mass() const override { return sys_.mass(); }
  std::string diagnose(const Vec<S>& q, const Vec<S>& p) const override { return sys_.diagnose(q, p); }

  template <class F>
  void visit_memory(F&& f) {
    at_.visit_memory(f);
    factored_ = false;
  }

 private:
  // on_ = π(q)
  bool project(const Vec<S>& q) const {
    if (!factored_) factored_ = at_.at(q, q).ok();
    if (!factored_) return false;
    on_ = q;
    sys_.g(q, x_);
    displace(on_);
    return true;
  }
  // u −= M⁻¹GᵀK⁻¹x
  void displace(Vec<S>& u) const {
    at_.solve(x_);
    fill(a_, S(0));
    at_.add_g(S(1), x_, a_);
    at_.add(S(-1), Quantity::H_pp, a_, u);
  }
  // u −= GᵀK⁻¹G M⁻¹u
  void tangent(Vec<S>& u) const {
    fill(a_, S(0));
    at_.add(S(1), Quantity::H_pp, u, a_);
    multiply(at_.G(), a_, x_);
    at_.solve(x_);
    at_.add_g(S(-1), x_, u);
  }

  const AnySystem<S>& sys_;
  mutable Brackets<S> at_;  // of G and K, which are the same everywhere
  mutable bool factored_ = false;
  mutable Vec<S> x_, on_, u_, a_;
};

}  // namespace holonom
