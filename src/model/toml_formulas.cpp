#include "toml_formulas.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"

namespace holonom {

namespace {

// A number as it will be read
NodeId number(const Graph& from, NodeId i, Graph& to) {
  FormulaStyle style;
  style.decimals = true;
  const std::string text = formula_texts(from, std::span(&i, 1), {}, style).formulas.front();
  return std::get<Expr>(parse_formula(text, Scope{&to, {}, {}, {}})).node;
}

bool is_negative(const Graph& g, NodeId i) {
  const Node& n = g[i];
  const NodeId c = n.op == Op::mul && !g.is_number(n.b) ? n.a : i;
  return g.is_number(c) && g.number_text(c).starts_with('-');
}

// The formulas in a graph of their own, with signs as they are read: a + (-2 b) is a - 2 b, to the last bit.
class Copy {
 public:
  Copy(const Graph& from, Graph& to) : from_(from), to_(to) {}

  std::unordered_map<NodeId, NodeId> image;

  void add(NodeId i) {
    if (image.contains(i)) return;
    const Node& n = from_[i];
    const int k = arity(n.op);
    const NodeId a = k > 0 ? image.at(n.a) : 0, b = k > 1 ? image.at(n.b) : 0, c = k > 2 ? image.at(n.c) : 0;
    image[i] = n.op == Op::constant ? number(from_, i, to_)
               : n.op == Op::add    ? settled(sum(a, b))
               : n.op == Op::sub    ? settled(difference(a, b))
               : n.op == Op::div    ? settled(quotient(a, b))
               : n.op == Op::sign   ? sign(a)
                                    : settled(to_.rebuild(n, a, b, c));
  }

 private:
  NodeId sum(NodeId a, NodeId b) {
    const bool below_a = is_negative(to_, a), below_b = is_negative(to_, b);
    if ((!below_a && !below_b) || have_equal_factors(a, b)) return to_.add(a, b);
    if (below_a && below_b) return to_.neg(to_.add(to_.neg(a), to_.neg(b)));
    return below_a ? to_.sub(b, to_.neg(a)) : to_.sub(a, to_.neg(b));
  }
  NodeId difference(NodeId a, NodeId b) {
    return is_negative(to_, b) && !have_equal_factors(a, b) ? sum(a, to_.neg(b)) : to_.sub(a, b);
  }
  // -1/b is read as (-1)/b
  NodeId quotient(NodeId a, NodeId b) {
    const bool below = to_.is_number(a) && !to_.is_number(b) && is_negative(to_, a);
    return below ? to_.neg(to_.div(to_.neg(a), b)) : to_.div(a, b);
  }
  // -(a - b) c is read as (b - a) c, and -(a - b)/3 as (b - a)/3
  NodeId settled(NodeId i) {
    const Node n = to_[i];
    if (n.op == Op::neg) return turned(n.a).value_or(i);
    if (n.op != Op::mul || !to_.is_number(n.a) || !to_.number_text(n.a).starts_with("-1/")) return i;
    const std::optional<NodeId> other = turned(n.b);
    return other ? to_.mul(to_.neg(n.a), *other) : i;
  }
  // -x, if that is a product with a difference in it
  std::optional<NodeId> turned(NodeId i) {
    const Node n = to_[i];
    if (n.op == Op::sub) return to_.sub(n.b, n.a);
    if (n.op != Op::mul && n.op != Op::div) return std::nullopt;
    if (const auto known = turned_.find(i); known != turned_.end()) return known->second;
    std::optional<NodeId> result;
    if (const auto a = turned(n.a))
      result = n.op == Op::mul ? to_.mul(*a, n.b) : to_.div(*a, n.b);
    else if (const auto b = n.op == Op::mul ? turned(n.b) : std::nullopt)
      result = to_.mul(n.a, *b);
    turned_[i] = result;
    return result;
  }
  // 3 a - 3 b would become 3 (a - b), which is rounded otherwise.
  bool have_equal_factors(NodeId a, NodeId b) {
    const Node x = to_[a], y = to_[b];
    return x.op == Op::mul && y.op == Op::mul && to_.is_number(x.a) && to_.is_number(y.a) &&
           (x.a == y.a || x.a == to_.neg(y.a));
  }
  NodeId sign(NodeId a) {
    const NodeId below = to_.select(to_.apply(Op::less, a, Graph::zero), to_.number(-1LL), Graph::zero);
    return to_.select(to_.apply(Op::less, Graph::zero, a), Graph::one, below);
  }

