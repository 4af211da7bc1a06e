// The member functions of GraphSystem, for the translation units that instantiate it.
#pragma once

#include <cstdio>
#include <map>

#include "holonom/model/graph_quantities_impl.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <class S>
GraphSystem<S>::GraphSystem(std::shared_ptr<const CompiledModel> compiled, Engine engine)
    : compiled_(std::move(compiled)) {
  if (std::is_same_v<S, double> && engine == Engine::native) native_ = compiled_->native();
  this->labels_ = compiled_->shared_labels();
  this->pattern_ = compiled_->shared_pattern();
  const int n = this->n();
  velocity_ = work_ = mass_position_ = Vec<S>(n);
  observed_velocity_ = Vec<S>(this->labels().observables.empty() ? 0 : n);  // programs read all of their inputs
  energies_ = Vec<S>(2);
  using Form = CompiledModel::Form;
  std::vector<Formula> hot{Formula::g, Formula::G, Formula::g_and_G, Formula::invariants};
  switch (compiled_->form()) {
    case Form::separable:
      hot.insert(hot.end(), {Formula::V, Formula::V_q});
      if (is_small()) hot.insert(hot.end(), {Formula::G_rows, Formula::g_and_G_rows});
      break;
    case Form::mass_matrix:
      hot.insert(hot.end(), {Formula::V, Formula::V_q, Formula::M, Formula::T_q, Formula::T_vq});
      mass_entries_ = Vec<S>(n * (n + 1) / 2);
      change_ = other_change_ = second_change_ = none_ = Vec<S>(n);
      mass_factor_ = Square<S>(n);
      break;
    case Form::general:
      hot.insert(hot.end(), {Formula::H, Formula::H_q, Formula::H_p, Formula::H_pp, Formula::H_pq});
      break;
  }
  for (const Formula f : hot) interpreters_[static_cast<std::size_t>(f)] = Interpreter<S>(compiled_->program(f));
  make_terms();
  if (compiled_->form() == Form::separable) make_mass();
}

// ---- mapped terms

template <class S>
void GraphSystem<S>::make_terms() {
  const Model& model = compiled_->model();
  auto invariant = static_cast<int>(model.invariants.size()), observable = static_cast<int>(model.observables.size());
  for (std::size_t k = 0; k < model.terms.size(); ++k) {
    const MappedTerm& source = model.terms[k];
    Term& term = terms_.emplace_back();
    term.source = &source;
    term.place = compiled_->stacks()[k];
    for (const MappedTerm::Gather& gather : source.gathers) term.index.push_back(gather.first.data());
    for (const MappedTerm::RowValue& value : source.values) {
      Vec<S>& numbers = term.row_values.emplace_back(source.rows);
      for (int row = 0; row < source.rows; ++row)
        numbers[row] = value.text.empty() ? S(value.integer[static_cast<std::size_t>(row)])
                                          : exact_number<S>(exact_text(value.text[static_cast<std::size_t>(row)]));
    }
    switch (source.role) {
      case MappedTerm::Role::energy:
        for (const Formula f : {Formula::V, Formula::V_q}) prepare(term, f);
        break;
      case MappedTerm::Role::constraint:
        for (const Formula f : {Formula::g, Formula::G, Formula::g_and_G, Formula::g_scale}) prepare(term, f);
        break;
      case MappedTerm::Role::invariant:
        term.invariant = invariant++;
        prepare(term, Formula::invariants);
        break;
      case MappedTerm::Role::event: prepare(term, Formula::events); break;
      case MappedTerm::Role::observable:
        term.observable = observable++;
        prepare(term, Formula::observables);
        break;
    }
  }
}

template <class S>
void GraphSystem<S>::prepare(Term& term, Formula f) const {
  auto& ready = term.ready[static_cast<std::size_t>(f)];
  if (ready.apply) return;
  MapProgram program = compiled_->map_program(*term.source, f);
  ready.in.resize(program.sources.size());
  ready.out.resize(program.signature.outputs.size());
  ready.sources = std::move(program.sources);
  ready.apply = MapInterpreter<S>(std::move(program.kernel), std::move(program.signature));
}

