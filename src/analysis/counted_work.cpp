#include "holonom/analysis/counted_work.hpp"

#include "holonom/solve/gram_pattern.hpp"

namespace holonom {

namespace {

// In units of a sum or product, as processors and libraries of today have them, roughly
double cost_of(Op op) {
  switch (op) {
    case Op::constant:
    case Op::pi:
    case Op::input: return 0;
    case Op::div:
    case Op::sqrt: return 5;
    case Op::powi: return 3;
    case Op::exp:
    case Op::log:
    case Op::sin:
    case Op::cos: return 20;
    case Op::pow:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::atan2:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh: return 40;
    default: return 1;
  }
}

double cost_of(const Program& program) {
  double sum = 0;
  for (const SameOperations& same : program.body) sum += cost_of(same.op) * same.count;
  return sum;
}

// A formula, with the rows of tables that have a role in it
class FormulaCosts {
 public:
  explicit FormulaCosts(const CompiledModel& compiled) : compiled_(compiled) {}

  double operator()(Formula f) const { return cost_of(*compiled_.program(f)); }
  double operator()(Formula f, MappedTerm::Role role, Formula of_terms, Part part = Part::all) const {
    double sum = (*this)(f);
    for (const MappedTerm& term : compiled_.model().terms) {
      if (term.role != role || (part != Part::all && term.fast != (part == Part::fast))) continue;
      sum += term.rows * cost_of(*compiled_.map_program(term, of_terms).kernel);
    }
    return sum;
  }

