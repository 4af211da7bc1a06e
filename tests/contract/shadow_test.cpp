// Shadow energies from accumulated actions: numbers of two independent programs, to the digits that they print; the
// order of the formula with every kind of method; and that a wrong action is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "choice.hpp"
#include "holonom/adapt.hpp"
#include "holonom/analysis/shadow_energy.hpp"
#include "holonom/mass.hpp"
#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

// H and H̃ along one run, for windows of several lengths. Windows begin at the states 0 ... steps.
template <class S>
struct Ranges {
  double energy = 0;
  std::map<int, double> shadow;
  std::map<int, S> initial;
};
template <class S>
Ranges<S> ranges(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, long steps,
                 const std::vector<int>& windows) {
  EXPECT_EQ(method.track_action(), "");
  const int most = *std::max_element(windows.begin(), windows.end());
  ShadowWindow<S> window(sys.n(), most);
  detail::Spread<S> energy;
  std::map<int, detail::Spread<S>> shadow;
  std::vector<ShadowWeights<S>> weights;
  for (const int M : windows) weights.emplace_back(M);
  window.begin(x);
  energy.add(sys.H(x.q, x.p));
  EXPECT_TRUE(method.begin(x, h).ok());
  for (long k = 1; k <= steps + most; ++k) {
    if (!method.step(x, h).ok()) {
      ADD_FAILURE() << "step " << k;
      break;
    }
    window.add(x, method.action());
    if (k <= steps) energy.add(sys.H(x.q, x.p));
    for (const ShadowWeights<S>& w : weights)
      if (window.reaches(w.steps()) && k <= steps + w.steps()) shadow[w.steps()].add(window.value(w, h));
  }
  Ranges<S> result;
  result.energy = energy.range();
  for (const auto& [M, spread] : shadow) {
    result.shadow[M] = spread.range();
    result.initial[M] = spread.first();
  }
  return result;
}
template <class S>
Ranges<S> ranges_of(const char* key, const AnySystem<S>& sys, const State<S>& x, const char* h, long steps,
                    const std::vector<int>& windows) {
  const auto method = methods().find(key).make<S>(sys);
  return ranges(sys, *method, x, exact_number<S>(exact_text(h)), steps, windows);
}

using Row = std::map<int, const char*>;
template <class S>
void expect_row(const Ranges<S>& found, const char* energy, const Row& printed) {
  EXPECT_TRUE(as_printed(found.energy, energy));
  for (const auto& [M, text] : printed) EXPECT_TRUE(as_printed(found.shadow.at(M), text)) << "M = " << M;
}
std::vector<int> windows_of(const Row& row, std::initializer_list<int> more = {}) {
  std::vector<int> list(more);
  for (const auto& [M, text] : row) list.push_back(M);
  return list;
}

// ---- the double pendulum of Jay's example 2

