// CompiledModel: the programs of a model, made once and shared by all scalars. Those that a step needs
// are lowered at once; higher derivatives when they are first asked for.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "holonom/any_system.hpp"
#include "holonom/expr/map_signature.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/expr/program.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

struct SparseJacobian;
struct ShearParts;
struct DiscreteRule;
class DiscreteLagrangian;

// Inputs are in the order q, p, λ, u, v, w, as far as a formula depends on them.
enum class Formula : std::uint8_t {
  HOLONOM_QUANTITIES(HOLONOM_ENUMERATOR)  // V_qq in the separable and mass-matrix forms, H_pp, ... in the general one
  V,
  V_q,
  V_qqq,  // potential (separable and mass-matrix forms); V_qqq(u, v)
  V_slow_q,
  V_fast_q,
  V_fast,  // of its parts
  V_slow_qq,
  V_fast_qq,
  g,
  G,
  g_and_G,  // constraints
  G_rows,
  g_and_G_rows,  // the same with zeros, for small systems
  g_scale,       // the size of the terms of g
  g_uu,          // g_qq(u, u), which reads and computes half as much as g_qq(u, v)
  invariants,
  invariants_along,  // dI/dq u + dI/dp w, and the sizes of its terms
  observables,       // of q, p, v, lambda and the two energies
  events,            // and the sizes of their terms
  M,
  T_v,
  T_q,
  T_vq,   // mass-matrix form: M(q); M(q)v; ∂T/∂q(q, v); ∂²T/∂v∂q(q, v) u
  T_qq,   // ∂²T/∂q²(q, v) u + ∂²T/∂q∂v(q, v) w
  T_vqq,  // the second derivative of ∂T/∂v along (u, u') and (w, w') in (q, v)
  T_qqq,  // the same of ∂T/∂q, + ∂²T/∂q∂v(q, v) v''
  H,
  H_q,
  H_p,    // general form
  start,  // q0; p0 or v0; step and until where given
  phi,    // of the chart: φ and φ' by rows; φ''(u, v); (y·φ)''u; (y·φ)'''(u, v); where a search begins
  phi_dd,
  y_phi_dd,
  y_phi_ddd,
  chart_near,
  count
};

// The formula of the same name: the list of Formula begins with that of Quantity.
constexpr Formula formula_of(Quantity f) {
  return static_cast<Formula>(static_cast<int>(f) - static_cast<int>(all_quantities.front()));
}

// A mapped term lowered for one formula: the kernel, how it is applied to rows, and where each input
// block comes from.
struct MapProgram {
  // lambda: that of the row, of a stack of constraints. velocity, multipliers, energies: for observables.
  enum class Source : std::uint8_t { q, p, u, v, w, lambda, row_value, velocity, multipliers, energies };
  std::shared_ptr<const Program> kernel;
  MapSignature signature;
  std::vector<Source> sources;
};

// The formulas of a step as machine code, for double. Those that are not here are interpreted: the bits
// are the same.
struct NativeFormulas {
  static constexpr auto count = static_cast<std::size_t>(Formula::count);
  std::array<NativeProgram, count> programs;
  std::vector<std::array<NativeMap, count>> maps;  // one for each term of the model
  std::vector<NativeProgram> shears;               // one for each part of a field that is a sum of shears
};

class CompiledModel {
 public:
  enum class Form { separable, mass_matrix, general };

  explicit CompiledModel(Model source);

  const Model& model() const { return model_; }
  Form form() const { return form_; }
  // A field is of the general form: its H_p is q', and its H_q is −p'.
  bool is_field() const { return model_.field.has_value(); }
  const Labels& labels() const { return *shared_labels_; }
  const Pattern& pattern() const { return *shared_pattern_; }
  const std::shared_ptr<const Labels>& shared_labels() const { return shared_labels_; }
  const std::shared_ptr<const Pattern>& shared_pattern() const { return shared_pattern_; }

