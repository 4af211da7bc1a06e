// UnderlyingField<S>: the underlying ordinary differential equation of a constrained system (underlying.hpp) as a
// field.
#pragma once

#include "holonom/field.hpp"
#include "holonom/solve/brackets.hpp"

namespace holonom {

template <class S>
class UnderlyingField final : public Field<S> {
 public:
  explicit UnderlyingField(const AnySystem<S>& sys) : sys_(sys), at_(sys), lambda_change_(sys.m()) {}

  int n() const override { return sys_.n(); }
  void rates(const Vec<S>& q, const Vec<S>& p, Vec<S>& q_rate, Vec<S>& p_rate) const override {
    if (at_.at(q, p).ok()) return rates_here(q_rate, p_rate);
    fill(q_rate, not_a_number<S>());
    fill(p_rate, not_a_number<S>());
  }
  // The same at a state, whose multipliers are found on the way
  Status slopes(State<S>& x, Vec<S>& q_rate, Vec<S>& p_rate) const {
    if (const Status s = at_.at(x.q, x.p); !s.ok()) return s;
    x.lambda = at_.lambda();
    rates_here(q_rate, p_rate);
    return {};
  }

  void along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& q_change,
             Vec<S>& p_change) const override {
    if (!at_.at(q, p).ok()) {
      fill(q_change, not_a_number<S>());
      fill(p_change, not_a_number<S>());
      return;
    }
    sys_.H_pq(q, p, u, q_change);
    at_.add(S(1), Quantity::H_pp, w, q_change);
    fill(p_change, S(0));
    at_.add(S(-1), Quantity::H_qq, u, p_change);
    at_.add(S(-1), Quantity::H_qp, w, p_change);
    if (sys_.m() == 0) return;
    at_.add_g_qq(S(-1), at_.lambda(), u, p_change);
    at_.lambda_along(u, w, lambda_change_);
    at_.add_g(S(-1), lambda_change_, p_change);
  }
  std::string lacks_derivative() const override {
    std::string reason = first_lack(sys_, Quantity::H_pp, Quantity::H_pq, Quantity::H_qp, Quantity::H_qq);
    if (reason.empty() && sys_.m() > 0)
      reason = first_lack(sys_, Quantity::g_qq, Quantity::g_qqq, Quantity::lambda_g_qq, Quantity::H_pqq,
                          Quantity::H_pqp, Quantity::H_ppp);
    return reason;
  }
  S energy(const Vec<S>& q, const Vec<S>& p) const override { return sys_.H(q, p); }

  template <class F>
  void visit_memory(F&& f) {
    at_.visit_memory(f);
  }

 private:
  void rates_here(Vec<S>& q_rate, Vec<S>& p_rate) const {
    q_rate = at_.H_p();
    p_rate = at_.H_q();
    for (S& a : p_rate) a = -a;
    at_.add_g(S(-1), at_.lambda(), p_rate);
  }

  const AnySystem<S>& sys_;
  mutable Brackets<S> at_;
  mutable Vec<S> lambda_change_;
};

}  // namespace holonom