// In quad: what is printed goes down to 1e-18. (In double, below.)
void expect_on_double_pendulum(const char* key, const char* h, const char* energy, const Row& row,
                               const char* value = nullptr) {
  const ModelSystem<quad> sys(load("double-pendulum"));
  const Ranges<quad> found = ranges_of<quad>(key, sys, initial_state(sys).state, h, 2000, windows_of(row, {16}));
  expect_row(found, energy, row);
  if (value) {
    EXPECT_TRUE(as_printed(to_double(found.initial.at(16)), value, 13));
  }
}
TEST(ShadowOfTheDoublePendulum, Rattle12) {
  expect_on_double_pendulum("rattle", "0.12", "6.913e-3",
                            {{1, "1.330e-2"},
                             {2, "4.281e-4"},
                             {3, "1.095e-4"},
                             {4, "1.778e-5"},
                             {6, "4.533e-6"},
                             {8, "2.941e-6"},
                             {12, "2.497e-6"}},
                            "-2.598762623422");
}
TEST(ShadowOfTheDoublePendulum, Rattle06) {
  expect_on_double_pendulum("rattle", "0.06", "1.710e-3",
                            {{1, "3.366e-3"},
                             {2, "2.798e-5"},
                             {3, "2.146e-6"},
                             {4, "9.611e-8"},
                             {6, "2.276e-9"},
                             {8, "1.581e-10"},
                             {12, "4.579e-12"}},
                            "-2.598247676922");
}
TEST(ShadowOfTheDoublePendulum, Rattle03) {
  expect_on_double_pendulum("rattle", "0.03", "4.270e-4",
                            {{1, "8.407e-4"},
                             {2, "1.764e-6"},
                             {3, "3.535e-8"},
                             {4, "4.223e-10"},
                             {6, "8.361e-13"},
                             {8, "6.311e-15"},
                             {12, "4.134e-18"}},
                            "-2.598119070813");
}
TEST(ShadowOfTheDoublePendulum, Yoshida4) {
  expect_on_double_pendulum("yoshida-4", "0.06", "5.113e-5",
                            {{1, "3.341e-3"},
                             {2, "2.769e-5"},
                             {3, "2.094e-6"},
                             {4, "9.376e-8"},
                             {6, "2.231e-9"},
                             {8, "1.592e-10"},
                             {12, "5.250e-12"}});
}
TEST(ShadowOfTheDoublePendulum, Lobatto3) {
  expect_on_double_pendulum("lobatto-3", "0.03", "6.023e-8",
                            {{1, "8.409e-4"},
                             {2, "1.763e-6"},
                             {3, "3.538e-8"},
                             {4, "4.211e-10"},
                             {6, "8.407e-13"},
                             {8, "6.196e-15"},
                             {12, "4.254e-18"}});
}
TEST(ShadowOfTheDoublePendulum, KahanLi8) {
  expect_on_double_pendulum("kahan-li-8", "0.12", "1.489e-9",
                            {{1, "1.308e-2"},
                             {2, "4.125e-4"},
                             {3, "1.044e-4"},
                             {4, "1.475e-5"},
                             {6, "2.319e-6"},
                             {8, "7.221e-7"},
                             {12, "1.812e-7"}});
}

// In double, in all forms in which a model can run: to round-off, which is 1e-14 there.
TEST(ShadowOfTheDoublePendulum, InDouble) {
  for (const Form form : {Form::interpreted, Form::native, Form::dynamic_sizes}) {
    if (form == Form::native && !native_available()) continue;
    const ModelSystem<double> sys(load("double-pendulum"), engine_of(form));
    for (const char* key : {"rattle", "shake", "shake-leapfrog", "shake-two-step"}) {
      const auto method = in_form(methods().find(key), form).make<double>(sys);
      const Ranges<double> found = ranges(sys, *method, initial_state(sys).state, 0.06, 2000, {2, 4, 6});
      const bool projected = method->action() != 0 && std::string_view(key) == "rattle";
      if (projected) {
        expect_row(found, "1.710e-3", {{2, "2.798e-5"}, {4, "9.611e-8"}, {6, "2.276e-9"}});
      } else {  // momenta of SHAKE differ along the constraint forces: the same order, another constant
        EXPECT_NEAR(found.shadow.at(4), 9.6e-8, 3e-8) << key;
        EXPECT_NEAR(found.initial.at(6), -2.598247677, 1e-8) << key;
      }
    }
  }
}
TEST(ShadowOfTheDoublePendulum, RoundOffInDouble) {
  const ModelSystem<double> sys(load("double-pendulum"));
  const Ranges<double> found = ranges_of<double>("rattle", sys, initial_state(sys).state, "0.02", 2000, {4, 8, 12});
  EXPECT_TRUE(as_printed(found.shadow.at(4), "1.70e-11"));
  EXPECT_LT(found.shadow.at(8), 3e-14);
  EXPECT_LT(found.shadow.at(12), 3e-14);
}

// ---- others

template <class S>
ModelSystem<S> unit_spherical_pendulum() {
  return ModelSystem<S>(load("spherical-pendulum", {{"m", "1"}, {"g", "1"}, {"L", "1"}}));
}
template <class S>
State<S> spherical_start() {
  const auto number = [](const char* text) { return exact_number<S>(exact_text(text)); };
  State<S> x(3, 1);
  x.q = {number("0.6"), S(0), number("-0.8")};
  x.p = {number("0.24"), number("0.9"), number("0.18")};
  return x;
}
TEST(ShadowEnergy, SphericalPendulum) {
  const ModelSystem<quad> sys = unit_spherical_pendulum<quad>();
  const Row row{{2, "6.991e-6"}, {4, "8.551e-10"}, {8, "5.156e-16"}};
  expect_row(ranges_of<quad>("rattle", sys, spherical_start<quad>(), "0.1", 2000, windows_of(row)), "9.623e-4", row);
}

