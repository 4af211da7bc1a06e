#include "holonom/expr/graph.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <stdexcept>

#include "holonom/expr/graph_copy.hpp"

namespace holonom {

namespace mp = boost::multiprecision;
using Rational = mp::cpp_rational;
using Integer = mp::cpp_int;

namespace {

// Beyond this size folding two numbers into one costs more than it saves.
constexpr unsigned max_bits = 4096;

bool is_small(const Rational& r) {
  const auto bits = [](const Integer& k) { return k == 0 ? 0u : static_cast<unsigned>(mp::msb(mp::abs(k))); };
  return bits(mp::numerator(r)) < max_bits && bits(mp::denominator(r)) < max_bits;
}

// Decimal exponents, and numbers of digits, beyond this are outside every scalar's useful range.
constexpr int max_exponent = 5000;

// Powers of powers are joined up to this exponent.
constexpr long long max_power = 1'000'000'000;
bool is_power(long long exponent) { return std::abs(exponent) <= max_power; }

Rational parse_decimal(std::string_view text) {
  Integer digits = 0;
  int exponent = 0;
  bool negative = false, seen_point = false;
  int count = 0;
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      digits = digits * 10 + (c - '0');
      exponent -= seen_point;
      if (++count > max_exponent) throw std::out_of_range("too many digits");
    } else if (c == '.' && !seen_point) {
      seen_point = true;
    } else if (c != '_') {
      break;
    }
  }
  if (count > 0 && i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::string tail(text.substr(i + 1));
    std::size_t read = 0;
    const int written = std::stoi(tail, &read);
    if (read != tail.size()) throw std::invalid_argument("not a number: " + std::string(text));
    if (std::abs(written) > max_exponent) throw std::out_of_range("exponent out of range in " + std::string(text));
    exponent += written;
  } else if (count == 0 || i != text.size()) {
    throw std::invalid_argument("not a number: " + std::string(text));
  }
  const Integer scale = mp::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  Rational r = exponent < 0 ? Rational(digits, scale) : Rational(digits * scale);
  return negative ? Rational(-r) : r;
}

struct RationalHash {
  std::size_t operator()(const Rational& r) const { return hash_value(r); }
};

}  // namespace

std::string exact_text(std::string_view decimal) { return parse_decimal(decimal).str(); }

int arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::pi:
    case Op::input: return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::pow:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::less_equal:
    case Op::equal: return 2;
    case Op::select: return 3;
    default: return 1;
  }
}

std::shared_ptr<Graph> copy_with_numbers(const Graph& g);

struct Graph::Numbers {
  std::vector<Rational> values;
  std::unordered_map<Rational, NodeId, RationalHash> index;

  NodeId node(Graph& g, const Rational& r) {
    if (const auto it = index.find(r); it != index.end()) return it->second;
    values.push_back(r);
    const NodeId id = g.make({Op::constant, static_cast<NodeId>(values.size() - 1)});
    index.emplace(r, id);
    return id;
  }
  const Rational& operator()(const Graph& g, NodeId i) const { return values[g.nodes_[i].a]; }

  static std::shared_ptr<Graph> copied(const Graph& g) {
    auto copy = std::make_shared<Graph>();
    copy->nodes_ = g.nodes_;
    copy->table_ = g.table_;
    *copy->numbers_ = *g.numbers_;
    copy->inputs_ = g.inputs_;
    return copy;
  }
  friend std::shared_ptr<Graph> copy_with_numbers(const Graph& g) { return copied(g); }
};

std::size_t Graph::Hash::operator()(const Node& n) const {
  std::uint64_t h = static_cast<std::uint64_t>(n.op) * 0x9E3779B97F4A7C15ULL;
  for (const std::uint64_t x : {n.a, n.b, n.c}) {
    h ^= h >> 29;
    h = (h + x) * 0xBF58476D1CE4E5B9ULL;
  }
  return h ^ (h >> 31);
}

Graph::Graph() : numbers_(std::make_unique<Numbers>()) {
  number(0LL);
  number(1LL);
}
Graph::~Graph() = default;

std::shared_ptr<Graph> copy_of(const Graph& graph) { return copy_with_numbers(graph); }

