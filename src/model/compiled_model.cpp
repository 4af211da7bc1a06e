#include "holonom/model/compiled_model.hpp"

#include <map>
#include <random>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/interpreter.hpp"
#include "holonom/expr/magnitude.hpp"
#include "holonom/wide.hpp"

namespace holonom {

namespace {

using Nodes = std::vector<NodeId>;

Nodes nodes_of(const std::vector<Named>& named) {
  Nodes nodes;
  for (const Named& x : named) nodes.push_back(x.node);
  return nodes;
}

Nodes new_inputs(Graph& g, std::size_t n) {
  Nodes nodes(n);
  for (NodeId& x : nodes) x = g.input();
  return nodes;
}

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

[[noreturn]] void refuse_flat(const Model& model, const std::string& name) {
  throw InputError(
      model.place("constraints." + name) + "the gradient of constraint '" + name +
      "' is zero everywhere: it is made of comparisons, floor or choices between constants, and cannot hold a motion. "
      "Write a formula that is zero along the motion and changes smoothly across it");
}

}  // namespace

CompiledModel::CompiledModel(Model source) : model_(std::move(source)) {
  validate(model_);
  Graph& graph = *model_.graph;
  Labels labels;
  labels.model = model_.name;
  labels.coordinates = model_.coordinates;
  for (const Named& c : model_.constraints) labels.constraints.push_back(c.name);
  for (const Named& i : model_.invariants) labels.invariants.push_back(i.name);
  for (const Named& o : model_.observables) labels.observables.push_back(o.name);
  SparseJacobian J = jacobian(graph, nodes_of(model_.constraints), model_.q);
  for (std::size_t k = 0; k < model_.constraints.size(); ++k)
    if (J.row_start[k] == J.row_start[k + 1]) refuse_flat(model_, model_.constraints[k].name);
  Pattern pattern{model_.n(), std::move(J.row_start), std::move(J.column)};
  G_entries_ = std::move(J.entry);
  add_vectors(labels, pattern);
  shared_labels_ = std::make_shared<const Labels>(std::move(labels));
  shared_pattern_ = std::make_shared<const Pattern>(std::move(pattern));
  find_form();
  find_observable_needs();
}

namespace {

// ∂kernel/∂x for each gather.
std::vector<Nodes> kernel_gradient(Graph& graph, const MappedTerm& term, NodeId kernel) {
  Nodes x;
  for (const MappedTerm::Gather& gather : term.gathers) x.insert(x.end(), gather.x.begin(), gather.x.end());
  const Nodes all = gradient(graph, kernel, x);
  std::vector<Nodes> parts;
  auto next = all.begin();
  for (const MappedTerm::Gather& gather : term.gathers) {
    parts.emplace_back(next, next + static_cast<std::ptrdiff_t>(gather.x.size()));
    next += static_cast<std::ptrdiff_t>(gather.x.size());
  }
  return parts;
}

Nodes without_zeros(const std::vector<Nodes>& parts) {
  Nodes kept;
  for (const Nodes& part : parts)
    for (const NodeId x : part)
      if (x != Graph::zero) kept.push_back(x);
  return kept;
}

}  // namespace

void CompiledModel::add_vectors(Labels& labels, Pattern& pattern) {
  Graph& graph = *model_.graph;
  constexpr const char* component[] = {".x", ".y", ".z"};
  // Many items: no growing by copies.
  labels.coordinates.reserve(static_cast<std::size_t>(model_.n()));
  labels.constraints.reserve(static_cast<std::size_t>(model_.m()));
  pattern.row_start.reserve(static_cast<std::size_t>(model_.m()) + 1);
  for (const VectorCoordinate& v : model_.vectors) {
    labels.vectors.push_back({v.name, v.count, v.dim, v.offset});
    for (int i = 0; i < v.count; ++i)
      for (int c = 0; c < v.dim; ++c)
        labels.coordinates.push_back(v.name + "[" + std::to_string(i) + "]" + component[c]);
  }
  for (const MappedTerm& term : model_.terms) {
    stacks_.emplace_back();
    if (term.role == MappedTerm::Role::invariant) labels.invariants.push_back(term.name);
    if (term.role == MappedTerm::Role::observable) labels.observables.push_back(term.name);
    if (term.role != MappedTerm::Role::constraint) continue;
    const std::vector<Nodes> parts = kernel_gradient(graph, term, term.kernel);
    if (without_zeros(parts).empty()) refuse_flat(model_, term.name);
    stacks_.back() = {pattern.m(), pattern.nonzeros(), static_cast<int>(without_zeros(parts).size())};
    pattern.column.reserve(pattern.column.size() + static_cast<std::size_t>(term.rows) * without_zeros(parts).size());
    labels.stacks.push_back({term.name, pattern.m(), term.single ? 0 : term.rows});
    for (int row = 0; row < term.rows; ++row) {
      labels.constraints.push_back(term.single ? term.name : term.name + "[" + std::to_string(row) + "]");
      for (std::size_t g = 0; g < parts.size(); ++g)
        for (std::size_t c = 0; c < parts[g].size(); ++c)
          if (parts[g][c] != Graph::zero)
            pattern.column.push_back(term.gathers[g].first[static_cast<std::size_t>(row)] + static_cast<int>(c));
      pattern.row_start.push_back(pattern.nonzeros());
    }
  }
}

MapProgram CompiledModel::map_program(const MappedTerm& term, Formula f) const {
  using Source = MapProgram::Source;
  const std::lock_guard lock(mutex_);
  Graph& graph = *model_.graph;
  MapProgram map;
  std::vector<Nodes> in, out;
  const auto read = [&](Source source, MapInput how, Nodes block) {
    map.sources.push_back(source);
    map.signature.inputs.push_back(how);
    in.push_back(std::move(block));
  };
  const auto source_of = [](MappedTerm::Gather::From from) {
    switch (from) {
      case MappedTerm::Gather::From::position: return Source::q;
      case MappedTerm::Gather::From::momentum: return Source::p;
      case MappedTerm::Gather::From::velocity: return Source::velocity;
      case MappedTerm::Gather::From::multiplier: return Source::multipliers;
      case MappedTerm::Gather::From::energies: break;
    }
    return Source::energies;
  };
  const auto write = [&](MapOutput how, Nodes block) {
    map.signature.outputs.push_back(how);
    out.push_back(std::move(block));
  };
  Nodes x;
  for (std::uint32_t g = 0; g < term.gathers.size(); ++g) {
    const MappedTerm::Gather& gather = term.gathers[g];
    read(source_of(gather.from), MapInput::gathered(g), gather.x);
    x.insert(x.end(), gather.x.begin(), gather.x.end());
  }
  for (const MappedTerm::RowValue& value : term.values) read(Source::row_value, MapInput::per_row(1), {value.input});
  // A direction for each coordinate that is gathered.
  const auto direction = [&](Source source) {
    Nodes u;
    for (std::uint32_t g = 0; g < term.gathers.size(); ++g) {
      Nodes block = new_inputs(graph, term.gathers[g].x.size());
      u.insert(u.end(), block.begin(), block.end());
      read(source, MapInput::gathered(g), std::move(block));
    }
    return u;
  };
  const auto scatter = [&](const std::vector<Nodes>& parts) {
    for (std::uint32_t g = 0; g < parts.size(); ++g) write(MapOutput::scattered(g), parts[g]);
  };
  const Nodes kernel{term.kernel};
  const auto G_row = [&] { return without_zeros(kernel_gradient(graph, term, term.kernel)); };
  switch (f) {
    case Formula::V:
    case Formula::invariants:
    case Formula::observables: write(MapOutput::summed(), kernel); break;
    case Formula::invariants_along: {
      Nodes motion;  // u for positions, w for momenta
      for (std::uint32_t g = 0; g < term.gathers.size(); ++g) {
        Nodes block = new_inputs(graph, term.gathers[g].x.size());
        motion.insert(motion.end(), block.begin(), block.end());
        read(term.gathers[g].from == MappedTerm::Gather::From::momentum ? Source::w : Source::u, MapInput::gathered(g),
             std::move(block));
      }
      const Nodes rate = along(graph, kernel, x, motion);
      write(MapOutput::summed(), rate);
      write(MapOutput::summed(), magnitude_of_terms(graph, rate));
      break;
    }
    case Formula::events:
      write(MapOutput::summed(), kernel);
      write(MapOutput::summed(), magnitude_of_terms(graph, kernel));
      break;
    case Formula::V_q: scatter(kernel_gradient(graph, term, term.kernel)); break;
    case Formula::V_qq:
    case Formula::V_qqq: {
      Nodes slope = along(graph, kernel, x, direction(Source::u));
      if (f == Formula::V_qqq) slope = along(graph, slope, x, direction(Source::v));
      scatter(kernel_gradient(graph, term, slope[0]));
      break;
    }
    case Formula::g: write(MapOutput::stored(1), kernel); break;
    case Formula::G: {
      const Nodes row = G_row();
      write(MapOutput::stored(static_cast<std::uint32_t>(row.size())), row);
      break;
    }
    case Formula::g_and_G: {
      const Nodes row = G_row();
      write(MapOutput::stored(1), kernel);
      write(MapOutput::stored(static_cast<std::uint32_t>(row.size())), row);
      break;
    }
    case Formula::g_scale: write(MapOutput::stored(1), magnitude_of_terms(graph, kernel)); break;
    case Formula::g_qq: {
      const Nodes first = along(graph, kernel, x, direction(Source::u));
      write(MapOutput::stored(1), along(graph, first, x, direction(Source::v)));
      break;
    }
    case Formula::g_uu: {
      const Nodes u = direction(Source::u);
      write(MapOutput::stored(1), along(graph, along(graph, kernel, x, u), x, u));
      break;
    }
    case Formula::g_qqq: {
      const Nodes first = along(graph, kernel, x, direction(Source::u)),
                  second = along(graph, first, x, direction(Source::v));
      write(MapOutput::stored(1), along(graph, second, x, direction(Source::w)));
      break;
    }
    case Formula::lambda_g_qq:
    case Formula::lambda_g_qqq: {
      const NodeId lambda = graph.input();
      read(Source::lambda, MapInput::per_row(1), {lambda});
      Nodes weighted = along(graph, Nodes{graph.mul(lambda, term.kernel)}, x, direction(Source::u));
      if (f == Formula::lambda_g_qqq) weighted = along(graph, weighted, x, direction(Source::v));
      scatter(kernel_gradient(graph, term, weighted[0]));
      break;
    }
    default: throw std::logic_error("this formula has no mapped form");
  }
  map.kernel = std::make_shared<const Program>(graph, in, out);
  return map;
}

void CompiledModel::find_form() {
  Graph& graph = *model_.graph;
  const std::size_t n = model_.q.size();
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

std::shared_ptr<const Program> CompiledModel::program(Formula f) const {
  const std::lock_guard lock(mutex_);
  auto& slot = programs_[static_cast<std::size_t>(f)];
  if (!slot) slot = lower(f);
  return slot;
}

std::shared_ptr<const Program> CompiledModel::lower(Formula f) const {
  Graph& graph = *model_.graph;
  const Nodes &q = model_.q, &p = model_.p, &v = model_.v;
  const std::size_t n = q.size(), m = model_.constraints.size();
  const Nodes g = nodes_of(model_.constraints);
  const auto make = [&](std::vector<Nodes> in, std::vector<Nodes> out) {
    return std::make_shared<const Program>(graph, in, out);
  };
  // Without parts all of V is slow.
  const auto part = [&](bool fast) {
    const std::optional<NodeId>& known = fast ? model_.fast_potential : model_.slow_potential;
    return known ? *known : fast ? Graph::zero : V_;
  };
  const auto rows_of_G = [&] {
    Nodes rows(m * n, Graph::zero);
    const Pattern& places = pattern();
    for (std::size_t k = 0; k < m; ++k)
      for (auto z = static_cast<std::size_t>(places.row_start[k]);
           z < static_cast<std::size_t>(places.row_start[k + 1]); ++z)
        rows[k * n + static_cast<std::size_t>(places.column[z])] = G_entries_[z];
    return rows;
  };
  // The derivative of a gradient along a direction for each of the variables.
  const auto contracted = [&](Nodes gradient_of, std::initializer_list<const Nodes*> variables, std::vector<Nodes> in) {
    for (const Nodes* x : variables) gradient_of = along(graph, gradient_of, *x, in.emplace_back(new_inputs(graph, n)));
    return make(std::move(in), {std::move(gradient_of)});
  };
  const auto of_H = [&](const Nodes& row, std::initializer_list<const Nodes*> variables) {
    return contracted(gradient(graph, *model_.hamiltonian, row), variables, {q, p});
  };
  const auto of_lambda_g = [&](std::initializer_list<const Nodes*> variables) {
    const Nodes lambda = new_inputs(graph, m);
    return contracted(gradient(graph, weighted_sum(graph, lambda, g), q), variables, {q, lambda});
  };
  switch (f) {
    case Formula::V: return make({q}, {{V_}});
    case Formula::V_q: return make({q}, {gradient(graph, V_, q)});
    case Formula::V_slow_q: return make({q}, {gradient(graph, part(false), q)});
    case Formula::V_fast_q: return make({q}, {gradient(graph, part(true), q)});
    case Formula::V_qq: return contracted(gradient(graph, V_, q), {&q}, {q});
    case Formula::V_qqq: return contracted(gradient(graph, V_, q), {&q, &q}, {q});
    case Formula::V_slow_qq: return contracted(gradient(graph, part(false), q), {&q}, {q});
    case Formula::V_fast_qq: return contracted(gradient(graph, part(true), q), {&q}, {q});
    case Formula::G_rows: return make({q}, {rows_of_G()});
    case Formula::g_and_G_rows: return make({q}, {g, rows_of_G()});
    case Formula::g: return make({q}, {g});
    case Formula::G: return make({q}, {G_entries_});
    case Formula::g_and_G: return make({q}, {g, G_entries_});
    case Formula::g_scale: return make({q}, {magnitude_of_terms(graph, g)});
    case Formula::g_qq: return contracted(g, {&q, &q}, {q});
    case Formula::g_qqq: return contracted(g, {&q, &q, &q}, {q});
    case Formula::g_uu: {
      const Nodes u = new_inputs(graph, n);
      return make({q, u}, {along(graph, along(graph, g, q, u), q, u)});
    }
    case Formula::lambda_g_qq: return of_lambda_g({&q});
    case Formula::lambda_g_qqq: return of_lambda_g({&q, &q});
    case Formula::invariants: return make({q, p}, {nodes_of(model_.invariants)});
    case Formula::invariants_along: {
      const Nodes u = new_inputs(graph, n), w = new_inputs(graph, n);
      Nodes x = q, motion = u;
      x.insert(x.end(), p.begin(), p.end());
      motion.insert(motion.end(), w.begin(), w.end());
      const Nodes rate = along(graph, nodes_of(model_.invariants), x, motion);
      return make({q, p, u, w}, {rate, magnitude_of_terms(graph, rate)});
    }
    case Formula::observables: return make({q, p, v, model_.lambda, model_.energies}, {nodes_of(model_.observables)});
    case Formula::events: {
      Nodes events;
      for (const EventFormula& e : model_.events) events.push_back(e.node);
      return make({q, p}, {events, magnitude_of_terms(graph, events)});
    }
    case Formula::M: return make({q}, {mass_matrix_});
    case Formula::T_v: return make({q, v}, {gradient(graph, *model_.kinetic, v)});
    case Formula::T_q: return make({q, v}, {gradient(graph, *model_.kinetic, q)});
    case Formula::T_vq: {
      const Nodes u = new_inputs(graph, n);
      return make({q, v, u}, {along(graph, gradient(graph, *model_.kinetic, v), q, u)});
    }
    case Formula::T_qq: {
      const Nodes u = new_inputs(graph, n), w = new_inputs(graph, n), slope = gradient(graph, *model_.kinetic, q);
      Nodes sum = along(graph, slope, q, u);
      const Nodes more = along(graph, slope, v, w);
      for (std::size_t i = 0; i < n; ++i) sum[i] = graph.add(sum[i], more[i]);
      return make({q, v, u, w}, {sum});
    }
    case Formula::T_vqq:
    case Formula::T_qqq: {
      const Nodes u = new_inputs(graph, n), du = new_inputs(graph, n), w = new_inputs(graph, n),
                  dw = new_inputs(graph, n), ddv = new_inputs(graph, n);
      const Nodes slope = gradient(graph, *model_.kinetic, f == Formula::T_vqq ? v : q);
      const auto joined = [](Nodes x, const Nodes& y) {
        x.insert(x.end(), y.begin(), y.end());
        return x;
      };
      Nodes sum = along(graph, along(graph, slope, joined(q, v), joined(u, du)), joined(q, v), joined(w, dw));
      if (f == Formula::T_vqq) return make({q, v, u, du, w, dw}, {sum});
      const Nodes more = along(graph, slope, v, ddv);
      for (std::size_t i = 0; i < n; ++i) sum[i] = graph.add(sum[i], more[i]);
      return make({q, v, u, du, w, dw, ddv}, {sum});
    }
    case Formula::H: return make({q, p}, {{*model_.hamiltonian}});
    case Formula::H_q: return make({q, p}, {gradient(graph, *model_.hamiltonian, q)});
    case Formula::H_p: return make({q, p}, {gradient(graph, *model_.hamiltonian, p)});
    case Formula::H_pp: return of_H(p, {&p});
    case Formula::H_pq: return of_H(p, {&q});
    case Formula::H_qp: return of_H(q, {&p});
    case Formula::H_qq: return of_H(q, {&q});
    case Formula::H_qqq: return of_H(q, {&q, &q});
    case Formula::H_qqp: return of_H(q, {&q, &p});
    case Formula::H_qpp: return of_H(q, {&p, &p});
    case Formula::H_pqq: return of_H(p, {&q, &q});
    case Formula::H_pqp: return of_H(p, {&q, &p});
    case Formula::H_ppp: return of_H(p, {&p, &p});
    case Formula::start: {
      Nodes defaults;
      if (model_.step) defaults.push_back(*model_.step);
      if (model_.until) defaults.push_back(*model_.until);
      return make({}, {model_.q0, model_.start, defaults});
    }
    case Formula::count: break;
  }
  return nullptr;
}

void CompiledModel::find_observable_needs() {
  const auto note = [&](const std::string& name, bool velocity, bool multipliers, bool energies) {
    if (energies && form_ == Form::general)
      throw InputError(model_.place("observables." + name) + "observable '" + name +
                       "' uses the kinetic or the potential energy, but " + not_separable_ +
                       ": write the part that you mean as a formula of coordinates and momenta");
    observable_needs_.velocity |= velocity || energies;  // T = p·v/2
    observable_needs_.multipliers |= multipliers;
    observable_needs_.energies |= energies;
  };
  for (const Named& o : model_.observables) {
    const auto uses = [&](const Nodes& inputs) { return depends_on(*model_.graph, std::span(&o.node, 1), inputs); };
    note(o.name, uses(model_.v), uses(model_.lambda), uses(model_.energies));
  }
  for (const MappedTerm& term : model_.terms) {
    if (term.role != MappedTerm::Role::observable) continue;
    using From = MappedTerm::Gather::From;
    const auto uses = [&](From from) {
      return std::any_of(term.gathers.begin(), term.gathers.end(),
                         [&](const MappedTerm::Gather& g) { return g.from == from; });
    };
    note(term.name, uses(From::velocity), uses(From::multiplier), uses(From::energies));
  }
}

bool CompiledModel::is_split() const {
  return model_.fast_potential ||
         std::any_of(model_.terms.begin(), model_.terms.end(), [](const MappedTerm& term) { return term.fast; });
}

bool CompiledModel::is_small() const {
  constexpr int few = 12;
  return form_ == Form::separable && mass_diagonal_ && model_.terms.empty() && model_.vectors.empty() &&
         pattern().n <= few && pattern().m() > 0;
}

std::vector<Formula> CompiledModel::hot() const {
  using enum Formula;
  std::vector<Formula> list{g, G, g_and_G, g_scale, invariants};
  if (!model_.events.empty()) list.push_back(events);
  if (!model_.observables.empty()) list.push_back(observables);
  switch (form_) {
    case Form::separable:
      list.insert(list.end(), {V, V_q});
      if (is_split()) list.insert(list.end(), {V_slow_q, V_fast_q});
      if (is_small()) list.insert(list.end(), {G_rows, g_and_G_rows});
      break;
    case Form::mass_matrix: list.insert(list.end(), {V, V_q, M, T_q, T_vq}); break;
    case Form::general: list.insert(list.end(), {H, H_q, H_p, H_pp, H_pq}); break;
  }
  return list;
}

std::vector<Formula> CompiledModel::hot(const MappedTerm& term) {
  switch (term.role) {
    case MappedTerm::Role::energy: return {Formula::V, Formula::V_q};
    case MappedTerm::Role::constraint: return {Formula::g, Formula::G, Formula::g_and_G, Formula::g_scale};
    case MappedTerm::Role::invariant: return {Formula::invariants};
    case MappedTerm::Role::event: return {Formula::events};
    case MappedTerm::Role::observable: break;
  }
  return {Formula::observables};
}

std::shared_ptr<const NativeFormulas> CompiledModel::native() const {
  std::call_once(native_once_, [this] {
    std::vector<std::shared_ptr<const Program>> programs;
    std::vector<const Program*> list;
    for (const Formula f : hot()) list.push_back(programs.emplace_back(program(f)).get());
    std::vector<MapKernel> kernels;
    for (const MappedTerm& term : model_.terms)
      for (const Formula f : hot(term)) {
        MapProgram map = map_program(term, f);
        kernels.push_back({programs.emplace_back(std::move(map.kernel)).get(), std::move(map.signature), term.rows});
      }
    NativeCode code = compile_native(list, kernels);
    auto formulas = std::make_shared<NativeFormulas>();
    auto next_program = code.programs.begin();
    for (const Formula f : hot()) formulas->programs[static_cast<std::size_t>(f)] = std::move(*next_program++);
    auto next_map = code.maps.begin();
    for (const MappedTerm& term : model_.terms) {
      auto& maps = formulas->maps.emplace_back();
      for (const Formula f : hot(term)) maps[static_cast<std::size_t>(f)] = std::move(*next_map++);
    }
    native_ = std::move(formulas);
  });
  return native_;
}

std::shared_ptr<const CompiledModel> compile(Model model) {
  return std::make_shared<const CompiledModel>(std::move(model));
}

}  // namespace holonom