template <class S>
template <class Outputs>
void GraphSystem<S>::map(MappedTerm::Role role, Formula f, const Inputs& in, Outputs&& outputs, Part part) const {
  for (Term& term : terms_) {
    if (term.source->role != role) continue;
    if (part != Part::all && term.source->fast != (part == Part::fast)) continue;
    prepare(term, f);
    auto& ready = term.ready[static_cast<std::size_t>(f)];
    std::size_t value = 0;
    for (std::size_t b = 0; b < ready.sources.size(); ++b) {
      switch (ready.sources[b]) {
        case MapProgram::Source::q: ready.in[b] = in.q; break;
        case MapProgram::Source::p: ready.in[b] = in.p; break;
        case MapProgram::Source::u: ready.in[b] = in.u; break;
        case MapProgram::Source::v: ready.in[b] = in.v; break;
        case MapProgram::Source::w: ready.in[b] = in.w; break;
        case MapProgram::Source::lambda: ready.in[b] = in.lambda + term.place.constraint; break;
        case MapProgram::Source::row_value: ready.in[b] = term.row_values[value++].data(); break;
        case MapProgram::Source::velocity: ready.in[b] = in.velocity; break;
        case MapProgram::Source::multipliers: ready.in[b] = in.lambda; break;
        case MapProgram::Source::energies: ready.in[b] = in.energies; break;
      }
    }
    std::vector<S*>& out = ready.out;
    for (std::size_t b = 0; b < out.size(); ++b) out[b] = outputs(term, b);
    if constexpr (std::is_same_v<S, double>) {
      if (native_) {
        const auto k = static_cast<std::size_t>(&term - terms_.data());
        if (const NativeMap& formula = native_->maps[k][static_cast<std::size_t>(f)]) {
          formula.function()(0, term.source->rows, ready.in.data(), term.index.data(), out.data());
          continue;
        }
      }
    }
    ready.apply(0, term.source->rows, ready.in.data(), term.index.data(), out.data());
  }
}

template <class S>
void GraphSystem<S>::replace_table(std::size_t k, const std::vector<std::vector<std::int32_t>>& first_coordinates) {
  Term& term = terms_.at(k);
  if (term.source->role != MappedTerm::Role::energy || first_coordinates.size() != term.index.size() ||
      !term.row_values.empty())
    throw std::invalid_argument(
        "only the table of a sum of the energy without row values can be replaced, column by column");
  const std::size_t rows = first_coordinates.front().size();
  for (std::size_t g = 0; g < first_coordinates.size(); ++g) {
    const auto last =
        static_cast<std::int32_t>(this->n()) - static_cast<std::int32_t>(term.source->gathers[g].x.size());
    if (first_coordinates[g].size() != rows) throw std::invalid_argument("the columns of a table must have one length");
    for (const std::int32_t i : first_coordinates[g])
      if (i < 0 || i > last) throw std::invalid_argument("a table refers to a coordinate that does not exist");
  }
  auto replaced = std::make_shared<MappedTerm>(*term.source);
  replaced->rows = static_cast<int>(rows);
  for (std::size_t g = 0; g < first_coordinates.size(); ++g) {
    replaced->gathers[g].first = first_coordinates[g];
    term.index[g] = replaced->gathers[g].first.data();
  }
  term.source = replaced.get();
  term.own = std::move(replaced);
}

template <class S>
Vec<S> GraphSystem<S>::evaluate_items(const VectorCoordinate& v, const std::vector<NodeId>& formula) const {
  Vec<S> items(v.count), out(v.count * static_cast<int>(formula.size()));
  for (int i = 0; i < v.count; ++i) items[i] = S(i);
  const std::vector<Program::Block> inputs{{v.item}}, outputs{formula};
  MapSignature signature;
  signature.inputs = {MapInput::per_row(1)};
  signature.outputs = {MapOutput::stored(static_cast<std::uint32_t>(formula.size()))};
  MapInterpreter<S> evaluate(std::make_shared<Program>(*compiled_->model().graph, inputs, outputs), signature);
  const S* in = items.data();
  S* result = out.data();
  evaluate(0, v.count, &in, nullptr, &result);
  return out;
}

// ---- constant mass

