// The sizes of small systems that have code of their own: those of pendulums, of particles on curves and surfaces, of
// linkages with few bodies, and of the rigid body as a matrix. Which code runs is up to the model and the method alone,
// not to how formulas are evaluated: rounding errors differ between the two, and a result must not depend on the
// engine.
#pragma once

#include "families.hpp"
#include "holonom/methods/any_method.hpp"

namespace holonom {

// A method with compile-time sizes. Dependent constraints are beyond it: from a start that has them, the method with
// dynamic sizes takes over.
template <class Method, class View>
class SmallMethod final : public AnyMethod<double> {
 public:
  template <class... Further>
  SmallMethod(const View& view, const MethodOptions& options, DynamicMaker<double> dynamic, Further&&... further)
      : fixed_(view, options, std::forward<Further>(further)...), make_dynamic_(std::move(dynamic)) {}

  Status begin(const State<double>& x, const double& h) override {
    use_dynamic_ = false;
    const Status s = fixed_.begin(x, h);
    if (s.failure != Failure::singular) return s;
    make_dynamic();
    use_dynamic_ = true;
    return dynamic_->begin(x, h);
  }
  std::string track_action() override {
    if (dynamic_) (void)dynamic_->track_action();
    return this->tracks(fixed_.track_action());
  }
  Status step(State<double>& x, const double& h) override {
    if (use_dynamic_) return this->acted(dynamic_->step(x, h), *dynamic_);
    return this->acted(fixed_.step(x, h), fixed_);
  }
  Status steps(State<double>& x, const double& h, long count) override {
    if (use_dynamic_) return this->acted(dynamic_->steps(x, h, count), *dynamic_);
    return this->acted(fixed_.steps(x, h, count), fixed_);
  }
  const Counters& counters() override { return use_dynamic_ ? dynamic_->counters() : fixed_.counters(); }
  const Vec<double>* stage_multipliers() override {
    return use_dynamic_ ? dynamic_->stage_multipliers() : fixed_.stage_multipliers();
  }
  void save(MemoryWriter& out) override {
    out("dynamic_sizes", use_dynamic_);
    use_dynamic_ ? dynamic_->save(out) : fixed_.save(out);
  }
  Status load(MemoryReader& in, const State<double>& x, const double& h) override {
    in("dynamic_sizes", use_dynamic_);
    if (!use_dynamic_) return fixed_.load(in, x, h);
    make_dynamic();
    return dynamic_->load(in, x, h);
  }

 private:
  void make_dynamic() {
    if (dynamic_) return;
    dynamic_ = make_dynamic_();
    if (this->tracks_action()) (void)dynamic_->track_action();
  }
  MethodOn<Method, View> fixed_;
  DynamicMaker<double> make_dynamic_;
  std::unique_ptr<AnyMethod<double>> dynamic_;
  bool use_dynamic_ = false;
};

template <int N, int M>
struct Size {};

template <class Make, int... N, int... M>
std::unique_ptr<AnyMethod<double>> first_of(const AnySystem<double>& sys, Make&& make, Size<N, M>...) {
  std::unique_ptr<AnyMethod<double>> method;
  const auto attempt = [&]<int n, int m>(Size<n, m>) {
    if (const auto view = sys.as<SmallView<n, m>>()) method = make(*view);
    return method != nullptr;
  };
  static_cast<void>((attempt(Size<N, M>{}) || ...));
  return method;
}

// make(view) on the view of the right size; nullptr if there is none.
template <class Make>
std::unique_ptr<AnyMethod<double>> on_small(const AnySystem<double>& sys, const MethodOptions& options, Make&& make) {
  if (!options.fixed_sizes || !sys.is_small()) return nullptr;
  return first_of(sys, make, Size<2, 1>{}, Size<3, 1>{}, Size<3, 2>{}, Size<4, 1>{}, Size<4, 2>{}, Size<4, 3>{},
                  Size<6, 2>{}, Size<6, 3>{}, Size<9, 6>{});
}

}  // namespace holonom
