#include "name_reader.hpp"

#include <algorithm>

namespace holonom {

namespace {

class Renaming {
 public:
  explicit Renaming(Model& model) : model_(model) {
    for (const auto* list : lists_of_names()) known_.insert(known_.end(), list->begin(), list->end());
    for (const auto* list : named())
      for (const Named& x : *list) known_.push_back(x.name);
    for (const VectorCoordinate& v : model_.vectors) known_.push_back(v.name);
    for (const MappedTerm& term : model_.terms)
      if (!term.name.empty()) known_.push_back(term.name);
    for (const EventFormula& e : model_.events) known_.push_back(e.name);
    for (const auto& [name, node] : model_.parameters) known_.push_back(name);
  }

  const std::vector<std::string>& known() const { return known_; }
  void add(const std::string& from, const std::string& to) { by_[from] = to; }

  void apply(ViewFormulas& view) {
    for (auto* list : lists_of_names()) rename(*list);
    for (auto* list : named())
      for (Named& x : *list) rename(x.name);
    for (VectorCoordinate& v : model_.vectors) rename(v.name);
    for (MappedTerm& term : model_.terms) rename(term.name);
    for (EventFormula& e : model_.events) rename(e.name);
    rename_keys(model_.parameters);
    rename_keys(model_.units);
    rename_keys(view.constraints);
    rename_keys(view.colours);
    for (std::string& column : view.plot) rename_column(column);
    // Messages ask for "constraints.<name>": that place is known under both names.
    std::vector<std::pair<std::string, std::string>> places;
    for (const auto& [part, place] : model_.places) {
      const std::size_t tail = part.rfind('.') + 1;
      if (const auto it = by_.find(part.substr(tail)); it != by_.end())
        places.emplace_back(part.substr(0, tail) + it->second, place);
    }
    for (auto& [part, place] : places) model_.places.emplace(std::move(part), std::move(place));
  }

 private:
  std::vector<std::vector<std::string>*> lists_of_names() {
    std::vector<std::vector<std::string>*> lists{&model_.coordinates, &model_.chart.names};
    if (model_.field) lists.push_back(&model_.field->variables_in_p);
    return lists;
  }
  std::vector<std::vector<Named>*> named() {
    return {&model_.constraints, &model_.phase_constraints, &model_.invariants, &model_.observables};
  }

  void rename(std::string& name) const {
    if (const auto it = by_.find(name); it != by_.end()) name = it->second;
  }
  void rename(std::vector<std::string>& list) const {
    for (std::string& name : list) rename(name);
  }
  // x, p_x, v_x or lambda_x
  void rename_column(std::string& column) const {
    for (const std::string_view prefix : {"", "p_", "v_", "lambda_"}) {
      if (!column.starts_with(prefix)) continue;
      const auto it = by_.find(column.substr(prefix.size()));
      if (it == by_.end()) continue;
      column = std::string(prefix) + it->second;
      return;
    }
  }
  template <class T>
  void rename_keys(std::map<std::string, T>& map) const {
    std::map<std::string, T> renamed;
    for (const auto& [key, value] : map) {
      std::string name = key;
      rename_column(name);
      renamed.insert_or_assign(std::move(name), value);
    }
    map = std::move(renamed);
  }

  Model& model_;
  std::vector<std::string> known_;
  std::map<std::string, std::string, std::less<>> by_;
};

}  // namespace

void read_names(FormulaReader& r, const toml::table* names, ViewFormulas& view) {
  if (!names) return;
  Renaming renaming(r.model);
  for (const Entry& e : in_file_order(*names)) {
    const std::vector<std::string>& known = renaming.known();
    if (std::find(known.begin(), known.end(), e.key) == known.end())
      r.source.fail(e.place->source().begin, "[names] names '" + e.key + "', which the model does not have." +
                                                 suggestion(e.key, known, "Names"));
    if (!e.node->is_string())
      r.source.fail(*e.node, "a name is text in quotes: " + e.key + " = \"how outputs call it\"");
    renaming.add(e.key, *e.node->value<std::string>());
  }
  renaming.apply(view);
}

}  // namespace holonom
