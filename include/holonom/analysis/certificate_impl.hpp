// certify, for the translation units that instantiate it. The measurements are those of the contract tests, on whatever
// problem and step it is given.
#pragma once

#include <array>
#include <cstdarg>
#include <cstdio>

#include "holonom/analysis/bounds.hpp"
#include "holonom/analysis/certificate.hpp"
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/convergence_order.hpp"
#include "holonom/analysis/loop_integral.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/analysis/reversal.hpp"
#include "holonom/analysis/shadow_energy.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/solve/constraint_rank.hpp"

namespace holonom {

namespace detail {

// The same state in another scalar, rounded.
template <class T, class S>
State<T> convert(const State<S>& x) {
  State<T> y(x.q.size(), x.lambda.size());
  const auto assign = [](const Vec<S>& from, Vec<T>& to) {
    for (int i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i]);
  };
  assign(x.q, y.q);
  assign(x.p, y.p);
  return y;
}

[[gnu::format(printf, 1, 2)]] inline std::string text(const char* format, ...) {
  char buffer[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

template <class S>
class Certify {
  using R = Real<S>;
  using Verdict = Claim::Verdict;
  static constexpr bool has_dual = std::is_same_v<S, double> || std::is_same_v<S, quad>;
  static constexpr bool is_wide = std::numeric_limits<S>::digits10 > 30;

 public:
  Certify(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& start, const S& h,
          const MethodOptions& options, const std::map<std::string, Conservation>& known)
      : exact_(entry),
        entry_(with_options(entry, options)),
        options_(options),
        known_(known),
        info_(entry.info.on(sys.m(), sys.is_field())),
        sys_(sys),
        start_(start),
        h_(h),
        map_(entry_, sys),
        rounded_(sys.template in<double>()),
        start_double_(convert<double>(start)) {
    if constexpr (has_dual) dual_ = sys.template in<Dual<S>>();
    if (!rounded_) throw std::invalid_argument("certify needs the system in double as well: give it a member rebind");
  }

  Certificate operator()(bool with_order) {
    try {
      look_along_the_motion();
    } catch (const StepFailed& e) {
      failed(e);
      return std::move(result_);
    }
    add("position constraint", info_.keeps_position, sys_.m() > 0, "the model has none",
        [&](Claim& c) { constraint(c, residuals().position); });
    add("hidden constraint", info_.keeps_hidden, sys_.m() > 0, "the model has none",
        [&](Claim& c) { constraint(c, residuals().hidden); });
    const std::string no_basis = sys_.m() > 0 ? sys_.lacks(Quantity::g_qq) : "";
    if (sys_.is_field()) {
      add("symplecticity", false, false, "a field y' = f(y) has no symplectic form", [](Claim&) {});
      const std::string no_volume = lacks_volume();
      add("volume", info_.volume, no_volume.empty(), no_volume, [&](Claim& c) { volume(c); });
    } else {
      add("symplecticity", info_.symplectic, no_basis.empty() && (!has_tangents() || sys_.n() <= most_tangents),
          no_basis.empty() ? "too many coordinates: there are " + std::to_string(2 * sys_.n()) + " tangents" : no_basis,
          [&](Claim& c) { symplecticity(c); });
    }
    add("symmetry", info_.symmetric, true, "", [&](Claim& c) { symmetry(c); });
    add("reversibility", info_.symmetric, reversal_defect(*rounded_, start_double_) < 1e-10,
        "the model is not reversible: see [reversal]", [&](Claim& c) { reversibility(c); });
    if (sys_.is_field())
      first_integrals();
    else
      momenta();
    add("energy drift", info_.symplectic, speed_ > 0 && sys_.has_energy(),
        sys_.has_energy() ? "nothing moves" : "the field has no energy: see [field]", [&](Claim& c) { energy(c); });
    if (info_.symplectic && lacks_shadow_energy(entry_.info, sys_).empty())
      add("shadow energy", true, speed_ > 0, "nothing moves", [&](Claim& c) { shadow(c); });
    const bool is_large = sys_.n() + sys_.m() > most_unknowns;
    const char* const no_order =
        !with_order  ? "left out"
        : is_large   ? "too many coordinates for an exact solution in quad: try a smaller model of the kind"
        : speed_ > 0 ? "the method claims none with constraints"
                     : "nothing moves";
    add("order", info_.order > 0, with_order && speed_ > 0 && info_.order > 0 && !is_large, no_order,
        [&](Claim& c) { order(c); });
    return std::move(result_);
  }

 private:
  static constexpr long run_length = 300;                 // of properties that must hold at every step
  static constexpr std::array<long, 2> few_steps{1, 10};  // of local properties
  static constexpr int most_tangents = 500, most_unknowns = 300;
  static constexpr int starts = 4;  // of local properties, along the run

  // Sizes, speed, and states on the manifold: a start may be at rest.
  void look_along_the_motion() {
    Manifold<S> manifold(sys_);
    Vec<S> v(sys_.n());
    R speed(0);
    const auto include = [&](const State<S>& x) {
      size_.include(x);
      sys_.H_p(x.q, x.p, v);
      for (const S& a : v) keep_largest(speed, R(magnitude(a)));
    };
    include(start_);
    State<S> x = start_;
    long done = 0;
    map_(x, h_, run_length, [&](const State<S>& y) {
      include(y);
      if (++done % (run_length / starts) != 0) return;
      State<S> z = y;
      if (manifold.project(z).ok()) states_.push_back(std::move(z));
    });
    speed_ = to_double(speed);
    // Where a body rests, what moves is rounding errors.
    if (std::abs(to_double(h_)) * static_cast<double>(run_length) * speed_ <=
        in_scalar<S>(Bounds::round_off) * to_double(size_.q)) {
      speed_ = 0;
      size_.p = R(0);
    }
    if (states_.empty()) states_.push_back(start_);
    // Where nothing moves there are no units of momentum.
    if (size_.q == R(0)) size_.q = R(1);
    if (size_.p == R(0)) size_.p = R(1);
  }

  bool has_tangents() const { return dual_ != nullptr; }
  double travel() const { return std::abs(to_double(h_)) * speed_ / to_double(size_.q); }
  // Within the implicit equations of a general H rounding errors are not compensated.
  double round_off() const {
    MethodInfo info = info_;
    info.compensated = info.compensated && knows(sys_, Quantity::V);
    return in_scalar<S>(Bounds::round_off) * rounding_of(info, travel());
  }

  // How much a small displacement grows in a few steps: so do rounding errors on the way. Large for stiff springs.
  double growth() {
    if (growth_ > 0) return growth_;
    growth_ = 1;
    Manifold<S> manifold(sys_);
    const S small = S(1) / S(1000000);
    for (const State<S>& x : states_) {
      State<S> y = x, image = x;
      for (int i = 0; i < sys_.n(); ++i) {  // in all directions, more or less
        y.q[i] += small * size_.q * S(std::sin(2.0 * i + 1));
        y.p[i] += small * size_.p * S(std::cos(3.0 * i + 1));
      }
      if (!manifold.project(y).ok()) continue;
      const R before = distance(x, y, size_);
      map_(image, h_, few_steps.back());
      map_.within(y, h_, few_steps.back());
      growth_ = std::max(growth_, to_double(R(distance(image, y, size_) / before)));
    }
    return growth_;
  }

  void failed(const StepFailed& e) {
    result_.failure = e.what();
    result_.remedy = e.remedy();
  }

  template <class Measure>
  void add(std::string property, bool claimed, bool applies, const std::string& why_not, Measure&& measure) {
    Claim claim;
    claim.property = std::move(property);
    claim.claimed = claimed;
    if (!applies) {
      claim.remark = why_not;
    } else {
      claim.verdict = Verdict::holds;
      try {
        measure(claim);
        if (claim.verdict != Verdict::not_measured)
          claim.verdict = !claimed ? Verdict::not_claimed : claim.within() ? Verdict::holds : Verdict::fails;
      } catch (const StepFailed& e) {
        claim.verdict = Verdict::not_measured;
        claim.remark = e.what();
        if (claimed && result_.failure.empty()) failed(e);
      }
    }
    result_.claims.push_back(std::move(claim));
  }

  struct Loss {
    double change = 0, kinetic = 0;
    long steps = 0;
    std::string text() const {
      return detail::text(
          "the energy changed by %.1e in %ld steps, and the largest kinetic energy was %.1e: this is not the motion of "
          "the model any more",
          change, steps, kinetic);
    }
  };

  const ConstraintResiduals<R>& residuals() {
    if (!residuals_) residuals_ = constraint_residuals(map_, sys_, start_, h_, run_length);
    return *residuals_;
  }
  void constraint(Claim& c, const R& residual) const {
    c.measured = to_double(residual);
    c.bound = in_scalar<S>(Bounds::round_off);
    c.remark = "largest of " + std::to_string(run_length) + " steps, relative to its terms";
  }

  void symplecticity(Claim& c) {
    if constexpr (has_dual) {
      if (!dual_) return by_loop(c);
      R worst(0);
      for (const long steps : few_steps)
        for (const State<S>& x : states_)
          keep_largest(worst, R(symplectic_defect(entry_, sys_, *dual_, x, size_, h_, steps)));
      c.measured = to_double(worst);
      c.bound = in_scalar<S>(Bounds::tangent_defect);
      c.remark = "defect of the symplectic form under the exact tangent map, 1 and 10 steps";
      if (!c.claimed || c.within()) return;
      // What is seen may be rounding errors: those of stiff tangents grow, and SHAKE has its impulses from positions.
      const double noise = std::max(growth(), info_.one_step ? 1 : 1 / travel());
      if (!(c.measured <= c.bound * noise)) return;
      c.verdict = Verdict::not_measured;
      c.remark = text("a defect of %.1e, where rounding errors are enlarged by a factor of %.0e", c.measured, noise);
    } else {
      by_loop(c);
    }
  }
  // Why it cannot be said of a field whether its volume is preserved; empty if it can.
  std::string lacks_volume() const {
    if (std::string reason = first_lack(sys_, Quantity::H_pq, Quantity::H_qp); !reason.empty()) return reason;
    for (const State<S>& x : states_)
      if (!(to_double(R(divergence(sys_, x))) <= 1e-10)) return "the exact flow does not preserve it";
    if (!has_dual) return "tangent maps exist in double and quad only";
    if (!has_tangents()) return "tangent maps need the system in dual numbers";
    return sys_.n() <= most_tangents ? ""
                                     : "too many variables: there are " + std::to_string(2 * sys_.n()) + " tangents";
  }
  void volume(Claim& c) {
    if constexpr (has_dual) {
      R worst(0);
      for (const long steps : few_steps)
        for (const State<S>& x : states_) keep_largest(worst, R(volume_defect(entry_, *dual_, x, h_, steps)));
      c.measured = to_double(worst);
      c.bound = in_scalar<S>(Bounds::tangent_defect);
      c.remark = "determinant of the exact tangent map less 1, 1 and 10 steps";
    }
  }
  // A loop of 1 % of the motion's size, carried along for 20 steps.
  void by_loop(Claim& c) {
    const S radius = S(1) / S(100);
    constexpr long steps = 20;
    constexpr int fewest = 64, most = 512;
    const LoopPlan<S> plan = widest_loop(sys_, states_.front(), size_, radius);
    c.bound = in_scalar<S>(Bounds::loop_defect) * positions_to_momenta(info_, travel());
    c.remark = std::string("change of the action of a loop in 20 steps (tangent maps ") +
               (has_dual ? "need the system in dual numbers)" : "exist in double and quad only)");
    S before(0);
    for (int points = fewest; points <= most; points *= 2) {
      const LoopIntegral<S> loop = loop_integral(entry_, sys_, states_.front(), size_, plan, points, h_, steps);
      c.measured = to_double(loop.change());
      const S difference = loop.after - before;
      before = loop.after;
      if (points > fewest &&
          to_double(R(magnitude(difference) / magnitude(loop.before))) <= std::max(c.bound, c.measured / 100))
        return;
    }
    c.verdict = Verdict::not_measured;
    c.remark = "the action of the loop did not converge with 512 points";
  }

  void symmetry(Claim& c) {
    R defect(0);
    for (const State<S>& x : states_)
      for (const long steps : few_steps) keep_largest(defect, symmetry_defect(map_, x, size_, h_, steps));
    c.measured = to_double(defect);
    c.bound = round_off() * growth();
    c.remark = "distance from the start after 1 and 10 steps forth and back with -h";
  }
  void reversibility(Claim& c) {
    R defect(0);
    for (const State<S>& x : states_)
      for (const long steps : few_steps)
        keep_largest(defect, reversibility_defect(map_, sys_.reversal(), x, size_, h_, steps));
    c.measured = to_double(defect);
    c.bound = round_off() * growth();
    c.remark = "the same with the model's involution instead of -h";
  }

  // Why the exact flow of what the method runs on does not conserve an invariant with this rate; empty if it does.
  std::string not_conserved(const std::string& name, double rate) const {
    const auto known = known_.find(name);
    Conservation conservation = rate < 1e-9    ? Conservation::strong
                                : rate == rate ? Conservation::none
                                               : Conservation::unknown;
    if (known != known_.end()) conservation = known->second;
    switch (conservation) {
      case Conservation::strong: return "";
      case Conservation::none: return "the exact flow does not conserve it";
      case Conservation::unknown: return "whether the exact flow conserves it is not known";
      case Conservation::weak: break;
    }
    return info_.keeps_position && info_.formulation.empty()
               ? ""
               : "the exact flow conserves it on the manifold, which steps of the method leave";
  }

  // A claim for each invariant that is a momentum map of the exact flow.
  void momenta() {
    const std::vector<bool> linear = momentum_maps(*rounded_, convert<double>(states_.front()));
    const std::vector<double> rates = invariant_rates(*rounded_, start_double_);
    std::optional<Vec<R>> errors;
    for (std::size_t k = 0; k < linear.size(); ++k) {
      if (!linear[k]) continue;
      const std::string why_not = not_conserved(sys_.labels().invariants[k], rates[k]);
      add("momentum map " + sys_.labels().invariants[k], info_.momentum_maps, why_not.empty(), why_not, [&](Claim& c) {
        if (!errors) errors = momentum_errors(map_, sys_, start_, h_, run_length, linear);
        c.measured = to_double((*errors)[static_cast<int>(k)]);
        c.bound = round_off();
        c.remark = "largest error of " + std::to_string(run_length) + " steps, relative to its terms";
      });
    }
  }

  // Of a field, a claim for each invariant of the exact flow that has a form which the method keeps.
  void first_integrals() {
    const std::vector<InvariantForm> forms = invariant_forms(*rounded_, convert<double>(states_.front()));
    const std::vector<double> rates = invariant_rates(*rounded_, start_double_);
    std::optional<Vec<R>> errors;
    for (std::size_t k = 0; k < forms.size(); ++k) {
      const bool bilinear = forms[k] == InvariantForm::bilinear, quadratic = forms[k] != InvariantForm::other;
      const bool claimed = (info_.bilinear_invariants && bilinear) || (info_.quadratic_invariants && quadratic);
      const std::string why_not = not_conserved(sys_.labels().invariants[k], rates[k]);
      add("invariant " + sys_.labels().invariants[k], claimed, why_not.empty(), why_not, [&](Claim& c) {
        if (!errors) errors = invariant_errors(map_, sys_, start_, h_, run_length);
        c.measured = to_double((*errors)[static_cast<int>(k)]);
        c.bound = round_off();
        c.remark = "largest error of " + std::to_string(run_length) + " steps, relative to its terms" +
                   (bilinear    ? "; it is p.(C q + c)"
                    : quadratic ? "; it is quadratic"
                                : "; it is not quadratic");
      });
    }
  }

  // Drift against the band in which the energy oscillates, as far as it can be told from a wander (trend.hpp). The
  // energy error of a chaotic motion moves while it spreads from its start: where there is a drift, a longer stretch
  // after that is asked. A drift of the method is steady: it has the same sign in all stretches, and the same rate in
  // the last two, to a factor of 2.
  // Returns the loss of energy, if there is one.
  std::optional<Loss> drift(Claim& c) {
    const double cost = static_cast<double>(substeps(info_).count) * (sys_.n() + sys_.m());
    const double worth = is_wide ? 4e5 : 1e7;
    const long longest = is_wide ? 2000 : 20000;
    long steps = std::clamp(std::lround(worth / cost), 300L, longest);
    const int stretches = info_.symplectic ? 4 : 1;
    std::optional<Loss> loss;
    bool same_sign = true, grows = true;
    double rate = 0, change = 0, first_kinetic = 0, kinetic = 0;  // means of the first and of the last stretch
    State<S> x = start_;
    for (int k = 1;; ++k, steps *= 2) {
      const EnergyDrift energy = energy_along(map_, sys_, x, h_, steps);
      if (energy.is_lost && !loss) loss = Loss{energy.change(), energy.kinetic, steps};
      if (k == 1) first_kinetic = energy.mean_kinetic;
      grows = grows && energy.mean_kinetic > kinetic;
      kinetic = energy.mean_kinetic;
      keep_largest(change, energy.change());
      const Trend& trend = energy.trend;
      const double ratio = trend.change / static_cast<double>(steps) / rate;
      same_sign = same_sign && (k == 1 || ratio > 0);
      rate = trend.change / static_cast<double>(steps);
      const double noise = energy_noise(info_, rounding_of(info_, travel()), !knows(sys_, Quantity::V),
                                        sys_.has_roots(), energy.size, to_double(epsilon<S>()), steps);
      const double allowed = std::max(Bounds::energy_drift * energy.band(), noise);
      c.measured = std::abs(trend.change);
      c.bound = allowed;
      c.remark = text("± %.0e in %ld steps, where the energy oscillates in a band of %.1e", trend.interval, steps,
                      energy.band());
      if (c.within()) return loss;
      if (k < stretches) continue;
      // Without bounds, in a fall for one, there is no band: errors grow with the terms of the energy. (But not if what
      // grows is the error itself.)
      if (c.claimed && grows && kinetic > 2 * first_kinetic && kinetic - first_kinetic > 10 * change) {
        c.verdict = Verdict::not_measured;
        c.remark = text(
            "the motion has no bounds: its kinetic energy grows from %.1e to %.1e in %ld steps, and errors "
            "of the energy, %.1e, grow with it",
            first_kinetic, kinetic, steps, change);
        return loss;
      }
      // What cannot be told from a wander is none that is known of.
      if (trend.is_wander()) {
        c.bound += trend.interval;
        c.remark = text("within ± %.0e (99.9 %%) of none in %ld steps: the energy wanders in a band of %.1e%s",
                        trend.interval, steps, energy.band(), trend.memory >= 0.5 ? ", as a random walk does" : "");
        return loss;
      }
      // One degree of freedom knows no chaos: an energy that wanders there has left the motion.
      const bool may_wander = sys_.n() - constraint_rank(*rounded_, start_double_).rank > 1;
      if (k > 1 && may_wander && !(trend.is_seen() && same_sign && ratio > 0.5 && ratio < 2)) {
        c.verdict = Verdict::not_measured;
        c.remark = text("no steady drift, but the energy moves, last by %.1e in %ld steps: %s", c.measured, steps,
                        trend.is_seen() ? "they are too few to tell why"
                                        : "errors of steps add up, as they do where steps are too long");
      }
      return loss;
    }
  }

  // Where an energy is lost nothing holds: any drift is small beside such a band. Unless a steady drift is seen, it is
  // no failure of the claim, which is for shorter steps, but as a step that fails. What is not claimed is not kept.
  void energy(Claim& c) {
    const std::optional<Loss> loss = drift(c);
    if (!loss) return;
    if (c.claimed) {
      if (c.verdict == Verdict::not_measured || c.within()) fail(*loss);
      c.remark += "; " + loss->text();
      return;
    }
    c.measured = loss->change;
    c.bound = loss->kinetic / 2;
    c.remark = loss->text();
  }
  [[noreturn]] void fail(const Loss& loss) const {
    throw StepFailed(entry_.info.key + " on " + sys_.labels().model + ": " + loss.text());
  }

  // Truncation is in the shadow energy itself. What moves it steadily is solves that end too early, errors that a
  // symplectic method does not make; or a step so long that it is no constant any more, which half the step tells.
  void shadow(Claim& c) {
    const double cost = static_cast<double>(substeps(info_).count) * (sys_.n() + sys_.m());
    const long steps = std::clamp(std::lround((is_wide ? 2e5 : 2e6) / cost), 300L, is_wide ? 1000L : 5000L);
    ShadowEnergy found;
    try {
      found = shadow_energy(entry_, sys_, start_, h_, steps);
    } catch (const Unsuitable& e) {
      c.verdict = Verdict::not_measured;
      c.remark = e.what();
      return;
    }
    if (found.energy_is_lost) fail({found.energy_change, found.kinetic, steps});
    if (!found.resolved()) {
      c.verdict = Verdict::not_measured;
      c.remark = "a window of 8 steps does not resolve the motion: see the energy";
      return;
    }
    const auto allowed = [&](const ShadowEnergy& s, long count) {
      const double noise = energy_noise(info_, rounding_of(info_, travel()), !knows(sys_, Quantity::V),
                                        sys_.has_roots(), s.size, to_double(epsilon<S>()), count);
      return std::max({s.rounding, noise, Bounds::energy_drift * s.trend.band}) +
             (s.trend.is_wander() ? s.trend.interval : 0);
    };
    c.measured = std::abs(found.trend.change);
    c.bound = allowed(found, steps);
    c.remark = text("± %.0e in %ld steps, where it oscillates in a band of %.1e, and the energy in one of %.1e",
                    found.trend.interval, steps, found.trend.band, found.energy_range);
    if (c.within()) return;
    if (options_.newton.tolerance > 0) {
      const double exact = std::abs(shadow_energy(exact_, sys_, start_, h_, steps).trend.change);
      if (exact <= c.measured / 2) {
        c.remark += text(": solves end too early; with those to round-off it changes by %.1e", exact);
        return;
      }
    }
    const ShadowEnergy half = shadow_energy(entry_, sys_, start_, S(h_ / S(2)), 2 * steps);
    if (std::abs(half.trend.change) > std::max(c.measured / 4, allowed(half, 2 * steps))) return;
    c.verdict = Verdict::not_measured;
    c.remark = text(
        "it changes by %.1e in %ld steps, and by %.1e in that time with half the step: the step is so long that "
        "there is no constant shadow energy",
        c.measured, steps, std::abs(half.trend.change));
  }

  // Over half the time in which the motion goes its own length, or over the run if that is shorter, from a state on the
  // way. Errors of high orders are through double's sixteen digits after two or three halvings of the step: these are
  // measured in quad.
  void order(Claim& c) {
    c.at_least = true;
    c.bound = info_.order - order_bound(info_);
    c.verdict = Verdict::not_measured;
    try {
      if constexpr (!is_wide) {
        if (const auto wide = sys_.template in<quad>(); wide && info_.order > 2) return order_in<quad>(c, *wide);
      }
      order_in<S>(c, sys_);
    } catch (const std::runtime_error& e) {  // says nothing of the step that is asked about
      c.remark = e.what();
    }
  }
  template <class T>
  void order_in(Claim& c, const AnySystem<T>& sys) {
    const T time =
        T(std::min(to_double(size_.q) / (2 * speed_), static_cast<double>(run_length) * std::abs(to_double(h_))));
    State<T> x = convert<T>(states_.front());
    if (!Manifold<T>(sys).project(x).ok())
      throw std::runtime_error("the start of the measurement is not on the manifold");
    // A penalty has a motion of its own, which the method follows.
    const Formulation own = info_.formulation.empty() ? Formulation{} : Formulation::parse(info_.formulation);
    const auto penalty = own && own.info->name == "penalty" ? formulate(own, sys) : nullptr;
    ReferenceFlow<T> flow(penalty ? penalty->system() : sys, reference_columns<T>());
    const double goal = std::max(100 * to_double(epsilon<T>()), 1e-32);
    double last = 1;
    const ReferenceSolution<T> exact = reference_solution(flow, x, time, 4, 1024, [&](const ReferenceSolution<T>& now) {
      const bool stands_still = now.error < 1e-6 && now.error > last / 4;
      last = now.error;
      return now.error < goal || stands_still;
    });
    constexpr long fewest = 4, most = 64;
    const auto measure = [&](long coarsest, double settled) {
      for (;; coarsest *= 2) {
        try {
          return settled_order(entry_, sys, x, exact.state, time, coarsest, settled);
        } catch (const StepFailed&) {  // long steps may
          if (coarsest > most) throw;
        }
      }
    };
    const auto is_below = [&](const OrderFit& fit) { return !(std::min(fit.slope_q, fit.slope_p) >= c.bound); };
    // With long steps slopes may rest on their way. One below the bound has to rest once more, with shorter steps and
    // more firmly, or says nothing.
    OrderFit fit = measure(std::lround(fewest * substeps(info_).largest), 0.05);
    if (fit.used >= 3 && is_below(fit)) fit = measure(std::lround(to_double(time) / fit.points.back().h), 0.0125);
    if (fit.used < 3 || (is_below(fit) && !fit.settled)) {
      c.remark = "errors do not fall as a power of the step before they are rounding errors";
      return;
    }
    const OrderPoint& finest = fit.points.back();
    if (!(exact.error <= 1e-2 * std::min(finest.error_q, finest.error_p))) {
      c.remark = "the exact solution is not known well enough";
      return;
    }
    c.verdict = Verdict::holds;
    c.measured = std::min(fit.slope_q, fit.slope_p);
    c.remark = text("slopes %.3f (q) and %.3f (p) at h = %.2g, errors %.1e and %.1e (%s)", fit.slope_q, fit.slope_p,
                    finest.h, finest.error_q, finest.error_p, precision_name<T>().c_str());
  }

  const MethodEntry& exact_;  // with solves to round-off
  const MethodEntry entry_;
  const MethodOptions options_;
  const std::map<std::string, Conservation>& known_;  // of invariants
  const MethodInfo info_;                             // what is claimed here
  const AnySystem<S>& sys_;
  const State<S>& start_;
  const S h_;
  NumericalMap<S> map_;
  const std::shared_ptr<const AnySystem<double>> rounded_;  // symmetries of a system are tried in double
  std::shared_ptr<const AnySystem<Dual<S>>> dual_;          // for tangent maps, if there are any
  const State<double> start_double_;
  StateSize<R> size_;
  double speed_ = 0, growth_ = 0;
  std::vector<State<S>> states_;
  std::optional<ConstraintResiduals<R>> residuals_;
  Certificate result_;
};

}  // namespace detail

template <class S>
Certificate certify(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& start, const S& h,
                    const MethodOptions& options, const std::map<std::string, Conservation>& known, bool with_order) {
  return detail::Certify<S>(entry, sys, start, h, options, known)(with_order);
}

}  // namespace holonom
