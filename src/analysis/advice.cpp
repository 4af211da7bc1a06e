#include "holonom/analysis/advice.hpp"

#include <cstdarg>
#include <limits>

#include "holonom/analysis/bounds.hpp"
#include "holonom/analysis/frequencies.hpp"
#include "holonom/analysis/horizon.hpp"
#include "holonom/analysis/shadow_energy.hpp"

namespace holonom {

namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

// Frequencies along the motion, and those of them that are vibrations: so much faster than the rest, at every state
// that is looked at.
struct Spectrum {
  double slow = 0;                 // the fastest of the rest
  std::vector<double> vibrations;  // at all states

  double slowest() const { return *std::min_element(vibrations.begin(), vibrations.end()); }
  double fastest() const { return *std::max_element(vibrations.begin(), vibrations.end()); }
};
constexpr double much_faster = 10;

class Adviser {
 public:
  Adviser(const MethodEntry& entry, const AnySystem<double>& sys, const State<double>& start, double h,
          const MethodOptions& options, const Certificate& seen)
      : entry_(entry),
        info_(entry.info.on(sys.m(), sys.is_field())),
        sys_(sys),
        dual_(sys.in<Dual<double>>()),
        start_(start),
        h_(h),
        options_(options),
        seen_(seen) {}

  std::vector<Advice> operator()() {
    if (!look_along_the_motion()) return {};
    const bool has_shadow = lacks_shadow_energy(entry_.info, sys_).empty();
    if (has_shadow) own_ = bounded(h_);
    horizon_of_positions();
    if (has_shadow) {
      largest_step();
      solver_tolerance();
    }
    if (dual_ && sys_.n() <= most_coordinates && !sys_.is_field()) {
      const Spectrum spectrum = frequencies();
      if (!spectrum.vibrations.empty()) {
        if (info_.symplectic) resonance(spectrum);
        fast_motion(spectrum);
      }
    }
    return std::move(advice_);
  }

 private:
  static constexpr int most_coordinates = 150, most_tangents = 500;  // for eigenvalues, and for bases

  // Steps that are worth so many evaluations of all forces and constraints
  long steps_worth(double evaluations, long fewest, long most) const {
    const double cost = static_cast<double>(substeps(info_).count) * (sys_.n() + sys_.m());
    return std::clamp(std::lround(evaluations / cost), fewest, most);
  }
  MethodEntry made() const { return with_options(entry_, options_); }
  double time_of(long steps) const { return std::abs(h_) * static_cast<double>(steps); }

  // Sizes, speed, and states along the motion, with shorter steps: those that are asked about may not follow it.
  bool look_along_the_motion() {
    constexpr long steps = 600, apart = 150;
    Vec<double> v(sys_.n());
    double speed = 0;
    const auto include = [&](const State<double>& x) {
      size_.include(x);
      sys_.H_p(x.q, x.p, v);
      for (const double a : v) keep_largest(speed, std::abs(a));
      if (sys_.has_energy()) keep_largest(energy_, std::abs(dot(x.p, v)) / 2 + std::abs(sys_.H(x.q, x.p)));
    };
    include(start_);
    states_.push_back(start_);
    State<double> x = start_;
    long done = 0;
    try {
      NumericalMap<double> map(made(), sys_);
      map(x, h_ / 4, steps, [&](const State<double>& y) {
        include(y);
        if (++done % apart == 0) states_.push_back(y);
      });
    } catch (const StepFailed&) {
      return false;
    }
    // Nothing moves, or nothing but rounding errors
    if (!(std::abs(h_) / 4 * steps * speed > Bounds::round_off * size_.q && size_.q > 0)) return false;
    if (size_.p == 0) size_.p = 1;  // a field in one part
    time_of_motion_ = size_.q / speed;
    return true;
  }