  // Separable: constant masses, as expressions without inputs. n of them or n × n; of M or of M⁻¹. If there is a
  // pattern, M is sparse, and they are its entries, unless those come from a table.
  const Program& mass() const { return *mass_; }
  std::shared_ptr<const Program> mass_program() const { return mass_; }
  bool mass_is_diagonal() const { return mass_diagonal_; }
  bool mass_is_inverse() const { return mass_inverse_; }
  // What observables need beside q and p.
  struct ObservableNeeds {
    bool velocity = false, multipliers = false, energies = false;
  };
  const ObservableNeeds& observable_needs() const { return observable_needs_; }
  // Whether the potential comes in two parts, and whether the system is one for SmallCode.
  bool is_split() const;
  bool is_small() const;
  const Pattern* mass_pattern() const { return mass_pattern_ ? &*mass_pattern_ : nullptr; }
  // The entry of model().mass_table that stands at each place of the pattern.
  const std::vector<std::int32_t>& mass_source() const { return mass_source_; }
  // Why the form is not separable.
  const std::string& not_separable() const { return not_separable_; }

  // Why there is no Lagrangian L(q, v) as a formula; empty if there is.
  const std::string& lacks_lagrangian() const;
  // The programs of a discrete Lagrangian, made when first asked for. Throws InputError if there is no Lagrangian, or
  // if the rule uses what it may not.
  std::shared_ptr<const DiscreteLagrangian> discrete_lagrangian(const std::shared_ptr<const DiscreteRule>& rule) const;

  // Everything without a table, on the coordinates that have names of their own.
  std::shared_ptr<const Program> program(Formula f) const;

  // Of a field: its parts, and the rates of one of them as a function of (q, p).
  const ShearParts& shears() const;
  std::shared_ptr<const Program> shear_program(int k) const;

  // What a step calls: of the whole model, and of one of its terms.
  std::vector<Formula> hot() const;
  static std::vector<Formula> hot(const MappedTerm& term);
  // Compiled when first asked for, shared by all systems and threads. Throws std::runtime_error if
  // native code is not available.
  std::shared_ptr<const NativeFormulas> native() const;

  // Mapped terms, in the order of model().terms.
  MapProgram map_program(const MappedTerm& term, Formula f) const;
  // Where a stack of constraints begins: its first row, and its first entry of G.
  struct StackPlace {
    int constraint = 0, entry = 0, entries_per_row = 0;
  };
  const std::vector<StackPlace>& stacks() const { return stacks_; }

 private:
  std::shared_ptr<const Program> lower(Formula f) const;
  std::shared_ptr<const Program> lower_chart(Formula f) const;
  void find_form();
  void find_lagrangian() const;
  void add_vectors(Labels& labels, Pattern& pattern);
  void recognise_mass();
  void recognise_mass(const SparseJacobian& matrix);
  void expand_mass_table(const MassTable& table);
  void find_observable_needs();

  Model model_;
  Form form_ = Form::separable;
  std::shared_ptr<const Labels> shared_labels_;
  std::shared_ptr<const Pattern> shared_pattern_;
  std::vector<NodeId> G_entries_;
  std::vector<StackPlace> stacks_;  // one for each term; used by constraints only
  NodeId V_ = Graph::zero;
  std::vector<NodeId> mass_matrix_;  // M(q), lower triangle by rows
  std::shared_ptr<const Program> mass_;
  bool mass_diagonal_ = true, mass_inverse_ = false;
  std::optional<Pattern> mass_pattern_;
  std::vector<std::int32_t> mass_source_;
  std::string not_separable_;
  ObservableNeeds observable_needs_;

  struct LagrangianFormula {
    bool looked_for = false;
    NodeId node = Graph::zero;
    std::string lacks;
    std::vector<NodeId> q0, q1, v;  // variables of discrete ones
    NodeId h = Graph::zero;
    std::map<std::shared_ptr<const DiscreteRule>, std::shared_ptr<const DiscreteLagrangian>> discrete;
  };
  mutable LagrangianFormula lagrangian_;

  mutable std::once_flag native_once_;
  mutable std::shared_ptr<const NativeFormulas> native_;
  mutable std::mutex mutex_;  // lowering adds nodes to the graph
  mutable std::array<std::shared_ptr<const Program>, static_cast<std::size_t>(Formula::count)> programs_;
  mutable std::shared_ptr<const ShearParts> shears_;
  mutable std::vector<std::shared_ptr<const Program>> shear_programs_;
};

std::shared_ptr<const CompiledModel> compile(Model model);

}  // namespace holonom
