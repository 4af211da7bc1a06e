// A model with its Lagrangian, for methods that take it as formulas; and a discrete Lagrangian evaluated in the scalar
// S.
#pragma once

#include "holonom/model/discrete_lagrangian.hpp"
#include "holonom/model/model_system.hpp"

namespace holonom {

// The programs of a discrete Lagrangian, in one scalar. One object serves one thread.
template <class S>
class DiscreteAction {
  using Formula = DiscreteLagrangian::Formula;

 public:
  DiscreteAction(std::shared_ptr<const DiscreteLagrangian> formulas, Engine engine) : formulas_(std::move(formulas)) {
    if (std::is_same_v<S, double> && engine == Engine::native)
      native_ = &formulas_->native();
    else
      for (std::size_t f = 0; f < DiscreteLagrangian::count; ++f)
        interpreters_[f] = Interpreter<S>(formulas_->program(static_cast<Formula>(f)));
  }

  struct Step {
    const Vec<S>&q0, &q1, &v;
    const S& h;
  };
  // ℓ_v and h ℓ_q₀, so that −D₁L_d is their difference
  void slopes(const Step& x, Vec<S>& of_v, Vec<S>& of_q0) { call(Formula::slopes, x, {of_v.data(), of_q0.data()}); }
  // The same, and −h D₁D₂L_d by the entries of matrix()
  void slopes_and_matrix(const Step& x, Vec<S>& of_v, Vec<S>& of_q0, Vec<S>& entries) {
    call(Formula::slopes_and_matrix, x, {of_v.data(), of_q0.data(), entries.data()});
  }
  // (D₁ + D₂)L_d
  void force(const Step& x, Vec<S>& out) { call(Formula::force, x, {out.data()}); }
  S value(const Step& x) {
    S result(0);
    call(Formula::value, x, {&result});
    return result;
  }
  const Pattern& matrix() const { return formulas_->matrix(); }

 private:
  void call(Formula f, const Step& x, std::initializer_list<S*> out) {
    const auto k = static_cast<std::size_t>(f);
    const S* const in[] = {x.q0.data(), x.q1.data(), x.v.data(), &x.h};
    if constexpr (std::is_same_v<S, double>)
      if (native_) return (*native_)[k].function()(in, out.begin());
    interpreters_[k](in, out.begin());
  }

  std::shared_ptr<const DiscreteLagrangian> formulas_;
  const std::vector<NativeProgram>* native_ = nullptr;
  std::array<Interpreter<S>, DiscreteLagrangian::count> interpreters_;
};

template <class S>
class LagrangianView : public HamiltonianView<S> {
 public:
  explicit LagrangianView(const AnySystem<S>& sys)
      : HamiltonianView<S>(sys), model_(&dynamic_cast<const ModelSystem<S>&>(sys)) {}
  static std::string missing(const AnySystem<S>& sys) {
    const auto* model = dynamic_cast<const ModelSystem<S>*>(&sys);
    return model ? model->compiled().lacks_lagrangian()
                 : "it takes the Lagrangian as formulas, and " + sys.labels().model +
                       " is no model of formulas; take rattle or midpoint";
  }
  DiscreteAction<S> discrete(const std::shared_ptr<const DiscreteRule>& rule) const {
    return {model_->compiled().discrete_lagrangian(rule), model_->engine()};
  }

 private:
  const ModelSystem<S>* model_;
};

}  // namespace holonom