  // Errors of regular motions grow with a power of t, which shows after some periods. Where errors of this step are as
  // large as the motion by then, shorter ones tell: the power is the same.
  double growth_power(const ErrorHistory& history, long steps) const {
    const double settled = 20 * time_of_motion_;
    double power = options_.newton.tolerance > 0 ? std::nan("") : history.power(settled), h = h_;
    for (int tries = 0; tries < 3 && !(power == power); ++tries) {
      h /= 4;
      power = error_history(entry_, entry_, sys_, start_, h, 4 * steps, size_.q).power(settled);
    }
    return power;
  }
  bool energy_drifts() const {
    for (const Claim& c : seen_.claims)
      if (c.property == "energy drift") return c.verdict != Claim::Verdict::not_measured && !c.within();
    return false;
  }
  void horizon_of_positions() {
    const long steps = steps_worth(4e6, 300, 20000);
    const ErrorHistory history = error_history(made(), entry_, sys_, start_, h_, steps, size_.q);
    if (history.times.empty()) return;
    Lyapunov lyapunov;
    if (dual_ && sys_.n() <= most_tangents) {
      try {
        lyapunov = lyapunov_exponents(made(), sys_, *dual_, start_, size_, h_, steps_worth(2e6, 300, 10000));
      } catch (const StepFailed&) {  // the run that is trusted got further
      }
    }
    const double power = lyapunov.is_chaotic() ? 0 : growth_power(history, steps);
    constexpr double steepest = 2.5;  // of powers
    const bool chaotic = lyapunov.is_chaotic() || power > steepest;
    const double rate = !chaotic ? 0 : lyapunov.is_chaotic() ? lyapunov.largest() : history.rate();
    Advice line{.topic = "horizon", .text = {}, .flagged = false, .numbers = {}};
    for (const double accuracy : {1e-6, 1e-3}) {
      const bool first = accuracy < 1e-5;
      const char* const name = first ? "1e-6" : "1e-3";
      const Horizon found = horizon(history, accuracy, rate, power == power ? power : 2);
      line.numbers.emplace_back(std::string("until_") + name, found.time);
      if (found.time < std::abs(h_))
        line.text += text("%s to %s for no step (errors are %.1e after the first)", first ? "" : ",", name,
                          history.errors.front());
      else
        line.text += text("%s to %s until t = %.3g%s", first ? "" : ",", name, found.time,
                          found.measured ? "" : " by their growth");
    }
    line.text = "positions can be trusted" + line.text + text("; errors are relative to %.3g", size_.q);
    if (chaotic) {
      line.text +=
          text("%s they grow by e in %.3g", lyapunov.is_chaotic() ? "; the motion is chaotic:" : ", and", 1 / rate);
      line.numbers.emplace_back("growth_rate", rate);
    } else if (power > 0.5) {  // else a vibration has lost its phase: the rest is still to come
      line.text += text(", and grow as t^%.2f", power);
      line.numbers.emplace_back("growth_power", power);
    }
    if (!sys_.is_field() && energy_drifts())
      line.text += ". Beyond, not even averages: the energy drifts";
    else if (own_.bounded)  // with solves to round-off
      line.text += ". Beyond, averages can be trusted";
    advice_.push_back(std::move(line));
  }

  // What a step of this length does to the shadow energy, with solves to round-off
  struct Boundedness {
    bool bounded = false;
    double step = 0, change = 0, band = 0;
    std::string what;  // if not
  };
  Boundedness bounded(double h) const {
    const long steps = bounded_steps(h);
    Boundedness result{.bounded = false, .step = h, .change = 0, .band = 0, .what = {}};
    try {
      const ShadowEnergy shadow = shadow_energy(entry_, sys_, start_, h, steps);
      const Trend& trend = shadow.resolved() ? shadow.trend : shadow.energy_trend;
      result.band = shadow.energy_range;
      result.change = std::abs(trend.change);
      constexpr double too_wide = 0.2;  // of all energy: another motion
      if (!(result.band <= too_wide * energy_))
        result.what = text("the energy oscillates by %.1e", result.band);
      else if (result.change > std::max(shadow.rounding, Bounds::energy_drift * result.band) && !trend.is_wander())
        result.what = text("it changes by %.1e in %ld steps", result.change, steps);
      else
        result.bounded = true;
    } catch (const StepFailed& e) {
      const std::string message = e.what();
      result.what = message.substr(message.find(": ") + 2);
    }
    return result;
  }
  // Steps of any length are looked at until the same time at least, in which the motion goes its own length several
  // times: what they do where it is fastest must be in it. (Long steps go on for longer, so that a drift can be told.)
  long affordable_steps() const { return steps_worth(5e5, 300, 2000); }
  double bounded_time() const {
    constexpr double lengths = 10, most = 10;
    return std::clamp(lengths * time_of_motion_, time_of(affordable_steps()), most * time_of(affordable_steps()));
  }
  long bounded_steps(double h) const {
    return std::max(affordable_steps(), std::lround(std::ceil(bounded_time() / std::abs(h))));
  }
  void largest_step() {
    constexpr int tries = 10;
    Boundedness good = own_, bad = own_;
    const bool own = good.bounded;
    const double factor = own ? std::sqrt(2.0) : 1 / std::sqrt(2.0);
    for (int k = 1; k <= tries; ++k) {
      const double h = h_ * std::pow(factor, k);
      if (constexpr long too_many = 40; bounded_steps(h) > too_many * affordable_steps()) break;
      const Boundedness next = bounded(h);
      (next.bounded ? good : bad) = next;
      if (next.bounded != own) break;
    }
    Advice line{.topic = "step", .text = {}, .flagged = !own, .numbers = {}};
    if (!good.bounded) {
      line.text = text("the shadow energy is not bounded with steps down to h = %.3g: %s", bad.step, bad.what.c_str());
    } else {
      line.numbers.emplace_back("largest_step", good.step);
      if (!own)
        line.text = text("too long: %s. The shadow energy is bounded with h = %.3g", own_.what.c_str(), good.step);
      else
        line.text =
            text("the shadow energy is bounded until t = %.3g up to h = %.3g, where the energy oscillates by %.1e",
                 bounded_time(), good.step, good.band);
      if (own && !bad.bounded) line.text += text("; with h = %.3g, %s", bad.step, bad.what.c_str());
    }
    advice_.push_back(std::move(line));
  }