  const Graph& from_;
  Graph& to_;
  std::unordered_map<NodeId, std::optional<NodeId>> turned_;
};

// Nodes in an order that follows from their structure alone: by height, then by operation and arguments.
std::vector<NodeId> ordered(const Graph& g, std::span<const NodeId> roots) {
  struct Ranked {
    NodeId node;
    int height = 0;
    std::tuple<int, long, long, long> key{};
    std::string text;  // of a number
  };
  std::vector<Ranked> nodes;
  std::unordered_map<NodeId, int> height;
  for (const NodeId i : g.reachable(roots)) {
    const Node& n = g[i];
    const int k = arity(n.op);
    int h = 0;
    if (k > 0) h = std::max(h, height.at(n.a) + 1);
    if (k > 1) h = std::max(h, height.at(n.b) + 1);
    if (k > 2) h = std::max(h, height.at(n.c) + 1);
    height[i] = h;
    nodes.push_back({i, h, {}, n.op == Op::constant ? g.number_text(i) : std::string()});
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const Ranked& a, const Ranked& b) { return a.height < b.height; });
  std::unordered_map<NodeId, long> rank;
  for (auto begin = nodes.begin(); begin != nodes.end();) {
    const auto end = std::find_if(begin, nodes.end(), [&](const Ranked& x) { return x.height != begin->height; });
    for (auto it = begin; it != end; ++it) {
      const Node& n = g[it->node];
      const int k = arity(n.op);
      // Variables first, in their order; then numbers
      long a = n.op == Op::input ? static_cast<long>(n.a) : k > 0 ? rank.at(n.a) : 0;
      long b = n.op == Op::powi ? n.exponent() : k > 1 ? rank.at(n.b) : 0;
      if ((n.op == Op::add || n.op == Op::mul) && a > b) std::swap(a, b);
      it->key = {n.op == Op::input ? -1 : static_cast<int>(n.op), a, b, k > 2 ? rank.at(n.c) : 0};
    }
    std::sort(begin, end, [](const Ranked& x, const Ranked& y) {
      if (x.key != y.key) return x.key < y.key;
      return std::pair(x.text.size(), x.text) < std::pair(y.text.size(), y.text);
    });
    for (; begin != end; ++begin) rank.emplace(begin->node, static_cast<long>(rank.size()));
  }
  std::vector<NodeId> result;
  for (const Ranked& x : nodes) result.push_back(x.node);
  return result;
}

FormulaTexts texts_of(const Graph& graph, std::span<const NodeId> roots, const std::vector<NamedInput>& inputs,
                      const FormulaStyle& style) {
  Graph with_signs, in_order;
  Copy first(graph, with_signs), second(with_signs, in_order);
  std::unordered_map<std::string, NodeId> by_name;
  InputNames names;
  for (const NamedInput& x : inputs) {
    const auto [known, is_new] = by_name.try_emplace(x.name, Graph::zero);
    if (is_new) {
      known->second = with_signs.input();
      const NodeId input = second.image[known->second] = in_order.input();
      names[input] = x.name;
    }
    first.image[x.input] = known->second;
  }
  for (const NodeId i : graph.reachable(roots)) first.add(i);
  std::vector<NodeId> formulas;
  for (const NodeId r : roots) formulas.push_back(first.image.at(r));
  for (const NodeId i : ordered(with_signs, formulas)) second.add(i);
  for (NodeId& x : formulas) x = second.image.at(x);
  return formula_texts(in_order, formulas, names, style);
}

}  // namespace

FormulaTexts ordered_texts(const Graph& graph, std::span<const NodeId> roots, const std::vector<NamedInput>& inputs,
                           const std::string& abbreviation) {
  FormulaStyle style;
  style.abbreviation = abbreviation;
  style.decimals = true;
  return texts_of(graph, roots, inputs, style);
}

std::string ordered_text(const Graph& graph, NodeId root, const std::vector<NamedInput>& inputs,
                         const std::string& what) {
  constexpr double longest = 1e6;
  constexpr int deepest = 200;  // the parser ends at 500
  std::unordered_map<NodeId, std::pair<double, int>> size;
  for (const NodeId i : graph.reachable(std::span(&root, 1))) {
    const Node& n = graph[i];
    const NodeId arguments[] = {n.a, n.b, n.c};
    std::pair<double, int> whole{4, 0};
    for (int k = 0; k < arity(n.op); ++k) {
      const auto& [length, depth] = size.at(arguments[k]);
      whole = {whole.first + length, std::max(whole.second, depth + 1)};
    }
    size[i] = whole;
  }
  if (const auto& [length, depth] = size.at(root); length > longest || depth > deepest)
    throw InputError(what +
                     " is too long for a model file, which has no abbreviations there: give its values as numbers");
  FormulaStyle style;
  style.longest_repeated = 0;
  style.decimals = true;
  return texts_of(graph, std::span(&root, 1), inputs, style).formulas.front();
}

}  // namespace holonom