template <class S>
State<S> henon_heiles_start() {
  const auto number = [](const char* text) { return exact_number<S>(exact_text(text)); };
  State<S> x(2, 0);
  x.q = {S(0), number("0.1")};
  x.p = {number("0.35"), number("0.2")};
  return x;
}
TEST(ShadowEnergy, HenonHeiles) {
  const ModelSystem<quad> sys(load("henon-heiles"));
  const Row row{{2, "1.148e-5"}, {4, "7.767e-9"}, {8, "1.080e-13"}};
  expect_row(ranges_of<quad>("verlet-a", sys, henon_heiles_start<quad>(), "0.2", 2000, windows_of(row)), "1.063e-3",
             row);
}
// (H̃ − H)/h² → U''(p, p)/12 − |grad U|²/24, with an error of order h²
TEST(ShadowEnergy, LeadingTermOfVerlet) {
  const ModelSystem<quad> sys(load("henon-heiles"));
  const State<quad> x = henon_heiles_start<quad>();
  Vec<quad> force(2), image(2);
  sys.V_q(x.q, force);
  sys.V_qq(Part::all, x.q, x.p, image);
  const quad term = dot(x.p, image) / 12 - dot(force, force) / 24, H = sys.H(x.q, x.p);
  EXPECT_TRUE(as_printed(to_double(term), "0.0145791667", 9));
  std::vector<quad> left;
  for (const char* h : {"0.02", "0.01", "0.005"}) {
    const quad step = exact_number<quad>(exact_text(h));
    const quad value = ranges_of<quad>("verlet-a", sys, x, h, 0, {10}).initial.at(10);
    left.push_back((value - H) / (step * step) - term);
  }
  EXPECT_NEAR(to_double(left[0] / left[1]), 4, 0.01);
  EXPECT_NEAR(to_double(left[1] / left[2]), 4, 0.0025);
}

// ---- loose solves: what H̃ shows, and H does not

