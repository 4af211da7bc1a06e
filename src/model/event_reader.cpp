#include "event_reader.hpp"

#include <algorithm>

#include "holonom/expr/derivative.hpp"

namespace holonom {

void EventReader::add(const Fail& fail, const std::string& name, NodeId x, Direction direction) {
  Model& model = r_.model;
  const std::string what = "event '" + name + "'";
  if (std::any_of(model.events.begin(), model.events.end(), [&](const EventFormula& e) { return e.name == name; }))
    fail(what + " is given twice");
  if (const Op op = (*model.graph)[x].op; op == Op::less || op == Op::less_equal || op == Op::equal)
    fail(what + " is a comparison, which is 1 or 0 and crosses nothing: write the difference of its sides");
  r_.refuse(fail, x, what, model.v, "v_", "write it with momenta p_<name>");
  EventFormula event{name, x, direction};
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
    if (const toml::table* t = e.node->as_table()) {
      r_.check_keys(*t, {"zero", "direction"}, "events." + e.key);
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
    }
    r_.mark("events." + e.key, *zero);
    add(r_.fail_at(*zero), e.key, r_.formula(*zero, what), direction);
  }
}

void EventReader::read_option(const std::string& option) {
  // x == y is a formula, x = y gives it a name.
  const auto equals = option.find('=');
  const bool comparison = equals == std::string::npos || option.compare(equals, 2, "==") == 0 ||
                          (equals > 0 && std::string_view("<>!").find(option[equals - 1]) != std::string_view::npos);
  const std::size_t begin = comparison ? 0 : equals + 1;
  const Fail fail = [&](const std::string& what) { throw InputError("--event " + option + ": " + what); };
  std::string name = comparison ? option : option.substr(0, equals);
  while (name.ends_with(' ')) name.pop_back();
  if (!comparison && !is_valid_name(name)) fail("'" + name + "' is not a name: write --event \"name=formula\"");
  try {
    const FormulaValue value = parse_formula(std::string_view(option).substr(begin), r_.scope);
    const Expr* x = std::get_if<Expr>(&value);
    if (!x)
      fail("a number was expected, not a vector");
    else
      add(fail, name, x->node, Direction::both);
    r_.model.places["events." + name] = "--event " + option;
  } catch (const FormulaError& e) {
    fail("column " + std::to_string(begin + e.offset + 1) + ": " + e.what());
  }
}

}  // namespace holonom
