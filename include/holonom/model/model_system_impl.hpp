// The member functions of ModelSystem, for the translation units that instantiate it.
#pragma once

#include "holonom/expr/decimal.hpp"
#include "holonom/model/model_mass_impl.hpp"
#include "holonom/model/model_quantities_impl.hpp"
#include "holonom/model/model_terms_impl.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <class S>
ModelSystem<S>::ModelSystem(std::shared_ptr<const CompiledModel> compiled, Engine engine)
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
  if (is_field())
    for (int k = 0; k < shears().count(); ++k) shears_.emplace_back(compiled_->shear_program(k));
  make_terms();
  if (compiled_->form() == Form::separable) make_mass();
}

// ---- formulas: what has no table, then the terms that have one

template <class S>
S ModelSystem<S>::V(const Vec<S>& q) const {
  return V(Formula::V, Part::all, q);
}

template <class S>
S ModelSystem<S>::V(Formula f, Part part, const Vec<S>& q) const {
  S result(0);
  call(f, {q.data()}, {&result});
  map(
      MappedTerm::Role::energy, Formula::V, {.q = q.data()}, [&](const Term&, std::size_t) { return &result; }, part);
  return result;
}

template <class S>
void ModelSystem<S>::V_q(const Vec<S>& q, Vec<S>& out) const {
  V_q(Formula::V_q, Part::all, q, out);
}

template <class S>
void ModelSystem<S>::V_q(Formula f, Part part, const Vec<S>& q, Vec<S>& out) const {
  if (!terms_.empty()) fill(out, S(0));
  call(f, {q.data()}, {out.data()});
  map(
      MappedTerm::Role::energy, Formula::V_q, {.q = q.data()}, [&](const Term&, std::size_t) { return out.data(); },
      part);
}

template <class S>
void ModelSystem<S>::g(const Vec<S>& q, Vec<S>& out) const {
  call(Formula::g, {q.data()}, {out.data()});
  map(MappedTerm::Role::constraint, Formula::g, {.q = q.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.place.constraint; });
}

template <class S>
void ModelSystem<S>::G(const Vec<S>& q, Jacobian<S>& out) const {
  call(Formula::G, {q.data()}, {out.values().data()});
  map(MappedTerm::Role::constraint, Formula::G, {.q = q.data()},
      [&](const Term& term, std::size_t) { return out.values().data() + term.place.entry; });
}

template <class S>
void ModelSystem<S>::g_and_G(const Vec<S>& q, Vec<S>& g_out, Jacobian<S>& G_out) const {
  call(Formula::g_and_G, {q.data()}, {g_out.data(), G_out.values().data()});
  map(MappedTerm::Role::constraint, Formula::g_and_G, {.q = q.data()}, [&](const Term& term, std::size_t block) {
    return block == 0 ? g_out.data() + term.place.constraint : G_out.values().data() + term.place.entry;
  });
}

