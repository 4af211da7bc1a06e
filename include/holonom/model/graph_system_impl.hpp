// The member functions of GraphSystem, for the translation units that instantiate it.
#pragma once

#include <cstdio>

#include "holonom/model/graph_system.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <class S>
GraphSystem<S>::GraphSystem(std::shared_ptr<const CompiledModel> compiled) : compiled_(std::move(compiled)) {
  this->labels_ = compiled_->labels();
  this->pattern_ = compiled_->pattern();
  const int n = this->n();
  velocity_ = work_ = mass_position_ = Vec<S>(n);
  using Form = CompiledModel::Form;
  std::vector<Formula> hot{Formula::g, Formula::G, Formula::g_and_G, Formula::invariants};
  switch (compiled_->form()) {
    case Form::separable: hot.insert(hot.end(), {Formula::V, Formula::V_q}); break;
    case Form::mass_matrix:
      hot.insert(hot.end(), {Formula::V, Formula::V_q, Formula::M, Formula::T_q, Formula::T_vq});
      mass_entries_ = Vec<S>(n * (n + 1) / 2);
      mass_factor_ = Square<S>(n);
      break;
    case Form::general:
      hot.insert(hot.end(), {Formula::H, Formula::H_q, Formula::H_p, Formula::H_pp, Formula::H_pq});
      break;
  }
  for (const Formula f : hot) interpreters_[static_cast<std::size_t>(f)] = Interpreter<S>(compiled_->program(f));
  if (compiled_->form() != Form::separable) return;

  Interpreter<S> evaluate(compiled_->mass_program());
  const Model& source = compiled_->model();
  const auto fail = [&](const std::string& part, const std::string& what) { throw InputError(source.place(part) + what); };
  const std::string part = source.hamiltonian ? "energy.hamiltonian" : source.kinetic ? "energy.kinetic" : "energy.mass";
  if (compiled_->mass_is_diagonal()) {
    Vec<S> mass(n);
    evaluate({}, {mass.data()});
    for (int i = 0; i < n; ++i) {
      const std::string& name = this->labels_.coordinates[static_cast<std::size_t>(i)];
      if (!(value(mass[i]) > 0) || !is_finite(mass[i])) {
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", to_double(mass[i]));
        const std::string size = mass[i] == mass[i] ? number : "not a number";
        if (compiled_->mass_is_inverse())
          fail(part, "the hamiltonian gives coordinate '" + name + "' the inverse mass " + size +
                         "; it needs a positive term in p_" + name + "^2");
        if (source.kinetic)
          fail(part, "the kinetic energy gives coordinate '" + name + "' the mass " + size + "; it needs a positive term in v_" + name + "^2");
        fail(part + "." + name, "the mass of coordinate '" + name + "' is " + size + "; a mass must be a positive number");
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
        fail(part, "the mass matrix is not symmetric: entries (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
             ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) + ") differ");
    }
  auto mass = compiled_->mass_is_inverse() ? DenseMass<S>::of_inverse(matrix) : DenseMass<S>::of(matrix);
  if (!mass) fail(part, "the mass matrix is not positive definite: every motion must have a positive kinetic energy");
  mass_ = AnyMass<S>(std::move(*mass));
}

template <class S>
S GraphSystem<S>::V(const Vec<S>& q) const {
  S result(0);
  call(Formula::V, {q.data()}, {&result});
  return result;
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
void GraphSystem<S>::H_pp(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, Vec<S>& out) const {
  switch (compiled_->form()) {
    case CompiledModel::Form::separable: mass_.solve(u, out); break;
    case CompiledModel::Form::mass_matrix:
      out = u;
      solve_mass(q, out);
      break;
    case CompiledModel::Form::general: call(Formula::H_pp, {q.data(), p.data(), u.data()}, {out.data()}); break;
  }
}

template <class S>
void GraphSystem<S>::H_pq(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, Vec<S>& out) const {
  switch (compiled_->form()) {
    case CompiledModel::Form::separable: fill(out, S(0)); break;
    case CompiledModel::Form::mass_matrix:  // (M⁻¹p)_q u = −M⁻¹ ∂²T/∂v∂q u
      velocity_ = p;
      solve_mass(q, velocity_);
      call(Formula::T_vq, {q.data(), velocity_.data(), u.data()}, {out.data()});
      for (S& x : out) x = -x;
      solve_mass(q, out);
      break;
    case CompiledModel::Form::general: call(Formula::H_pq, {q.data(), p.data(), u.data()}, {out.data()}); break;
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
  if (mass_positive_) solve_ldl(mass_factor_, x);
  else fill(x, S(std::numeric_limits<Real<S>>::quiet_NaN()));
}

template <class S>
void GraphSystem<S>::invariants_along(const Vec<S>& q, const Vec<S>& p, const Vec<S>& u, const Vec<S>& w,
                                      Vec<S>& out) const {
  Vec<S> part(out.size());
  call(Formula::invariants_q, {q.data(), p.data(), u.data()}, {out.data()});
  call(Formula::invariants_p, {q.data(), p.data(), w.data()}, {part.data()});
  axpy(S(1), part, out);
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
      H_pp(q, p, unit, column);
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
}

template <class S>
std::string GraphSystem<S>::diagnose(const Vec<S>& q, const Vec<S>& p) const {
  const auto finite = [](const Vec<S>& x) {
    for (const S& a : x)
      if (!is_finite(a)) return false;
    return true;
  };
  const auto name = [&](int i) { return "'" + this->labels_.coordinates[static_cast<std::size_t>(i)] + "'"; };
  for (int i = 0; i < q.size(); ++i) {
    if (!is_finite(q[i])) return "the coordinate " + name(i) + " is not finite";
    if (!is_finite(p[i])) return "the momentum of " + name(i) + " is not finite";
  }
  Vec<S> residual(this->m());
  Jacobian<S> J(this->pattern_);
  g_and_G(q, residual, J);
  for (int k = 0; k < this->m(); ++k) {
    const std::string constraint = "constraint '" + this->labels_.constraints[static_cast<std::size_t>(k)] + "'";
    if (!is_finite(residual[k])) return constraint + " is not finite (a division by zero, or a function outside its domain)";
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
    if (!finite(mass_entries_)) return "the mass matrix is not finite (a division by zero, or a function outside its domain)";
    if (!mass_positive_) return "the mass matrix is not positive definite: every motion must have a positive kinetic energy";
  }
  if (!is_finite(H(q, p))) return "the hamiltonian is not finite (a division by zero, or a function outside its domain)";
  H_q(q, p, out);
  if (!finite(out)) return "the gradient of the energy is not finite";
  return {};
}

}  // namespace holonom
