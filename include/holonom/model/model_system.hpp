// ModelSystem<S>: a compiled model as a system in the scalar S. It owns interpreters, so one object
// serves one thread. M(q) systems solve with M(q), factored once for each position; nothing is
// inverted symbolically.
#pragma once

#include "holonom/expr/map_interpreter.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/parametrisation.hpp"
#include "holonom/scalars.hpp"
#include "holonom/shears.hpp"

namespace holonom {

enum class Engine : std::uint8_t { interpreter, native };

// A ModelSystem of the scalar of that name, as a pointer to AnySystem of it.
std::shared_ptr<const void> model_system_in(const std::type_info& scalar,
                                            const std::shared_ptr<const CompiledModel>& compiled);

template <class S>
class ModelSystem final : public AnySystem<S>, public Parametrisation<S>, public Shears<S> {
 public:
  // Native code exists for double only; other scalars are interpreted whatever is asked for. Throws
  // std::runtime_error if native code is not available.
  explicit ModelSystem(std::shared_ptr<const CompiledModel> compiled, Engine engine = Engine::interpreter);

  template <class T>
  ModelSystem<T> rebind() const {
    return ModelSystem<T>(compiled_);
  }
  Engine engine() const { return native_ ? Engine::native : Engine::interpreter; }
  const CompiledModel& compiled() const { return *compiled_; }
  const std::shared_ptr<const CompiledModel>& compiled_model() const { return compiled_; }

  S H(const Vec<S>& q, const Vec<S>& p) const override;
  void H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override;
  void H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override;
  void evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const override;
  std::string lacks(Quantity f) const override;

  void g(const Vec<S>& q, Vec<S>& out) const override;
  void G(const Vec<S>& q, Jacobian<S>& out) const override;
  void g_and_G(const Vec<S>& q, Vec<S>& g, Jacobian<S>& G) const override;
  void g_scale(const Vec<S>& q, Vec<S>& out) const override;

  S V(const Vec<S>& q) const override;
  void V_q(const Vec<S>& q, Vec<S>& out) const override;
  void V_slow_q(const Vec<S>& q, Vec<S>& out) const override { V_q(Formula::V_slow_q, Part::slow, q, out); }
  void V_fast_q(const Vec<S>& q, Vec<S>& out) const override { V_q(Formula::V_fast_q, Part::fast, q, out); }
  S V_fast(const Vec<S>& q) const override { return V(Formula::V_fast, Part::fast, q); }
  // Views with compile-time sizes exist in double only.
  bool is_small() const override { return std::is_same_v<S, double> && compiled_->is_small(); }
  SmallCode small_code() const override;
  const AnyMass<S>& mass() const override { return mass_; }
  bool is_field() const override { return compiled_->is_field(); }
  bool has_energy() const override { return !is_field() || compiled_->model().field->energy; }

  void invariants(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override;
  void invariants_along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& out,
                        Vec<S>& scale) const override;
  Involution reversal() const override { return {compiled_->model().flip_q, compiled_->model().flip_p}; }
  bool has_roots() const override { return holonom::has_roots(compiled_->model()); }
  bool observables_use_multipliers() const override { return compiled_->observable_needs().multipliers; }
  void observables(const State<S>& x, Vec<S>& out) const override;

  // The functions of [events] and the sizes of their terms.
  void events(const Vec<S>& q, const Vec<S>& p, Vec<S>& value, Vec<S>& scale) const;

  // The chart of the model
  const std::vector<std::string>& parameter_names() const override { return compiled_->model().chart.names; }
  void near(Vec<S>& delta) const override { call(Formula::chart_near, {}, {delta.data()}); }
  void phi(const Vec<S>& delta, Vec<S>& q, Vec<S>& rows) const override {
    call(Formula::phi, {delta.data()}, {q.data(), rows.data()});
  }
  void phi_dd(const Vec<S>& delta, const Vec<S>& u, const Vec<S>& v, Vec<S>& out) const override {
    call(Formula::phi_dd, {delta.data(), u.data(), v.data()}, {out.data()});
  }
  void y_phi_dd(const Vec<S>& delta, const Vec<S>& y, const Vec<S>& u, Vec<S>& out) const override {
    call(Formula::y_phi_dd, {delta.data(), y.data(), u.data()}, {out.data()});
  }
  void y_phi_ddd(const Vec<S>& delta, const Vec<S>& y, const Vec<S>& u, const Vec<S>& v, Vec<S>& out) const override {
    call(Formula::y_phi_ddd, {delta.data(), y.data(), u.data(), v.data()}, {out.data()});
  }