template <class S>
void GraphSystem<S>::make_mass() {
  if (compiled_->mass_pattern()) return make_sparse_mass();
  const int n = this->n();
  Interpreter<S> evaluate(compiled_->mass_program());
  const Model& source = compiled_->model();
  const auto fail = [&](const std::string& part, const std::string& what) {
    throw InputError(source.place(part) + what);
  };
  const std::string part = source.hamiltonian ? "energy.hamiltonian"
                           : source.kinetic   ? "energy.kinetic"
                                              : "energy.mass";
  if (compiled_->mass_is_diagonal()) {
    Vec<S> mass(n);
    evaluate({}, {mass.data()});
    for (const VectorCoordinate& v : source.vectors) {
      const Vec<S> masses = evaluate_items(v, {v.mass});
      for (int i = 0; i < v.size(); ++i) mass[v.offset + i] = masses[i / v.dim];
    }
    for (int i = 0; i < n; ++i) {
      const std::string& name = this->labels().coordinates[static_cast<std::size_t>(i)];
      if (!(value(mass[i]) > 0) || !is_finite(mass[i])) {
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", to_double(mass[i]));
        const std::string size = mass[i] == mass[i] ? number : "not a number";
        if (compiled_->mass_is_inverse())
          fail(part, "the hamiltonian gives coordinate '" + name + "' the inverse mass " + size +
                         "; it needs a positive term in p_" + name + "^2");
        if (source.kinetic)
          fail(part, "the kinetic energy gives coordinate '" + name + "' the mass " + size +
                         "; it needs a positive term in v_" + name + "^2");
        fail(part + "." + name,
             "the mass of coordinate '" + name + "' is " + size + "; a mass must be a positive number");
      }
      if (compiled_->mass_is_inverse()) mass[i] = S(1) / mass[i];
    }
    mass_ = AnyMass<S>(DiagonalMass<S, Dynamic>(mass));
    return;
  }
  Vec<S> entries(n * n);
  evaluate({}, {entries.data()});
  Square<S> matrix(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      matrix(i, j) = entries[i * n + j];
      const S asymmetry = entries[i * n + j] - entries[j * n + i];
      if (!(magnitude(asymmetry) <= epsilon<S>() * 16 * magnitude(entries[i * n + j])))
        fail(part, "the mass matrix is not symmetric: entries (" + std::to_string(i + 1) + ", " +
                       std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) +
                       ") differ");
    }
  auto mass = compiled_->mass_is_inverse() ? DenseMass<S>::of_inverse(matrix) : DenseMass<S>::of(matrix);
  if (!mass) fail(part, "the mass matrix is not positive definite: every motion must have a positive kinetic energy");
  mass_ = AnyMass<S>(std::move(*mass));
}

template <class S>
void GraphSystem<S>::make_sparse_mass() {
  const Pattern& rows = *compiled_->mass_pattern();
  const Model& source = compiled_->model();
  const auto& table = source.mass_table;
  // Where a mistake is: in the line of the file that has the diagonal entry, or in the model.
  const auto place = [&](int coordinate) {
    if (!table) return source.place(source.kinetic ? "energy.kinetic" : "energy.mass");
    for (std::size_t e = 0; e < table->row.size(); ++e)
      if (table->row[e] == coordinate && table->column[e] == coordinate)
        return table->file + ":" + std::to_string(table->line[e]) + ":" + std::to_string(table->at[e]) + ": ";
    return table->file + ": ";
  };
  Vec<S> values(rows.nonzeros());
  if (table) {
    Vec<S> entries(static_cast<int>(table->text.size()));
    for (int e = 0; e < entries.size(); ++e)
      entries[e] = exact_number<S>(exact_text(table->text[static_cast<std::size_t>(e)]));
    for (int z = 0; z < values.size(); ++z) values[z] = entries[compiled_->mass_source()[static_cast<std::size_t>(z)]];
  } else {
    Interpreter<S>(compiled_->mass_program())({}, {values.data()});
    std::map<std::pair<int, int>, S> above;  // entries right of the diagonal, until their partners come
    for (int i = 0; i < rows.n; ++i)
      for (int z = rows.row_start[static_cast<std::size_t>(i)]; z < rows.row_start[static_cast<std::size_t>(i) + 1];
           ++z) {
        const int j = rows.column[static_cast<std::size_t>(z)];
        if (j > i) above.emplace(std::pair{i, j}, values[z]);
        if (j >= i) continue;
        const S asymmetry = values[z] - above.at({j, i});
        if (!(magnitude(asymmetry) <= epsilon<S>() * 16 * magnitude(values[z])))
          throw InputError(place(i) + "the mass matrix is not symmetric: entries (" + std::to_string(i + 1) + ", " +
                           std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) +
                           ") differ");
      }
  }
  int bad = -1;
  auto mass = SparseMass<S>::of(rows, values, &bad);
  if (!mass)
    throw InputError(
        place(bad) +
        "the mass matrix is not positive definite: every motion must have a positive kinetic energy. It fails at '" +
        this->labels().coordinates[static_cast<std::size_t>(bad)] + "', coordinate " + std::to_string(bad));
  if (rows.nonzeros() == rows.n)
    mass_ = AnyMass<S>(DiagonalMass<S, Dynamic>(values));
  else
    mass_ = AnyMass<S>(std::move(*mass));
}

