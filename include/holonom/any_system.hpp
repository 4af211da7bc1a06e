// AnySystem<S>: a system known at run time only, with dynamic sizes. It does not pretend to be
// everything: as<SeparableView<S>>() gives a checked view that models a concept of system.hpp, or the
// reason why there is none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "holonom/dual.hpp"
#include "holonom/mass.hpp"
#include "holonom/system.hpp"

namespace holonom {

// A vector coordinate, such as r = { count = N, dim = 3 }: component c of r[i] is q[offset + i dim + c].
struct VectorBlock {
  std::string name;
  int count = 0, dim = 0, offset = 0;
};

// A stack of constraints link[0], link[1], ...; rows = 0: a single one.
struct StackBlock {
  std::string name;
  int first = 0, rows = 0;
};

// Names for people: every message and every column uses these.
struct Labels {
  std::string model;
  std::vector<std::string> coordinates, constraints, invariants, observables;
  std::vector<VectorBlock> vectors;
  std::vector<StackBlock> stacks;
  // The variables of a field (field.hpp): those in q are the coordinates, those in p have names of their own. Either
  // may be fewer than n; what is behind them is zero, and nobody is shown it.
  std::optional<std::vector<std::string>> variables_in_p;

  // What is shown of p, and under which name
  std::size_t momenta() const { return variables_in_p ? variables_in_p->size() : coordinates.size(); }
  std::string momentum(std::size_t i) const { return variables_in_p ? (*variables_in_p)[i] : "p_" + coordinates[i]; }
  // Whether its variables come in two parts; those of a mechanical system do.
  bool has_parts() const { return !variables_in_p || !variables_in_p->empty(); }
};

// ρ of a reversible system: a change of sign of some positions and momenta, of all momenta if nothing is said.
struct Involution {
  std::vector<bool> flip_q, flip_p;

  template <class S>
  void operator()(State<S>& x) const {
    for (int i = 0; i < x.q.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!flip_q.empty() && flip_q[k]) x.q[i] = -x.q[i];
      if (flip_p.empty() || flip_p[k]) x.p[i] = -x.p[i];
    }
  }
};

template <class View>
struct Checked {
  std::optional<View> view;
  std::string reason;  // why there is no view
  explicit operator bool() const { return view.has_value(); }
  const View& operator*() const { return *view; }
};

// What a step of a small separable system evaluates, at a position q; G by full rows.
enum class SmallFormula : std::uint8_t { V_q, g, G, g_and_G };

// The same as plain functions on arrays of doubles: in = {q, the AnySystem}, out = one array for each result. Machine
// code of a text model, or its interpreter, which needs to know the system; to the last bit they do the same.
struct SmallCode {
  using Function = void (*)(const double* const* in, double* const* out);
  std::array<Function, 4> function{};  // none: there is no such code
  bool machine = false;
};

template <class S>
class AnySystem : public QuantityMembers<AnySystem<S>, S> {
 public:
  using Scalar = S;
  static constexpr int N = Dynamic, M = Dynamic;

  virtual ~AnySystem() = default;

  const Labels& labels() const { return *labels_; }
  const Pattern& pattern() const { return *pattern_; }
  int n() const { return pattern_->n; }
  int m() const { return pattern_->m(); }

  virtual S H(const Vec<S>& q, const Vec<S>& p) const = 0;
  virtual void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const = 0;
  virtual void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const = 0;
  virtual void g(const Vec<S>& q, Vec<S>& out) const = 0;
  virtual void G(const Vec<S>& q, Jacobian<S>& out) const = 0;
  virtual void g_and_G(const Vec<S>& q, Vec<S>& g, Jacobian<S>& G) const = 0;
  // The size of the terms of g, where it is known: rounding errors of g are ε times this.
  virtual void g_scale(const Vec<S>&, Vec<S>& out) const { fill(out, S(0)); }

  // The second and third derivatives of quantities.hpp; each has a member of its own, such as H_pp(q, p, u, out).
  virtual void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const = 0;
  // Why a quantity cannot be had; empty if it can.
  virtual std::string lacks(Quantity f) const = 0;

