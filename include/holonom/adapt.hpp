// adapt(sys): an own C++ system, whatever its compile-time sizes, as an AnySystem, for the driver, the
// registry and the analyses. What the type does not offer is said when it is asked for.
#pragma once

#include "holonom/any_system.hpp"
#include "holonom/own_quantities.hpp"
#include "holonom/scalars.hpp"

namespace holonom {

template <System Sys>
class Adapted final : public AnySystem<ScalarOf<Sys>> {
  using S = ScalarOf<Sys>;
  static constexpr int n_static = Sys::N, m_static = Sys::M;

 public:
  Adapted(Sys sys, Labels labels) : sys_(std::move(sys)) {
    Pattern pattern;
    if constexpr (n_static == Dynamic) {
      pattern = sys_.pattern();
    } else {  // dense
      pattern.n = n_static;
      for (int k = 0; k < m_static; ++k) {
        for (int j = 0; j < n_static; ++j) pattern.column.push_back(j);
        pattern.row_start.push_back(pattern.nonzeros());
      }
    }
    const auto name = [](const char* letter, int i) { return std::string(letter).append(std::to_string(i)); };
    for (int i = static_cast<int>(labels.coordinates.size()); i < pattern.n; ++i)
      labels.coordinates.push_back(name("q", i));
    for (int k = static_cast<int>(labels.constraints.size()); k < pattern.m(); ++k)
      labels.constraints.push_back(name("g", k));
    if constexpr (!has_invariants) labels.invariants.clear();
    labels.observables.clear();
    this->pattern_ = std::make_shared<const Pattern>(std::move(pattern));
    this->labels_ = std::make_shared<const Labels>(std::move(labels));
    G_ = make_jacobian(sys_);
    if constexpr (Separable<Sys>) make_mass();
  }

  // The Jacobian of a system with dynamic sizes refers to the pattern within sys_.
  Adapted(const Adapted&) = delete;
  Adapted& operator=(const Adapted&) = delete;

