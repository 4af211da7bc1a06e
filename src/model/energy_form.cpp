// Which form the energy has: separable with a constant mass, M(q), or any hamiltonian.
#include <algorithm>
#include <map>
#include <random>

#include "holonom/expr/interpreter.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/wide.hpp"
#include "nodes.hpp"

namespace holonom {

namespace {

Nodes with_zero(Graph& g, const Nodes& y, const Nodes& x) {
  std::unordered_map<NodeId, NodeId> by;
  for (const NodeId i : x) by[i] = Graph::zero;
  return g.substitute(y, by);
}

bool all_zero(const Nodes& y) {
  return std::all_of(y.begin(), y.end(), [](NodeId i) { return i == Graph::zero; });
}

// T(q, v) = ½ vᵀM(q)v, tried in quad precision at the start and near it.
bool is_quadratic(Graph& g, const Model& model, const SparseJacobian& matrix) {
  const std::size_t n = model.q.size();
  NodeId half_vMv = Graph::zero;
  for (std::size_t i = 0; i < n; ++i)
    for (auto z = static_cast<std::size_t>(matrix.row_start[i]); z < static_cast<std::size_t>(matrix.row_start[i + 1]);
         ++z)
      half_vMv = g.add(half_vMv,
                       g.mul(matrix.entry[z], g.mul(model.v[i], model.v[static_cast<std::size_t>(matrix.column[z])])));
  half_vMv = g.div(half_vMv, g.number(2LL));
  const auto program = std::make_shared<Program>(g, std::vector<Nodes>{model.q, model.v},
                                                 std::vector<Nodes>{{*model.kinetic, half_vMv}});
  const auto start = std::make_shared<Program>(g, std::vector<Nodes>{}, std::vector<Nodes>{model.q0});
  Interpreter<quad> evaluate(program), initial(start);
  std::vector<quad> q0(n), q(n), v(n), out(2);
  initial({}, {q0.data()});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 8; ++trial) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = q0[i] + quad(trial == 0 ? 0 : 0.01 * uniform(random));
      v[i] = quad(uniform(random));
    }
    evaluate({q.data(), v.data()}, {out.data()});
    if (!is_finite(out[0]) || !is_finite(out[1]))
      continue;  // outside the domain of a formula; at the start, said later
    const quad size = abs(out[0]) + abs(out[1]);
    if (!(abs(quad(out[0] - out[1])) <= quad(1e-24) * size)) return false;
  }
  return true;
}

}  // namespace

void CompiledModel::find_form() {
  Graph& graph = *model_.graph;
  const std::size_t n = model_.q.size();
  if (model_.field) {
    form_ = Form::general;
    not_separable_ = "a field has no potential and no kinetic energy";
    return;
  }
  if (model_.mass_table) {
    V_ = *model_.potential;
    expand_mass_table(*model_.mass_table);
    return;
  }
  if (!model_.mass.empty() || !model_.vectors.empty()) {
    V_ = *model_.potential;
    recognise_mass();
    return;
  }
  const Nodes& rate = model_.kinetic ? model_.v : model_.p;
  const NodeId energy = model_.kinetic ? *model_.kinetic : *model_.hamiltonian;
  const Nodes slope = gradient(graph, energy, rate);
  SparseJacobian matrix = jacobian(graph, slope, rate);
  if (model_.kinetic) {
    matrix.entry = with_zero(graph, matrix.entry, rate);
    if (!is_quadratic(graph, model_, matrix))
      throw InputError(model_.place("energy.kinetic") +
                       "the kinetic energy is not quadratic in the velocities (each term must have two of them); give "
                       "the hamiltonian instead");
    V_ = *model_.potential;
    if (!depends_on(graph, matrix.entry, model_.q)) {
      recognise_mass(matrix);
      return;
    }
    form_ = Form::mass_matrix;
    not_separable_ = "the mass matrix depends on the position";
    mass_matrix_.assign(n * (n + 1) / 2, Graph::zero);
    for (std::size_t i = 0; i < n; ++i)
      for (auto z = static_cast<std::size_t>(matrix.row_start[i]);
           z < static_cast<std::size_t>(matrix.row_start[i + 1]); ++z)
        if (const auto j = static_cast<std::size_t>(matrix.column[z]); j <= i)
          mass_matrix_[i * (i + 1) / 2 + j] = matrix.entry[z];
    return;
  }
  const bool constant_Hpp = !depends_on(graph, matrix.entry, model_.q) && !depends_on(graph, matrix.entry, model_.p);
  const bool mixed = depends_on(graph, slope, model_.q);
  const bool linear_term = !all_zero(with_zero(graph, slope, model_.p));
  if (constant_Hpp && !mixed && !linear_term) {
    V_ = with_zero(graph, {*model_.hamiltonian}, model_.p)[0];
    mass_inverse_ = true;
    recognise_mass(matrix);
    return;
  }
  form_ = Form::general;
  not_separable_ = mixed         ? "the hamiltonian mixes positions and momenta"
                   : linear_term ? "the hamiltonian has terms linear in the momenta"
                                 : "the kinetic part of the hamiltonian is not quadratic in the momenta";
}