  // Leimkuhler and Skeel: how far solves must go is a matter of the drift. The shadow energy sees it long before the
  // energy does.
  void solver_tolerance() {
    const double given = options_.newton.tolerance;
    if (!(given > 0)) return;
    const long steps = steps_worth(1e6, 300, 2000);
    const auto change = [&](double tolerance) {
      MethodOptions options = options_;
      options.newton.tolerance = tolerance;
      try {
        return shadow_energy(with_options(entry_, options), sys_, start_, h_, steps);
      } catch (const StepFailed&) {
        ShadowEnergy none;
        none.trend.change = none.energy_trend.change = std::numeric_limits<double>::infinity();
        return none;
      }
    };
    const ShadowEnergy tight = change(0);
    const auto trend = [&](const ShadowEnergy& s) { return tight.resolved() ? s.trend : s.energy_trend; };
    const double allowed =
        std::max({tight.rounding, Bounds::energy_drift * trend(tight).band, 2 * std::abs(trend(tight).change)});
    Advice line{.topic = "tolerance", .text = {}, .flagged = false, .numbers = {}};
    std::string seen;
    double needed = 0, tolerance = given;
    while (needed == 0 && tolerance > 1e-15) {
      const double moved = std::abs(trend(change(tolerance)).change);
      if (moved <= allowed)
        needed = tolerance;
      else
        seen += text("%s%.1e with %.0e", seen.empty() ? "" : ", ", moved, tolerance);
      tolerance /= 100;
    }
    const char* const quantity = tight.resolved() ? "shadow energy" : "energy";
    line.numbers = {{"given", given}, {"needed_by_drift", needed}, {"drift_of_round_off", trend(tight).change}};
    line.flagged = !seen.empty() || given > Bounds::round_off;
    if (seen.empty())
      line.text = text("the %s does not drift with %.0e in %ld steps", quantity, given, steps);
    else
      line.text = text("too loose: the %s drifts in %ld steps by %s; with round-off by %.1e", quantity, steps,
                       seen.c_str(), std::abs(trend(tight).change));
    if (!seen.empty()) line.text += needed > 0 ? text(". The drift needs %.0e", needed) : ". The drift needs round-off";
    if (given > Bounds::round_off)
      line.text += sys_.m() > 0 ? "; the constraints, and symplecticity, need round-off: give no tolerance"
                                : "; symplecticity needs round-off: give no tolerance";
    advice_.push_back(std::move(line));
  }

  Spectrum frequencies() const {
    Spectrum result;
    for (const State<double>& x : states_) {
      const std::vector<double> found = linear_frequencies(sys_, *dual_, x, size_);
      // The widest gap, above the motion itself
      double slow = 1 / time_of_motion_, widest = much_faster, below = 0;
      for (const double omega : found) {
        if (omega > widest * slow) {
          widest = omega / slow;
          below = slow;
        }
        slow = std::max(slow, omega);
      }
      if (below == 0) return {};
      keep_largest(result.slow, below);
      for (const double omega : found)
        if (omega > below) result.vibrations.push_back(omega);
    }
    if (result.slowest() < much_faster * result.slow) return {};  // they come and go
    return result;
  }

