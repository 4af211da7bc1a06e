// A method on a state space form with a chart of one's own (formulations/own_chart.hpp), as a method on the original
// system. Coordinates of the chart are the state between steps: those of the original system are found from them after
// every step, and they from those at the begin only, so that an angle may wind.
#pragma once

#include "holonom/methods/registry.hpp"
#include "holonom/norm.hpp"

namespace holonom {

// Form: ChartSystem<S> or ChartField<S>
template <class S, class Form>
class ChartMethod final : public AnyMethod<S> {
 public:
  ChartMethod(const AnySystem<S>& sys, const Parametrisation<S>& phi, const MethodEntry& entry,
              const MethodOptions& options)
      : form_(sys, phi), method_(entry.make<S>(form_.system(), options)), x_(sys.n(), 0) {
    y_ = next_ = State<S>(form_.system().n(), 0);
  }

  Status begin(const State<S>& x, const S& h) override {
    // Where they are known, coordinates stay: a step that is tried once more must not unwind an angle.
    if (!known_ || !is_at(x)) {
      known_ = false;
      if (const Status s = form_.enter(x, y_); !s.ok()) return s;
      keep(x);
    }
    return method_->begin(y_, h);
  }
  // θ·dδ is p·dq
  std::string track_action() override { return this->tracks(method_->track_action()); }
  Status step(State<S>& x, const S& h) override {
    return advance(x, [&] { return method_->step(next_, h); });
  }
  Status steps(State<S>& x, const S& h, long count) override {
    return advance(x, [&] { return method_->steps(next_, h, count); });
  }
  const Counters& counters() override { return method_->counters(); }

  void save(MemoryWriter& out) override {
    visit_memory(out);
    method_->save(out);
  }
  Status load(MemoryReader& in, const State<S>& x, const S& h) override {
    visit_memory(in);
    keep(x);
    return method_->load(in, y_, h);
  }

 private:
  template <class Steps>
  Status advance(State<S>& x, Steps&& steps) {
    next_ = y_;
    if (const Status s = steps(); !s.ok()) return s;
    if (const Status s = form_.leave(next_, x_); !s.ok()) return s;
    std::swap(y_, next_);
    x.q = x_.q;
    x.p = x_.p;
    return this->acted({}, *method_);
  }
  bool is_at(const State<S>& x) const {
    return largest_difference(x.q, x_.q) == Real<S>(0) && largest_difference(x.p, x_.p) == Real<S>(0);
  }
  void keep(const State<S>& x) {
    x_.q = x.q;
    x_.p = x.p;
    known_ = true;
  }
  template <class F>
  void visit_memory(F&& f) {
    f("chart_position", y_.q);
    f("chart_motion", y_.p);
  }

  Form form_;
  std::unique_ptr<AnyMethod<S>> method_;
  State<S> y_, next_;  // in the chart
  State<S> x_;         // that of y_ in the original system
  bool known_ = false;
};

}  // namespace holonom
