// State space forms by a parametrisation q = φ(δ) of one's own: proposition 2.1 of Leimkuhler and Reich, here for any
// H(q, p), and the form with velocities of their introduction.
//
// With w = δ' and A = [H_pp −φ'; φ'ᵀ 0] (chart_point.hpp):
//   canonical   φ'ᵀp = θ,  H_p(q, p) = φ'w,   H̃(δ, θ) = H(q, p),   δ' = H̃_θ = w,   θ' = −H̃_δ = (p·φ)''w − φ'ᵀH_q
//   velocities  H_p(q, p) = φ'w,              δ' = w,   A (p', w') = (φ''(w, w) − H_pq φ'w, −φ'ᵀH_q)
// The first is a Hamiltonian system without constraints, which all methods take; the second is none (for unit masses it
// is the w' = −(φ'ᵀφ')⁻¹φ'ᵀ(∇V + φ''(w, w)) of the paper), and is there to compare. No constraint and no multiplier is
// evaluated: redundant constraints are allowed.
#pragma once

#include "holonom/field.hpp"
#include "holonom/solve/chart_point.hpp"

namespace holonom {

// Names of a form
template <class S>
Labels chart_labels(const AnySystem<S>& sys, const Parametrisation<S>& phi) {
  Labels labels;
  labels.model = sys.labels().model;
  labels.coordinates = phi.parameter_names();
  return labels;
}

// What both forms lack a system of
template <class S>
std::string lacks_own_chart(const AnySystem<S>& sys) {
  if (!parametrisation_of(sys))
    return "it has no parametrisation of its own: give one in [chart] of the model file, names = [\"theta\"] and q = { "
           "x = \"sin(theta)\", ... }";
  if (sys.n() > ChartPoint<S>::most_coordinates)
    return "it has more than " + std::to_string(ChartPoint<S>::most_coordinates) +
           " coordinates, and matrices of a chart are full";
  return first_lack(sys, Quantity::H_pp, Quantity::H_pq);
}

// H̃(δ, θ)
template <class S>
class ChartSystem final : public Unconstrained<S> {
 public:
  ChartSystem(const AnySystem<S>& sys, const Parametrisation<S>& phi)
      : Unconstrained<S>(static_cast<int>(phi.parameter_names().size()), chart_labels(sys, phi)),
        sys_(sys),
        phi_(phi),
        at_(sys, phi),
        none_(at_.freedom()) {
    for (Vec<S>* x : {&f_, &dq_, &dp_, &dv_, &bend_, &n_}) *x = Vec<S>(sys.n());
    for (Vec<S>* x : {&theta_, &gradient_, &c_, &dw_, &product_, &d_}) *x = Vec<S>(at_.freedom());
  }

  const AnySystem<S>& system() const { return *this; }
  // A state of the original system as one of this, and back
  Status enter(const State<S>& x, State<S>& y) {
    known_ = false;
    if (const Status s = at_.find(x.q); !s.ok()) return s;
    y.q = at_.delta;
    at_.pull_back(x.p, y.p);
    return {};
  }
  Status leave(const State<S>& y, State<S>& x) {
    if (const Status s = go_to(y.q, y.p); !s.ok()) return s;
    x.q = at_.q;
    x.p = at_.p;
    return {};
  }

  S H(const Vec<S>& delta, const Vec<S>& theta) const override {
    return go_to(delta, theta).ok() ? sys_.H(at_.q, at_.p) : not_a_number<S>();
  }
  void H_p(const Vec<S>& delta, const Vec<S>& theta, Vec<S>& out) const override {
    if (go_to(delta, theta).ok())
      out = at_.w;
    else
      fill(out, not_a_number<S>());
  }
  void H_q(const Vec<S>& delta, const Vec<S>& theta, Vec<S>& out) const override {
    if (!go_to(delta, theta).ok()) return fill(out, not_a_number<S>());
    out = gradient_;
  }
  // Along (a, b): with c = b − (p·φ)''a,
  //   A (p', w') = (φ''(w, a) − H_pq φ'a, c),   H̃_δ' = φ'ᵀH_q' + (H_q·φ)''a − (p'·φ)''w − (p·φ)''w' − (p·φ)'''(w, a)
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override {
    const bool of_p = f == Quantity::H_pp || f == Quantity::H_qp;
    if (!of_p && f != Quantity::H_pq && f != Quantity::H_qq) throw std::logic_error(lacks(f));
    if (!go_to(*x.q, *x.p).ok()) return fill(out, not_a_number<S>());
    const Vec<S>&a = of_p ? none_ : *x.u, &b = of_p ? *x.u : none_;
    at_.push_forward(a, dq_);
    phi_.y_phi_dd(at_.delta, at_.p, a, c_);
    for (int j = 0; j < c_.size(); ++j) c_[j] = b[j] - c_[j];
    phi_.phi_dd(at_.delta, at_.w, a, bend_);
    sys_.H_pq(at_.q, at_.p, dq_, dp_);
    for (int i = 0; i < dp_.size(); ++i) dp_[i] = bend_[i] - dp_[i];
    dw_ = c_;
    at_.solve(dp_, dw_);
    if (f == Quantity::H_pp || f == Quantity::H_pq) {
      out = dw_;
      return;
    }
    sys_.H_qq(at_.q, at_.p, dq_, dv_);
    sys_.H_qp(at_.q, at_.p, dp_, n_);
    axpy(S(1), n_, dv_);
    at_.pull_back(dv_, product_);
    phi_.y_phi_dd(at_.delta, f_, a, d_);
    axpy(S(1), d_, product_);
    phi_.y_phi_dd(at_.delta, dp_, at_.w, d_);
    axpy(S(-1), d_, product_);
    phi_.y_phi_dd(at_.delta, at_.p, dw_, d_);
    axpy(S(-1), d_, product_);
    phi_.y_phi_ddd(at_.delta, at_.p, at_.w, a, d_);
    axpy(S(-1), d_, product_);
    out = product_;
  }
  std::string lacks(Quantity f) const override {
    if (f == Quantity::H_pp || f == Quantity::H_pq || f == Quantity::H_qp || f == Quantity::H_qq)
      return first_lack(sys_, Quantity::H_pp, Quantity::H_pq, Quantity::H_qp, Quantity::H_qq);
    if (is_per_constraint(f) || is_of_multipliers(f)) return {};  // of no constraints
    return "a state space form has no " + std::string(name_of(f));
  }