// ---- formulas: what has no table, then the terms that have one

template <class S>
S GraphSystem<S>::V(const Vec<S>& q) const {
  S result(0);
  call(Formula::V, {q.data()}, {&result});
  map(MappedTerm::Role::energy, Formula::V, {.q = q.data()}, [&](const Term&, std::size_t) { return &result; });
  return result;
}

template <class S>
void GraphSystem<S>::V_q(const Vec<S>& q, Vec<S>& out) const {
  V_q(Formula::V_q, Part::all, q, out);
}

template <class S>
void GraphSystem<S>::V_q(Formula f, Part part, const Vec<S>& q, Vec<S>& out) const {
  if (!terms_.empty()) fill(out, S(0));
  call(f, {q.data()}, {out.data()});
  map(
      MappedTerm::Role::energy, Formula::V_q, {.q = q.data()}, [&](const Term&, std::size_t) { return out.data(); },
      part);
}

template <class S>
void GraphSystem<S>::g(const Vec<S>& q, Vec<S>& out) const {
  call(Formula::g, {q.data()}, {out.data()});
  map(MappedTerm::Role::constraint, Formula::g, {.q = q.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.place.constraint; });
}

template <class S>
void GraphSystem<S>::G(const Vec<S>& q, Jacobian<S>& out) const {
  call(Formula::G, {q.data()}, {out.values().data()});
  map(MappedTerm::Role::constraint, Formula::G, {.q = q.data()},
      [&](const Term& term, std::size_t) { return out.values().data() + term.place.entry; });
}

template <class S>
void GraphSystem<S>::g_and_G(const Vec<S>& q, Vec<S>& g_out, Jacobian<S>& G_out) const {
  call(Formula::g_and_G, {q.data()}, {g_out.data(), G_out.values().data()});
  map(MappedTerm::Role::constraint, Formula::g_and_G, {.q = q.data()}, [&](const Term& term, std::size_t block) {
    return block == 0 ? g_out.data() + term.place.constraint : G_out.values().data() + term.place.entry;
  });
}

template <class S>
SmallCode GraphSystem<S>::small_code() const {
  SmallCode small;
  if constexpr (std::is_same_v<S, double>) {
    if (!is_small()) return small;
    small.machine = native_ != nullptr;
    const auto code = [&](Formula f) { return native_->programs[static_cast<std::size_t>(f)].function(); };
    if (native_)
      small.function = {code(Formula::V_q), code(Formula::g), code(Formula::G_rows), code(Formula::g_and_G_rows)};
    else
      small.function = {interpreted<Formula::V_q>, interpreted<Formula::g>, interpreted<Formula::G_rows>,
                        interpreted<Formula::g_and_G_rows>};
  }
  return small;
}

template <class S>
void GraphSystem<S>::g_scale(const Vec<S>& q, Vec<S>& out) const {
  call(Formula::g_scale, {q.data()}, {out.data()});
  map(MappedTerm::Role::constraint, Formula::g_scale, {.q = q.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.place.constraint; });
}

template <class S>
void GraphSystem<S>::invariants(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
  if (!terms_.empty()) fill(out, S(0));
  call(Formula::invariants, {q.data(), p.data()}, {out.data()});
  map(MappedTerm::Role::invariant, Formula::invariants, {.q = q.data(), .p = p.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.invariant; });
}

template <class S>
void GraphSystem<S>::events(const Vec<S>& q, const Vec<S>& p, Vec<S>& value, Vec<S>& scale) const {
  call(Formula::events, {q.data(), p.data()}, {value.data(), scale.data()});
  map(MappedTerm::Role::event, Formula::events, {.q = q.data(), .p = p.data()},
      [&](const Term& term, std::size_t block) { return (block == 0 ? value : scale).data() + term.source->event; });
}

