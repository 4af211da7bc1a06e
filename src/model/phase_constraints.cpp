#include "holonom/model/phase_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "holonom/errors.hpp"
#include "holonom/expr/bracket.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/model/constants.hpp"
#include "nodes.hpp"

namespace holonom {

namespace {

constexpr std::size_t most_constraints = 16;  // elimination makes some k³ nodes, and their derivatives
constexpr double negligible = 1e-10;          // of the other terms

class PhaseConstraints {
 public:
  explicit PhaseConstraints(Model& model) : model_(model), graph_(*model.graph) {}

  void take() {
    refuse_what_is_not_done();
    const NodeId H = hamiltonian();
    std::vector<Named> phi = model_.phase_constraints;
    check_start(phi);
    std::optional<NodeId> H_T = with_multipliers(H, phi);
    if (!H_T) {
      for (const Named& c : model_.phase_constraints)
        phi.push_back({"hidden_" + c.name, poisson_bracket(graph_, c.node, H, model_.q, model_.p)});
      check_start(phi);
      H_T = with_multipliers(H, phi);
    }
    if (!H_T)
      fail("phase_constraints",
           "the brackets {phi, phi} of these constraints are a singular matrix at the start, and with the hidden "
           "constraints {phi, H} = 0 as well: they leave the motion undetermined, or depend on each other");
    for (const Named& c : phi) {
      for (const Named& o : model_.observables)
        if (o.name == c.name)
          fail("observables." + c.name, "the constraint '" + c.name + "' is observed already; take another name");
      model_.observables.push_back(c);
    }
    model_.hamiltonian = H_T;
    model_.potential.reset();
    model_.mass.clear();
    model_.phase_constraints.clear();
  }

 private:
  [[noreturn]] void fail(const std::string& part, const std::string& what) const {
    throw InputError(model_.place(part) + what);
  }

  void refuse_what_is_not_done() const {
    const auto refuse = [&](const std::string& why) { fail("phase_constraints", "[phase_constraints]: " + why); };
    if (model_.m() > 0)
      refuse("put the constraints on positions there too; their hidden ones are found, or may be given with them");
    if (!model_.vectors.empty() || !model_.terms.empty())
      refuse("this is not for vector coordinates and sums over tables");
    if (model_.kinetic || model_.mass_table || model_.mass.size() > model_.q.size())
      refuse(
          "give the energy as hamiltonian = \"formula of coordinates and p_<name>\", or with one mass for each "
          "coordinate");
    if (model_.slow_potential) refuse("potentials in two parts are for other constraints");
    if (model_.start_is_velocity) refuse("give the initial momenta p, not velocities");
    if (model_.project) refuse("give initial values that satisfy them; project = true is for constraints on positions");
    if (model_.phase_constraints.size() > most_constraints)
      refuse("there may be " + std::to_string(most_constraints) + " constraints then, not more");
  }

  NodeId hamiltonian() const {
    if (model_.hamiltonian) return *model_.hamiltonian;
    NodeId H = model_.potential.value_or(Graph::zero);
    for (std::size_t i = 0; i < model_.mass.size(); ++i)
      H = graph_.add(H, graph_.div(graph_.powi(model_.p[i], 2), graph_.mul(graph_.number(2LL), model_.mass[i])));
    return H;
  }

  // Values of formulas at the start
  std::vector<double> at_start(const std::vector<NodeId>& nodes) const {
    std::unordered_map<NodeId, NodeId> by;
    for (std::size_t i = 0; i < model_.q.size(); ++i) {
      by[model_.q[i]] = model_.q0[i];
      by[model_.p[i]] = model_.start[i];
    }
    return evaluate_constants<double>(model_, graph_.substitute(nodes, by));
  }

  // φ = 0, relative to φ_q q and φ_p p
  void check_start(const std::vector<Named>& phi) const {
    std::vector<NodeId> z = model_.q, z0 = model_.q0;
    z.insert(z.end(), model_.p.begin(), model_.p.end());
    z0.insert(z0.end(), model_.start.begin(), model_.start.end());
    const SparseJacobian J = jacobian(graph_, nodes_of(phi), z);
    const std::vector<double> sizes = at_start(z0), value = at_start(nodes_of(phi)), slope = at_start(J.entry);
    for (std::size_t k = 0; k < phi.size(); ++k) {
      double terms = std::numeric_limits<double>::min();
      for (auto i = static_cast<std::size_t>(J.row_start[k]); i < static_cast<std::size_t>(J.row_start[k + 1]); ++i)
        terms = std::max(terms, std::abs(slope[i] * sizes[static_cast<std::size_t>(J.column[i])]));
      if (std::abs(value[k]) <= negligible * terms) continue;
      const std::string& name = model_.phase_constraints[k % model_.phase_constraints.size()].name;
      const bool hidden = k >= model_.phase_constraints.size();
      char size[32];
      std::snprintf(size, sizeof size, "%.3g", value[k]);
      fail("phase_constraints." + name,
           (hidden ? "the hidden constraint {" + name + ", H}" : "the constraint '" + name + "'") + " is " + size +
               " at the initial values, not 0");
    }
  }

  // H + u·φ, by elimination of [{φ, φ} | −{φ, H}] with complete pivoting; nothing if the matrix is singular.
  std::optional<NodeId> with_multipliers(NodeId H, const std::vector<Named>& phi) const {
    const std::size_t k = phi.size();
    const std::vector<NodeId> f = nodes_of(phi);
    const BracketMatrix C = poisson_bracket(graph_, f, f, model_.q, model_.p);
    std::vector<std::vector<NodeId>> a(k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) a[i].push_back(C(i, j));
      a[i].push_back(graph_.neg(poisson_bracket(graph_, f[i], H, model_.q, model_.p)));
    }
    double largest = 0;
    std::vector<std::size_t> row_of(k, k);  // where the pivot of a column is
    std::vector<bool> used(k);
    for (std::size_t done = 0; done < k; ++done) {
      std::size_t row = k, column = k;
      double pivot = 0;
      for (std::size_t i = 0; i < k; ++i) {
        if (used[i]) continue;
        const std::vector<double> value = at_start(a[i]);
        for (std::size_t j = 0; j < k; ++j)
          if (row_of[j] == k && std::abs(value[j]) > pivot) {
            pivot = std::abs(value[j]);
            row = i;
            column = j;
          }
      }
      largest = std::max(largest, pivot);
      if (row == k || !(pivot > negligible * largest)) return std::nullopt;
      used[row] = true;
      row_of[column] = row;
      for (std::size_t i = 0; i < k; ++i) {
        if (i == row || a[i][column] == Graph::zero) continue;
        const NodeId factor = graph_.div(a[i][column], a[row][column]);
        for (std::size_t j = 0; j <= k; ++j)
          a[i][j] = j == column ? Graph::zero : graph_.sub(a[i][j], graph_.mul(factor, a[row][j]));
      }
    }
    NodeId H_T = H;
    for (std::size_t j = 0; j < k; ++j)
      H_T = graph_.add(H_T, graph_.mul(graph_.div(a[row_of[j]][k], a[row_of[j]][j]), f[j]));
    return H_T;
  }

  Model& model_;
  Graph& graph_;
};

}  // namespace

void take_phase_constraints(Model& model) {
  if (!model.phase_constraints.empty()) PhaseConstraints(model).take();
}

}  // namespace holonom
