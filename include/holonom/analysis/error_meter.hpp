// ErrorMeter: how wrong a run is in a quantity that somebody wants to have right, and what it costs, in counted work.
// Errors are those of the whole way, the largest after all steps: an error at the end alone may vanish by chance, at a
// turning point say, and at a few times it misses a passage that is short. Of steps that are far shorter than what the
// motion does as many are looked at as show that.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "holonom/analysis/counted_work.hpp"
#include "holonom/methods/registry.hpp"

namespace holonom {

// What is to be right
struct WantedQuantity {
  enum class Kind { energy, position, coordinate, invariant, observable };
  Kind kind = Kind::position;
  int index = 0;  // of a coordinate, an invariant or an observable

  // Conserved by the exact motion, and compared with its start instead of a reference
  bool is_conserved() const { return kind == Kind::energy || kind == Kind::invariant; }
};

// A run of a method with so many steps over the window of a meter
struct Trial {
  enum class Outcome { done, failed, too_wrong, too_expensive };  // but for the first, it did not get to the end
  long steps = 0, made = 0;                                       // that were asked for, and made
  Outcome outcome = Outcome::done;
  double error = 0;
  double work = 0;
  std::vector<double> error_at;  // up to each of the times of the meter, of which the last is the end
};

class ErrorMeter {
 public:
  // The times up to which errors are noted, as parts of the window: of a run the steps next to them. They have no
  // common measure, since a motion may be periodic.
  static constexpr int times = 12;
  static double time(int k);  // k = 1, ..., times

  // From a start on the manifold over `until`, or as long a part of it as a reference can be had for: with an error
  // well below the accuracy, and for so much work. Throws std::runtime_error if there is none at all.
  ErrorMeter(const AnySystem<double>& sys, const State<double>& start, double until, double accuracy,
             WantedQuantity wanted, const WorkWeights& weights, double reference_work);
  ~ErrorMeter();
  ErrorMeter(const ErrorMeter&) = delete;
  ErrorMeter& operator=(const ErrorMeter&) = delete;

  // What runs go over, all of it or a part: one over a power of two, as far as the reference has steps for it
  double window() const { return window_ / static_cast<double>(part_); }
  void use_part(long one_over) { part_ = one_over; }
  // The reference: its steps, its error, in what scalar; the work of one run with it
  long reference_steps() const { return reference_steps_ / part_; }
  double reference_error() const { return reference_error_; }
  const std::string& reference_scalar() const { return reference_scalar_; }
  double reference_work() const { return reference_work_ / static_cast<double>(part_); }
  // Whether rounding errors grow beyond the accuracy before the end, about when, and what they are at the end
  bool is_chaotic() const { return chaotic_; }
  double horizon() const { return horizon_; }
  double best_at_end() const { return best_at_end_; }
  // Of what is conserved: whether solutions that keep it well go apart, so that each run sees another motion
  bool diverges() const { return diverges_; }
  // Work of everything so far, and of the runs alone
  double spent() const { return spent_; }
  double spent_on_runs() const { return spent_ - reference_spent_; }
  // What errors are relative to
  double unit() const { return unit_; }

  // Over the window with so many steps. It ends where it is hopeless, or has done so much work.
  Trial run(const MethodEntry& entry, long steps, double most_work);
  // On the system itself and over all of the time, also beyond the window: the run that somebody will make, with its
  // sizes and so its rounding errors, of which chaos makes more. Positions beyond the window are compared with those of
  // half the step. Work is not counted.
  Trial check(const MethodEntry& entry, long steps);
  // Work of a step, from a few of them
  double work_of_a_step(const MethodEntry& entry, double h);

 private:
  template <class R>
  struct Reference;
  struct AnyReference;
  template <class R>
  void make_reference(std::shared_ptr<const AnySystem<R>> sys, double until, double work);
  template <class Begin, class Error, class Enough>
  Trial follow(AnyMethod<double>& method, bool one_step, long steps, double time, Begin&& begin, Error&& error_at,
               Enough&& enough);
  // Between two states of the reference
  double spacing() const { return window_ / static_cast<double>(reference_.size() - 1); }
  const State<double>& exact_at(long step, long all);
  const State<double>& near_exact_at(long step, long all);
  void interpolate(std::size_t before, double part, State<double>& x) const;
  void refine_reference();
  double error_of(const State<double>& x, const State<double>& exact);
  double conserved(const State<double>& x);
  double observed(const State<double>& x);
  double size_of(const State<double>& x);
  void find_unit();

  const AnySystem<double>& sys_;
  CountedSystem counted_;
  WorkWeights weights_;
  State<double> start_;
  WantedQuantity wanted_;
  static constexpr std::size_t nodes = 12;  // of a polynomial

  double accuracy_, until_, window_ = 0, reference_error_ = 0, reference_work_ = 0, best_at_end_ = 0, horizon_ = 0,
                            spent_ = 0, reference_spent_ = 0, unit_ = 0, momentum_unit_ = 0;
  long reference_steps_ = 0, part_ = 1;
  bool chaotic_ = false, diverges_ = false, is_dense_ = false;
  std::string reference_scalar_;
  std::vector<State<double>> reference_;  // after each of its steps, and between them
  State<double> interpolated_;
  std::unique_ptr<AnyReference> flow_;
  std::map<std::pair<long, long>, State<double>> between_;  // by step and number of steps, reduced
  Vec<double> values_;
};

}  // namespace holonom