  // Where H = ½ pᵀM⁻¹p + V(q) with constant M, which is what lacks(Quantity::V) says.
  virtual S V(const Vec<S>& q) const = 0;
  virtual void V_q(const Vec<S>& q, Vec<S>& out) const = 0;
  virtual const AnyMass<S>& mass() const = 0;
  // Where V = V_slow + V_fast: lacks(Quantity::V_parts).
  virtual void V_slow_q(const Vec<S>& q, Vec<S>& out) const = 0;
  virtual void V_fast_q(const Vec<S>& q, Vec<S>& out) const = 0;
  virtual S V_fast(const Vec<S>&) const { throw std::logic_error(lacks(Quantity::V_fast)); }
  // Whether it is a field y' = f(y) that has no H (field.hpp): for methods that need none.
  virtual bool is_field() const { return false; }
  // Whether H says something; a field need not have a function that is watched as its energy.
  virtual bool has_energy() const { return true; }
  // Whether views with compile-time sizes may be taken of this system: that is up to the model, not to how its formulas
  // are evaluated, so that results do not depend on the latter.
  virtual bool is_small() const { return false; }
  virtual SmallCode small_code() const { return {}; }
  // 1/m for each coordinate if the mass is constant and diagonal, else nullptr.
  const Vec<S>* inverse_mass_diagonal() const {
    return knows(*this, Quantity::V) ? mass().inverse_diagonal() : nullptr;
  }
  // The mass if it is constant and sparse, else nullptr.
  const SparseMass<S>* sparse_mass() const { return knows(*this, Quantity::V) ? mass().sparse() : nullptr; }

  virtual void invariants(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const = 0;
  // Σ_j ∂I/∂q_j u_j + ∂I/∂p_j w_j, and the sizes of its terms; NaN where it is not known.
  virtual void invariants_along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& out,
                                Vec<S>& scale) const = 0;
  virtual Involution reversal() const { return {}; }
  // Whether roots are taken of something: their rounding errors are larger than those of their arguments.
  virtual bool has_roots() const { return false; }
  // To be recorded and averaged, without a claim that they are conserved; λ only where something uses it.
  virtual bool observables_use_multipliers() const { return false; }
  virtual void observables(const State<S>&, Vec<S>&) const {}
  // The same system for another thread, or nullptr if there is none.
  virtual std::unique_ptr<AnySystem> clone() const { return nullptr; }
  // What is wrong at a point where an evaluation gave NaN or infinity.
  virtual std::string diagnose(const Vec<S>&, const Vec<S>&) const { return {}; }

  // The same system in another scalar, or nullptr if it cannot be had in that. In its own it is this very object.
  template <class T>
  std::shared_ptr<const AnySystem<T>> in() const {
    if constexpr (std::is_same_v<T, S>)
      return {std::shared_ptr<void>(), this};
    else
      return std::static_pointer_cast<const AnySystem<T>>(rebound(typeid(T)));
  }

  template <class View>
  Checked<View> as() const {
    if (std::string reason = View::missing(*this); !reason.empty()) return {std::nullopt, std::move(reason)};
    return {View(*this), {}};
  }

 protected:
  // A pointer that was one to AnySystem<T> const, for the scalar T of that name.
  virtual std::shared_ptr<const void> rebound(const std::type_info&) const { return nullptr; }

  // Shared by the same system in other scalars.
  std::shared_ptr<const Labels> labels_;
  std::shared_ptr<const Pattern> pattern_;
};

// The first reason why one of these cannot be had
template <class S, class... More>
std::string first_lack(const AnySystem<S>& sys, Quantity f, More... more) {
  std::string reason = sys.lacks(f);
  if constexpr (sizeof...(more) > 0)
    if (reason.empty()) return first_lack(sys, more...);
  return reason;
}

// Any H(q, p), with products of H_pp and H_pq
template <class S>
class HamiltonianView : public QuantityMembers<HamiltonianView<S>, S> {
 public:
  using Scalar = S;
  static constexpr int N = Dynamic, M = Dynamic;

  explicit HamiltonianView(const AnySystem<S>& sys) : sys_(&sys) {}
  static std::string missing(const AnySystem<S>& sys) { return first_lack(sys, Quantity::H_pp, Quantity::H_pq); }

  int n() const { return sys_->n(); }
  int m() const { return sys_->m(); }
  const Pattern& pattern() const { return sys_->pattern(); }
  S H(const Vec<S>& q, const Vec<S>& p) const { return sys_->H(q, p); }
  void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const { sys_->H_q(q, p, out); }
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const { sys_->H_p(q, p, out); }
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const { sys_->evaluate(f, x, out); }
  std::string lacks(Quantity f) const { return sys_->lacks(f); }
  void g(const Vec<S>& q, Vec<S>& out) const { sys_->g(q, out); }
  void G(const Vec<S>& q, Jacobian<S>& out) const { sys_->G(q, out); }
  void g_and_G(const Vec<S>& q, Vec<S>& g, Jacobian<S>& G) const { sys_->g_and_G(q, g, G); }
  void g_scale(const Vec<S>& q, Vec<S>& out) const { sys_->g_scale(q, out); }
  const Vec<S>* inverse_mass_diagonal() const { return sys_->inverse_mass_diagonal(); }
  const SparseMass<S>* sparse_mass() const { return sys_->sparse_mass(); }
  std::unique_ptr<AnySystem<S>> clone() const { return sys_->clone(); }
  bool is_separable() const { return knows(*sys_, Quantity::V); }

 protected:
  const AnySystem<S>* sys_;
};

