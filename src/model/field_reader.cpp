#include "field_reader.hpp"

#include <algorithm>

#include "holonom/model/columns.hpp"

namespace holonom {

std::vector<std::string> FieldReader::names() const {
  std::vector<std::string> list;
  for (const Variable& v : variables_) list.push_back(v.entry.key);
  return list;
}

template <class T, class Of>
void FieldReader::distribute(std::vector<T>& q, std::vector<T>& p, const T& rest, Of&& of) const {
  q.clear();
  p.clear();
  for (const Variable& v : variables_) (v.in_p ? p : q).push_back(of(v));
  q.resize(r_.model.q.size(), rest);
  p.resize(r_.model.q.size(), rest);
}

void FieldReader::declare(const toml::table& root, const toml::table& field) {
  const std::pair<const char*, const char*> others[] = {
      {"coordinates", "[field] names its variables itself: leave [coordinates] out"},
      {"energy",
       "[field] gives the motion itself: leave [energy] out. A function that is to be watched as the energy is energy "
       "= "
       "\"formula\" in [field]"},
      {"constraints",
       "a field has no constraints: leave [constraints] out, or give the system by its [energy] instead of [field]"},
      {"phase_constraints",
       "a field has no constraints: leave [phase_constraints] out, or give the system by its [energy] instead of "
       "[field]"}};
  for (const auto& [key, remedy] : others)
    if (const toml::node* other = root.get(key)) r_.source.fail(*other, remedy);

  const auto part = [&](const char* key) {
    const toml::node* node = field.get(key);
    return node ? node->as_table() : nullptr;
  };
  const auto add = [&](const Entry& e, bool in_p) {
    const auto at = e.place->source().begin;
    if (is_in_every_output(e.key))
      r_.source.fail(at, "a variable must not be called '" + e.key + "': outputs have a column of that name already");
    variables_.push_back({e, in_p, r_.model.variable()});
    r_.declare(e.key, at, variables_.back().x);
  };
  const bool in_parts = part("q") || part("p");
  for (const Entry& e : in_file_order(field)) {
    r_.mark("field." + e.key, *e.node);
    if (e.key == "energy") continue;
    const auto at = e.place->source().begin;
    if (!in_parts) {
      if (e.node->is_table())
        r_.source.fail(at, "the parts of [field] are called q and p: q." + e.key + " = \"formula\", or " + e.key +
                               " = \"formula\" for a variable of one part");
      add(e, false);
      continue;
    }
    if (!e.node->is_table() || (e.key != "q" && e.key != "p"))
      r_.source.fail(at, "[field] has parts: write '" + e.key + "' as q." + e.key + " = \"formula\" or p." + e.key +
                             " = \"formula\", or all variables without parts");
    for (const Entry& x : in_file_order(*e.node->as_table())) add(x, e.key == "p");
  }
  if (variables_.empty())
    r_.source.fail(
        field,
        "[field] needs the rates of its variables: x = \"formula\" for x', or in two parts q.x = \"formula\" "
        "and p.y = \"formula\"");
  if (in_parts)
    for (const char* key : {"q", "p"})
      if (!part(key) || part(key)->empty())
        r_.source.fail(field, std::string("the part ") + key +
                                  " of [field] is missing: write the variables without q and p, or in both parts");
}

void FieldReader::read(const toml::table& field) {
  std::vector<Model::Rate> of_q, of_p;
  std::vector<NodeId> inputs, rates;
  for (const Variable& v : variables_) {
    const Expr rate{r_.scope.graph, r_.formula(*v.entry.node, "the rate of '" + v.entry.key + "'")};
    r_.mark("field." + v.entry.key, *v.entry.node);
    (v.in_p ? of_p : of_q).push_back({v.entry.key, v.x, rate});
    inputs.push_back(v.x.node);
    rates.push_back(rate.node);
  }
  r_.model.set_field(of_q, of_p);
  if (const toml::node* energy = field.get("energy"))
    r_.model.set_field_energy({r_.scope.graph, r_.formula(*energy, "the energy")});
  // From here on rate(f) is the derivative along the field.
  r_.scope.q = std::move(inputs);
  r_.scope.v = std::move(rates);
}

void FieldReader::read_initial(const toml::table& initial) {
  r_.check_keys(initial, names(), "[initial], which has a value for every variable of [field]");
  distribute(r_.model.q0, r_.model.start, Graph::zero, [&](const Variable& v) {
    const toml::node* node = initial.get(v.entry.key);
    if (!node) r_.source.fail(initial, "[initial] has no value for the variable '" + v.entry.key + "'");
    r_.mark("initial." + v.entry.key, *node);
    return r_.constant(*node, "initial." + v.entry.key);
  });
}

void FieldReader::read_reversal(const toml::table* reversal) {
  const toml::node* flip = reversal ? reversal->get("flip") : nullptr;
  std::vector<std::string> chosen;
  if (flip)
    for (const toml::node& node : *flip->as_array()) {
      chosen.push_back(node.value<std::string>().value_or(""));
      const std::vector<std::string> known = names();
      if (std::find(known.begin(), known.end(), chosen.back()) == known.end())
        r_.source.fail(node, "flip takes variables of [field], not '" + chosen.back() + "'." +
                                 suggestion(chosen.back(), known, "They are"));
    }
  distribute(r_.model.flip_q, r_.model.flip_p, false, [&](const Variable& v) {
    return flip ? std::find(chosen.begin(), chosen.end(), v.entry.key) != chosen.end() : v.in_p;
  });
}

}  // namespace holonom
