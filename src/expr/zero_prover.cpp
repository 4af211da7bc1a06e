#include "holonom/expr/zero_prover.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <tuple>

namespace holonom {

namespace {

namespace mp = boost::multiprecision;
using Rational = mp::cpp_rational;

// Π atomᵉ, sorted by atom, no exponent zero
using Monomial = std::vector<std::pair<int, long long>>;
using Polynomial = std::map<Monomial, Rational>;

// What a number in a Monomial stands for
struct Atom {
  enum class Kind : std::uint8_t { opaque, root, cosine, denominator } kind = Kind::opaque;
  Polynomial P;  // root: √P, denominator: P, cosine: its square
  // What it was made of: an input or π, or an operation on polynomials with these numbers
  NodeId node = Graph::zero;
  Op op = Op::input;
  int a = -1, b = -1, c = -1;
};

struct TooLarge {};

constexpr long long largest_exponent = 1'000'000'000'000;
// in bits: numerator and denominator together
constexpr unsigned largest_coefficient = 10'000;

unsigned bits(const Rational& r) {
  const auto of = [](const mp::cpp_int& k) { return k == 0 ? 0U : static_cast<unsigned>(mp::msb(mp::abs(k))); };
  return of(mp::numerator(r)) + of(mp::denominator(r));
}

void add_to(Polynomial& sum, const Monomial& m, const Rational& c) {
  if (c == 0) return;
  const auto [it, fresh] = sum.try_emplace(m, c);
  if (fresh) return;
  it->second += c;
  if (it->second == 0) sum.erase(it);
}

Polynomial constant(const Rational& c) {
  Polynomial p;
  add_to(p, {}, c);
  return p;
}

Polynomial scaled(Polynomial p, const Rational& c) {
  for (auto& term : p) term.second *= c;
  return p;
}

bool is_odd(Op op) {
  return op == Op::sin || op == Op::tan || op == Op::asin || op == Op::atan || op == Op::sinh || op == Op::tanh ||
         op == Op::sign;
}
bool is_even(Op op) { return op == Op::cos || op == Op::cosh || op == Op::abs; }

}  // namespace

class ZeroProver::Algebra {
 public:
  Algebra(Graph& graph, long work) : graph_(graph), work_(work) {}

  bool gave_up() const { return work_ < 0; }

  // A normal form of a node, arguments first.
  const Polynomial& normal(NodeId y) {
    if (const auto it = known_.find(y); it != known_.end()) return it->second;
    for (const NodeId i : graph_.reachable(std::span(&y, 1)))
      if (!known_.contains(i)) known_.emplace(i, of_node(i));
    return known_.at(y);
  }

  // Times all denominators, the latest first: what they stand for is made of earlier atoms.
  bool vanishes(Polynomial p) {
    while (!p.empty()) {
      int last = -1;
      long long power_of_it = 0;
      for (const auto& [m, c] : p)
        for (const auto& [atom, e] : m)
          if (e < 0 && is_divisor(atom) && atom >= last) {
            power_of_it = atom > last ? -e : std::max(power_of_it, -e);
            last = atom;
          }
      if (last < 0) return false;
      p = times_power(p, last, power_of_it);
    }
    return true;
  }

  NodeId node_of(const Polynomial& p) {
    NodeId total = Graph::zero;
    for (const auto& [m, c] : p) {
      NodeId above = Graph::one, below = Graph::one;
      for (const auto& [atom, e] : m) {
        if (std::abs(e) > largest_power) throw TooLarge();
        NodeId& factors = e > 0 ? above : below;
        factors = graph_.mul(factors, graph_.powi(node_of_atom(atom), static_cast<int>(std::abs(e))));
      }
      const NodeId term = graph_.mul(number(mp::abs(c)), graph_.div(above, below));
      total = c < 0 ? graph_.sub(total, term) : graph_.add(total, term);
    }
    return total;
  }

 private:
  static constexpr long long largest_power = 1'000'000;

