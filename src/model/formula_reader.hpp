// What all sections of a model file share: tables and their keys, names, and formulas with places.
#pragma once

#include "holonom/expr/parser.hpp"
#include "holonom/model/fail.hpp"
#include "toml_source.hpp"

namespace holonom {

// "formula" or "name=formula", as options of the command line have them; x == y is a formula. Without a name the
// formula is one.
struct NamedFormula {
  std::string name;
  bool has_name;
  std::size_t formula_at;
};
NamedFormula split_option(const std::string& option);

class FormulaReader {
 public:
  explicit FormulaReader(const TomlSource& toml_source) : source(toml_source) { scope.graph = model.graph.get(); }

  const TomlSource& source;
  Model model;
  Scope scope{};

  // A table of the file, or nullptr; an error if the key holds something else.
  const toml::table* table(const toml::table& parent, std::string_view key) const;
  void check_keys(const toml::table& t, const std::vector<std::string>& known, const std::string& where) const;
  // Remembers where a part of the model is written, for messages about its value.
  void mark(const std::string& part, const toml::node& node) { model.places[part] = source.place(node.source().begin); }
  Fail fail_at(const toml::node& node) const {
    return [this, &node](const std::string& what) { source.fail(node, what); };
  }
  void declare(const std::string& name, const toml::source_position& at, FormulaValue value);

  FormulaValue formula_value(const toml::node& node, const std::string& what) const;
  NodeId formula(const toml::node& node, const std::string& what) const;
  // A formula of parameters alone.
  NodeId constant(const toml::node& node, const std::string& what) const;
  // An error if x depends on one of the inputs, which belong to the coordinates in their order.
  void refuse(const Fail& fail, NodeId x, const std::string& what, const std::vector<NodeId>& inputs,
              const std::string& prefix, const std::string& remedy) const;
  // An error if x is a comparison, which is 1 or 0: a constraint is a formula that is zero.
  void refuse_comparison(const toml::node& node, NodeId x, const std::string& what) const;
  // A formula of coordinates alone: the potential, constraints.
  NodeId of_coordinates(const toml::node& node, const std::string& what) const;
};

}  // namespace holonom
