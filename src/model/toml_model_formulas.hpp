// All formulas of a model as text: with the abbreviations of [let] where they may use them, and with names of their own
// where [let] cannot have what they share.
#pragma once

#include "holonom/model/view_formulas.hpp"
#include "toml_term.hpp"

namespace holonom {

struct FormulaOfModel {
  std::string where;  // lines with names of its own, or nothing
  std::string value;  // as TOML has it
};

class FormulasOfModel {
 public:
  FormulasOfModel(const Model& model, const ViewFormulas& view, const TomlNames& names, const TermText& terms);

  const std::vector<std::pair<std::string, std::string>>& let() const { return let_; }
  // Of a formula that uses neither multipliers nor energies
  std::string value(NodeId x) const;
  FormulaOfModel formula(NodeId x) const;
  FormulaOfModel formula(const MappedTerm& single) const;

 private:
  void name_inputs();
  void write(const ViewFormulas& view);
  // Only formulas of observables use multipliers and energies, which [let] does not know.
  bool is_for_observables(NodeId formula) const;
  static bool is_for_observables(const MappedTerm& term);
  FormulaOfModel with_own_names(NodeId x, std::vector<OrderedInput> inputs) const;

  const Model& model_;
  const TomlNames& names_;
  const TermText& terms_;
  std::vector<OrderedInput> inputs_, inputs_of_state_;  // with multipliers and energies, and without
  std::vector<NodeId> of_observables_;                  // these two
  std::unordered_map<NodeId, std::string> text_;
  std::vector<std::pair<std::string, std::string>> let_;
};

}  // namespace holonom
