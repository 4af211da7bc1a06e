// A method on a formulation of a constrained system (formulations/), as a method on that system: the driver, the
// recorders and all measurements look at the original one.
#pragma once

#include "holonom/methods/formulated_key.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/methods/stage_projection.hpp"

namespace holonom {

// The formulation with a method on it, or the reason why there is none.
template <class S>
class FormulatedMap {
 public:
  FormulatedMap(const AnySystem<S>& sys, const Formulation& formulation, const MethodEntry& entry,
                const MethodOptions& options) {
    if (const std::string reason = lacks_formulation(formulation, sys); !reason.empty())
      throw Unsuitable("the formulation " + formulation.key() + " does not suit this system: " + reason);
    formulated_ = formulate(formulation, sys);
    method_ = entry.make<S>(formulated_->system(), options);
  }

  const AnySystem<S>& system() const { return formulated_->system(); }
  AnyMethod<S>& method() { return *method_; }
  const AnyMethod<S>& method() const { return *method_; }
  void save(MemoryWriter& out) {
    formulated_->save(out);
    method_->save(out);
  }
  Status load(MemoryReader& in, const State<S>& x, const S& h) {
    formulated_->load(in);
    return method_->load(in, x, h);
  }

 private:
  std::unique_ptr<Formulated<S>> formulated_;
  std::unique_ptr<AnyMethod<S>> method_;
};

// Steps on the formulation, and a projection: of the endpoint or of the stages, of every step, of some, or of none.
template <class S>
class FormulatedMethod final : public AnyMethod<S> {
 public:
  FormulatedMethod(const AnySystem<S>& sys, const Formulation& formulation, const MethodEntry& entry,
                   const FormulatedProjection& projection, const MethodOptions& options)
      : map_(sys, formulation, entry, options), every_(projection.every), options_(options.newton) {
    if (projection.name == "orthogonal") endpoint_.emplace(sys);
    if (projection.name == "stage") {
      const Family family = entry.info.family == "gauss" ? Family::gauss : Family::radau_2a;
      stages_.emplace(sys, map_.system(), runge_kutta<S>(family, entry.info.member));
    }
  }

  Status begin(const State<S>& x, const S& h) override {
    since_ = 0;
    return map_.method().begin(x, h);
  }
  // Of the formulation and its Hamiltonian
  std::string track_action() override {
    if (projects()) return "its projection is not symplectic";
    return this->tracks(map_.method().track_action());
  }
  Status step(State<S>& x, const S& h) override {
    if (!projects()) return this->acted(map_.method().step(x, h), map_.method());
    y_ = x;
    const bool due = ++since_ == every_;
    if (due) since_ = 0;
    if (due && stages_) {
      if (const Status s = (*stages_)(y_.q, y_.p, h, own_, options_); !s.ok()) return s;
    } else if (const Status s = map_.method().step(y_, h); !s.ok()) {
      return s;
    }
    if (due && endpoint_)
      if (const Status s = (*endpoint_)(y_.q, y_.p, own_, options_); !s.ok()) return s;
    if (due)
      if (const Status s = map_.method().begin(y_, h); !s.ok()) return s;
    std::swap(x.q, y_.q);
    std::swap(x.p, y_.p);
    return {};
  }
  Status steps(State<S>& x, const S& h, long count) override {
    if (projects()) return AnyMethod<S>::steps(x, h, count);
    return this->acted(map_.method().steps(x, h, count), map_.method());
  }
  const Counters& counters() override {
    all_ = map_.method().counters();
    all_ += own_;
    return all_;
  }

  void save(MemoryWriter& out) override {
    visit_memory(out);
    map_.save(out);
  }
  Status load(MemoryReader& in, const State<S>& x, const S& h) override {
    visit_memory(in);
    return map_.load(in, x, h);
  }

 private:
  bool projects() const { return endpoint_ || stages_; }
  template <class F>
  void visit_memory(F&& f) {
    f("since_projection", since_);
    if (endpoint_) endpoint_->visit_memory(f);
    if (stages_) stages_->visit_memory(f);
    f("projection_counters", own_);
  }

  FormulatedMap<S> map_;
  std::optional<OrthogonalProjection<S>> endpoint_;
  std::optional<StageProjection<S>> stages_;
  const long every_;
  long since_ = 0;
  NewtonOptions options_;
  State<S> y_;
  Counters own_, all_;
};

}  // namespace holonom