  void resonance(const Spectrum& spectrum) {
    const auto found = step_resonance(entry_, spectrum.vibrations, h_, 1 / spectrum.slow);
    if (!found) return;
    Advice line{.topic = "resonance", .text = {}, .flagged = true, .numbers = {{"omega", found->omega}}};
    if (found->unstable) {
      line.text = text("vibrations of the frequency %.4g are unstable with this step (h ω = %.3g)", found->omega,
                       std::abs(h_) * found->omega);
    } else {
      line.text = text(
          "%d steps are nearly a whole number of periods of a vibration (ω = %.4g, h ω = %.4g, h ω̃ = %.4g): "
          "|sin(%d h ω̃/2)| = %.2g is below √h = %.2g. Change the step by %.0f %%, or more",
          found->k, found->omega, std::abs(h_) * found->omega, found->phase, found->k, found->distance, found->limit,
          std::ceil(100 * 2 * found->limit / (found->k * found->phase)));
      line.numbers.insert(line.numbers.end(),
                          {{"k", found->k}, {"distance", found->distance}, {"limit", found->limit}});
    }
    advice_.push_back(std::move(line));
  }

  // The part of the kinetic energy that is in vibrations: p = slow + fast, and −p''/ω² is the fast part but for
  // (slow/ω)² of the other. NaN if it cannot be followed.
  double ringing(const Spectrum& spectrum) const {
    const double omega = spectrum.fastest(), step = 0.2 / omega;
    constexpr long steps = 200;
    double fast = 0, all = 0;
    try {
      NumericalMap<double> map(entry_, sys_);
      std::vector<Vec<double>> p{start_.p};
      State<double> x = start_;
      Vec<double> v(sys_.n()), part(sys_.n());
      map(x, step, steps, [&](const State<double>& y) {
        p.push_back(y.p);
        if (p.size() < 3) return;
        const std::size_t k = p.size() - 2;
        for (int i = 0; i < sys_.n(); ++i)
          part[i] = (2 * p[k][i] - p[k - 1][i] - p[k + 1][i]) / (2 - 2 * std::cos(omega * step));
        sys_.H_p(y.q, part, v);
        fast += dot(part, v);
        sys_.H_p(y.q, p[k], v);
        all += dot(p[k], v);
      });
    } catch (const StepFailed&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return fast / all;
  }
  void fast_motion(const Spectrum& spectrum) {
    const double pi = std::acos(-1.0), h_omega = std::abs(h_) * spectrum.fastest();
    const double ring = knows(sys_, Quantity::V) ? ringing(spectrum) : std::numeric_limits<double>::quiet_NaN();
    const bool has_parts = SplitView<double>::missing(sys_).empty();
    constexpr double little = 0.01;
    Advice line{.topic = "fast motion", .text = {}, .flagged = false, .numbers = {{"omega", spectrum.fastest()}}};
    line.text = text("vibrations with periods down to %.3g are %.0f times faster than the rest (h ω = %.2g)",
                     2 * pi / spectrum.fastest(), spectrum.slowest() / spectrum.slow, h_omega);
    if (ring == ring) {
      line.text += text(", with %.1g of the kinetic energy", std::min(ring, 1.0));
      line.numbers.emplace_back("ringing", ring);
    }
    if (!(ring < little)) {
      const long inner = std::max(2L, std::lround(std::ceil(0.05 / spectrum.slow * spectrum.fastest() / 0.5)));
      line.text +=
          has_parts ? text(": they must be followed. respa-%ld does so with steps of %.2g", inner, 0.05 / spectrum.slow)
                    : ": they must be followed. respa does so with few slow forces, if the potential is given "
                      "in two parts, slow and fast";
    } else {
      line.text += text(
          ": they hardly ring. %s steps over them, with h up to %.2g or so, or a constraint in place of "
          "what vibrates takes them away",
          has_parts ? "verlet-midpoint" : "midpoint", 0.1 / spectrum.slow);
    }
    advice_.push_back(std::move(line));
  }

  const MethodEntry& entry_;
  const MethodInfo info_;  // what is claimed here
  const AnySystem<double>& sys_;
  const std::shared_ptr<const AnySystem<Dual<double>>> dual_;
  const State<double>& start_;
  const double h_;
  const MethodOptions options_;
  const Certificate& seen_;
  Boundedness own_;  // with the step that is asked about
  StateSize<double> size_;
  double time_of_motion_ = 0;  // in which it goes its own length
  double energy_ = 0;          // ½ |p·H_p| + |H|, the largest
  std::vector<State<double>> states_;
  std::vector<Advice> advice_;
};

}  // namespace

std::vector<Advice> advise(const MethodEntry& entry, const AnySystem<double>& sys, const State<double>& start, double h,
                           const MethodOptions& options, const Certificate& seen) {
  return Adviser(entry, sys, start, h, options, seen)();
}

}  // namespace holonom
