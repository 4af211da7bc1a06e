// compare, for the translation units that instantiate it.
#pragma once

#include <cmath>
#include <numeric>

#include "holonom/analysis/comparison.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/analysis/thread_time.hpp"
#include "holonom/methods/substeps.hpp"
#include "holonom/run/driver.hpp"

namespace holonom {

namespace detail {

// The scalar of the exact solution: rounding errors of runs in double shall not be those of their reference.
template <class S>
struct ReferenceScalar {
  using type = S;
};
template <>
struct ReferenceScalar<double> {
  using type = long double;
};
template <>
struct ReferenceScalar<long double> {
  using type = quad;
};

template <class W, class S>
W largest_error(const Vec<S>& x, const Vec<W>& exact) {
  W largest(0);
  for (int i = 0; i < x.size(); ++i) keep_largest(largest, W(magnitude(W(W(x[i]) - exact[i]))));
  return largest;
}
template <class W, class S>
StateErrors errors(const State<S>& x, const ReferenceSolution<W>& exact) {
  return {to_double(relative(largest_error(x.q, exact.state.q), exact.size.q)),
          to_double(relative(largest_error(x.p, exact.state.p), exact.size.p)),
          to_double(relative(largest_error(x.lambda, exact.state.lambda), exact.lambda_size))};
}

inline std::string in_digits(const char* format, double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

template <class S>
class Compare {
  using W = typename ReferenceScalar<S>::type;
  using Row = ComparisonRow;

 public:
  Compare(const AnySystem<S>& sys, const State<S>& start, const ComparisonPlan<S>& plan)
      : sys_(sys), start_(start), plan_(plan) {}

  Comparison operator()() {
    make_rows();
    bool any = false;
    for (const Row& row : result_.rows) any = any || row.status == Row::Status::done;
    if (!any) return std::move(result_);
    if (plan_.reference)
      measure(by_method(*plan_.reference));
    else
      measure(by_extrapolation());
    find_orders();
    return std::move(result_);
  }

 private:
  // A field may have nothing in p.
  template <class T>
  StateErrors errors_of(const State<T>& x, const ReferenceSolution<W>& exact) const {
    StateErrors e = errors(x, exact);
    if (!sys_.labels().has_parts()) e.p = StateErrors::unknown;
    return e;
  }

  // All rows, methods first; each thread with a copy of the system. Long ones are begun first, so that no thread is
  // left with one when the others have nothing to do.
  void make_rows() {
    const std::size_t steps = plan_.runs.size(), count = plan_.methods.size() * steps;
    result_.rows.resize(count);
    ends_.resize(count);
    std::vector<double> length(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t method = i / steps, run = i % steps;
      length[i] = static_cast<double>(plan_.runs[run].steps) * substeps(plan_.methods[method].info).count;
    }
    std::vector<std::size_t> jobs(count);
    std::iota(jobs.begin(), jobs.end(), std::size_t(0));
    std::stable_sort(jobs.begin(), jobs.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
    std::vector<std::unique_ptr<AnySystem<S>>> copies;
    while (static_cast<int>(copies.size()) + 1 < plan_.threads && copies.size() + 1 < count) {
      auto copy = sys_.clone();
      if (!copy) break;
      copies.push_back(std::move(copy));
    }
    share_out(static_cast<int>(copies.size()) + 1, jobs, [&, flag = InterruptScope::flag()](std::size_t i, int worker) {
      const InterruptScope scope(flag);
      const AnySystem<S>& sys = worker == 0 ? sys_ : *copies[static_cast<std::size_t>(worker - 1)];
      make_row(sys, plan_.methods[i / steps], i % steps, result_.rows[i], ends_[i]);
    });
  }

  // From the start to the end, unless it is interrupted.
  RunResult<S> run_whole(const AnySystem<S>& sys, AnyMethod<S>& method, const S& h, RunPlan run_plan,
                         const std::vector<Recorder<S>*>& recorders = {}) const {
    run_plan.interrupt = InterruptScope::flag();
    RunResult<S> r = run(sys, method, start_, h, run_plan, recorders);
    if (r.status == RunStatus::interrupted) throw Interrupted();
    return r;
  }

  void make_row(const AnySystem<S>& sys, const MethodEntry& method, std::size_t k, Row& row, State<S>& end) const {
    const auto& [h, steps] = plan_.runs[k];
    row.method = method.info.key;
    row.step = k;
    row.h = to_double(h);
    row.steps = steps;
    try {
      const auto watched = method.make<S>(sys, plan_.options);
      RunPlan run_plan;
      run_plan.steps = run_plan.every = steps;
      run_plan.retry = method.info.one_step;
      const RunResult<S> r = run_whole(sys, *watched, h, run_plan);
      end = r.state;
      row.energy = sys.has_energy() ? to_double(r.energy_error) : StateErrors::unknown;
      row.position = to_double(r.position);
      row.hidden = to_double(r.hidden);
      for (const S& e : r.invariant_error) row.invariants.push_back(to_double(e));
      if (r.status != RunStatus::done) {
        row.status = Row::Status::failed;
        row.message = r.message;
      } else {
        time_steps(sys, method, h, row);
      }
    } catch (const Unsuitable& e) {
      row.status = Row::Status::unsuitable;
      row.message = e.what();
    }
  }

  void time_steps(const AnySystem<S>& sys, const MethodEntry& method, const S& h, Row& row) const {
    RunPlan run_plan;
    run_plan.steps = run_plan.every = row.steps;
    run_plan.watch_all = false;
    run_plan.retry = method.info.one_step;
    RunResult<S> r;
    const auto seconds = [&] {
      const auto bare = method.make<S>(sys, plan_.options);
      const double begin = thread_cpu_seconds();
      r = run_whole(sys, *bare, h, run_plan);
      return thread_cpu_seconds() - begin;
    };
    const double first = seconds();
    row.counters = r.counters;
    if (r.status == RunStatus::done) {
      row.cpu_seconds = least_seconds(first, seconds);
      return;
    }
    row.status = Row::Status::failed;
    row.message = "the run succeeds if all states are looked at, and fails if not";
  }

  // Refined until no error of a row is blurred by it, or rounding or chaos ends what can be known.
  ReferenceSolution<W> by_extrapolation() {
    const auto wide = sys_.template in<W>();
    if (!wide)
      throw NoReference("the exact flow needs the system in " + precision_name<W>() + " precision (a member rebind)");
    ReferenceFlow<W> flow(*wide, reference_columns<W>());
    State<W> before;
    double last = StateErrors::unknown;
    const auto serves = [&](const ReferenceSolution<W>& now) {
      const bool first_one = before.q.size() == 0;  // whose error is not known
      if (!first_one) result_.accuracy = errors_of(before, now);
      before = now.state;
      if (first_one) return false;
      const bool stands_still = now.error < 1e-3 && now.error > last / 4;
      last = now.error;
      return now.error <= std::max(1e-3 * smallest_error(now), to_double(epsilon<S>())) || stands_still;
    };
    long most = 1;
    for (const auto& r : plan_.runs) most = std::max(most, r.steps);
    // Steps of high order may be long, but the units of errors are the largest values at these.
    const long first = std::max(16L, most / (4 * flow.order()));
    constexpr long doublings = 10;
    try {
      ReferenceSolution<W> solution =
          reference_solution(flow, start_in(*wide), W(plan_.until), first, first << doublings, serves);
      result_.reference = "the exact flow by extrapolation, " + std::to_string(solution.steps) + " steps of order " +
                          std::to_string(flow.order()) + " (" + precision_name<W>() + ")";
      return solution;
    } catch (const std::runtime_error& e) {
      throw NoReference(e.what() + std::string(" (it runs into a singular position, or becomes too fast)"));
    }
  }

  // The start itself, which is on the manifold of the wider scalar only nearly.
  State<W> start_in(const AnySystem<W>& wide) const {
    State<W> x(sys_.n(), sys_.m());
    for (int i = 0; i < sys_.n(); ++i) {
      x.q[i] = W(start_.q[i]);
      x.p[i] = W(start_.p[i]);
    }
    x.t = W(start_.t);
    if (!Manifold<W>(wide).project(x).ok()) throw std::runtime_error("the start is not on the manifold");
    return x;
  }

  // A run of a method, with another of twice its step for the error.
  ReferenceSolution<W> by_method(const typename ComparisonPlan<S>::Reference& reference) {
    const std::string key = reference.method.info.key;
    ReferenceSolution<W> exact;
    const auto end_of = [&](const S& h, long steps, ReferenceSolution<W>* along) {
      Sizes sizes(along);
      RunPlan run_plan;
      run_plan.steps = steps;
      run_plan.every = along ? 1 : steps;
      run_plan.retry = reference.method.info.one_step;
      const auto method = reference.method.template make<S>(sys_, plan_.options);
      const RunResult<S> r = run_whole(sys_, *method, h, run_plan, {&sizes});
      if (r.status != RunStatus::done) throw NoReference(key + ": " + r.message);
      return r.state;
    };
    const auto& [h, steps] = reference.run;
    const State<S> end = end_of(h, steps, &exact);
    exact.state = State<W>(sys_.n(), sys_.m());
    std::copy(end.q.begin(), end.q.end(), exact.state.q.begin());
    std::copy(end.p.begin(), end.p.end(), exact.state.p.begin());
    std::copy(end.lambda.begin(), end.lambda.end(), exact.state.lambda.begin());
    result_.reference = key + " with h = " + in_digits("%.10g", to_double(h)) + ", " + std::to_string(steps) +
                        " steps (" + precision_name<S>() + ")";
    if (const long half = steps / 2; half > 0) {
      const StateErrors difference = errors_of(end_of(S(plan_.until / S(half)), half, nullptr), exact);
      const double gain = std::pow(static_cast<double>(steps) / static_cast<double>(half),
                                   std::max(1, reference.method.info.on(sys_.m()).order)) -
                          1;
      const double least = to_double(epsilon<S>()) * std::sqrt(static_cast<double>(steps));
      const auto part = [&](double d) { return std::max(d / gain, least); };
      result_.accuracy = {part(difference.q), part(difference.p), part(difference.lambda)};
    }
    return exact;
  }

  // Sizes of a run, as a recorder that sees every state.
  class Sizes final : public Recorder<S> {
   public:
    explicit Sizes(ReferenceSolution<W>* into) : into_(into) {}
    void record(const State<S>& x, const Observation<S>&) override {
      if (!into_) return;
      for (const S& a : x.q) keep_largest(into_->size.q, W(magnitude(a)));
      for (const S& a : x.p) keep_largest(into_->size.p, W(magnitude(a)));
      for (const S& a : x.lambda) keep_largest(into_->lambda_size, W(magnitude(a)));
    }

   private:
    ReferenceSolution<W>* into_;
  };

  double smallest_error(const ReferenceSolution<W>& exact) const {
    double smallest = 1;
    for (std::size_t k = 0; k < ends_.size(); ++k) {
      if (result_.rows[k].status != Row::Status::done) continue;
      const StateErrors e = errors_of(ends_[k], exact);
      smallest = std::min({smallest, e.q, e.p});
    }
    return smallest;
  }

  void measure(const ReferenceSolution<W>& exact) {
    for (std::size_t k = 0; k < ends_.size(); ++k)
      if (result_.rows[k].status == Row::Status::done) result_.rows[k].error = errors_of(ends_[k], exact);
  }

  void find_orders() {
    for (std::size_t k = 1; k < result_.rows.size(); ++k) {
      const Row& before = result_.rows[k - 1];
      Row& row = result_.rows[k];
      if (row.step == 0 || before.h == row.h || before.status != Row::Status::done || row.status != Row::Status::done)
        continue;
      const double rounding =
          100 * to_double(epsilon<S>()) * std::sqrt(static_cast<double>(std::max(before.steps, row.steps)));
      for (double StateErrors::*part : {&StateErrors::q, &StateErrors::p, &StateErrors::lambda}) {
        const double noise = std::max(rounding, 10 * result_.accuracy.*part);
        if (before.error.*part > noise && row.error.*part > noise)
          row.order.*part = std::log(before.error.*part / row.error.*part) / std::log(before.h / row.h);
      }
    }
  }

  const AnySystem<S>& sys_;
  const State<S>& start_;
  const ComparisonPlan<S>& plan_;
  Comparison result_;
  std::vector<State<S>> ends_;
};

}  // namespace detail

template <class S>
Comparison compare(const AnySystem<S>& sys, const State<S>& start, const ComparisonPlan<S>& plan) {
  return detail::Compare<S>(sys, start, plan)();
}

}  // namespace holonom
