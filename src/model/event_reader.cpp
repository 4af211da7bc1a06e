#include "event_reader.hpp"

#include <algorithm>

#include "holonom/expr/derivative.hpp"

namespace holonom {

void EventReader::add(const Fail& fail, const std::string& name, NodeId x, Direction direction, bool stop) {
  Model& model = r_.model;
  const std::string what = "event '" + name + "'";
  if (std::any_of(model.events.begin(), model.events.end(), [&](const EventFormula& e) { return e.name == name; }))
    fail(what + " is given twice");
  if (const Op op = (*model.graph)[x].op; op == Op::less || op == Op::less_equal || op == Op::equal)
    fail(what + " is a comparison, which is 1 or 0 and crosses nothing: write the difference of its sides");
  r_.refuse(fail, x, what, model.v, "v_", "write it with momenta p_<name>");
  EventFormula event{name, x, direction, stop};
  if (tables_.take_single(fail, x, MappedTerm::Role::event, name, false)) {
    model.terms.back().event = static_cast<int>(model.events.size());
    event.node = Graph::zero;
  } else if (!depends_on(*model.graph, std::span(&x, 1), model.q) &&
             !depends_on(*model.graph, std::span(&x, 1), model.p)) {
    fail(what + " depends on no coordinate and no momentum: it never changes");
  }
  model.events.push_back(std::move(event));
}

void EventReader::read(const toml::table* events) {
  if (!events) return;
  for (const Entry& e : in_file_order(*events)) {
    const std::string what = "event '" + e.key + "'";
    if (!is_valid_name(e.key))
      r_.source.fail(e.place->source().begin, "'" + e.key + "' is not a name: use letters, digits and underscores");
    const toml::node* zero = e.node;
    Direction direction = Direction::both;
    bool stop = false;
    if (const toml::table* t = e.node->as_table()) {
      r_.check_keys(*t, {"zero", "direction", "stop"}, "events." + e.key);
      zero = t->get("zero");
      if (!zero) r_.source.fail(*e.node, what + " needs zero = \"formula\"");
      if (const toml::node* node = t->get("direction")) {
        const std::string word = node->value<std::string>().value_or("");
        if (word == "up")
          direction = Direction::up;
        else if (word == "down")
          direction = Direction::down;
        else if (word != "both")
          r_.source.fail(*node, "direction must be \"up\", \"down\" or \"both\"");
      }
      if (const toml::node* node = t->get("stop")) {
        if (!node->is_boolean()) r_.source.fail(*node, "stop must be true or false");
        stop = *node->value<bool>();
      }
    }
    r_.mark("events." + e.key, *zero);
    add(r_.fail_at(*zero), e.key, r_.formula(*zero, what), direction, stop);
  }
}

void EventReader::read_option(const std::string& option, const std::string& prefix) {
  const auto [name, has_name, begin] = split_option(option);
  const std::string field = prefix + "event";
  const Fail fail = [&](const std::string& what) { throw InputError(field + " " + option + ": " + what); };
  if (has_name && !is_valid_name(name)) fail("'" + name + "' is not a name: write " + field + " \"name=formula\"");
  try {
    const FormulaValue value = parse_formula(std::string_view(option).substr(begin), r_.scope);
    const Expr* x = std::get_if<Expr>(&value);
    if (!x)
      fail("a number was expected, not a vector");
    else
      add(fail, name, x->node, Direction::both, false);
    r_.model.places["events." + name] = field + " " + option;
  } catch (const FormulaError& e) {
    fail("column " + std::to_string(begin + e.offset + 1) + ": " + e.what());
  }
}

}  // namespace holonom