// H = ½ pᵀM⁻¹p + V(q); SplitView says whether the parts of V are known.
template <class S>
class SeparableView : public HamiltonianView<S> {
 public:
  using HamiltonianView<S>::HamiltonianView;
  static std::string missing(const AnySystem<S>& sys) { return sys.lacks(Quantity::V); }

  S V(const Vec<S>& q) const { return this->sys_->V(q); }
  void V_q(const Vec<S>& q, Vec<S>& out) const { this->sys_->V_q(q, out); }
  void V_slow_q(const Vec<S>& q, Vec<S>& out) const { this->sys_->V_slow_q(q, out); }
  void V_fast_q(const Vec<S>& q, Vec<S>& out) const { this->sys_->V_fast_q(q, out); }
  S V_fast(const Vec<S>& q) const { return this->sys_->V_fast(q); }
  const AnyMass<S>& mass() const { return this->sys_->mass(); }
};

template <class S>
class SplitView : public SeparableView<S> {
 public:
  using SeparableView<S>::SeparableView;
  static std::string missing(const AnySystem<S>& sys) { return first_lack(sys, Quantity::V, Quantity::V_parts); }
};

// A small separable system in double with sizes known at compile time: a step then stays in registers.
template <int N_, int M_>
class SmallView : public QuantityMembers<SmallView<N_, M_>, double, N_, M_> {
 public:
  using Scalar = double;
  static constexpr int N = N_, M = M_;

  explicit SmallView(const AnySystem<double>& sys) : sys_(&sys), code_(sys.small_code()) {
    const Vec<double>& inverse = *sys.inverse_mass_diagonal();
    Vec<double, N> mass;
    for (int i = 0; i < N; ++i) mass[i] = 1 / inverse[i];
    mass_ = DiagonalMass<double, N>(mass);
  }
  static std::string missing(const AnySystem<double>& sys) {
    return sys.n() == N && sys.m() == M && sys.is_small() ? "" : "a small system of this size";
  }

  double V(const Vec<double, N>& q) const { return sys_->V(*copied(&q, q_)); }
  void V_q(const Vec<double, N>& q, Vec<double, N>& out) const { call(SmallFormula::V_q, q, out.data()); }
  const DiagonalMass<double, N>& mass() const { return mass_; }
  void g(const Vec<double, N>& q, Vec<double, M>& out) const { call(SmallFormula::g, q, out.data()); }
  void G(const Vec<double, N>& q, Jacobian<double, N, M>& out) const { call(SmallFormula::G, q, &out(0, 0)); }
  void g_and_G(const Vec<double, N>& q, Vec<double, M>& g, Jacobian<double, N, M>& G) const {
    call(SmallFormula::g_and_G, q, g.data(), &G(0, 0));
  }
  void g_scale(const Vec<double, N>& q, Vec<double, M>& out) const {
    sys_->g_scale(*copied(&q, q_), g_);
    std::copy(g_.begin(), g_.end(), out.begin());
  }
  std::string lacks(Quantity f) const { return sys_->lacks(f); }
  template <int K>
  void evaluate(Quantity f, const Arguments<double, N, M>& x, Vec<double, K>& out) const {
    Arguments<double> y{
        .q = copied(x.q, q_), .p = copied(x.p, p_), .lambda = copied(x.lambda, lambda_), .u = copied(x.u, u_)};
    y.v = x.v == x.u ? y.u : copied(x.v, v_);  // g_qq(u, u) is cheaper than g_qq(u, v)
    y.w = copied(x.w, w_);
    y.part = x.part;
    Vec<double>& result = is_per_constraint(f) ? g_ : row_;
    sys_->evaluate(f, y, result);
    std::copy(result.begin(), result.end(), out.begin());
  }

 private:
  template <int K>
  static const Vec<double>* copied(const Vec<double, K>* x, Vec<double>& y) {
    if (!x) return nullptr;
    std::copy(x->begin(), x->end(), y.begin());
    return &y;
  }
  template <class... Out>
  void call(SmallFormula f, const Vec<double, N>& q, Out*... out) const {
    double* results[] = {out...};
    in_[0] = q.data();
    code_.function[static_cast<std::size_t>(f)](in_.data(), results);
  }

  const AnySystem<double>* sys_;
  SmallCode code_;
  mutable std::array<const double*, 2> in_{nullptr, static_cast<const double*>(static_cast<const void*>(sys_))};
  DiagonalMass<double, N> mass_;
  mutable Vec<double> q_ = Vec<double>(N), p_ = q_, u_ = q_, v_ = q_, w_ = q_, row_ = q_;
  mutable Vec<double> g_ = Vec<double>(M), lambda_ = g_;
};

static_assert(HasHessian<SeparableView<double>> && Split<SplitView<double>> && HasHpp<HamiltonianView<double>> &&
              HasHqq<HamiltonianView<double>>);
static_assert(Separable<SmallView<4, 2>> && HasHqq<SmallView<4, 2>>);

}  // namespace holonom
