// Formulas of the graph and their proofs, and three models without constraints, for tests of modified equations.
#pragma once

#include <algorithm>
#include <random>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/zero_prover.hpp"
#include "models.hpp"

namespace holonom::test {

using Nodes = std::vector<NodeId>;

inline Model model_of(const std::string& text) {
  return parse_model("format = 1\nname = \"test\"\n" + text, "test.toml");
}

// q'' = f(q), where f is no gradient
inline constexpr const char* newton = R"model([field]
q.x = "v"
q.y = "w"
p.v = "sin(x*y) - x"
p.w = "x^2 - y^3"
[initial]
x = "0.5"
y = "0.3"
v = "0.2"
w = -1
)model";
inline constexpr const char* two_masses = R"model([coordinates]
names = ["x", "y"]
[energy]
mass = [2, "3/5"]
potential = "x^2*y + sin(x - 2*y)"
[initial]
q = { x = 0, y = "0.1" }
p = { x = "0.35", y = "0.2" }
)model";
inline constexpr const char* not_separable = R"model([coordinates]
names = ["x"]
[energy]
hamiltonian = "p_x^2*(1 + x^2)/2 + x*p_x/3 + x^4/4"
[initial]
q = { x = "0.6" }
p = { x = "0.5" }
)model";

inline bool proved_zero(Graph& g, NodeId y) { return ZeroProver(g, 5'000'000).is_zero(y); }
inline bool proved_equal(Graph& g, const Nodes& a, const Nodes& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!proved_zero(g, g.sub(a[i], b[i]))) return false;
  return true;
}
inline bool is_zero(const Nodes& F) {
  return std::all_of(F.begin(), F.end(), [](NodeId x) { return x == Graph::zero; });
}
// The largest of some formulas at random points, in 100 digits
inline double largest_value(Graph& g, const Nodes& formulas, const Nodes& y) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.25, 2);
  mp100 largest = 0;
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<mp100> at;
    for (std::size_t i = 0; i < y.size(); ++i) at.emplace_back(uniform(random));
    for (const mp100& x : values<mp100>(g, formulas, y, at)) keep_largest(largest, mp100(abs(x)));
  }
  return to_double(largest);
}
inline constexpr double round_off = 1e-95, of_decimals = 1e-90;

inline Nodes multiple(Graph& g, const char* c, const Nodes& x) {
  Nodes y;
  for (const NodeId component : x) y.push_back(g.mul(g.number(c), component));
  return y;
}
inline Nodes sum(Graph& g, const Nodes& a, const Nodes& b) {
  Nodes y;
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(g.add(a[i], b[i]));
  return y;
}
inline Nodes joined(Nodes a, const Nodes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Nodes over(Graph& g, long long k, Nodes x) {
  for (NodeId& component : x) component = g.div(component, g.number(k));
  return x;
}

}  // namespace holonom::test
