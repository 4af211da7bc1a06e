// The quantities of ModelSystem: each is the formula of its name, unless H has none.
#pragma once

#include "holonom/model/model_system.hpp"

namespace holonom {

template <class S>
std::string ModelSystem<S>::lacks(Quantity f) const {
  if (f == Quantity::V || ((f == Quantity::V_parts || f == Quantity::V_fast) && is_field()))
    return compiled_->not_separable();
  if (f == Quantity::V_qq && compiled_->form() == CompiledModel::Form::general) return compiled_->not_separable();
  if ((f == Quantity::V_parts || f == Quantity::V_fast) && !compiled_->is_split())
    return "its potential does not come in two parts; write potential = { slow = \"...\", fast = \"...\" }, or part = "
           "\"fast\" in an [[energy.sum]]";
  return {};
}

template <class S>
void ModelSystem<S>::evaluate(Quantity f, const Arguments<S>& x, Vec<S>& out) const {
  if (!is_of_H(f)) return of_V_or_g(f, x, out);
  switch (compiled_->form()) {
    case CompiledModel::Form::separable: return with_constant_mass(f, x, out);
    case CompiledModel::Form::mass_matrix: return with_mass_matrix(f, x, out);
    case CompiledModel::Form::general: return call(formula_of(f), x, out);
  }
}

template <class S>
void ModelSystem<S>::of_V_or_g(Quantity f, const Arguments<S>& x, Vec<S>& out) const {
  if (f == Quantity::V_qq && compiled_->form() != CompiledModel::Form::general) {
    const Formula part = x.part == Part::slow   ? Formula::V_slow_qq
                         : x.part == Part::fast ? Formula::V_fast_qq
                                                : Formula::V_qq;
    return sum_of_potential(part, Formula::V_qq, x, out);
  }
  if (f == Quantity::g_qq && x.u == x.v) return of_constraints(Formula::g_uu, {.q = x.q, .u = x.u}, out);
  if (is_per_constraint(f)) return of_constraints(formula_of(f), x, out);
  if (is_of_multipliers(f)) return of_multipliers(formula_of(f), x, out);
  throw std::logic_error(knows(*this, f) ? "this quantity has functions of its own" : lacks(f));
}

template <class S>
void ModelSystem<S>::call(Formula f, const Arguments<S>& x, Vec<S>& out) const {
  const S* in[6];
  const S** next = in;
  const auto add = [&](const Vec<S>* block) {
    if (block) *next++ = block->data();
  };
  add(x.q), add(x.p), add(x.lambda), add(x.u), add(x.v), add(x.w);
  S* result = out.data();
  call(f, in, &result);
}

template <class S>
auto ModelSystem<S>::inputs_of(const Arguments<S>& x) -> Inputs {
  const auto data = [](const Vec<S>* block) { return block ? block->data() : nullptr; };
  return {.q = data(x.q), .p = data(x.p), .u = data(x.u), .v = data(x.v), .w = data(x.w), .lambda = data(x.lambda)};
}

template <class S>
void ModelSystem<S>::sum_of_potential(Formula f, Formula of_terms, const Arguments<S>& x, Vec<S>& out) const {
  fill(out, S(0));
  call(f, x, out);
  map(
      MappedTerm::Role::energy, of_terms, inputs_of(x), [&](const Term&, std::size_t) { return out.data(); }, x.part);
}

template <class S>
void ModelSystem<S>::of_constraints(Formula f, const Arguments<S>& x, Vec<S>& out) const {
  call(f, x, out);
  map(MappedTerm::Role::constraint, f, inputs_of(x),
      [&](const Term& term, std::size_t) { return out.data() + term.place.constraint; });
}

template <class S>
void ModelSystem<S>::of_multipliers(Formula f, const Arguments<S>& x, Vec<S>& out) const {
  fill(out, S(0));
  call(f, x, out);
  map(MappedTerm::Role::constraint, f, inputs_of(x), [&](const Term&, std::size_t) { return out.data(); });
}

template <class S>
void ModelSystem<S>::with_constant_mass(Quantity f, const Arguments<S>& x, Vec<S>& out) const {
  switch (f) {
    case Quantity::H_pp: return mass_.solve(*x.u, out);
    case Quantity::H_qq: return sum_of_potential(Formula::V_qq, Formula::V_qq, {.q = x.q, .u = x.u}, out);
    case Quantity::H_qqq: return sum_of_potential(Formula::V_qqq, Formula::V_qqq, {.q = x.q, .u = x.u, .v = x.v}, out);
    default: fill(out, S(0));
  }
}

// H = ½ p·M⁻¹p + V, H_p = v = M⁻¹p and H_q = V_q − T_q(q, v). M v = p, that is T_v(q, v) = p, is differentiated along
// directions in q or p, once and twice: with primes for these derivatives,
//   v' = M⁻¹(p' − T_vq q'),   v'' = −M⁻¹ (the second derivative of T_v along (q', v')),
// and those of H_q follow by the chain rule.
template <class S>
void ModelSystem<S>::with_mass_matrix(Quantity f, const Arguments<S>& x, Vec<S>& out) const {
  if (f == Quantity::H_pp) {
    out = *x.u;
    return solve_mass(*x.q, out);
  }
  const char row = name_of(f)[2], first = name_of(f)[3];
  const Vec<S>&q = *x.q, &u = first == 'q' ? *x.u : none_;
  velocity_ = *x.p;
  solve_mass(q, velocity_);
  velocity_change(first, q, *x.u, change_);
  if (!x.v) {
    if (row == 'p') {
      out = change_;
      return;
    }
    call(Formula::T_qq, {q.data(), velocity_.data(), u.data(), change_.data()}, {work_.data()});
  } else {
    const char second = last_letter(f);
    const Vec<S>& v = second == 'q' ? *x.v : none_;
    velocity_change(second, q, *x.v, other_change_);
    call(Formula::T_vqq, {q.data(), velocity_.data(), u.data(), change_.data(), v.data(), other_change_.data()},
         {second_change_.data()});
    for (S& y : second_change_) y = -y;
    solve_mass(q, second_change_);
    if (row == 'p') {
      out = second_change_;
      return;
    }
    call(Formula::T_qqq,
         {q.data(), velocity_.data(), u.data(), change_.data(), v.data(), other_change_.data(), second_change_.data()},
         {work_.data()});
  }
  if (last_letter(f) == 'q' && first == 'q')
    with_constant_mass(x.v ? Quantity::H_qqq : Quantity::H_qq, x, out);
  else
    fill(out, S(0));
  axpy(S(-1), work_, out);
}

// v' along a direction in q or p, at the velocity that is known.
template <class S>
void ModelSystem<S>::velocity_change(char variable, const Vec<S>& q, const Vec<S>& direction, Vec<S>& out) const {
  out = direction;
  if (variable == 'q') {
    call(Formula::T_vq, {q.data(), velocity_.data(), direction.data()}, {out.data()});
    for (S& y : out) y = -y;
  }
  solve_mass(q, out);
}

}  // namespace holonom