// The double pendulum with rods as squares, and RATTLE with simplified Newton iterations from Λ = 0 that end where
// |g| ≤ tolerance.
struct QuadraticRods {
  static void g(const Vec<double>& q, double (&r)[2]) {
    const double a = q[2] - q[0], b = q[3] - q[1];
    r[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    r[1] = (a * a + b * b - 1) / 2;
  }
  static void G(const Vec<double>& q, double (&G)[2][4]) {
    const double a = q[2] - q[0], b = q[3] - q[1];
    const double rows[2][4] = {{q[0], q[1], 0, 0}, {-a, -b, a, b}};
    std::copy(&rows[0][0], &rows[0][0] + 8, &G[0][0]);
  }
};
void solve(const double (&A)[2][4], const double (&B)[2][4], double scale, double (&r)[2]) {
  double K[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      K[i][j] = 0;
      for (int k = 0; k < 4; ++k) K[i][j] += A[i][k] * B[j][k];
      K[i][j] *= scale;
    }
  const double det = K[0][0] * K[1][1] - K[0][1] * K[1][0];
  const double x = (K[1][1] * r[0] - K[0][1] * r[1]) / det, y = (K[0][0] * r[1] - K[1][0] * r[0]) / det;
  r[0] = x;
  r[1] = y;
}
struct Lines {
  Line<double> energy, shadow;
};
Lines with_simplified_newton(double tolerance, double h, long steps, int M) {
  using Rods = QuadraticRods;
  const double r = std::sqrt(0.75);
  State<double> x(4, 2);
  x.q = {0.5, -r, 0, -2 * r};
  const ShadowWeights<double> weights(M);
  ShadowWindow<double> window(4, M);
  LineFit<double> energy, shadow;
  window.begin(x);
  double G0[2][4], residual[2];
  for (long k = 0; k < steps + M; ++k) {
    const auto H = [&] { return dot(x.p, x.p) / 2 + x.q[1] + x.q[3]; };
    if (k < steps) energy.add(static_cast<double>(k) * h, H());
    if (window.is_full() && (k - M) % 5 == 0) shadow.add(static_cast<double>(k - M) * h, window.value(weights, h));
    const Vec<double> u = {x.p[0], x.p[1] - h / 2, x.p[2], x.p[3] - h / 2}, q0 = x.q;
    Vec<double> p = u;
    double lambda[2] = {0, 0};
    Rods::G(q0, G0);
    for (int i = 0; i < 200; ++i) {
      for (int j = 0; j < 4; ++j) p[j] = u[j] - lambda[0] * G0[0][j] - lambda[1] * G0[1][j];
      for (int j = 0; j < 4; ++j) x.q[j] = q0[j] + h * p[j];
      Rods::g(x.q, residual);
      if (std::max(std::abs(residual[0]), std::abs(residual[1])) <= tolerance) break;
      solve(G0, G0, h, residual);
      for (int a = 0; a < 2; ++a) lambda[a] += residual[a];
    }
    const double action = h * dot(p, p) / 2 - h / 2 * (q0[1] + q0[3] + x.q[1] + x.q[3]);
    p[1] -= h / 2;
    p[3] -= h / 2;
    Rods::G(x.q, G0);
    for (int a = 0; a < 2; ++a) {
      residual[a] = 0;
      for (int j = 0; j < 4; ++j) residual[a] += G0[a][j] * p[j];
    }
    solve(G0, G0, 1, residual);
    for (int j = 0; j < 4; ++j) x.p[j] = p[j] - residual[0] * G0[0][j] - residual[1] * G0[1][j];
    window.add(x, action);
  }
  return {energy(), shadow()};
}
// Numbers of an independent program: slope × time / rms about the line
TEST(LooseSolves, AreSeenInTheShadowEnergyAlone) {
  const Lines fine = with_simplified_newton(1e-10, 0.06, 10000, 12);
  EXPECT_TRUE(as_printed(fine.energy.drift, "9.6e-7"));
  EXPECT_TRUE(as_printed(fine.energy.rms, "5.1e-4"));
  EXPECT_TRUE(as_printed(fine.shadow.drift, "3.8e-8"));
  EXPECT_TRUE(as_printed(fine.shadow.rms, "9.9e-11"));
  const Lines coarse = with_simplified_newton(1e-8, 0.06, 10000, 12);
  EXPECT_TRUE(as_printed(coarse.energy.drift, "3.5e-6"));
  EXPECT_TRUE(as_printed(coarse.energy.rms, "5.1e-4"));
  EXPECT_TRUE(as_printed(coarse.shadow.drift, "2.6e-6"));
  EXPECT_TRUE(as_printed(coarse.shadow.rms, "9.9e-9"));
}
// The library's solver, which has better guesses and squares its errors, at the same tolerances
TEST(LooseSolves, OfTheLibrary) {
  const ModelSystem<double> sys(load("double-pendulum"));
  const State<double> x = initial_state(sys).state;
  const auto at = [&](double tolerance) {
    MethodOptions options;
    options.newton.tolerance = tolerance;
    return shadow_energy<double>(methods().find("rattle"), sys, x, 0.06, 10000, 12, options);
  };
  const ShadowEnergy tight = at(0), fine = at(1e-10), coarse = at(1e-8);
  std::printf("drift of the shadow energy: %.2e, %.2e, %.2e; rms %.1e %.1e %.1e\n", tight.drift, fine.drift,
              coarse.drift, tight.rms, fine.rms, coarse.rms);
  EXPECT_NEAR(tight.rms, 8.6e-13, 0.2e-13);
  EXPECT_LT(std::abs(tight.drift), 1e-13);
  EXPECT_GT(std::abs(coarse.drift), 1e-7);
  for (const ShadowEnergy& each : {tight, fine, coarse}) EXPECT_TRUE(as_printed(each.energy_range, "1.712e-3"));
}

// ---- O(h^2M) with every kind of method

struct Kind {
  const char *model, *method;
  double step;
  long steps;  // of the longer of two steps; the other is half of it
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.method << " on " << kind.model; }

class OrderOfTheFormula : public testing::TestWithParam<Kind> {};

// Twice the points in the same time: what the formula leaves out falls by 2^2M. Both runs are looked at where their
// windows have the same middle.
TEST_P(OrderOfTheFormula, IsTwiceTheWindow) {
  const auto [model, key, step, steps] = GetParam();
  const ModelSystem<quad> sys(load(model));
  constexpr int most = 4;
  detail::Spread<quad> shadow[2][most + 1], energy;
  for (const int part : {1, 2}) {
    const auto method = methods().find(key).make<quad>(sys);
    ASSERT_EQ(method->track_action(), "");
    State<quad> x = initial_state(sys).state;
    const quad h = quad(step) / part;
    ShadowWindow<quad> window(sys.n(), most);
    window.begin(x);
    ASSERT_TRUE(method->begin(x, h).ok());
    for (long k = 1; k <= part * (steps + most); ++k) {
      ASSERT_TRUE(method->step(x, h).ok()) << k;
      window.add(x, method->action());
      energy.add(sys.H(x.q, x.p));
      for (const int M : {2, 4})  // the middle is at k − M/2, and M/2, M/2 + 1, ... are those of the longer step
        if (const long middle = k - M / 2; middle >= part * M / 2 && middle % part == 0 && middle <= part * steps)
          shadow[part - 1][M].add(window.value(ShadowWeights<quad>(M), h));
    }
  }
  for (const int M : {2, 4}) {
    ASSERT_EQ(shadow[0][M].line().count(), shadow[1][M].line().count());
    const double order = std::log2(shadow[0][M].range() / shadow[1][M].range());
    std::printf("%-24s %-26s M = %d: %.2e, order %.2f (H: %.2e)\n", model, key, M, shadow[1][M].range(), order,
                energy.range());
    EXPECT_NEAR(order, 2 * M, 0.05) << "M = " << M;
  }
}
constexpr Kind kinds[] = {
    // words of kicks and drifts
    {"double-pendulum", "symplectic-euler", 0.02, 100},
    {"double-pendulum", "symplectic-euler-adjoint", 0.02, 100},
    {"double-pendulum", "position-verlet", 0.02, 100},
    {"double-pendulum", "geodesic-2", 0.02, 100},
    {"double-pendulum", "shake", 0.02, 100},
    {"double-pendulum", "shake-leapfrog", 0.02, 100},
    {"double-pendulum", "shake-two-step", 0.02, 100},
    {"four-bar-redundant", "rattle", 0.001, 100},
    // any H, and M(q)
    {"charged-particle", "rattle", 0.02, 100},
    {"charged-particle", "symplectic-euler", 0.02, 100},
    {"charged-particle", "suzuki-4", 0.02, 50},
    {"slider-crank", "rattle", 0.0005, 100},
    {"slider-crank", "symplectic-euler", 0.0005, 100},
    // midpoint rules
    {"double-pendulum", "midpoint", 0.02, 100},
    {"charged-particle", "midpoint", 0.02, 100},
    {"slider-crank", "midpoint", 0.0005, 100},
    // parts of a potential
    {"elastic-double-pendulum", "respa-4", 0.002, 100},
    {"elastic-double-pendulum", "respa-outer-4", 0.002, 100},
    {"elastic-double-pendulum", "verlet-midpoint", 0.002, 100},
    // stages
    {"charged-particle", "lobatto-3", 0.02, 60},
    {"slider-crank", "lobatto-2", 0.0005, 60},
    {"henon-heiles", "gauss-2", 0.1, 60},
    {"henon-heiles", "lobatto-3", 0.1, 60},
    // formulations without constraints
    {"double-pendulum", "gauss-2@h-m+symplectic", 0.02, 20},
    {"double-pendulum", "gauss-2@dirac+symplectic", 0.02, 20},
    {"double-pendulum", "gauss-1@dirac", 0.02, 40},
    {"charged-particle", "gauss-2@h-m", 0.02, 40},
    {"double-pendulum", "gauss-2@state-space:fixed", 0.02, 20},
    {"slider-crank", "gauss-2@state-space:own", 0.0005, 40},
    {"double-pendulum", "rattle@penalty:1e-2", 0.01, 60},
};
INSTANTIATE_TEST_SUITE_P(Methods, OrderOfTheFormula, testing::ValuesIn(kinds), [](const auto& each) {
  return test_name(std::string(each.param.method) + "_on_" + each.param.model);
});

}  // namespace
}  // namespace holonom::contract
