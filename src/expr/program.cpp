#include "holonom/expr/program.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace holonom {

namespace {

// Powers become shared squarings and products: x¹² and x¹¹ have x², x⁴ and x⁸ in common.
// Mul nodes are written directly: Graph::mul would fold them into powers again.
struct Value {
  Op op;
  std::uint32_t a = 0, b = 0, c = 0;
  bool operator==(const Value&) const = default;
};
struct ValueHash {
  std::size_t operator()(const Value& v) const {
    std::size_t h = static_cast<std::size_t>(v.op);
    for (const std::size_t x : {v.a, v.b, v.c}) h = (h ^ (h >> 29)) * 0x9E3779B97F4A7C15ULL + x;
    return h;
  }
};

// Straight-line code in the order of creation, with constants and inputs as leaves.
class Lowering {
 public:
  std::uint32_t add(Value v) {
    const auto [it, fresh] = index_.try_emplace(v, static_cast<std::uint32_t>(values.size()));
    if (fresh) values.push_back(v);
    return it->second;
  }

  std::uint32_t power(std::uint32_t x, int k) {
    if (k < 0) return power(add({Op::div, one(), x}), -k);
    std::uint32_t result = 0;
    bool any = false;
    for (std::uint32_t square = x;; square = add({Op::mul, square, square})) {
      if (k & 1) {
        result = any ? add({Op::mul, result, square}) : square;
        any = true;
      }
      if ((k >>= 1) == 0) return result;
    }
  }

  std::uint32_t constant(const std::string& text) {
    const auto [it, fresh] = constant_index_.try_emplace(text, static_cast<std::uint32_t>(constants.size()));
    if (fresh) constants.push_back(text);
    return add({Op::constant, it->second});
  }
  std::uint32_t one() { return constant("1"); }

  std::vector<Value> values;
  std::vector<std::string> constants;

 private:
  std::unordered_map<Value, std::uint32_t, ValueHash> index_;
  std::unordered_map<std::string, std::uint32_t> constant_index_;
};

}  // namespace

Program::Program(Graph& graph, const std::vector<Block>& inputs, const std::vector<Block>& outputs) {
  Lowering low;
  std::unordered_map<NodeId, std::uint32_t> value_of;
  std::uint32_t slot = 0;
  for (const Block& block : inputs) {
    input_sizes.push_back(static_cast<std::uint32_t>(block.size()));
    for (const NodeId i : block) value_of[i] = low.add({Op::input, slot++});
  }
  Block roots;
  for (const Block& block : outputs) roots.insert(roots.end(), block.begin(), block.end());

  for (const NodeId i : graph.reachable(roots)) {
    if (value_of.contains(i)) continue;
    const Node& n = graph[i];
    const auto at = [&](NodeId j) { return value_of.at(j); };
    switch (n.op) {
      case Op::constant: value_of[i] = low.constant(graph.number_text(i)); break;
      case Op::pi: value_of[i] = low.constant("pi"); break;
      case Op::input: throw std::logic_error("a program reads an input that it was not given");
      case Op::powi: value_of[i] = low.power(at(n.a), n.exponent()); break;
      default: {
        const int k = arity(n.op);
        value_of[i] = low.add({n.op, at(n.a), k > 1 ? at(n.b) : 0, k > 2 ? at(n.c) : 0});
      }
    }
  }

  // Depth 0: leaves. Values built from constants alone belong to the prologue.
  const std::size_t count = low.values.size();
  std::vector<int> depth(count, 0);
  std::vector<bool> fixed(count, false);
  std::vector<std::uint32_t> once, always;
  for (std::uint32_t v = 0; v < count; ++v) {
    const Value& x = low.values[v];
    const int k = arity(x.op);
    if (k == 0) {
      fixed[v] = x.op == Op::constant;
      continue;
    }
    const std::uint32_t arguments[3] = {x.a, x.b, x.c};
    fixed[v] = true;
    for (int z = 0; z < k; ++z) {
      depth[v] = std::max(depth[v], depth[arguments[z]] + 1);
      fixed[v] = fixed[v] && fixed[arguments[z]];
    }
    (fixed[v] ? once : always).push_back(v);
  }
  const auto by_depth_and_operation = [&](std::uint32_t x, std::uint32_t y) {
    return depth[x] != depth[y] ? depth[x] < depth[y] : low.values[x].op < low.values[y].op;
  };
  std::stable_sort(once.begin(), once.end(), by_depth_and_operation);
  std::stable_sort(always.begin(), always.end(), by_depth_and_operation);

  constants = low.constants;
  std::vector<std::uint32_t> place(count, 0);
  for (std::uint32_t v = 0; v < count; ++v) {
    if (low.values[v].op == Op::constant) place[v] = low.values[v].a;
  }
  auto next = static_cast<std::uint32_t>(constants.size());
  for (const std::uint32_t v : once) place[v] = next++;
  first_input = next;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (low.values[v].op == Op::input) place[v] = first_input + low.values[v].a;
  }
  first_temporary = next = first_input + slot;
  for (const std::uint32_t v : always) place[v] = next++;
  registers = next;

  const auto emit = [&](const std::vector<std::uint32_t>& order, std::vector<SameOperations>& runs,
                        std::vector<std::uint32_t>& arguments) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Value& x = low.values[order[i]];
      const bool joins = i > 0 && low.values[order[i - 1]].op == x.op && depth[order[i - 1]] == depth[order[i]];
      if (joins) {
        ++runs.back().count;
      } else {
        runs.push_back({x.op, 1});
      }
      const int k = arity(x.op);
      arguments.push_back(place[x.a]);
      if (k > 1) arguments.push_back(place[x.b]);
      if (k > 2) arguments.push_back(place[x.c]);
    }
  };
  emit(once, prologue, prologue_arguments);
  emit(always, body, body_arguments);

  for (const Block& block : outputs) {
    output_registers.emplace_back();
    for (const NodeId i : block) output_registers.back().push_back(place[value_of.at(i)]);
  }
}

}  // namespace holonom
