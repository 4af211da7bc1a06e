// Deliberately broken methods, each with all the claims of the method that it should have been. The contract must
// reject every one of them for what it breaks, and for nothing that it does not break.
#pragma once

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/coefficients/composition.hpp"
#include "holonom/dense.hpp"
#include "holonom/methods/rattle.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom::contract {

struct RattleFaults {
  double first_kick = 0.5, last_kick = 0.5;  // parts of h
  bool final_projection = true;
};

// RATTLE for separable systems as it stands in the papers, with nothing of the library's solvers, so that
// one thing at a time can be wrong.
template <class S>
class TextbookRattle final : public AnyMethod<S> {
 public:
  TextbookRattle(const AnySystem<S>& sys, const RattleFaults& faults)
      : sys_(sys),
        faults_(faults),
        G0_(sys.pattern()),
        G1_(sys.pattern()),
        q_(sys.n()),
        p_(sys.n()),
        p_hat_(sys.n()),
        row_(sys.n()),
        W_(sys.n()),
        r_(sys.m()),
        impulse_(sys.m()),
        K_(sys.m()) {}

  Status begin(const State<S>&, const S&) override { return {}; }

  Status step(State<S>& x, const S& h) override {
    sys_.G(x.q, G0_);
    p_hat_ = x.p;
    kick(x.q, h * S(faults_.first_kick), p_hat_);
    fill(impulse_, S(0));
    constexpr int enough = 8;  // Newton iterations; values and tangents are at round-off before
    for (int iteration = 0;; ++iteration) {
      p_ = p_hat_;
      subtract_force(G0_, impulse_, p_);
      sys_.mass().solve(p_, q_);
      for (int i = 0; i < sys_.n(); ++i) q_[i] = x.q[i] + h * q_[i];
      sys_.g_and_G(q_, r_, G1_);
      if (iteration == enough) break;
      solve(G1_, G0_);
      axpy(S(S(1) / h), r_, impulse_);
    }
    kick(q_, h * S(faults_.last_kick), p_);
    if (faults_.final_projection) {
      sys_.mass().solve(p_, W_);
      multiply(G1_, W_, r_);
      solve(G1_, G1_);
      subtract_force(G1_, r_, p_);
    }
    x.q = q_;
    x.p = p_;
    return {};
  }

  const Counters& counters() override { return counters_; }

 private:
  void kick(const Vec<S>& q, const S& h, Vec<S>& p) {
    sys_.V_q(q, row_);
    axpy(S(-h), row_, p);
  }
  // r ← (A M⁻¹ Bᵀ)⁻¹ r
  void solve(const Jacobian<S>& A, const Jacobian<S>& B) {
    for (int l = 0; l < sys_.m(); ++l) {
      fill(row_, S(0));
      B.row(l, [&](int j, const S& b) { row_[j] = b; });
      sys_.mass().solve(row_, W_);
      for (int k = 0; k < sys_.m(); ++k) {
        K_(k, l) = S(0);
        A.row(k, [&](int j, const S& a) { K_(k, l) += a * W_[j]; });
      }
    }
    factor_lu(K_);
    solve_lu(K_, r_);
  }

  const AnySystem<S>& sys_;
  RattleFaults faults_;
  Jacobian<S> G0_, G1_;
  Vec<S> q_, p_, p_hat_, row_, W_, r_, impulse_;
  Square<S> K_;
  Counters counters_;
};

// An explicit Euler step, then back onto the manifold.
template <class S>
class ProjectedEuler final : public AnyMethod<S> {
 public:
  explicit ProjectedEuler(const AnySystem<S>& sys) : sys_(sys), manifold_(sys), v_(sys.n()), f_(sys.n()) {}

  Status begin(const State<S>&, const S&) override { return {}; }
  Status step(State<S>& x, const S& h) override {
    sys_.H_p(x.q, x.p, v_);
    sys_.H_q(x.q, x.p, f_);
    axpy(h, v_, x.q);
    axpy(S(-h), f_, x.p);
    return manifold_.project(x);
  }
  const Counters& counters() override { return counters_; }

