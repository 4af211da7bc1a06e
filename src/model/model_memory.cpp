#include "holonom/model/model_memory.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <concepts>

#include "holonom/memory.hpp"

namespace holonom {

namespace {

// ---- the parts of a model, named once. A structured binding names all members: a new one does not compile until it
// stands here.

template <class F>
void parts(F& f, Named& x) {
  auto& [name, node] = x;
  f("name", name);
  f("node", node);
}

template <class F>
void parts(F& f, EventFormula& x) {
  auto& [name, node, direction, stop] = x;
  f("name", name);
  f("node", node);
  f("direction", direction);
  f("stop", stop);
}

template <class F>
void parts(F& f, VectorCoordinate& x) {
  auto& [name, count, dim, offset, item, mass, q0, start, q0_table, start_table] = x;
  f("name", name);
  f("count", count);
  f("dim", dim);
  f("offset", offset);
  f("item", item);
  f("mass", mass);
  f("q0", q0);
  f("start", start);
  f("q0_table", q0_table);
  f("start_table", start_table);
}

template <class F>
void parts(F& f, MappedTerm::Gather& x) {
  auto& [from, inputs, first] = x;
  f("from", from);
  f("inputs", inputs);
  f("first", first);
}

template <class F>
void parts(F& f, MappedTerm::RowValue& x) {
  auto& [input, integer, text] = x;
  f("input", input);
  f("integer", integer);
  f("text", text);
}

template <class F>
void parts(F& f, MappedTerm& x) {
  auto& [role, name, rows, kernel, fast, single, event, gathers, values] = x;
  f("role", role);
  f("name", name);
  f("rows", rows);
  f("kernel", kernel);
  f("fast", fast);
  f("single", single);
  f("event", event);
  f("gathers", gathers);
  f("values", values);
}

template <class F>
void parts(F& f, MassTable& x) {
  auto& [file, row, column, text, line, at] = x;
  f("file", file);
  f("row", row);
  f("column", column);
  f("text", text);
  f("line", line);
  f("at", at);
}

template <class F>
void parts(F& f, FieldFormulas& x) {
  auto& [q_rate, p_rate, variables_in_p, energy] = x;
  f("q_rate", q_rate);
  f("p_rate", p_rate);
  f("variables_in_p", variables_in_p);
  f("energy", energy);
}

template <class F>
void parts(F& f, ChartFormulas& x) {
  auto& [names, delta, q, near] = x;
  f("names", names);
  f("delta", delta);
  f("q", q);
  f("near", near);
}

// All but the graph
template <class F>
void parts(F& f, Model& x) {
  auto& [name, text, files, graph, coordinates, q, p, v, vectors, terms, hamiltonian, kinetic, potential,
         slow_potential, fast_potential, mass, mass_table, field, constraints, invariants, phase_constraints,
         observables, lambda, energies, events, chart, flip_q, flip_p, reversal_given, q0, start, start_is_velocity,
         project, keep_q, keep_v, method, step, until, every, units, parameters, places] = x;
  f("name", name);
  f("text", text);
  f("files", files);
  f("coordinates", coordinates);
  f("q", q);
  f("p", p);
  f("v", v);
  f("vectors", vectors);
  f("terms", terms);
  f("hamiltonian", hamiltonian);
  f("kinetic", kinetic);
  f("potential", potential);
  f("slow_potential", slow_potential);
  f("fast_potential", fast_potential);
  f("mass", mass);
  f("mass_table", mass_table);
  f("field", field);
  f("constraints", constraints);
  f("invariants", invariants);
  f("phase_constraints", phase_constraints);
  f("observables", observables);
  f("lambda", lambda);
  f("energies", energies);
  f("events", events);
  f("chart", chart);
  f("flip_q", flip_q);
  f("flip_p", flip_p);
  f("reversal_given", reversal_given);
  f("q0", q0);
  f("start", start);
  f("start_is_velocity", start_is_velocity);
  f("project", project);
  f("keep_q", keep_q);
  f("keep_v", keep_v);
  f("method", method);
  f("step", step);
  f("until", until);
  f("every", every);
  f("units", units);
  f("parameters", parameters);
  f("places", places);
}

struct Anything {
  template <class T>
  void operator()(std::string_view, T&) {}
};
template <class T>
concept HasParts = requires(Anything& f, T& x) {
  parts(f, x);
};

// ---- what is done with the parts

// A walk over all values; leaf(name, x) for those that a MemoryWriter knows, count(name, n) for the length of others.
template <class Derived>
class Walk {
 public:
  template <class T>
  void operator()(std::string_view name, T& x) {
    if constexpr (HasParts<T>)
      parts(*this, x);
    else
      self().leaf(name, x);
  }
  template <HasParts T>
  void operator()(std::string_view name, std::vector<T>& x) {
    auto size = static_cast<std::uint64_t>(x.size());
    self().leaf(name, size);
    x.resize(static_cast<std::size_t>(size));
    for (T& each : x) parts(*this, each);
  }
  template <HasParts T>
  void operator()(std::string_view name, std::optional<T>& x) {
    bool known = x.has_value();
    self().leaf(name, known);
    if (known != x.has_value()) x.emplace();
    if (known) parts(*this, *x);
  }
  template <class T, class Less>
  void operator()(std::string_view name, std::map<std::string, T, Less>& x) {
    std::vector<std::string> keys;
    std::vector<T> values;
    for (const auto& [key, value] : x) {
      keys.push_back(key);
      values.push_back(value);
    }
    self().leaf(name, keys);
    self().leaf(name, values);
    x.clear();
    for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) x.emplace(keys[i], values[i]);
  }
  void operator()(std::string_view name, std::vector<bool>& x) {
    std::vector<std::uint8_t> flags(x.begin(), x.end());
    self().leaf(name, flags);
    x.assign(flags.begin(), flags.end());
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

struct Save : Walk<Save> {
  MemoryWriter out;
  template <class T>
  void leaf(std::string_view name, const T& x) {
    out(name, x);
  }
};

struct Load : Walk<Load> {
  explicit Load(std::string_view bytes) : in(bytes) {}
  MemoryReader in;
  template <class T>
  void leaf(std::string_view name, T& x) {
    in(name, x);
  }
};

// Nodes of one graph become those of another. (Nothing else in a model is an unsigned number of this size.)
struct Renumber : Walk<Renumber> {
  explicit Renumber(const std::vector<NodeId>& new_numbers) : image(new_numbers) {}
  const std::vector<NodeId>& image;

  void renumber(NodeId& i) const {
    if (i >= image.size()) throw MemoryError("a formula refers to a node that is not there");
    i = image[i];
  }
  template <class T>
  void leaf(std::string_view, T& x) {
    if constexpr (std::same_as<T, NodeId>) {
      renumber(x);
    } else if constexpr (std::same_as<T, std::optional<NodeId>>) {
      if (x) renumber(*x);
    } else if constexpr (std::same_as<T, std::vector<NodeId>>) {
      for (NodeId& i : x) renumber(i);
    }
  }
};

// ---- the graph, as the list of its nodes

struct NodeList {
  std::vector<Op> op;
  std::vector<NodeId> a, b, c;
  std::vector<std::string> numbers;  // of the constants among them, in their order: "3", "1/10"
};

NodeList list_of(const Graph& graph) {
  NodeList list;
  for (NodeId i = 0; i < graph.size(); ++i) {
    const Node& node = graph[i];
    list.op.push_back(node.op);
    list.a.push_back(node.a);
    list.b.push_back(node.b);
    list.c.push_back(node.c);
    if (node.op == Op::constant) list.numbers.push_back(graph.number_text(i));
  }
  return list;
}

// "1/10" as the decimal "1e-1", so that no other node is made for it; where there is none, as a quotient.
NodeId exact_number_node(Graph& graph, const std::string& text) {
  using Integer = boost::multiprecision::cpp_int;
  const auto slash = text.find('/');
  if (slash == std::string::npos) return graph.number(std::string_view(text));
  Integer numerator(text.substr(0, slash)), rest(text.substr(slash + 1));
  int exponent = 0;
  while (rest % 10 == 0) {
    rest /= 10;
    ++exponent;
  }
  for (const int factor : {2, 5})
    while (rest % factor == 0) {
      rest /= factor;
      numerator *= 10 / factor;
      ++exponent;
    }
  if (rest == 1) return graph.number(std::string_view(numerator.str() + "e-" + std::to_string(exponent)));
  return graph.div(graph.number(std::string_view(text.substr(0, slash))),
                   graph.number(std::string_view(text.substr(slash + 1))));
}

// The number of each node in the graph that is made. Formulas are simple already: making them again changes nothing.
std::vector<NodeId> make_nodes(const NodeList& list, Graph& graph) {
  const std::size_t count = list.op.size();
  if (list.a.size() != count || list.b.size() != count || list.c.size() != count)
    throw MemoryError("the nodes of the formulas are not complete");
  std::vector<NodeId> image;
  std::size_t number = 0;
  const auto argument = [&](NodeId i) {
    if (i >= image.size()) throw MemoryError("a formula refers to a node that is not there");
    return image[i];
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Node node{list.op[i], list.a[i], list.b[i], list.c[i]};
    if (node.op > Op::select) throw MemoryError("there is no such operation");
    const int k = arity(node.op);
    if (node.op == Op::constant) {
      if (number >= list.numbers.size()) throw MemoryError("a number is missing");
      image.push_back(exact_number_node(graph, list.numbers[number++]));
    } else if (node.op == Op::input) {
      image.push_back(graph.input());
    } else if (node.op == Op::pi) {
      image.push_back(graph.pi());
    } else {
      image.push_back(
          graph.rebuild(node, argument(node.a), k > 1 ? argument(node.b) : 0, k > 2 ? argument(node.c) : 0));
    }
  }
  return image;
}

template <class F>
void visit(F& f, NodeList& list) {
  f("operations", list.op);
  f("a", list.a);
  f("b", list.b);
  f("c", list.c);
  f("numbers", list.numbers);
}

// What was made of the nodes of another graph.
void put_into_graph(Model& model, const NodeList& list) {
  model.graph = std::make_shared<Graph>();
  const std::vector<NodeId> image = make_nodes(list, *model.graph);
  Renumber renumber(image);
  parts(renumber, model);
}

}  // namespace

std::string to_bytes(const Model& model) {
  Model copy = model;  // parts are visited in the same way to be read and to be written
  NodeList list = list_of(*model.graph);
  Save save;
  visit(save, list);
  parts(save, copy);
  return save.out.bytes();
}

Model model_from_bytes(std::string_view bytes) {
  Model model;
  NodeList list;
  Load load(bytes);
  visit(load, list);
  parts(load, model);
  if (!load.in.at_end()) throw MemoryError("something is left over");
  put_into_graph(model, list);
  return model;
}

}  // namespace holonom
