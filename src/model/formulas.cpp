// The formulas of a model as programs: on named coordinates, mapped over tables, and as machine code.
#include "holonom/expr/magnitude.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/shears.hpp"
#include "nodes.hpp"

namespace holonom {

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
  const auto make = [&](const std::vector<Nodes>& in, const std::vector<Nodes>& out) {
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
    return make(in, {std::move(gradient_of)});
  };
  // H_q or H_p; of a field −p' or q', which are no derivatives of an H.
  const auto slope_of_H = [&](const Nodes& row) {
    if (!model_.field) return gradient(graph, *model_.hamiltonian, row);
    if (&row == &p) return model_.field->q_rate;
    Nodes slope = model_.field->p_rate;
    for (NodeId& x : slope) x = graph.neg(x);
    return slope;
  };
  const auto of_H = [&](const Nodes& row, std::initializer_list<const Nodes*> variables) {
    return contracted(slope_of_H(row), variables, {q, p});
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
    case Formula::V_fast: return make({q}, {{part(true)}});
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
    case Formula::H:
      return make({q, p}, {{model_.field ? model_.field->energy.value_or(Graph::zero) : *model_.hamiltonian}});
    case Formula::H_q: return make({q, p}, {slope_of_H(q)});
    case Formula::H_p: return make({q, p}, {slope_of_H(p)});
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
    case Formula::phi:
    case Formula::phi_dd:
    case Formula::y_phi_dd:
    case Formula::y_phi_ddd:
    case Formula::chart_near: return lower_chart(f);
    case Formula::count: break;
  }
  return nullptr;
}

std::shared_ptr<const Program> CompiledModel::lower_chart(Formula f) const {
  Graph& graph = *model_.graph;
  const Nodes &delta = model_.chart.delta, &phi = model_.chart.q;
  const std::size_t d = delta.size();
  const Nodes u = new_inputs(graph, d), v = new_inputs(graph, d), y = new_inputs(graph, phi.size());
  const auto make = [&](const std::vector<Nodes>& in, const std::vector<Nodes>& out) {
    return std::make_shared<const Program>(graph, in, out);
  };
  const auto along_u = [&](const Nodes& x) { return along(graph, x, delta, u); };
  const auto slope = [&] { return gradient(graph, weighted_sum(graph, y, phi), delta); };  // of y·φ
  switch (f) {
    case Formula::phi: {
      Nodes rows;
      for (const NodeId x : phi) {
        const Nodes row = gradient(graph, x, delta);
        rows.insert(rows.end(), row.begin(), row.end());
      }
      return make({delta}, {phi, rows});
    }
    case Formula::phi_dd: return make({delta, u, v}, {along(graph, along_u(phi), delta, v)});
    case Formula::y_phi_dd: return make({delta, y, u}, {along_u(slope())});
    case Formula::y_phi_ddd: return make({delta, y, u, v}, {along(graph, along_u(slope()), delta, v)});
    default: return make({}, {model_.chart.near});
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
    const int shears = is_field() ? this->shears().count() : 0;
    for (int k = 0; k < shears; ++k) list.push_back(programs.emplace_back(shear_program(k)).get());
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
    for (int k = 0; k < shears; ++k) formulas->shears.push_back(std::move(*next_program++));
    auto next_map = code.maps.begin();
    for (const MappedTerm& term : model_.terms) {
      auto& maps = formulas->maps.emplace_back();
      for (const Formula f : hot(term)) maps[static_cast<std::size_t>(f)] = std::move(*next_map++);
    }
    native_ = std::move(formulas);
  });
  return native_;
}

}  // namespace holonom