  NodeId number(const Rational& c) {
    const NodeId above = graph_.number(mp::numerator(c).str());
    return graph_.div(above, graph_.number(mp::denominator(c).str()));
  }
  NodeId node_of_atom(int i) {
    const Atom atom = atoms_[static_cast<std::size_t>(i)];
    const auto argument = [&](int k) { return node_of(*polynomials_[static_cast<std::size_t>(k)]); };
    if (atom.op == Op::input) return atom.node;
    if (atom.kind == Atom::Kind::denominator) return node_of(atom.P);
    if (atom.c >= 0) return graph_.select(argument(atom.a), argument(atom.b), argument(atom.c));
    return atom.b >= 0 ? graph_.apply(atom.op, argument(atom.a), argument(atom.b))
                       : graph_.apply(atom.op, argument(atom.a));
  }

  bool is_divisor(int atom) const {
    const auto kind = atoms_[static_cast<std::size_t>(atom)].kind;
    return kind == Atom::Kind::denominator || kind == Atom::Kind::cosine;
  }

  void spend(std::size_t amount) {
    if (work_ >= 0) work_ -= static_cast<long>(amount);
    if (work_ < 0) throw TooLarge();
  }
  void check(const Rational& c) {
    const unsigned size = bits(c);
    if (size > largest_coefficient) throw TooLarge();
    spend(size / 256);
  }

  int new_atom(Atom atom) {
    atoms_.push_back(std::move(atom));
    return static_cast<int>(atoms_.size()) - 1;
  }
  static Polynomial power_of_atom(int atom, long long e) { return {{Monomial{{atom, e}}, Rational(1)}}; }

  // Equal polynomials have equal numbers.
  int number_of(const Polynomial& p) {
    spend(p.size());
    const auto [it, fresh] = numbers_.try_emplace(p, static_cast<int>(numbers_.size()));
    if (fresh) polynomials_.push_back(&it->first);
    return it->second;
  }
  // The atom op(a, b, c) of arguments with these numbers
  int function(Op op, int a, int b = -1, int c = -1, Atom atom = {}) {
    const auto key = std::make_tuple(op, a, b, c);
    if (const auto it = functions_.find(key); it != functions_.end()) return it->second;
    atom.op = op;
    atom.a = a;
    atom.b = b;
    atom.c = c;
    const int id = new_atom(std::move(atom));
    functions_.emplace(key, id);
    return id;
  }

  Polynomial sum(const Polynomial& a, const Polynomial& b, const Rational& factor) {
    Polynomial s = a;
    spend(a.size() + b.size());
    for (const auto& [m, c] : b) add_to(s, m, c * factor);
    return s;
  }

  static Monomial joined(const Monomial& a, const Monomial& b) {
    Monomial m;
    auto i = a.begin(), j = b.begin();
    while (i != a.end() || j != b.end()) {
      if (j == b.end() || (i != a.end() && i->first < j->first)) {
        m.push_back(*i++);
      } else if (i == a.end() || j->first < i->first) {
        m.push_back(*j++);
      } else {
        const long long e = i->second + j->second;
        if (std::abs(e) > largest_exponent) throw TooLarge();
        if (e != 0) m.emplace_back(i->first, e);
        ++i;
        ++j;
      }
    }
    return m;
  }

  Polynomial product(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    for (const auto& [ma, ca] : a)
      for (const auto& [mb, cb] : b) {
        spend(1 + (ma.size() + mb.size()) / 4);
        const Rational c = ca * cb;
        check(c);
        add_reduced(result, joined(ma, mb), c);
      }
    return result;
  }