NodeId Graph::make(Node node) {
  const auto [it, fresh] = table_.try_emplace(node, static_cast<NodeId>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return it->second;
}

NodeId Graph::number(std::string_view text) { return numbers_->node(*this, parse_decimal(text)); }
NodeId Graph::number(long long k) { return numbers_->node(*this, Rational(k)); }
NodeId Graph::number(double x) {
  if (!std::isfinite(x)) throw std::invalid_argument("a constant of a formula must be finite");
  return numbers_->node(*this, Rational(x));
}
NodeId Graph::input() { return make({Op::input, inputs_++}); }

std::string Graph::number_text(NodeId i) const { return (*numbers_)(*this, i).str(); }

bool Graph::is_integer(NodeId i, int& k) const {
  if (!is_number(i)) return false;
  const Rational& r = (*numbers_)(*this, i);
  if (mp::denominator(r) != 1 || mp::abs(mp::numerator(r)) > 1000000) return false;
  k = static_cast<int>(mp::numerator(r));
  return true;
}

// Constants are kept in front of a product, and pulled outward, so that derivatives share the rest.
// A product of two numbers (too large to be one) is not such a product: pulling would never end.
bool Graph::has_constant_factor(NodeId i) const {
  return nodes_[i].op == Op::mul && is_number(nodes_[i].a) && !is_number(nodes_[i].b);
}

NodeId Graph::add(NodeId a, NodeId b) {
  if (a == zero) return b;
  if (b == zero) return a;
  if (is_number(a) && is_number(b)) {
    const Rational r = (*numbers_)(*this, a) + (*numbers_)(*this, b);
    if (is_small(r)) return numbers_->node(*this, r);
  }
  const Node x = nodes_[a], y = nodes_[b];
  if (y.op == Op::neg) return sub(a, y.a);
  if (x.op == Op::neg) return sub(b, x.a);
  if (a == b) return mul(number(2LL), a);
  if (has_constant_factor(a) && has_constant_factor(b) && x.a == y.a) return mul(x.a, add(x.b, y.b));
  if (a > b) std::swap(a, b);
  return make({Op::add, a, b});
}

NodeId Graph::sub(NodeId a, NodeId b) {
  if (a == b) return zero;
  if (b == zero) return a;
  if (a == zero) return neg(b);
  if (is_number(a) && is_number(b)) {
    const Rational r = (*numbers_)(*this, a) - (*numbers_)(*this, b);
    if (is_small(r)) return numbers_->node(*this, r);
  }
  const Node x = nodes_[a], y = nodes_[b];
  if (y.op == Op::neg) return add(a, y.a);
  if (has_constant_factor(a) && has_constant_factor(b) && x.a == y.a) return mul(x.a, sub(x.b, y.b));
  return make({Op::sub, a, b});
}

NodeId Graph::neg(NodeId a) {
  const Node x = nodes_[a];
  if (is_number(a)) return numbers_->node(*this, Rational(-(*numbers_)(*this, a)));
  if (x.op == Op::neg) return x.a;
  if (x.op == Op::sub) return sub(x.b, x.a);
  if (has_constant_factor(a)) return mul(neg(x.a), x.b);
  return make({Op::neg, a});
}

NodeId Graph::mul(NodeId a, NodeId b) {
  if (a == zero || b == zero) return zero;
  if (a == one) return b;
  if (b == one) return a;
  if (is_number(b)) std::swap(a, b);
  if (is_number(a) && is_number(b)) {
    const Rational r = (*numbers_)(*this, a) * (*numbers_)(*this, b);
    if (is_small(r)) return numbers_->node(*this, r);
  }
  const Node x = nodes_[a], y = nodes_[b];
  if (is_number(a)) {
    if ((*numbers_)(*this, a) == -1) return neg(b);
    if (y.op == Op::neg) return mul(neg(a), y.a);
    if (has_constant_factor(b)) return mul(mul(a, y.a), y.b);
    return make({Op::mul, a, b});
  }
  if (x.op == Op::neg) return neg(mul(x.a, b));
  if (y.op == Op::neg) return neg(mul(a, y.a));
  if (has_constant_factor(a)) return mul(x.a, mul(x.b, b));
  if (has_constant_factor(b)) return mul(y.a, mul(a, y.b));
  if (a == b) return powi(a, 2);
  if (x.op == Op::powi && x.a == b) return powi(b, x.exponent() + 1);
  if (y.op == Op::powi && y.a == a) return powi(a, y.exponent() + 1);
  if (x.op == Op::powi && y.op == Op::powi && x.a == y.a && is_power(0LL + x.exponent() + y.exponent()))
    return powi(x.a, x.exponent() + y.exponent());
  if (a > b) std::swap(a, b);
  return make({Op::mul, a, b});
}

NodeId Graph::div(NodeId a, NodeId b) {
  if (a == zero && b != zero) return zero;
  if (b == one) return a;
  if (is_number(b) && b != zero) {
    const Rational r = 1 / (*numbers_)(*this, b);
    return mul(numbers_->node(*this, r), a);
  }
  if (nodes_[a].op == Op::neg) return neg(div(nodes_[a].a, b));
  if (nodes_[b].op == Op::neg) return neg(div(a, nodes_[b].a));
  if (has_constant_factor(a)) return mul(nodes_[a].a, div(nodes_[a].b, b));
  // (1/b)^k shares one reciprocal among all powers of b.
  const Node y = nodes_[b];
  if (y.op == Op::powi) return mul(a, powi(y.a, -y.exponent()));
  return make({Op::div, a, b});
}

NodeId Graph::powi(NodeId a, int k) {
  if (k == 0) return one;
  if (k == 1) return a;
  if (is_number(a) && !(k < 0 && a == zero)) {
    const Rational& r = (*numbers_)(*this, a);
    if (std::abs(k) <= 64) {
      const auto u = static_cast<unsigned>(std::abs(k));
      Rational y(mp::pow(Integer(mp::numerator(r)), u), mp::pow(Integer(mp::denominator(r)), u));
      if (k < 0) y = 1 / y;
      if (is_small(y)) return numbers_->node(*this, y);
    }
  }
  const Node x = nodes_[a];
  if (x.op == Op::powi && is_power(1LL * x.exponent() * k)) return powi(x.a, x.exponent() * k);
  if (x.op == Op::neg) return k % 2 == 0 ? powi(x.a, k) : neg(powi(x.a, k));
  if (x.op == Op::sqrt && k % 2 == 0 && k > 0) return powi(x.a, k / 2);
  if (has_constant_factor(a)) return mul(powi(x.a, k), powi(x.b, k));
  if (k == -1) return div(one, a);
  return make({Op::powi, a, static_cast<NodeId>(k)});
}

NodeId Graph::pow(NodeId a, NodeId b) {
  if (int k = 0; is_integer(b, k)) return powi(a, k);
  if (int k = 0; is_integer(mul(number(2LL), b), k)) {  // half-integer powers by one square root
    const NodeId root = apply(Op::sqrt, a);
    return k > 0 ? mul(powi(a, (k - 1) / 2), root) : div(powi(a, (k + 1) / 2), root);
  }
  return make({Op::pow, a, b});
}

NodeId Graph::apply(Op op, NodeId a) {
  if (op == Op::neg) return neg(a);
  if (a == zero && (op == Op::sin || op == Op::tan || op == Op::sinh || op == Op::tanh || op == Op::asin ||
                    op == Op::atan || op == Op::sqrt || op == Op::abs))
    return zero;
  if (a == zero && (op == Op::cos || op == Op::cosh || op == Op::exp)) return one;
  if (a == one && (op == Op::sqrt || op == Op::abs)) return one;
  if (a == one && op == Op::log) return zero;
  return make({op, a});
}

NodeId Graph::apply(Op op, NodeId a, NodeId b) {
  switch (op) {
    case Op::add: return add(a, b);
    case Op::sub: return sub(a, b);
    case Op::mul: return mul(a, b);
    case Op::div: return div(a, b);
    case Op::pow: return pow(a, b);
    case Op::min:
    case Op::max:
      if (a == b) return a;
      break;
    default: break;
  }
  return make({op, a, b});
}

NodeId Graph::select(NodeId condition, NodeId yes, NodeId no) {
  if (yes == no || condition == one) return yes;
  if (condition == zero) return no;
  return make({Op::select, condition, yes, no});
}

NodeId Graph::rebuild(const Node& node, NodeId a, NodeId b, NodeId c) {
  if (node.op == Op::powi) return powi(a, node.exponent());
  switch (arity(node.op)) {
    case 1: return apply(node.op, a);
    case 2: return apply(node.op, a, b);
    case 3: return select(a, b, c);
    default: return make(node);
  }
}

std::vector<NodeId> Graph::reachable(std::span<const NodeId> roots) const {
  std::vector<NodeId> stack(roots.begin(), roots.end()), found;
  std::unordered_map<NodeId, bool> seen;
  while (!stack.empty()) {
    const NodeId i = stack.back();
    stack.pop_back();
    if (!seen.emplace(i, true).second) continue;
    found.push_back(i);
    const Node& n = nodes_[i];
    const int k = arity(n.op);
    if (k > 0) stack.push_back(n.a);
    if (k > 1) stack.push_back(n.b);
    if (k > 2) stack.push_back(n.c);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<NodeId> Graph::substitute(std::span<const NodeId> roots, const std::unordered_map<NodeId, NodeId>& by) {
  std::unordered_map<NodeId, NodeId> image(by);
  const auto at = [&](NodeId i) {
    const auto it = image.find(i);
    return it == image.end() ? i : it->second;
  };
  for (const NodeId i : reachable(roots)) {
    if (image.contains(i)) continue;
    const Node n = nodes_[i];
    const int k = arity(n.op);
    if (k == 0) continue;
    image[i] = rebuild(n, at(n.a), k > 1 ? at(n.b) : 0, k > 2 ? at(n.c) : 0);
  }
  std::vector<NodeId> result;
  for (const NodeId r : roots) result.push_back(at(r));
  return result;
}

}  // namespace holonom
