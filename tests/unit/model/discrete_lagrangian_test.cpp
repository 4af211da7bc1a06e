// The programs of a discrete Lagrangian are derivatives of one formula.
#include "holonom/model/discrete_lagrangian.hpp"

#include "holonom/model/lagrangian_view.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

// With ends that are not those of a motion, and all derivatives by differences of L_d alone
void expect_derivatives(const std::shared_ptr<const CompiledModel>& compiled, const DiscreteRule& rule) {
  const ModelSystem<quad> sys(compiled);
  const int n = sys.n();
  DiscreteAction<quad> action = LagrangianView<quad>(sys).discrete(std::make_shared<const DiscreteRule>(rule));
  const quad h("0.25"), d("1e-11"), bound("1e-8");
  Vec<quad> a = initial_state(sys).state.q, b = a, v(n);
  for (int i = 0; i < n; ++i) b[i] += quad(1) / (8 + i);
  const auto L_d = [&](const Vec<quad>& q0, const Vec<quad>& q1) {
    Vec<quad> rate(n);
    for (int i = 0; i < n; ++i) rate[i] = (q1[i] - q0[i]) / h;
    return action.value({q0, q1, rate, h});
  };
  const auto moved = [&](Vec<quad> q, int i, const quad& by) {
    q[i] += by;
    return q;
  };
  const auto D1 = [&](const Vec<quad>& q1, int i) -> quad {
    return (L_d(moved(a, i, d), q1) - L_d(moved(a, i, -d), q1)) / (2 * d);
  };
  for (int i = 0; i < n; ++i) v[i] = (b[i] - a[i]) / h;
  Vec<quad> of_v(n), of_q0(n), again_v(n), again_q0(n), force(n), entries(action.matrix().nonzeros());
  action.slopes({a, b, v, h}, of_v, of_q0);
  action.slopes_and_matrix({a, b, v, h}, again_v, again_q0, entries);
  action.force({a, b, v, h}, force);
  std::vector<quad> K(static_cast<std::size_t>(n * n), quad(0));
  for (int i = 0; i < n; ++i)
    for (int z = action.matrix().row_start[static_cast<std::size_t>(i)];
         z < action.matrix().row_start[static_cast<std::size_t>(i) + 1]; ++z)
      K[static_cast<std::size_t>(i * n + action.matrix().column[static_cast<std::size_t>(z)])] = entries[z];
  for (int i = 0; i < n; ++i) {
    const quad first = D1(b, i), second = (L_d(a, moved(b, i, d)) - L_d(a, moved(b, i, -d))) / (2 * d);
    EXPECT_LE(abs(quad(of_v[i] - of_q0[i] + first)), bound * (1 + abs(first))) << "-D1 L_d, " << i;
    EXPECT_LE(abs(quad(force[i] - first - second)), bound * (1 + abs(first))) << "(D1 + D2) L_d, " << i;
    EXPECT_EQ(of_v[i], again_v[i]);
    EXPECT_EQ(of_q0[i], again_q0[i]);
    for (int j = 0; j < n; ++j) {
      const quad mixed = (D1(moved(b, j, d), i) - D1(moved(b, j, -d), i)) / (2 * d),
                 entry = K[static_cast<std::size_t>(i * n + j)];
      EXPECT_LE(abs(quad(entry + h * mixed)), bound * (1 + abs(entry))) << "-h D1 D2 L_d, " << i << ", " << j;
    }
  }
}

TEST(DiscreteLagrangian, HasItsDerivatives) {
  const DiscreteRule odd{[](const Lagrangian& L, const DiscreteStep& s) {
    ExprVector middle, rate;
    for (std::size_t i = 0; i < s.q0.size(); ++i) {
      middle.push_back(s.q0[i] + s.h * s.v[i] / 3);  // positions by v,
      rate.push_back((s.q1[i] - s.q0[i]) / s.h);     // and velocities by positions
    }
    return s.h * L(middle, s.v) / 2 + s.h * L(s.at(2, 3), rate) / 2;
  }};
  for (const char* model : {"double-pendulum", "slider-crank", "charged-particle", "kepler"})
    for (const DiscreteRule& rule : {trapezoidal_rule(), midpoint_rule(), odd}) {
      SCOPED_TRACE(model);
      expect_derivatives(load(model), rule);
    }
}

// A Hamiltonian and the Lagrangian that it comes from, with a full H_pp(q) and a term linear in p
TEST(DiscreteLagrangian, IsThatOfTheHamiltonian) {
  const std::string head = "[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n",
                    tail = "[initial]\nq = { x = 1, y = \"1/2\" }\np = { x = 1, y = 2 }\n";
  // p = M(v − b), M = [[2 + y², 1], [1, 3]], b = (−y, 0)
  const auto of_H = from_text(
      head + "hamiltonian = \"(3*p_x^2 - 2*p_x*p_y + (2 + y^2)*p_y^2)/(2*(5 + 3*y^2)) - y*p_x + x^2*y\"\n" + tail);
  const auto of_T =
      from_text(head + "kinetic = \"((2 + y^2)*v_x^2 + 2*v_x*v_y + 3*v_y^2)/2\"\npotential = \"x^2*y\"\n" + tail);
  ASSERT_EQ(of_H->lacks_lagrangian(), "");
  const auto rule = std::make_shared<const DiscreteRule>(
      DiscreteRule{[](const Lagrangian& L, const DiscreteStep& s) { return s.h * L(s.q0, s.v); }});
  const ModelSystem<double> H(of_H), T(of_T);
  const auto value = [&](const ModelSystem<double>& sys, const Vec<double>& v) {
    const Vec<double> q = initial_state(sys).state.q;
    return LagrangianView<double>(sys).discrete(rule).value({q, q, v, 1.0});
  };
  Vec<double> v(2), shifted(2);
  v[0] = 0.7, v[1] = -0.3;
  shifted = v;
  shifted[0] += 0.5;  // v − b at y = 1/2
  EXPECT_NEAR(value(H, v), value(T, shifted), 1e-14);
}

TEST(DiscreteLagrangian, IsMadeOnceForARule) {
  const auto compiled = load("pendulum");
  const auto rule = std::make_shared<const DiscreteRule>(midpoint_rule());
  const auto made = compiled->discrete_lagrangian(rule);
  const std::size_t nodes = compiled->model().graph->size();
  EXPECT_EQ(compiled->discrete_lagrangian(rule), made);
  EXPECT_EQ(compiled->model().graph->size(), nodes);
  EXPECT_NE(compiled->discrete_lagrangian(std::make_shared<const DiscreteRule>(midpoint_rule())), made);
}

}  // namespace
}  // namespace holonom::test
