// [view] of a model file.
#pragma once

#include "formula_reader.hpp"
#include "holonom/model/view_formulas.hpp"

namespace holonom {

class ViewReader {
 public:
  explicit ViewReader(FormulaReader& reader) : r_(reader) {}

  // After all other tables: it names coordinates, constraints, invariants and observables.
  ViewFormulas read(const toml::table* view);

 private:
  void read_points(const toml::table& points);
  void read_links(const toml::node& links);
  void read_bodies(const toml::table& bodies);
  void read_constraints(const toml::table& constraints);
  void read_colours(const toml::table& colours);
  void read_plot(const toml::node& plot);
  std::vector<NodeId> formulas(const toml::node& list, const std::string& what,
                               std::initializer_list<std::size_t> sizes, const std::string& example) const;
  NodeId positive(const toml::node& node, const std::string& what) const;
  void check_orientation(const toml::node& node, const ViewFormulas::Body& body) const;
  std::vector<std::string> point_names() const;

  FormulaReader& r_;
  ViewFormulas view_;
};

}  // namespace holonom