template <class S>
S GraphSystem<S>::H(const Vec<S>& q, const Vec<S>& p) const {
  if (compiled_->form() == CompiledModel::Form::general) {
    S result(0);
    call(Formula::H, {q.data(), p.data()}, {&result});
    return result;
  }
  H_p(q, p, work_);
  return dot(p, work_) / S(2) + V(q);
}

template <class S>
void GraphSystem<S>::H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
  switch (compiled_->form()) {
    case CompiledModel::Form::separable: mass_.solve(p, out); break;
    case CompiledModel::Form::mass_matrix:
      out = p;
      solve_mass(q, out);
      break;
    case CompiledModel::Form::general: call(Formula::H_p, {q.data(), p.data()}, {out.data()}); break;
  }
}

template <class S>
void GraphSystem<S>::H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
  switch (compiled_->form()) {
    case CompiledModel::Form::separable: V_q(q, out); break;
    case CompiledModel::Form::mass_matrix:  // H_q = V_q − ∂T/∂q at v = M⁻¹p
      velocity_ = p;
      solve_mass(q, velocity_);
      V_q(q, out);
      call(Formula::T_q, {q.data(), velocity_.data()}, {work_.data()});
      axpy(S(-1), work_, out);
      break;
    case CompiledModel::Form::general: call(Formula::H_q, {q.data(), p.data()}, {out.data()}); break;
  }
}

template <class S>
void GraphSystem<S>::solve_mass(const Vec<S>& q, Vec<S>& x) const {
  // In dual numbers equal values need not have equal tangents: compare both.
  bool same = mass_known_;
  for (int i = 0; same && i < q.size(); ++i) same = magnitude(S(q[i] - mass_position_[i])) == Real<S>(0);
  if (!same) {
    call(Formula::M, {q.data()}, {mass_entries_.data()});
    for (int i = 0, z = 0; i < q.size(); ++i)
      for (int j = 0; j <= i; ++j) mass_factor_(i, j) = mass_entries_[z++];
    mass_positive_ = factor_ldl(mass_factor_, Real<S>(0)) < 0;
    mass_position_ = q;
    mass_known_ = true;
  }
  if (mass_positive_)
    solve_ldl(mass_factor_, x);
  else
    fill(x, S(std::numeric_limits<Real<S>>::quiet_NaN()));
}

template <class S>
void GraphSystem<S>::invariants_along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& out,
                                      Vec<S>& scale) const {
  fill(out, S(0));
  fill(scale, S(0));
  call(Formula::invariants_along, {q.data(), p.data(), u.data(), w.data()}, {out.data(), scale.data()});
  map(MappedTerm::Role::invariant, Formula::invariants_along,
      {.q = q.data(), .p = p.data(), .u = u.data(), .w = w.data()},
      [&](const Term& term, std::size_t block) { return (block == 0 ? out : scale).data() + term.invariant; });
}

template <class S>
void GraphSystem<S>::observables(const State<S>& x, Vec<S>& out) const {
  const auto& needs = compiled_->observable_needs();
  fill(out, S(0));
  if (needs.velocity) H_p(x.q, x.p, observed_velocity_);
  if (needs.energies) {
    energies_[0] = dot(x.p, observed_velocity_) / S(2);
    energies_[1] = V(x.q);
  }
  call(Formula::observables, {x.q.data(), x.p.data(), observed_velocity_.data(), x.lambda.data(), energies_.data()},
       {out.data()});
  map(MappedTerm::Role::observable, Formula::observables,
      {.q = x.q.data(),
       .p = x.p.data(),
       .lambda = x.lambda.data(),
       .velocity = observed_velocity_.data(),
       .energies = energies_.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.observable; });
}