template <class S>
SmallCode ModelSystem<S>::small_code() const {
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
void ModelSystem<S>::g_scale(const Vec<S>& q, Vec<S>& out) const {
  call(Formula::g_scale, {q.data()}, {out.data()});
  map(MappedTerm::Role::constraint, Formula::g_scale, {.q = q.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.place.constraint; });
}

template <class S>
void ModelSystem<S>::invariants(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
  if (!terms_.empty()) fill(out, S(0));
  call(Formula::invariants, {q.data(), p.data()}, {out.data()});
  map(MappedTerm::Role::invariant, Formula::invariants, {.q = q.data(), .p = p.data()},
      [&](const Term& term, std::size_t) { return out.data() + term.invariant; });
}

template <class S>
void ModelSystem<S>::events(const Vec<S>& q, const Vec<S>& p, Vec<S>& value, Vec<S>& scale) const {
  call(Formula::events, {q.data(), p.data()}, {value.data(), scale.data()});
  map(MappedTerm::Role::event, Formula::events, {.q = q.data(), .p = p.data()},
      [&](const Term& term, std::size_t block) { return (block == 0 ? value : scale).data() + term.source->event; });
}

template <class S>
S ModelSystem<S>::H(const Vec<S>& q, const Vec<S>& p) const {
  if (compiled_->form() == CompiledModel::Form::general) {
    S result(0);
    call(Formula::H, {q.data(), p.data()}, {&result});
    return result;
  }
  H_p(q, p, work_);
  return dot(p, work_) / S(2) + V(q);
}

template <class S>
void ModelSystem<S>::H_p(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
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
void ModelSystem<S>::H_q(const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
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
void ModelSystem<S>::shear_rates(int k, const Vec<S>& q, const Vec<S>& p, Vec<S>& out) const {
  const S* const in[] = {q.data(), p.data()};
  S* const results[] = {out.data()};
  if constexpr (std::is_same_v<S, double>) {
    if (native_) return native_->shears[static_cast<std::size_t>(k)].function()(in, results);
  }
  shears_[static_cast<std::size_t>(k)](in, results);
}

template <class S>
void ModelSystem<S>::invariants_along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w, Vec<S>& out,
                                      Vec<S>& scale) const {
  fill(out, S(0));
  fill(scale, S(0));
  call(Formula::invariants_along, {q.data(), p.data(), u.data(), w.data()}, {out.data(), scale.data()});
  map(MappedTerm::Role::invariant, Formula::invariants_along,
      {.q = q.data(), .p = p.data(), .u = u.data(), .w = w.data()},
      [&](const Term& term, std::size_t block) { return (block == 0 ? out : scale).data() + term.invariant; });
}

template <class S>
void ModelSystem<S>::observables(const State<S>& x, Vec<S>& out) const {
  if (this->labels().observables.empty()) return;
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
bool ModelSystem<S>::momentum(const Vec<S>& q, const Vec<S>& v, Vec<S>& p) const {
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
void ModelSystem<S>::start(Vec<S>& q, Vec<S>& motion, Vec<S>& defaults) const {
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
            decimal_number<S>(table[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)]);
  };
  for (const VectorCoordinate& v : compiled_->model().vectors) {
    items(v, v.q0, v.q0_table, q);
    items(v, v.start, v.start_table, motion);
  }
}

template <class S>
std::string ModelSystem<S>::diagnose_field(const Vec<S>& q, const Vec<S>& p) const {
  const Labels& labels = this->labels();
  const std::string cause = " (a division by zero, or a function outside its domain)";
  Vec<S> q_rate(this->n()), p_rate(this->n());
  H_p(q, p, q_rate);
  H_q(q, p, p_rate);
  const auto look = [&](const Vec<S>& x, const Vec<S>& rate, std::size_t count, auto&& name_of) -> std::string {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "'" + name_of(i) + "' is not finite";
      if (!is_finite(x[static_cast<int>(i)])) return name;
      if (!is_finite(rate[static_cast<int>(i)])) return "the rate of " + name + cause;
    }
    return {};
  };
  const std::string in_q =
      look(q, q_rate, labels.coordinates.size(), [&](std::size_t i) { return labels.coordinates[i]; });
  if (!in_q.empty()) return in_q;
  const std::string in_p = look(p, p_rate, labels.momenta(), [&](std::size_t i) { return labels.momentum(i); });
  if (!in_p.empty()) return in_p;
  return is_finite(H(q, p)) ? "" : "the energy is not finite" + cause;
}

template <class S>
std::string ModelSystem<S>::diagnose(const Vec<S>& q, const Vec<S>& p) const {
  const auto finite = [](const Vec<S>& x) {
    for (const S& a : x)
      if (!is_finite(a)) return false;
    return true;
  };
  const Labels& labels = this->labels();
  if (is_field()) return diagnose_field(q, p);
  const auto name = [&](int i) { return "'" + labels.coordinates[static_cast<std::size_t>(i)] + "'"; };
  for (int i = 0; i < q.size(); ++i) {
    if (!is_finite(q[i])) return "the coordinate " + name(i) + " is not finite";
    if (!is_finite(p[i])) return "the momentum of " + name(i) + " is not finite";
  }
  Vec<S> residual(this->m());
  Jacobian<S> J(this->pattern());
  g_and_G(q, residual, J);
  for (int k = 0; k < this->m(); ++k) {
    const std::string constraint = "constraint '" + labels.constraints[static_cast<std::size_t>(k)] + "'";
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