  // Of a field
  const ShearParts& shears() const override { return compiled_->shears(); }
  void shear_rates(int k, const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const override;

  // Replaces the table of a term of the energy: for each of its gathers, the items of each row. The
  // pattern of constraints is fixed, so stacks keep theirs.
  void replace_table(std::size_t term, const std::vector<std::vector<std::int32_t>>& first_coordinates);

  std::unique_ptr<AnySystem<S>> clone() const override { return std::make_unique<ModelSystem>(*this); }
  std::string diagnose(const Vec<S>& q, const Vec<S>& p) const override;

  // p with H_p(q, p) = v. False if there is none nearby.
  bool momentum(const Vec<S>& q, const Vec<S>& v, Vec<S>& p) const;

  // The values of [initial] and [integrate] in this scalar. `motion` holds momenta or velocities.
  void start(Vec<S>& q, Vec<S>& motion, Vec<S>& defaults) const;

 private:
  std::shared_ptr<const void> rebound(const std::type_info& scalar) const override {
    return model_system_in(scalar, compiled_);
  }
  void call(Formula f, std::initializer_list<const S*> in, std::initializer_list<S*> out) const {
    call(f, in.begin(), out.begin());
  }
  void call(Formula f, const S* const* in, S* const* out) const {
    if constexpr (std::is_same_v<S, double>) {
      if (native_)
        if (const NativeProgram& formula = native_->programs[static_cast<std::size_t>(f)])
          return formula.function()(in, out);
    }
    auto& interpreter = interpreters_[static_cast<std::size_t>(f)];
    if (!interpreter) interpreter = Interpreter<S>(compiled_->program(f));
    interpreter(in, out);
  }
  // A formula of a small system by its interpreter, as a function of SmallCode.
  template <Formula f>
  static void interpreted(const S* const* in, S* const* out) {
    const auto* sys =
        static_cast<const ModelSystem*>(static_cast<const AnySystem<S>*>(static_cast<const void*>(in[1])));
    if constexpr (f == Formula::g_and_G_rows)
      sys->call(f, {in[0]}, {out[0], out[1]});
    else
      sys->call(f, {in[0]}, {out[0]});
  }
  // A mapped term of the model at work: its table, the numbers of its rows, one interpreter a formula.
  struct Term {
    const MappedTerm* source;
    std::shared_ptr<const MappedTerm> own;  // a table of its own, after replace_table
    CompiledModel::StackPlace place;
    int invariant = 0, observable = 0;  // which one, if it is one
    std::vector<const std::int32_t*> index;
    std::vector<Vec<S>> row_values;
    struct Ready {
      MapInterpreter<S> apply;
      std::vector<MapProgram::Source> sources;
      std::vector<const S*> in;  // filled at each call, as is
      std::vector<S*> out;
    };
    std::array<Ready, static_cast<std::size_t>(Formula::count)> ready;
  };
  struct Inputs {
    const S *q = nullptr, *p = nullptr, *u = nullptr, *v = nullptr, *w = nullptr, *lambda = nullptr,
            *velocity = nullptr, *energies = nullptr;
  };
  void prepare(Term& term, Formula f) const;
  // Applies the terms of one role; outputs(term) gives the array that an output block is written to.
  template <class Outputs>
  void map(MappedTerm::Role role, Formula f, const Inputs& in, Outputs&& outputs, Part part = Part::all) const;
  S V(Formula f, Part part, const Vec<S>& q) const;
  void V_q(Formula f, Part part, const Vec<S>& q, Vec<S>& out) const;
  void of_V_or_g(Quantity f, const Arguments<S>& x, Vec<S>& out) const;
  // What of a formula has no table; then with the terms that have one.
  void call(Formula f, const Arguments<S>& x, Vec<S>& out) const;
  static Inputs inputs_of(const Arguments<S>& x);
  void sum_of_potential(Formula f, Formula of_terms, const Arguments<S>& x, Vec<S>& out) const;
  void of_constraints(Formula f, const Arguments<S>& x, Vec<S>& out) const;
  void of_multipliers(Formula f, const Arguments<S>& x, Vec<S>& out) const;
  // The derivatives of H where there is no formula for it: with a constant mass, and with M(q).
  void with_constant_mass(Quantity f, const Arguments<S>& x, Vec<S>& out) const;
  void with_mass_matrix(Quantity f, const Arguments<S>& x, Vec<S>& out) const;
  void velocity_change(char variable, const Vec<S>& q, const Vec<S>& direction, Vec<S>& out) const;
  std::string diagnose_field(const Vec<S>& q, const Vec<S>& p) const;
  void make_terms();
  void make_mass();
  void make_sparse_mass();
  Vec<S> evaluate_items(const VectorCoordinate& v, const std::vector<NodeId>& formula) const;

  // Solves with M(q), in place; NaN if M(q) is not positive definite.
  void solve_mass(const Vec<S>& q, Vec<S>& x) const;

  std::shared_ptr<const CompiledModel> compiled_;
  std::shared_ptr<const NativeFormulas> native_;
  AnyMass<S> mass_;
  mutable std::array<Interpreter<S>, static_cast<std::size_t>(Formula::count)> interpreters_;
  mutable std::vector<Interpreter<S>> shears_;  // one for each part
  mutable std::vector<Term> terms_;
  mutable Vec<S> velocity_, work_, mass_entries_;
  mutable Vec<S> change_, other_change_, second_change_;  // of the velocity M(q)⁻¹p
  Vec<S> none_;                                           // zeros
  mutable Vec<S> observed_velocity_, energies_;
  mutable Vec<S> mass_position_;  // where mass_factor_ was made
  mutable Square<S> mass_factor_;
  mutable bool mass_known_ = false;
  mutable bool mass_positive_ = false;
};

// Compiled once for each scalar (src/model/model_system_scalar.cpp.in).
extern template class ModelSystem<double>;
extern template class ModelSystem<long double>;
extern template class ModelSystem<quad>;
extern template class ModelSystem<mp100>;
extern template class ModelSystem<Dual<double>>;
extern template class ModelSystem<Dual<quad>>;

}  // namespace holonom