 private:
  const AnySystem<S>& sys_;
  Manifold<S> manifold_;
  Vec<S> v_, f_;
  Counters counters_;
};

// Method<S>(sys, arguments...) under the name `key`, in those scalars that the checks use.
template <template <class> class Method, class... Arguments>
MethodEntry claiming_to_be_rattle(std::string key, const Arguments&... arguments) {
  MethodEntry entry;
  entry.info = methods().find("rattle").info;
  entry.info.key = std::move(key);
  const auto add = [&]<class S>(Maker<S>& maker) {
    maker = [=](const AnySystem<S>& sys, const MethodOptions&) {
      return std::make_unique<Method<S>>(sys, arguments...);
    };
  };
  add(std::get<Maker<double>>(entry.makers));
  add(std::get<Maker<Dual<double>>>(entry.makers));
  return entry;
}

inline MethodEntry projected_euler() { return claiming_to_be_rattle<ProjectedEuler>("projected Euler"); }
inline MethodEntry textbook_rattle(const RattleFaults& faults = {}) {
  return claiming_to_be_rattle<TextbookRattle>("textbook RATTLE", faults);
}

// One of the library's own methods with a Newton iteration that stops early.
inline MethodEntry loose(const std::string& key, double tolerance) {
  return with_options(methods().find(key), {.newton = {.tolerance = tolerance}, .compensated = {}});
}
inline MethodEntry loose_rattle(double tolerance) { return loose("rattle", tolerance); }

// One of the library's own methods that loses momentum steadily, 2e-17 of it a step: no step shows it, a run does.
class Leaking final : public AnyMethod<double> {
 public:
  explicit Leaking(std::unique_ptr<AnyMethod<double>> method) : method_(std::move(method)) {}
  Status begin(const State<double>& x, const double& h) override { return method_->begin(x, h); }
  Status step(State<double>& x, const double& h) override {
    constexpr int interval = 100;
    const Status s = method_->step(x, h);
    if (s.ok() && ++steps_ % interval == 0)
      for (double& p : x.p) p *= 1 - interval * 2e-17;
    return s;
  }
  const Counters& counters() override { return method_->counters(); }

 private:
  std::unique_ptr<AnyMethod<double>> method_;
  long steps_ = 0;
};
inline MethodEntry leaking(const std::string& key) {
  MethodEntry entry = methods().find(key);
  auto& maker = std::get<Maker<double>>(entry.makers);
  maker = [make = maker](const AnySystem<double>& sys, const MethodOptions& options) {
    return std::make_unique<Leaking>(make(sys, options));
  };
  return entry;
}

// Without a projection after the last move.
template <class Sys>
class UnprojectedDrift : public Drift<Sys> {
  using S = ScalarOf<Sys>;

 public:
  using Drift<Sys>::Drift;
  Status project(const Sys&, const Vec<S, Sys::N>&, Vec<S, Sys::N>&, Rounding<S, Sys::N>*) { return {}; }
};

// A composition of RATTLE with other coefficients than it should have. `change` gets those of the scheme; orders above
// 2 are measured in quad. The key says what was composed, for those who ask choice.hpp about its substeps.
template <template <class> class Motion = Drift, class Change>
MethodEntry changed_composition(const std::string& scheme, const std::string& fault, const Change& change) {
  MethodEntry entry;
  entry.info = methods().find(scheme).info;
  entry.info.key = scheme + "/" + fault;
  const auto add = [&]<class S>(Maker<S>& maker) {
    std::vector<S> c = coefficients<S>(*find_composition(scheme));
    change(c);
    maker = [word = compose(rattle_word<S>(), c, false), key = entry.info.key](const AnySystem<S>& sys,
                                                                               const MethodOptions& options) {
      return make_on<Composition<SeparableView<S>, Motion>, SeparableView<S>>(key, sys, options, word);
    };
  };
  add(std::get<Maker<double>>(entry.makers));
  add(std::get<Maker<Dual<double>>>(entry.makers));
  add(std::get<Maker<quad>>(entry.makers));
  return entry;
}

}  // namespace holonom::contract