template <class S>
bool GraphSystem<S>::momentum(const Vec<S>& q, const Vec<S>& v, Vec<S>& p) const {
  switch (compiled_->form()) {
    case CompiledModel::Form::separable: mass_.multiply(v, p); return true;
    case CompiledModel::Form::mass_matrix: call(Formula::T_v, {q.data(), v.data()}, {p.data()}); return true;
    case CompiledModel::Form::general: break;
  }
  // Newton's method with H_pp by columns; one step when H is quadratic in p.
  const int n = this->n();
  Vec<S> residual(n), unit(n), column(n);
  Square<S> H_pp_matrix(n);
  fill(p, S(0));
  Convergence<Real<S>> convergence(epsilon<S>(), {});
  for (;;) {
    H_p(q, p, residual);
    Real<S> size(0), scale(0);
    for (int i = 0; i < n; ++i) {
      residual[i] -= v[i];
      if (!(magnitude(residual[i]) <= size)) size = magnitude(residual[i]);
      if (magnitude(v[i]) > scale) scale = magnitude(v[i]);
    }
    const auto verdict = convergence(scale > Real<S>(0) ? Real<S>(size / scale) : size);
    if (verdict == Convergence<Real<S>>::Verdict::done) return true;
    if (verdict == Convergence<Real<S>>::Verdict::failed) return false;
    for (int j = 0; j < n; ++j) {
      fill(unit, S(0));
      unit[j] = S(1);
      this->H_pp(q, p, unit, column);
      for (int i = 0; i < n; ++i) H_pp_matrix(i, j) = column[i];
    }
    factor_lu(H_pp_matrix);
    solve_lu(H_pp_matrix, residual);
    axpy(S(-1), residual, p);
  }
}

template <class S>
void GraphSystem<S>::start(Vec<S>& q, Vec<S>& motion, Vec<S>& defaults) const {
  call(Formula::start, {}, {q.data(), motion.data(), defaults.data()});
  const auto items = [&](const VectorCoordinate& v, const std::vector<NodeId>& formula,
                         const std::vector<std::vector<std::string>>& table, Vec<S>& out) {
    if (table.empty()) {
      const Vec<S> values = evaluate_items(v, formula);
      for (int i = 0; i < v.size(); ++i) out[v.offset + i] = values[i];
      return;
    }
    for (int i = 0; i < v.count; ++i)
      for (int c = 0; c < v.dim; ++c)
        out[v.offset + i * v.dim + c] =
            exact_number<S>(exact_text(table[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)]));
  };
  for (const VectorCoordinate& v : compiled_->model().vectors) {
    items(v, v.q0, v.q0_table, q);
    items(v, v.start, v.start_table, motion);
  }
}

template <class S>
std::string GraphSystem<S>::diagnose(const Vec<S>& q, const Vec<S>& p) const {
  const auto finite = [](const Vec<S>& x) {
    for (const S& a : x)
      if (!is_finite(a)) return false;
    return true;
  };
  const auto name = [&](int i) { return "'" + this->labels().coordinates[static_cast<std::size_t>(i)] + "'"; };
  for (int i = 0; i < q.size(); ++i) {
    if (!is_finite(q[i])) return "the coordinate " + name(i) + " is not finite";
    if (!is_finite(p[i])) return "the momentum of " + name(i) + " is not finite";
  }
  Vec<S> residual(this->m());
  Jacobian<S> J(this->pattern());
  g_and_G(q, residual, J);
  for (int k = 0; k < this->m(); ++k) {
    const std::string constraint = "constraint '" + this->labels().constraints[static_cast<std::size_t>(k)] + "'";
    if (!is_finite(residual[k]))
      return constraint + " is not finite (a division by zero, or a function outside its domain)";
    bool good = true;
    J.row(k, [&](int, const S& x) { good = good && is_finite(x); });
    if (!good) return "the gradient of " + constraint + " is not finite";
  }
  Vec<S> out(this->n());
  if (compiled_->form() != CompiledModel::Form::general) {
    if (!is_finite(V(q))) return "the potential is not finite (a division by zero, or a function outside its domain)";
    V_q(q, out);
    if (!finite(out)) return "the gradient of the potential is not finite";
  }
  if (compiled_->form() == CompiledModel::Form::mass_matrix) {
    H_p(q, p, out);
    if (!finite(mass_entries_))
      return "the mass matrix is not finite (a division by zero, or a function outside its domain)";
    if (!mass_positive_)
      return "the mass matrix is not positive definite: every motion must have a positive kinetic energy";
  }
  if (!is_finite(H(q, p)))
    return "the hamiltonian is not finite (a division by zero, or a function outside its domain)";
  H_q(q, p, out);
  if (!finite(out)) return "the gradient of the energy is not finite";
  return {};
}

}  // namespace holonom