  // Roots have the exponents 0 and 1 alone, cosines no larger ones than 1.
  void add_reduced(Polynomial& result, Monomial m, const Rational& c) {
    for (std::size_t k = 0; k < m.size(); ++k) {
      const auto [atom, e] = m[k];
      const Atom::Kind kind = atoms_[static_cast<std::size_t>(atom)].kind;
      const bool reduce = (kind == Atom::Kind::root && (e < 0 || e > 1)) || (kind == Atom::Kind::cosine && e > 1);
      if (!reduce) continue;
      const long long odd = e & 1, squares = (e - odd) / 2;
      if (odd)
        m[k].second = 1;
      else
        m.erase(m.begin() + static_cast<std::ptrdiff_t>(k));
      const Polynomial P = atoms_[static_cast<std::size_t>(atom)].P;  // a copy: the list may grow
      for (const auto& [mp_, cp] : power(P, squares)) {
        spend(1);
        const Rational product_of_both = c * cp;
        check(product_of_both);
        add_reduced(result, joined(m, mp_), product_of_both);
      }
      return;
    }
    add_to(result, m, c);
  }

  Polynomial power(const Polynomial& p, long long k) {
    if (k == 0) return constant(1);
    if (p.empty()) {
      if (k < 0) throw TooLarge();  // 1/0: nothing is known of it
      return {};
    }
    if (p.size() == 1) {
      const auto& [m, c] = *p.begin();
      Monomial raised = m;
      for (auto& factor : raised) {
        if (std::abs(factor.second) > largest_exponent / std::abs(k)) throw TooLarge();
        factor.second *= k;
      }
      Polynomial result;
      add_reduced(result, raised, coefficient_power(c, k));
      return result;
    }
    if (k < 0) {
      const Rational first = p.begin()->second;
      Polynomial P = scaled(p, 1 / first);
      const int number = number_of(P);
      const int D = function(Op::div, number, -1, -1, {.kind = Atom::Kind::denominator, .P = std::move(P)});
      return scaled(power_of_atom(D, k), coefficient_power(first, k));
    }
    Polynomial result = constant(1), square = p;
    for (;; square = product(square, square)) {
      if (k & 1) result = product(result, square);
      if ((k >>= 1) == 0) return result;
    }
  }
  static Rational coefficient_power(const Rational& c, long long k) {
    if (c == 1) return c;
    if (c == -1) return k & 1 ? c : Rational(1);
    if (std::abs(k) > largest_coefficient || bits(c) * std::abs(k) > largest_coefficient) throw TooLarge();
    const auto u = static_cast<unsigned>(std::abs(k));
    const Rational r(mp::pow(mp::cpp_int(mp::numerator(c)), u), mp::pow(mp::cpp_int(mp::denominator(c)), u));
    return k > 0 ? r : Rational(1 / r);
  }

  // p Dᵏ, where D has no exponent below −k
  Polynomial times_power(const Polynomial& p, int D, long long k) {
    const Atom atom = atoms_[static_cast<std::size_t>(D)];
    Polynomial result;
    for (const auto& [m, c] : p) {
      Monomial rest;
      long long e = k;
      for (const auto& factor : m)
        if (factor.first == D)
          e += factor.second;
        else
          rest.push_back(factor);
      Polynomial term;
      add_reduced(term, rest, c);
      const Polynomial cleared =
          product(term, atom.kind == Atom::Kind::denominator ? power(atom.P, e) : power(power_of_atom(D, 1), e));
      for (const auto& [mc, cc] : cleared) add_to(result, mc, cc);
    }
    return result;
  }

  Polynomial of_function(Op op, Polynomial argument) {
    Rational factor(1);
    if ((is_odd(op) || is_even(op)) && !argument.empty() && argument.begin()->second < 0) {
      argument = scaled(std::move(argument), -1);
      if (is_odd(op)) factor = -1;
    }
    const int number = number_of(argument);
    Atom atom;
    if (op == Op::sqrt) {
      if (argument.empty()) return {};
      atom = {.kind = Atom::Kind::root, .P = std::move(argument)};
    } else if (op == Op::cos || op == Op::cosh) {  // the sine comes first
      const int sine = function(op == Op::cos ? Op::sin : Op::sinh, number);
      const Rational sign(op == Op::cos ? -1 : 1);
      atom = {.kind = Atom::Kind::cosine, .P = sum(constant(1), power_of_atom(sine, 2), sign)};
    }
    return scaled(power_of_atom(function(op, number, -1, -1, std::move(atom)), 1), factor);
  }

