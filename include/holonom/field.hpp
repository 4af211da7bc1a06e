// A first-order system y' = f(y), partitioned as y = (q, p): what is left where there is no Hamiltonian, or where it
// does not matter. Runge-Kutta methods and BDF run on it, through FieldSystem.
#pragma once

#include "holonom/shears.hpp"
#include "holonom/unconstrained.hpp"

namespace holonom {

// Of a field that is a sum of shears, shears() and shear_rates() say so.
template <class S>
class Field : public Shears<S> {
 public:
  virtual int n() const = 0;  // of q, and of p
  // (q', p') = f(q, p); NaN where there is no such thing
  virtual void rates(const Vec<S>& q, const Vec<S>& p, Vec<S>& q_rate, Vec<S>& p_rate) const = 0;
  // The derivative of f along (u, w), for Newton's method
  virtual void along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& q_change,
                     Vec<S>& p_change) const = 0;
  // Why there is no such derivative; empty if there is. Methods with implicit stages then do with fixed-point
  // iterations.
  virtual std::string lacks_derivative() const { return {}; }
  // A function that is watched as the energy
  virtual S energy(const Vec<S>&, const Vec<S>&) const { return S(0); }
};

// q' = H_p, p' = −H_q of a system without constraints
template <class S>
class HamiltonianField final : public Field<S> {
 public:
  explicit HamiltonianField(const AnySystem<S>& sys) : sys_(sys), a_(sys.n()) {
    if (sys.m() > 0) throw std::invalid_argument("a Hamiltonian field has no constraints; take the underlying one");
  }

  int n() const override { return sys_.n(); }
  void rates(const Vec<S>& q, const Vec<S>& p, Vec<S>& q_rate, Vec<S>& p_rate) const override {
    sys_.H_p(q, p, q_rate);
    sys_.H_q(q, p, p_rate);
    for (S& x : p_rate) x = -x;
  }
  void along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& q_change,
             Vec<S>& p_change) const override {
    sys_.H_pq(q, p, u, q_change);
    sys_.H_pp(q, p, w, a_);
    axpy(S(1), a_, q_change);
    sys_.H_qq(q, p, u, p_change);
    sys_.H_qp(q, p, w, a_);
    for (int i = 0; i < n(); ++i) p_change[i] = -(p_change[i] + a_[i]);
  }
  std::string lacks_derivative() const override {
    return first_lack(sys_, Quantity::H_pp, Quantity::H_pq, Quantity::H_qp, Quantity::H_qq);
  }
  S energy(const Vec<S>& q, const Vec<S>& p) const override { return sys_.H(q, p); }

 private:
  const AnySystem<S>& sys_;
  mutable Vec<S> a_;
};

// A field as a system without constraints, for methods: its H_p is q', its H_q is −p', and its H_pp, H_pq, H_qp and
// H_qq are the parts of the derivative. There is no H that these belong to; H is what the field calls its energy.
template <class S>
class FieldSystem final : public Unconstrained<S>, public Shears<S> {
 public:
  FieldSystem(const Field<S>& field, Labels labels)
      : Unconstrained<S>(field.n(), std::move(labels)), field_(field), a_(field.n()), b_(field.n()), none_(field.n()) {}

  bool is_field() const override { return true; }
  S H(const Vec<S>& q, const Vec<S>& p) const override { return field_.energy(q, p); }
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override { field_.rates(q, p, out, b_); }
  void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    field_.rates(q, p, a_, out);
    for (S& x : out) x = -x;
  }
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override {
    switch (f) {
      case Quantity::H_pp: return field_.along(*x.q, *x.p, none_, *x.u, out, b_);
      case Quantity::H_pq: return field_.along(*x.q, *x.p, *x.u, none_, out, b_);
      case Quantity::H_qp: field_.along(*x.q, *x.p, none_, *x.u, a_, out); break;
      case Quantity::H_qq: field_.along(*x.q, *x.p, *x.u, none_, a_, out); break;
      default: throw std::logic_error(lacks(f));
    }
    for (S& y : out) y = -y;
  }
  const ShearParts& shears() const override { return field_.shears(); }
  void shear_rates(int k, const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    field_.shear_rates(k, q, p, out);
  }
  std::string lacks(Quantity f) const override {
    if (f == Quantity::H_pp || f == Quantity::H_pq || f == Quantity::H_qp || f == Quantity::H_qq)
      return field_.lacks_derivative();
    if (is_per_constraint(f) || is_of_multipliers(f)) return {};  // of no constraints
    return this->labels().model + " is a field y' = f(y), which has no " + std::string(name_of(f));
  }

 private:
  const Field<S>& field_;
  mutable Vec<S> a_, b_;
  const Vec<S> none_;  // zeros
};

}  // namespace holonom