 private:
  Status go_to(const Vec<S>& delta, const Vec<S>& theta) const {
    if (known_ && same(delta, at_.delta) && same(theta, theta_)) return {};
    known_ = false;
    theta_ = theta;
    if (!at_.go_to(delta)) return {Failure::chart_ends};
    if (const Status s = at_.find_momentum(theta); !s.ok()) return s;
    sys_.H_q(at_.q, at_.p, f_);
    at_.pull_back(f_, gradient_);
    phi_.y_phi_dd(at_.delta, at_.p, at_.w, d_);
    axpy(S(-1), d_, gradient_);
    known_ = true;
    return {};
  }
  static bool same(const Vec<S>& x, const Vec<S>& y) {
    for (int i = 0; i < x.size(); ++i)
      if (!(magnitude(S(x[i] - y[i])) == Real<S>(0))) return false;  // of dual numbers, in both parts
    return true;
  }

  const AnySystem<S>& sys_;
  const Parametrisation<S>& phi_;
  mutable ChartPoint<S> at_;
  mutable bool known_ = false;
  mutable Vec<S> f_, dq_, dp_, dv_, bend_, n_, theta_, gradient_, c_, dw_, product_, d_;
  const Vec<S> none_;  // zeros
};

// (δ, w)' of the form with velocities
template <class S>
class ChartField final : public Field<S> {
 public:
  ChartField(const AnySystem<S>& sys, const Parametrisation<S>& phi)
      : sys_(sys), phi_(phi), at_(sys, phi), rate_(sys.n()), f_(sys.n()), system_(*this, chart_labels(sys, phi)) {
    for (Vec<S>* x : {&near_delta_, &near_w_, &rate_here_, &w_rate_here_}) *x = Vec<S>(at_.freedom());
  }

  const AnySystem<S>& system() const { return system_; }
  Status enter(const State<S>& x, State<S>& y) {
    if (const Status s = at_.find(x.q); !s.ok()) return s;
    y.q = at_.delta;
    sys_.H_p(x.q, x.p, f_);
    at_.pull_back(f_, y.p);
    at_.solve_gram(y.p);
    return {};
  }
  Status leave(const State<S>& y, State<S>& x) {
    if (!at_.go_to(y.q)) return {Failure::chart_ends};
    if (const Status s = at_.find_momentum_of_velocity(y.p); !s.ok()) return s;
    x.q = at_.q;
    x.p = at_.p;
    return {};
  }

  int n() const override { return at_.freedom(); }
  void rates(const Vec<S>& delta, const Vec<S>& w, Vec<S>& delta_rate, Vec<S>& w_rate) const override {
    if (!at_.go_to(delta) || !at_.find_momentum_of_velocity(w).ok()) {
      fill(delta_rate, not_a_number<S>());
      fill(w_rate, not_a_number<S>());
      return;
    }
    delta_rate = w;
    phi_.phi_dd(delta, w, w, rate_);
    sys_.H_pq(at_.q, at_.p, at_.v, f_);
    axpy(S(-1), f_, rate_);
    sys_.H_q(at_.q, at_.p, f_);
    at_.pull_back(f_, w_rate);
    for (S& x : w_rate) x = -x;
    at_.solve(rate_, w_rate);
  }
  // A difference quotient, to half of the digits: Newton's method needs no more, and a foil no third derivatives of H.
  void along(const Vec<S>& delta, const Vec<S>& w, const Vec<S>& a, const Vec<S>& b, Vec<S>& delta_change,
             Vec<S>& w_change) const override {
    using std::sqrt;
    Real<S> size(0), direction(0);
    for (const Vec<S>* x : {&delta, &w}) keep_largest(size, largest(*x));
    for (const Vec<S>* x : {&a, &b}) keep_largest(direction, largest(*x));
    fill(w_change, S(0));
    delta_change = b;
    if (direction == Real<S>(0)) return;
    const S h = S(sqrt(epsilon<S>()) * (size + Real<S>(1)) / direction);
    for (const int sign : {1, -1}) {
      near_delta_ = delta;
      near_w_ = w;
      axpy(S(S(sign) * h), a, near_delta_);
      axpy(S(S(sign) * h), b, near_w_);
      rates(near_delta_, near_w_, rate_here_, w_rate_here_);
      axpy(S(S(sign) / (S(2) * h)), w_rate_here_, w_change);
    }
  }

 private:
  const AnySystem<S>& sys_;
  const Parametrisation<S>& phi_;
  mutable ChartPoint<S> at_;
  mutable Vec<S> rate_, f_, near_delta_, near_w_, rate_here_, w_rate_here_;
  FieldSystem<S> system_;
};

}  // namespace holonom
