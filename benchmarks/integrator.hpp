// What the work-precision comparison knows of an integrator: a name, a knob, and a run.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace bench {

// Energy errors of a run and the straight line through them: its slope is the drift.
class EnergyLog {
 public:
  explicit EnergyLog(double first) : first_(first) {}

  // False when the run is lost.
  bool add(double periods, double energy) {
    const double e = energy - first_;
    if (!(std::fabs(e) < lost)) return largest_ = std::numeric_limits<double>::infinity(), false;
    largest_ = std::fmax(largest_, std::fabs(e));
    ++count_;
    const double dt = periods - mean_t_, de = e - mean_e_;
    mean_t_ += dt / static_cast<double>(count_);
    mean_e_ += de / static_cast<double>(count_);
    tt_ += dt * (periods - mean_t_);
    te_ += dt * (e - mean_e_);
    ee_ += de * (e - mean_e_);
    return true;
  }
  double largest() const { return largest_; }
  double drift() const { return te_ / tt_; }
  // The standard error of the drift: a smaller drift is not a drift.
  double drift_noise() const {
    return std::sqrt(std::fmax(0, ee_ - te_ * te_ / tt_) / static_cast<double>(count_ - 2) / tt_);
  }

 private:
  static constexpr double lost = 10;  // units of energy
  double first_, largest_ = 0, mean_t_ = 0, mean_e_ = 0, tt_ = 0, te_ = 0, ee_ = 0;
  long count_ = 0;
};

struct Outcome {
  double cpu = 0;
  double error = std::numeric_limits<double>::infinity();  // largest energy error; infinite: the integrator failed
  double drift = 0, drift_noise = 0;                       // per period
  bool cut = false;                                        // stopped at the limit of CPU time

  Outcome() = default;
  static Outcome cut_at(double seconds) {
    Outcome o;
    o.cpu = seconds;
    o.cut = true;
    return o;
  }
  Outcome(double seconds, const EnergyLog& log)
      : cpu(seconds), error(log.largest()), drift(log.drift()), drift_noise(log.drift_noise()) {}
};

struct Integrator {
  enum class Knob { steps_a_period, inverse_tolerance };

  std::string name;
  Knob knob = Knob::steps_a_period;
  double order = 1;     // error ~ fineness^-order
  bool drifts = false;  // the error grows with time
  double coarsest = 1, finest = 1;
  // fineness (of the knob), periods, limit of CPU seconds
  std::function<Outcome(double, double, double)> run;
};

// The energy is looked at this often by everybody, in periods. No simple fraction: all phases are seen.
constexpr double sample_interval = 0.2371;

}  // namespace bench
