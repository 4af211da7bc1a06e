// Work that is counted instead of timed: operations of the formulas that a method evaluates, and of the linear algebra
// around them. It is the same on every machine, whatever else that is doing.
#pragma once

#include "holonom/methods/method.hpp"
#include "holonom/model/model_system.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

// What one evaluation costs, in operations: a sum or a product is one, a division or a root some, a sine more.
struct WorkWeights {
  double V = 0, V_q = 0, V_slow_q = 0, V_fast_q = 0, H_q = 0, H_p = 0, g = 0, G = 0, g_and_G = 0, g_uu = 0;
  std::array<double, std::size(quantity_names)> quantity{};  // by Quantity
  std::vector<double> shear;                                 // of each part of a field
  // G A Gᵀ: made and factored; one solve with it; an iteration that solves for an impulse
  double factor = 0, solve = 0, newton = 0;
  int n = 0, m = 0;
};

// Of any system, by its sizes alone: as if each entry of a gradient were ten operations.
WorkWeights work_weights(const AnySystem<double>& sys);
// Of a model: by its formulas.
WorkWeights work_weights(const ModelSystem<double>& sys);

// The system itself, with its evaluations counted. Sizes are those of run time: what a step evaluates does not depend
// on them.
class CountedSystem final : public AnySystem<double>, public Shears<double> {
 public:
  CountedSystem(const AnySystem<double>& sys, const WorkWeights& weights);

  // Operations of evaluations so far
  double evaluated() const { return evaluated_; }
  void reset() { evaluated_ = 0; }

  double H(const Vec<double>& q, const Vec<double>& p) const override;
  void H_q(const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const override;
  void H_p(const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const override;
  void g(const Vec<double>& q, Vec<double>& out) const override;
  void G(const Vec<double>& q, Jacobian<double>& out) const override;
  void g_and_G(const Vec<double>& q, Vec<double>& g, Jacobian<double>& G) const override;
  void g_scale(const Vec<double>& q, Vec<double>& out) const override;
  void evaluate(Quantity f, const Arguments<double>& x, Vec<double>& out) const override;
  std::string lacks(Quantity f) const override { return sys_.lacks(f); }
  double V(const Vec<double>& q) const override;
  void V_q(const Vec<double>& q, Vec<double>& out) const override;
  const AnyMass<double>& mass() const override { return sys_.mass(); }
  void V_slow_q(const Vec<double>& q, Vec<double>& out) const override;
  void V_fast_q(const Vec<double>& q, Vec<double>& out) const override;
  bool is_field() const override { return sys_.is_field(); }
  bool has_energy() const override { return sys_.has_energy(); }
  const ShearParts& shears() const override { return shears_ ? shears_->shears() : Shears::shears(); }
  void shear_rates(int k, const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const override;
  // What is looked at is not counted.
  void invariants(const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const override {
    sys_.invariants(q, p, out);
  }
  void invariants_along(const Vec<double>& q, const Vec<double>& p, const Vec<double>& u, const Vec<double>& w,
                        Vec<double>& out, Vec<double>& scale) const override {
    sys_.invariants_along(q, p, u, w, out, scale);
  }
  Involution reversal() const override { return sys_.reversal(); }
  bool has_roots() const override { return sys_.has_roots(); }

 private:
  void count(double operations) const;

  const AnySystem<double>& sys_;
  const Shears<double>* shears_;  // the same system, if it says something of them
  WorkWeights weights_;
  mutable double evaluated_ = 0;
};

// Operations of a run's linear algebra, by its counters
double algebra(const WorkWeights& weights, const MethodInfo& method, const Counters& counters);

}  // namespace holonom