// n masses, or a matrix by rows.
void CompiledModel::recognise_mass() {
  const std::size_t n = model_.q.size();
  SparseJacobian matrix;
  matrix.row_start.push_back(0);
  const bool full = model_.mass.size() == n * n && n > 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = full ? 0 : i; j < (full ? n : i + 1); ++j) {
      matrix.column.push_back(static_cast<int>(j));
      matrix.entry.push_back(model_.mass[full ? i * n + j : i]);
    }
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  recognise_mass(matrix);
}

void CompiledModel::recognise_mass(const SparseJacobian& matrix) {
  const std::size_t n = model_.q.size();
  // Where a number stands, or its partner across the diagonal, by rows.
  std::map<std::pair<std::size_t, std::size_t>, NodeId> present;
  std::size_t off_diagonal = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (auto z = static_cast<std::size_t>(matrix.row_start[i]); z < static_cast<std::size_t>(matrix.row_start[i + 1]);
         ++z) {
      if (matrix.entry[z] == Graph::zero) continue;
      const auto j = static_cast<std::size_t>(matrix.column[z]);
      present[{i, j}] = matrix.entry[z];
      present.try_emplace({j, i}, Graph::zero);
      off_diagonal += i != j;
    }
  mass_diagonal_ = off_diagonal == 0;
  // Large, and mostly zeros: products and solves by the entries alone. (The inverse of a sparse M⁻¹ is full.)
  constexpr std::size_t large = 24, part = 4;
  Nodes entries;
  if (mass_diagonal_) {
    entries.assign(n, Graph::zero);
    for (const auto& [at, x] : present) entries[at.first] = x;
  } else if (!mass_inverse_ && n >= large && part * present.size() <= n * n) {
    Pattern& rows = mass_pattern_.emplace();
    rows.n = static_cast<int>(n);
    rows.row_start.assign(n + 1, 0);
    for (const auto& [at, x] : present) {
      entries.push_back(x);
      rows.column.push_back(static_cast<int>(at.second));
      ++rows.row_start[at.first + 1];
    }
    for (std::size_t i = 0; i < n; ++i) rows.row_start[i + 1] += rows.row_start[i];
  } else {
    entries.assign(n * n, Graph::zero);
    for (const auto& [at, x] : present) entries[at.first * n + at.second] = x;
  }
  mass_ = std::make_shared<Program>(*model_.graph, std::vector<Nodes>{}, std::vector<Nodes>{entries});
}

// Both triangles from the lower one, which is sorted by rows.
void CompiledModel::expand_mass_table(const MassTable& table) {
  mass_diagonal_ = false;
  Pattern& M = mass_pattern_.emplace();
  M.n = model_.n();
  M.row_start.assign(static_cast<std::size_t>(M.n) + 1, 0);
  const std::size_t count = table.row.size();
  for (std::size_t e = 0; e < count; ++e) {
    ++M.row_start[static_cast<std::size_t>(table.row[e]) + 1];
    if (table.row[e] != table.column[e]) ++M.row_start[static_cast<std::size_t>(table.column[e]) + 1];
  }
  for (std::size_t i = 1; i < M.row_start.size(); ++i) M.row_start[i] += M.row_start[i - 1];
  M.column.resize(static_cast<std::size_t>(M.row_start.back()));
  mass_source_.resize(M.column.size());
  std::vector<int> next(M.row_start.begin(), M.row_start.end() - 1);
  const auto put = [&](std::int32_t row, std::int32_t column, std::size_t e) {
    const auto z = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
    M.column[z] = column;
    mass_source_[z] = static_cast<std::int32_t>(e);
  };
  for (std::size_t e = 0; e < count; ++e) put(table.row[e], table.column[e], e);
  for (std::size_t e = 0; e < count; ++e)
    if (table.row[e] != table.column[e]) put(table.column[e], table.row[e], e);
}

}  // namespace holonom