  S H(const Vec<S>& q, const Vec<S>& p) const override {
    if constexpr (Hamiltonian<Sys>) {
      return sys_.H(fixed(q), fixed(p));
    } else {
      Vec<S> v(this->n());
      mass_.solve(p, v);
      return dot(p, v) / S(2) + sys_.V(fixed(q));
    }
  }
  void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    if constexpr (Hamiltonian<Sys>)
      fill_from(out, [&](auto& y) { sys_.H_q(fixed(q), fixed(p), y); });
    else
      V_q(q, out);
  }
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    if constexpr (Hamiltonian<Sys>)
      fill_from(out, [&](auto& y) { sys_.H_p(fixed(q), fixed(p), y); });
    else
      mass_.solve(p, out);
  }
  void g(const Vec<S>& q, Vec<S>& out) const override {
    MVec<Sys> y(this->m());
    sys_.g(fixed(q), y);
    assign(y, out);
  }
  void G(const Vec<S>& q, Jacobian<S>& out) const override {
    sys_.G(fixed(q), G_);
    int z = 0;
    for (int k = 0; k < this->m(); ++k) G_.row(k, [&](int, const S& x) { out.values()[z++] = x; });
  }
  void g_and_G(const Vec<S>& q, Vec<S>& g_out, Jacobian<S>& G_out) const override {
    g(q, g_out);
    G(q, G_out);
  }
  void g_scale(const Vec<S>& q, Vec<S>& out) const override {
    if constexpr (requires(MVec<Sys> & y) { sys_.g_scale(fixed(q), y); }) {
      MVec<Sys> y(this->m());
      sys_.g_scale(fixed(q), y);
      assign(y, out);
    } else {
      fill(out, S(0));
    }
  }

  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override {
    with_quantity(f, [&]<Quantity known>() {
      if constexpr (is_known<known, Sys>()) {
        QVec<Sys> q(this->n()), p(this->n()), u(this->n()), v(this->n()), w(this->n());
        MVec<Sys> lambda(this->m());
        const ArgumentsOf<Sys> own{.q = copied(x.q, q),
                                   .p = copied(x.p, p),
                                   .lambda = copied(x.lambda, lambda),
                                   .u = copied(x.u, u),
                                   .v = copied(x.v, v),
                                   .w = copied(x.w, w),
                                   .part = x.part};
        ResultOf<Sys, known> y(out.size());
        evaluate_own<known>(sys_, own, y);
        assign(y, out);
      } else {
        throw std::logic_error(lacks(known));
      }
    });
  }
  std::string lacks(Quantity f) const override {
    const auto without = [&](const std::string& what) {
      return "it lacks the " + what + " of " + this->labels().model;
    };
    if (!Separable<Sys> && (f == Quantity::V || f == Quantity::V_qq)) return without("members V, V_q and mass");
    if (f == Quantity::V) return {};
    if (f == Quantity::V_parts) return Split<Sys> ? "" : without("members V_slow_q and V_fast_q");
    if (f == Quantity::V_fast) return HasFastPotential<Sys> ? "" : without("member V_fast");
    if (with_quantity(f, []<Quantity known>() { return is_known<known, Sys>(); })) return {};
    return without("member " + std::string(name_of(f)) + " or rebind");
  }

  S V(const Vec<S>& q) const override {
    if constexpr (Separable<Sys>)
      return sys_.V(fixed(q));
    else
      throw std::logic_error(lacks(Quantity::V));
  }
  void V_q(const Vec<S>& q, Vec<S>& out) const override {
    if constexpr (Separable<Sys>)
      fill_from(out, [&](auto& y) { sys_.V_q(fixed(q), y); });
    else
      throw std::logic_error(lacks(Quantity::V));
  }
  const AnyMass<S>& mass() const override { return mass_; }

  void V_slow_q(const Vec<S>& q, Vec<S>& out) const override {
    if constexpr (Split<Sys>)
      fill_from(out, [&](auto& y) { sys_.V_slow_q(fixed(q), y); });
    else
      throw std::logic_error(lacks(Quantity::V_parts));
  }
  void V_fast_q(const Vec<S>& q, Vec<S>& out) const override {
    if constexpr (Split<Sys>)
      fill_from(out, [&](auto& y) { sys_.V_fast_q(fixed(q), y); });
    else
      throw std::logic_error(lacks(Quantity::V_parts));
  }
  S V_fast(const Vec<S>& q) const override {
    if constexpr (HasFastPotential<Sys>)
      return sys_.V_fast(fixed(q));
    else
      throw std::logic_error(lacks(Quantity::V_fast));
  }

  void invariants(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override {
    if constexpr (has_invariants) sys_.invariants(fixed(q), fixed(p), out);
  }
  // By dual numbers, one coordinate at a time: each is a term.
  void invariants_along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& out,
                        Vec<S>& scale) const override {
    fill(out, S(0));
    fill(scale, S(0));
    if constexpr (has_invariants && RebindsTo<Sys, Dual<S>>) {
      const auto dual = sys_.template rebind<Dual<S>>();
      QVec<InDuals<Sys>> q_dual(q.size()), p_dual(p.size());
      assign(q, q_dual);
      assign(p, p_dual);
      Vec<Dual<S>> change(out.size());
      const auto add_terms = [&](auto& x, const Vec<S>& direction) {
        for (int j = 0; j < direction.size(); ++j) {
          x[j].d = direction[j];
          dual.invariants(q_dual, p_dual, change);
          x[j].d = S(0);
          for (int k = 0; k < out.size(); ++k) {
            out[k] += change[k].d;
            scale[k] += S(magnitude(change[k].d));
          }
        }
      };
      add_terms(q_dual, u);
      add_terms(p_dual, w);
    } else {
      fill(out, S(std::numeric_limits<Real<S>>::quiet_NaN()));
    }
  }
  Involution reversal() const override {
    if constexpr (requires { sys_.reversal(); })
      return sys_.reversal();
    else
      return {};
  }

 private:
  static constexpr bool has_invariants = requires(const Sys& sys, const QVec<Sys>& q, Vec<S>& out) {
    sys.invariants(q, q, out);
  };

  // From a real scalar to all others, to numbers with tangents through the real ones beneath.
  std::shared_ptr<const void> rebound(const std::type_info& scalar) const override {
    std::shared_ptr<const void> system;
    if constexpr (std::is_same_v<S, Real<S>>)
      for_each_scalar([&]<class T>() {
        if (scalar == typeid(T)) system = this->template in_scalar<T>();
      });
    return system;
  }
  template <class T>
  std::shared_ptr<const AnySystem<T>> in_scalar() const {
    if constexpr (RebindsTo<Sys, Real<T>>)
      return in_scalar<T>(sys_.template rebind<Real<T>>(), this->labels());
    else
      return nullptr;
  }
  template <class T, class Own>
  static std::shared_ptr<const AnySystem<T>> in_scalar(Own real, const Labels& labels) {
    if constexpr (std::is_same_v<T, ScalarOf<Own>>)
      return std::make_shared<Adapted<Own>>(std::move(real), labels);
    else if constexpr (RebindsTo<Own, T>)
      return in_scalar<T>(real.template rebind<T>(), labels);
    else
      return nullptr;
  }
  // Between the dynamic vectors outside and the type's own ones, of the same size, which may be 0.
  template <class From, class To>
  static void assign(const From& from, To& to) {
    if (from.size() > 0 && to.size() > 0) std::copy(from.begin(), from.end(), to.begin());
  }
  static QVec<Sys> fixed(const Vec<S>& x) {
    QVec<Sys> y(x.size());
    assign(x, y);
    return y;
  }
  template <class Own>
  static const Own* copied(const Vec<S>* x, Own& y) {
    if (!x) return nullptr;
    assign(*x, y);
    return &y;
  }
  static Vec<S> dynamic(const QVec<Sys>& x) {
    Vec<S> y(x.size());
    assign(x, y);
    return y;
  }
  void make_mass() {
    if constexpr (requires { AnyMass<S>(*sys_.mass().sparse()); })
      if (const auto* sparse = sys_.mass().sparse()) {
        mass_ = AnyMass<S>(*sparse);
        return;
      }
    // By its action on unit vectors.
    Square<S> inverse(this->n());
    Vec<S> u(this->n());
    bool diagonal = true;
    for (int j = 0; j < this->n(); ++j) {
      fill(u, S(0));
      u[j] = S(1);
      const Vec<S> column = dynamic(solved(u));
      for (int i = 0; i < this->n(); ++i) {
        inverse(i, j) = column[i];
        diagonal = diagonal && (i == j || column[i] == S(0));
      }
    }
    if (diagonal) {
      Vec<S> mass(this->n());
      for (int i = 0; i < this->n(); ++i) mass[i] = S(1) / inverse(i, i);
      mass_ = AnyMass<S>(DiagonalMass<S, Dynamic>(mass));
    } else {
      mass_ = AnyMass<S>(DenseMass<S>::of_inverse(inverse).value());
    }
  }
  QVec<Sys> solved(const Vec<S>& u) const {
    QVec<Sys> v(u.size());
    sys_.mass().solve(fixed(u), v);
    return v;
  }
  template <class F>
  void fill_from(Vec<S>& out, F&& f) const {
    QVec<Sys> y(out.size());
    f(y);
    assign(y, out);
  }

  Sys sys_;
  mutable JacobianOf<Sys> G_;
  AnyMass<S> mass_;
};

template <System Sys>
Adapted<Sys> adapt(Sys sys, Labels labels) {
  return Adapted<Sys>(std::move(sys), std::move(labels));
}
template <System Sys>
Adapted<Sys> adapt(Sys sys, std::string name = "system") {
  Labels labels;
  labels.model = std::move(name);
  return adapt(std::move(sys), std::move(labels));
}

}  // namespace holonom
