#include "graph_pairs.hpp"

#include <map>

#include "holonom/coefficients/explicit_tableau.hpp"
#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"

namespace holonom {

namespace {

using Row = std::vector<const char*>;

// Formulas of numbers
std::vector<NodeId> numbers(Graph& graph, const Row& row) {
  std::vector<NodeId> nodes;
  for (const char* formula : row)
    nodes.push_back(std::get<Expr>(parse_formula(formula, Scope{&graph, {}, {}, {}})).node);
  return nodes;
}

struct Coefficients {
  std::vector<Row> A;
  Row b;
  std::vector<Row> A_hat = A;  // and b̂ = b
};

GraphPair pair_of(Graph& graph, const Coefficients& given) {
  GraphPair pair;
  for (const Row& row : given.A) pair.A.push_back(numbers(graph, row));
  for (const Row& row : given.A_hat) pair.A_hat.push_back(numbers(graph, row));
  pair.b = pair.b_hat = numbers(graph, given.b);
  return pair;
}

GraphPair pair_of(Graph& graph, const ExplicitTableau& tableau) {
  const auto number = [&](const Fraction& x) {
    return graph.div(graph.number(static_cast<long long>(x.numerator)),
                     graph.number(static_cast<long long>(x.denominator)));
  };
  GraphPair pair;
  for (const auto& row : tableau.A) {
    std::vector<NodeId> entries;
    for (const Fraction& x : row) entries.push_back(number(x));
    entries.resize(tableau.b.size(), Graph::zero);
    pair.A.push_back(std::move(entries));
  }
  for (const Fraction& x : tableau.b) pair.b.push_back(number(x));
  pair.A_hat = pair.A;
  pair.b_hat = pair.b;
  return pair;
}

// (A) and (B) are (1.24) and (1.25) of Hairer, Lubich and Wanner (2003): Lobatto IIIA for one part, IIIB for the other.
const Coefficients* known(std::string_view key) {
  static const std::vector<Row> a{{"0", "0"}, {"1/2", "1/2"}}, b{{"1/2", "0"}, {"1/2", "0"}};
  static const Coefficients verlet_a{a, {"1/2", "1/2"}, b}, verlet_b{b, {"1/2", "1/2"}, a}, midpoint{{{"1/2"}}, {"1"}};
  static const std::map<std::string_view, Coefficients> rows{
      {"symplectic-euler", {{{"0"}}, {"1"}, {{"1"}}}},
      {"symplectic-euler-adjoint", {{{"1"}}, {"1"}, {{"0"}}}},
      {"rattle", verlet_a},
      {"verlet-a", verlet_a},
      {"lobatto-2", verlet_a},
      {"position-verlet", verlet_b},
      {"verlet-b", verlet_b},
      {"lobatto-3",
       {{{"0", "0", "0"}, {"5/24", "1/3", "-1/24"}, {"1/6", "2/3", "1/6"}},
        {"1/6", "2/3", "1/6"},
        {{"1/6", "-1/6", "0"}, {"1/6", "1/3", "0"}, {"1/6", "5/6", "0"}}}},
      {"midpoint", midpoint},
      {"gauss-1", midpoint},
      {"gauss-2", {{{"1/4", "1/4 - sqrt(3)/6"}, {"1/4 + sqrt(3)/6", "1/4"}}, {"1/2", "1/2"}}},
      {"gauss-3",
       {{{"5/36", "2/9 - sqrt(15)/15", "5/36 - sqrt(15)/30"},
         {"5/36 + sqrt(15)/24", "2/9", "5/36 - sqrt(15)/24"},
         {"5/36 + sqrt(15)/30", "2/9 + sqrt(15)/15", "5/36"}},
        {"5/18", "4/9", "5/18"}}}};
  const auto row = rows.find(key);
  return row == rows.end() ? nullptr : &row->second;
}

}  // namespace

GraphPair graph_pair(Graph& graph, const MethodInfo& method) {
  if (method.formulation.empty() && method.file.empty()) {
    if (const Coefficients* found = known(method.base.empty() ? method.key : method.base))
      return pair_of(graph, *found);
    if (method.key == "rk-2") return pair_of(graph, midpoint_tableau());
    if (method.key == "rk-4") return pair_of(graph, classical_tableau());
    if (method.key == "rkf-78") return pair_of(graph, fehlberg_tableau());
  }
  throw InputError(method.key +
                   " has no expansion on the graph. There are those of symplectic-euler, rattle, position-verlet, "
                   "verlet-a, verlet-b, midpoint, volume-splitting, compositions of these, gauss-1 to gauss-3, "
                   "lobatto-2, lobatto-3, "
                   "rk-2, rk-4 and rkf-78");
}

}  // namespace holonom