 private:
  const CompiledModel& compiled_;
};

// Sums of squares of the columns of the factor: what eliminating them takes.
double elimination(const FactorPattern& factor) {
  double sum = 0;
  for (int k = 0; k < factor.rows(); ++k) {
    const double below =
        factor.factor_start[static_cast<std::size_t>(k) + 1] - factor.factor_start[static_cast<std::size_t>(k)];
    sum += 1 + 2 * below + below * below;
  }
  return sum;
}

// G A Gᵀ as GramSolver has it: sparse with a diagonal A and many constraints, else dense
void set_algebra(WorkWeights& w, const AnySystem<double>& sys) {
  const Pattern& G = sys.pattern();
  w.n = sys.n();
  w.m = sys.m();
  if (w.m == 0) return;
  const double n = w.n, m = w.m, entries = G.nonzeros();
  constexpr int few_constraints = 8;
  const bool diagonal = sys.inverse_mass_diagonal() != nullptr;
  if (w.m > few_constraints && diagonal) {
    const GramPattern pattern(G);
    w.factor = 2 * static_cast<double>(pattern.products.size() + pattern.diagonal_entry.size()) + elimination(pattern);
    w.solve = 4.0 * pattern.entries() + m + 4 * entries;
    w.newton = w.solve + 4 * n;
    return;
  }
  const double made = m * entries + (diagonal ? entries : m * n * n);
  w.factor = made + m * m * m / 3;
  w.solve = 2 * m * m + 4 * entries;
  w.newton = w.solve + made + 2 * m * m * m / 3 + 4 * n;
}

}  // namespace

WorkWeights work_weights(const AnySystem<double>& sys) {
  WorkWeights w;
  set_algebra(w, sys);
  constexpr double per_entry = 10;
  const double n = per_entry * sys.n(), entries = per_entry * sys.pattern().nonzeros();
  w.V = w.V_q = w.V_slow_q = w.V_fast_q = w.H_q = w.H_p = n;
  w.g = w.G = w.g_and_G = w.g_uu = entries;
  for (const Quantity f : all_quantities)
    w.quantity[static_cast<std::size_t>(f)] = is_per_constraint(f) || is_of_multipliers(f) ? entries : 2 * n;
  if (const auto* field = dynamic_cast<const Shears<double>*>(&sys))
    for (int k = 0; k < field->shears().count(); ++k) w.shear.push_back(per_entry * field->shears().size(k));
  return w;
}

WorkWeights work_weights(const ModelSystem<double>& sys) {
  const CompiledModel& compiled = sys.compiled();
  const FormulaCosts cost(compiled);
  using Role = MappedTerm::Role;
  WorkWeights w;
  set_algebra(w, sys);
  const double n = w.n;
  const auto of = [&](Quantity f) -> double& { return w.quantity[static_cast<std::size_t>(f)]; };
  w.g = cost(Formula::g, Role::constraint, Formula::g);
  w.G = cost(Formula::G, Role::constraint, Formula::G);
  w.g_and_G = cost(Formula::g_and_G, Role::constraint, Formula::g_and_G);
  if (w.m > 0) {
    w.g_uu = cost(Formula::g_uu, Role::constraint, Formula::g_uu);
    for (const Quantity f : {Quantity::g_qq, Quantity::lambda_g_qq})
      of(f) = cost(formula_of(f), Role::constraint, formula_of(f));
  }
  const CompiledModel::Form form = compiled.form();
  if (form == CompiledModel::Form::general) {
    w.H_q = cost(Formula::H_q);
    w.H_p = cost(Formula::H_p);
    for (const Quantity f : {Quantity::H_pp, Quantity::H_pq, Quantity::H_qp, Quantity::H_qq})
      of(f) = cost(formula_of(f));
    for (int k = 0; k < compiled.shears().count(); ++k) w.shear.push_back(cost_of(*compiled.shear_program(k)));
    return w;
  }
  w.V = cost(Formula::V, Role::energy, Formula::V);
  w.V_q = cost(Formula::V_q, Role::energy, Formula::V_q);
  of(Quantity::V_qq) = cost(Formula::V_qq, Role::energy, Formula::V_qq);
  if (form == CompiledModel::Form::separable) {
    const Vec<double>* diagonal = sys.inverse_mass_diagonal();
    const SparseMass<double>* sparse = sys.sparse_mass();
    const double mass = diagonal ? n : sparse ? 4.0 * sparse->pattern().nonzeros() : n * n;
    if (compiled.is_split()) {
      w.V_slow_q = cost(Formula::V_slow_q, Role::energy, Formula::V_q, Part::slow);
      w.V_fast_q = cost(Formula::V_fast_q, Role::energy, Formula::V_q, Part::fast);
    }
    w.H_q = w.V_q;
    w.H_p = mass;
    of(Quantity::H_pp) = mass;
    of(Quantity::H_qq) = of(Quantity::V_qq);
    return w;
  }
  // M(q) is made and factored at each new position, and solved with.
  const double factored = cost(Formula::M) + n * n * n / 6, solved = n * n;
  w.H_p = factored + solved;
  w.H_q = factored + solved + w.V_q + cost(Formula::T_q);
  of(Quantity::H_pp) = solved;
  of(Quantity::H_pq) = 2 * solved + cost(Formula::T_vq);
  of(Quantity::H_qp) = 2 * solved + cost(Formula::T_qq);
  of(Quantity::H_qq) = 2 * solved + cost(Formula::T_vq) + cost(Formula::T_qq) + of(Quantity::V_qq);
  return w;
}

CountedSystem::CountedSystem(const AnySystem<double>& sys, const WorkWeights& weights)
    : sys_(sys), shears_(dynamic_cast<const Shears<double>*>(&sys)), weights_(weights) {
  labels_ = {std::shared_ptr<void>(), &sys.labels()};
  pattern_ = {std::shared_ptr<void>(), &sys.pattern()};
}

// An evaluation is called, and its results are read and combined with others.
void CountedSystem::count(double operations) const { evaluated_ += operations + 2.0 * weights_.n + 25; }

double CountedSystem::H(const Vec<double>& q, const Vec<double>& p) const {
  count(weights_.V + 2.0 * weights_.n);
  return sys_.H(q, p);
}
void CountedSystem::H_q(const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const {
  count(weights_.H_q);
  sys_.H_q(q, p, out);
}
void CountedSystem::H_p(const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const {
  count(weights_.H_p);
  sys_.H_p(q, p, out);
}
void CountedSystem::g(const Vec<double>& q, Vec<double>& out) const {
  count(weights_.g);
  sys_.g(q, out);
}
void CountedSystem::G(const Vec<double>& q, Jacobian<double>& out) const {
  count(weights_.G);
  sys_.G(q, out);
}
void CountedSystem::g_and_G(const Vec<double>& q, Vec<double>& g, Jacobian<double>& G) const {
  count(weights_.g_and_G);
  sys_.g_and_G(q, g, G);
}
void CountedSystem::g_scale(const Vec<double>& q, Vec<double>& out) const {
  count(weights_.g);
  sys_.g_scale(q, out);
}
void CountedSystem::evaluate(Quantity f, const Arguments<double>& x, Vec<double>& out) const {
  count(f == Quantity::g_qq && x.u == x.v ? weights_.g_uu : weights_.quantity[static_cast<std::size_t>(f)]);
  sys_.evaluate(f, x, out);
}
void CountedSystem::shear_rates(int k, const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const {
  count(weights_.shear[static_cast<std::size_t>(k)]);
  shears_->shear_rates(k, q, p, out);
}
double CountedSystem::V(const Vec<double>& q) const {
  count(weights_.V);
  return sys_.V(q);
}
void CountedSystem::V_q(const Vec<double>& q, Vec<double>& out) const {
  count(weights_.V_q + weights_.H_p);
  sys_.V_q(q, out);
}
void CountedSystem::V_slow_q(const Vec<double>& q, Vec<double>& out) const {
  count(weights_.V_slow_q + weights_.H_p);
  sys_.V_slow_q(q, out);
}
void CountedSystem::V_fast_q(const Vec<double>& q, Vec<double>& out) const {
  count(weights_.V_fast_q + weights_.H_p);
  sys_.V_fast_q(q, out);
}

namespace {

// A full matrix of implicit equations, made by products, factored, and solved with a few times. Its inner loops are
// long ones, which processors do several operations of at a time.
double full_matrix(double unknowns) {
  constexpr double at_a_time = 4;
  return (2 * unknowns * unknowns * unknowns / 3 + 6 * unknowns * unknowns) / at_a_time;
}

}  // namespace

double algebra(const WorkWeights& w, const MethodInfo& method, const Counters& c) {
  const auto times = [](std::uint64_t count) { return static_cast<double>(count); };
  const double n = w.n, m = w.m, s = method.stages;
  if (method.needs == Needs::rigid_bodies) {
    // Of each body: products of 3 × 3 matrices, and iterations for three unknowns (solve/rotation.hpp)
    constexpr double per_move = 300, per_iteration = 90;
    return m / 6 * (times(c.newton_solves) * per_move + times(c.newton_iterations) * per_iteration);
  }
  double sum = times(c.factorisation) * (w.factor + w.solve);
  if (method.stages == 0) {
    sum += times(c.newton_iterations) * w.newton;
    // The midpoint rule's matrix, of V_qq and G: n products each
    if (c.hessian > 0) sum += times(c.hessian) / n * full_matrix(n + m);
    return sum;
  }
  // Stages are combined with each other, in q and in p, with coefficients in two parts, and each is solved for.
  sum += times(c.newton_iterations) * (s * (w.solve + 4 * n) + 8 * s * s * n);
  if (c.hessian > 0) sum += times(c.hessian) / (s * n) * full_matrix(s * (2 * n + m));
  return sum;
}

}  // namespace holonom
