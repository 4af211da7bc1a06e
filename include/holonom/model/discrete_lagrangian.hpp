// Discrete Lagrangians on the expression graph: L_d(q₀, q₁; h) approximates the action ∫ L(q, q') dt over a step, and
// makes a map of states by its derivatives (section 1.6 of Hairer, Lubich and Wanner 2003; Marsden and West 2001),
//   p₀ = −D₁L_d(q₀, q₁),   p₁ = D₂L_d(q₀, q₁).
// The velocity v = (q₁ − q₀)/h is a variable of its own in the formulas: a difference of positions over h would lose
// digits. With ℓ(q₀, q₁, v; h) = L_d/h,
//   −D₁L_d = ℓ_v − h ℓ_q₀,   D₂L_d = ℓ_v + h ℓ_q₁,   −h D₁D₂L_d = d(ℓ_v − h ℓ_q₀)/dv   with   q₁ = q₀ + h v.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "holonom/expr/expression.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/jacobian.hpp"

namespace holonom {

// L(q, v) of a model, at any expressions
class Lagrangian {
 public:
  Lagrangian(Graph& graph, NodeId L, const std::vector<NodeId>& q, const std::vector<NodeId>& v)
      : graph_(graph), L_(L), q_(q), v_(v) {}
  // Throws std::invalid_argument if there are not as many as the model has coordinates.
  Expr operator()(const ExprVector& q, const ExprVector& v) const;

 private:
  Graph& graph_;
  NodeId L_;
  const std::vector<NodeId>&q_, &v_;
};

// What a discrete Lagrangian is a formula of
struct DiscreteStep {
  ExprVector q0, q1, v;  // v stands for (q₁ − q₀)/h
  Expr h;

  // (1 − c) q₀ + c q₁, c = numerator/denominator
  ExprVector at(int numerator, int denominator) const;
};

// L_d(q₀, q₁; h) from a Lagrangian, such as a quadrature along the straight line from q₀ to q₁:
//   [](const Lagrangian& L, const DiscreteStep& s) { return s.h * L(s.at(1, 2), s.v); }
struct DiscreteRule {
  std::function<Expr(const Lagrangian&, const DiscreteStep&)> formula;
};

DiscreteRule trapezoidal_rule();  // h/2 [L(q₀, v) + L(q₁, v)]
DiscreteRule midpoint_rule();     // h L((q₀ + q₁)/2, v)

// The programs of one on a model (CompiledModel::discrete_lagrangian), for all scalars. Inputs: q₀, q₁, v, h.
class DiscreteLagrangian {
 public:
  enum class Formula : std::uint8_t {
    slopes,             // ℓ_v;  h ℓ_q₀
    slopes_and_matrix,  // the same, and the entries of −h D₁D₂L_d
    force,              // (D₁ + D₂)L_d = h (ℓ_q₀ + ℓ_q₁)
    value,              // L_d
    count
  };
  static constexpr auto count = static_cast<std::size_t>(Formula::count);

  const std::shared_ptr<const Program>& program(Formula f) const { return programs_[static_cast<std::size_t>(f)]; }
  const Pattern& matrix() const { return matrix_; }
  // Machine code, compiled when first asked for. Throws std::runtime_error if there is none.
  const std::vector<NativeProgram>& native() const;

  // Nodes of a graph: ℓ, and its variables
  DiscreteLagrangian(Graph& graph, NodeId mean, const std::vector<NodeId>& q0, const std::vector<NodeId>& q1,
                     const std::vector<NodeId>& v, NodeId h);

 private:
  std::array<std::shared_ptr<const Program>, count> programs_;
  Pattern matrix_;
  mutable std::once_flag native_once_;
  mutable std::vector<NativeProgram> native_;
};

}  // namespace holonom
