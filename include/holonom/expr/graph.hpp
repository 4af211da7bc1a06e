// The expression graph: hash-consed scalar nodes, so that equal subexpressions are one node.
// Constants are exact rationals, as written: 0.1 is one tenth until a program is evaluated in some
// scalar. Nodes are only ever added; an argument always has a smaller number than its user.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holonom {

enum class Op : std::uint8_t {
  constant,
  pi,
  input,
  add,
  sub,
  mul,
  div,
  neg,
  powi,  // integer power: b holds the exponent
  pow,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  floor,
  min,
  max,
  less,
  less_equal,
  equal,   // 1 or 0
  select,  // a ≠ 0 ? b : c
};

using NodeId = std::uint32_t;

struct Node {
  Op op;
  NodeId a = 0, b = 0, c = 0;
  bool operator==(const Node&) const = default;
  int exponent() const { return static_cast<std::int32_t>(b); }
};

// How many of a, b, c are nodes.
int arity(Op op);

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  static constexpr NodeId zero = 0, one = 1;

  // Numbers. `text` is a decimal such as "-1.5e-3"; a double stands for its exact binary value.
  NodeId number(std::string_view text);
  NodeId number(long long k);
  NodeId number(double x);
  NodeId pi() { return make({Op::pi}); }
  NodeId input();  // a new variable

  NodeId add(NodeId a, NodeId b);
  NodeId sub(NodeId a, NodeId b);
  NodeId mul(NodeId a, NodeId b);
  NodeId div(NodeId a, NodeId b);
  NodeId neg(NodeId a);
  NodeId pow(NodeId a, NodeId b);
  NodeId powi(NodeId a, int k);
  NodeId apply(Op op, NodeId a);            // sqrt ... tanh, abs, sign
  NodeId apply(Op op, NodeId a, NodeId b);  // any operation of two arguments
  NodeId select(NodeId condition, NodeId yes, NodeId no);

  const Node& operator[](NodeId i) const { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_number(NodeId i) const { return nodes_[i].op == Op::constant; }
  std::string number_text(NodeId i) const;  // exact: "3" or "1/10"
  bool is_integer(NodeId i, int& k) const;  // an integer constant that fits an exponent

  // All nodes that `roots` depend on, arguments first.
  std::vector<NodeId> reachable(std::span<const NodeId> roots) const;
  // The same expressions with some inputs replaced.
  std::vector<NodeId> substitute(std::span<const NodeId> roots, const std::unordered_map<NodeId, NodeId>& by);
  // Rebuilds node `i` (an operation) with new arguments, simplifying again.
  NodeId rebuild(const Node& node, NodeId a, NodeId b, NodeId c);

 private:
  struct Numbers;
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  NodeId make(Node node);
  bool has_constant_factor(NodeId i) const;

  std::vector<Node> nodes_;
  std::unordered_map<Node, NodeId, Hash> table_;
  std::unique_ptr<Numbers> numbers_;
  std::uint32_t inputs_ = 0;
};

// "0.1" as an exact number, "1/10". Throws std::invalid_argument.
std::string exact_text(std::string_view decimal);

// The value of an exact number ("3", "1/10") in the scalar S, rounded once.
template <class S>
S exact_number(std::string_view text);

}  // namespace holonom