  Polynomial of_node(NodeId i) {
    const Node n = graph_[i];
    const auto at = [&](NodeId k) -> const Polynomial& { return known_.at(k); };
    spend(1);
    switch (n.op) {
      case Op::constant: return constant(Rational(graph_.number_text(i)));
      case Op::pi:
      case Op::input: return power_of_atom(new_atom({.P = {}, .node = i}), 1);
      case Op::add: return sum(at(n.a), at(n.b), 1);
      case Op::sub: return sum(at(n.a), at(n.b), -1);
      case Op::neg: return scaled(at(n.a), -1);
      case Op::mul: return product(at(n.a), at(n.b));
      case Op::div: return product(at(n.a), power(at(n.b), -1));
      case Op::powi: return power(at(n.a), n.exponent());
      default: break;
    }
    if (arity(n.op) == 1) return of_function(n.op, at(n.a));
    const int a = number_of(at(n.a)), b = number_of(at(n.b));
    return power_of_atom(function(n.op, a, b, arity(n.op) > 2 ? number_of(at(n.c)) : -1), 1);
  }

  Graph& graph_;
  long work_;
  std::vector<Atom> atoms_;
  std::map<Polynomial, int> numbers_;
  std::vector<const Polynomial*> polynomials_;  // by their numbers
  std::map<std::tuple<Op, int, int, int>, int> functions_;
  std::unordered_map<NodeId, Polynomial> known_;
};

ZeroProver::ZeroProver(Graph& graph, long work) : graph_(graph), algebra_(std::make_unique<Algebra>(graph, work)) {}
ZeroProver::~ZeroProver() = default;

bool ZeroProver::gave_up() const { return algebra_->gave_up(); }

namespace {

// Of the expression written out, without common parts
double length(const Graph& graph, NodeId y) {
  std::unordered_map<NodeId, double> known;
  for (const NodeId i : graph.reachable(std::span(&y, 1))) {
    const Node& n = graph[i];
    const int k = arity(n.op);
    known[i] = 1 + (k > 0 ? known[n.a] : 0) + (k > 1 ? known[n.b] : 0) + (k > 2 ? known[n.c] : 0);
  }
  return known[y];
}

}  // namespace

NodeId ZeroProver::simplified(NodeId y) {
  try {
    const NodeId normal = algebra_->node_of(algebra_->normal(y));
    return length(graph_, normal) < length(graph_, y) ? normal : y;
  } catch (const TooLarge&) {
    return y;
  }
}

bool ZeroProver::is_zero(NodeId y) {
  constexpr int most_conditions = 6;
  try {
    return is_zero(y, most_conditions);
  } catch (const TooLarge&) {
    return false;
  }
}

bool ZeroProver::is_zero(NodeId y, int conditions) {
  if (y == Graph::zero) return true;
  if (graph_.is_number(y)) return false;
  if (algebra_->vanishes(algebra_->normal(y))) return true;
  if (conditions == 0) return false;
  // A condition is true or false for all choices that depend on it.
  const std::vector<NodeId> nodes = graph_.reachable(std::span(&y, 1));
  const auto first = std::find_if(nodes.begin(), nodes.end(), [&](NodeId i) { return graph_[i].op == Op::select; });
  if (first == nodes.end()) return false;
  const NodeId condition = graph_[*first].a;
  for (const bool yes : {true, false}) {
    std::unordered_map<NodeId, NodeId> by;
    for (const NodeId i : nodes)
      if (const Node n = graph_[i]; n.op == Op::select && n.a == condition) by[i] = yes ? n.b : n.c;
    if (!is_zero(graph_.substitute(std::span(&y, 1), by)[0], conditions - 1)) return false;
  }
  return true;
}

}  // namespace holonom
