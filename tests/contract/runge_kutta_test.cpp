// Implicit Runge-Kutta methods on constrained systems, each for itself: that every Lobatto pair is symplectic to
// round-off and nothing like it is, that neither the Newton matrix nor the threads change a result, and pairs from
// files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "broken_methods.hpp"
#include "holonom/analysis/bounds.hpp"
#include "holonom/analysis/tangent_map.hpp"
#include "holonom/methods/partitioned_rk.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

std::string identifier(const testing::TestParamInfo<const char*>& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
std::string lobatto(int s) { return "lobatto-" + std::to_string(s); }

// ---- The wedge product, in duals

// A model in numbers and in duals, and a state on the way: some models start at rest.
template <class S>
struct Ground {
  explicit Ground(const char* model) : sys(load(model)), dual(sys.template rebind<Dual<S>>()) {
    const Start<S> start = initial_state(sys);
    x = start.state;
    h = start.step.value();
    NumericalMap<S> map(methods().find("lobatto-3"), sys);
    size = motion_size(map, x, h, 10);
    map(x, h, 5);
  }
  // In ε of the scalar; the larger one of one step and of ten
  double defect(const MethodEntry& entry) const {
    S worst(0);
    for (const long steps : {1L, 10L}) keep_largest(worst, symplectic_defect<S>(entry, sys, dual, x, size, h, steps));
    return to_double(S(worst / epsilon<S>()));
  }

  ModelSystem<S> sys;
  ModelSystem<Dual<S>> dual;
  State<S> x;
  S h;
  StateSize<S> size;
};

// Lobatto pairs have at most 2.9 ε.
constexpr double bound_of_lobatto = 30;
constexpr double bound = Bounds::tangent_defect / std::numeric_limits<double>::epsilon();
// A method that is not symplectic is off by a power of h, and not by some rounding errors more. (Little on the
// slider-crank, whose step is short.)
constexpr double far_above = 20 * bound;

// Separable, general H, M(q).
class Wedge : public testing::TestWithParam<const char*> {
 protected:
  template <class S>
  static void is_kept() {
    const Ground<S> ground(GetParam());
    for (int s = 2; s <= 11; ++s) {
      const double defect = ground.defect(methods().find(lobatto(s)));
      EXPECT_LE(defect, bound_of_lobatto) << lobatto(s);
      RecordProperty(lobatto(s), std::to_string(defect) + " epsilon");
    }
  }
};

TEST_P(Wedge, IsKeptByEveryLobattoPairInDouble) { is_kept<double>(); }
TEST_P(Wedge, IsKeptByEveryLobattoPairInQuad) { is_kept<quad>(); }

TEST_P(Wedge, IsLostByMethodsForComparison) {
  const Ground<double> ground(GetParam());
  for (const char* key : {"radau-2a-2", "radau-2a-2+jay", "gauss-2+jay", "bdf-1", "bdf-2"}) {
    const MethodEntry entry = methods().find(key);
    EXPECT_FALSE(entry.info.symplectic) << key;
    EXPECT_GT(ground.defect(entry), far_above) << key;
  }
}

// A pair that is not the one of its name; `change` gets (A, b, c) and (Â, b, c).
template <class Change>
MethodEntry changed_pair(int s, const std::string& fault, const Change& change) {
  MethodEntry entry;
  entry.info = methods().find(lobatto(s)).info;
  entry.info.key += "/" + fault;
  const auto add = [&]<class S>(Maker<S>& maker) {
    Tableau<S> t = runge_kutta<S>(Family::lobatto_3a, s), dual = runge_kutta_dual<S>(Family::lobatto_3a, s);
    change(t, dual);
    maker = [t, dual, key = entry.info.key](const AnySystem<S>& sys, const MethodOptions& options) {
      return make_on<PartitionedRungeKutta<HamiltonianView<S>>, HamiltonianView<S>>(key, sys, options, t, dual);
    };
  };
  add(std::get<Maker<double>>(entry.makers));
  add(std::get<Maker<Dual<double>>>(entry.makers));
  return entry;
}

TEST_P(Wedge, IsLostByBrokenPairs) {
  const Ground<double> ground(GetParam());
  for (const int s : {3, 4}) {
    EXPECT_LE(ground.defect(changed_pair(s, "faultless", [](auto&, auto&) {})), bound);
    // One coefficient off in the sixth digit: of A without its dual, of the dual alone.
    EXPECT_GT(ground.defect(changed_pair(s, "A", [](auto& t, auto&) { t.A(1, 1) *= 1 + 1e-6; })), far_above) << s;
    EXPECT_GT(ground.defect(changed_pair(s, "dual", [](auto&, auto& dual) { dual.A(1, 1) *= 1 + 1e-6; })), far_above)
        << s;
    // The momenta by Lobatto IIIA as well.
    EXPECT_GT(ground.defect(changed_pair(s, "A twice", [](auto& t, auto& dual) { dual.A = t.A; })), far_above) << s;
  }
  // The same in A and in its dual is a symplectic map again, of another order.
  EXPECT_LE(ground.defect(changed_pair(3, "both",
                                       [](auto& t, auto& dual) {
                                         t.A(1, 1) *= 1 + 1e-6;
                                         dual.A(1, 1) = t.b[1] - t.A(1, 1);  // â_ij = b_j − b_j a_ji / b_i
                                       })),
            bound);
}

TEST_P(Wedge, IsLostByALooseTolerance) {
  const Ground<double> ground(GetParam());
  EXPECT_GT(ground.defect(loose("lobatto-3", 1e-5)), far_above);
}

INSTANTIATE_TEST_SUITE_P(On, Wedge, testing::Values("double-pendulum", "charged-particle", "slider-crank"), identifier);

// ---- Runs

struct Result {
  State<double> x;
  Counters counters;
  double iterations() const {
    return static_cast<double>(counters.newton_iterations) / static_cast<double>(counters.newton_solves);
  }
};

struct Motion {
  explicit Motion(const char* model, const Overrides& overrides = {})
      : sys(load(model, overrides)), start(initial_state(sys).state), h(initial_state(sys).step.value()) {}
  Motion(const char* model, double step) : Motion(model) { h = step; }
  Result run(const std::string& key, long steps, const MethodOptions& options = {}) const {
    const auto method = methods().find(key).make<double>(sys, options);
    Result result{start, {}};
    EXPECT_TRUE(method->begin(result.x, h).ok());
    for (long k = 0; k < steps; ++k)
      if (!method->step(result.x, h).ok()) {
        ADD_FAILURE() << key << ": step " << k + 1 << " failed";
        break;
      }
    result.counters = method->counters();
    return result;
  }

  ModelSystem<double> sys;
  State<double> start;
  double h;
};

// Units of the motion; differences of runs are told in them.
StateSize<double> size_of(const Motion& motion) {
  NumericalMap<double> map(methods().find("lobatto-3"), motion.sys);
  return motion_size(map, motion.start, motion.h, 100);
}

// Lobatto IIIA-IIIB with two stages is RATTLE, also where H is not separable.
class TwoStages : public testing::TestWithParam<const char*> {};
TEST_P(TwoStages, AreRattle) {
  const Motion motion(GetParam());
  EXPECT_LE(distance(motion.run("lobatto-2", 100).x, motion.run("rattle", 100).x, size_of(motion)), 1e-12);
  // Something else is not.
  EXPECT_GT(distance(motion.run("lobatto-3", 100).x, motion.run("rattle", 100).x, size_of(motion)), 1e-10);
}
INSTANTIATE_TEST_SUITE_P(On, TwoStages,
                         testing::Values("double-pendulum", "pendulum", "spherical-pendulum", "four-bar",
                                         "four-bar-redundant", "rigid-body-heavy", "lj-chain", "spring-chain",
                                         "hanging-chain", "henon-heiles", "elastic-double-pendulum", "charged-particle",
                                         "slider-crank"),
                         identifier);

// ---- The matrix of the stages is for speed only.

MethodOptions with_matrix(StageMatrix matrix) {
  MethodOptions options;
  options.newton.matrix = matrix;
  return options;
}

class Matrices : public testing::TestWithParam<const char*> {};
TEST_P(Matrices, GiveTheSameTrajectory) {
  const Motion motion(GetParam());
  const StateSize<double> size = size_of(motion);
  constexpr long steps = 100;
  for (const char* key : {"lobatto-3", "lobatto-5", "gauss-2+jay", "radau-2a-3", "bdf-3"}) {
    SCOPED_TRACE(key);
    const Result full = motion.run(key, steps, with_matrix(StageMatrix::full));
    for (const StageMatrix matrix : {StageMatrix::automatic, StageMatrix::start, StageMatrix::stages})
      EXPECT_LE(distance(motion.run(key, steps, with_matrix(matrix)).x, full.x, size), 1e-12)
          << static_cast<int>(matrix);
  }
}
TEST_P(Matrices, HaveTheirPrice) {
  const Motion motion(GetParam());
  constexpr long steps = 100;
  const auto run = [&](StageMatrix matrix) { return motion.run("lobatto-3", steps, with_matrix(matrix)); };
  const Result start = run(StageMatrix::start), stages = run(StageMatrix::stages), full = run(StageMatrix::full);
  EXPECT_EQ(start.counters.factorisation, std::uint64_t{steps}) << "Jay's matrix: once a step";
  EXPECT_EQ(start.counters.newton_solves, std::uint64_t{steps});
  EXPECT_LE(stages.iterations(), start.iterations());
  EXPECT_LT(full.iterations(), start.iterations());
  EXPECT_EQ(start.counters.hessian, 0U);
  EXPECT_GT(full.counters.hessian, 0U);
}
INSTANTIATE_TEST_SUITE_P(On, Matrices,
                         testing::Values("double-pendulum", "charged-particle", "slider-crank", "lj-chain"),
                         identifier);

// Redundant constraints have a full matrix too, of the independent ones.
TEST(FullMatrix, OfRedundantConstraints) {
  const Motion motion("four-bar-redundant");
  const Result full = motion.run("lobatto-3", 100, with_matrix(StageMatrix::full)),
               other = motion.run("lobatto-3", 100);
  EXPECT_GT(full.counters.hessian, 0U);
  EXPECT_EQ(other.counters.hessian, 0U);
  EXPECT_LE(distance(full.x, other.x, size_of(motion)), 1e-12);
}

TEST(Iterations, AreFew) {
  EXPECT_LE(Motion("double-pendulum").run("lobatto-3", 500).iterations(), 5.5);
  EXPECT_LE(Motion("lj-chain").run("lobatto-3", 500).iterations(), 7.5);
}

// A chain with stiff bending, too large for the full matrix: its contraction is 0.5, and slower without acceleration.
TEST(Iterations, AreAcceleratedWhereTheyContractSlowly) {
  const ModelSystem<double> sys(compile(parse_model(R"toml(
format = 1
[parameters]
N = 200
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = "1" }
[[energy.sum]]
over = { i = "0..N-3" }
term = "50*dot(r[i+2] - 2*r[i+1] + r[i], r[i+2] - 2*r[i+1] + r[i]) + r[i].y"
[constraints]
hook = "(dot(r[0], r[0]) - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[initial]
q.r = ["sin(pi/12)*(1 - cos(pi*(i + 1)))/2", "-(i + 1)*cos(pi/12)"]
)toml",
                                                    "bending")));
  for (const auto& [key, most] : {std::pair{"lobatto-4", 12.5}, std::pair{"lobatto-6", 12.0}}) {
    const auto method = methods().find(key).make<double>(sys);
    State<double> x = initial_state(sys).state;
    ASSERT_TRUE(method->begin(x, 0.02).ok());
    for (int k = 0; k < 30; ++k) ASSERT_TRUE(method->step(x, 0.02).ok()) << key << ", step " << k;
    EXPECT_LE(static_cast<double>(method->counters().newton_iterations) / 30, most) << key;
    EXPECT_EQ(method->counters().hessian, 0U);
  }
}

// ---- Steps that are long for the motion: the equations of a step have other roots, with a turn too many.

struct LongStep {
  const char *model, *key;
  double h, energy_error;
};
TEST(LongSteps, FindTheRootThatContinuesTheMotion) {
  for (const LongStep& c : {LongStep{"double-pendulum", "lobatto-11", 0.5, 1e-8},
                            {"double-pendulum", "lobatto-12", 0.4, 1e-10},
                            {"double-pendulum", "lobatto-8", 0.8, 1e-3},
                            {"double-pendulum", "lobatto-4", 0.5, 5e-3},
                            {"pendulum", "lobatto-11", 1.2, 1e-12},
                            {"pendulum", "lobatto-8", 1.2, 2e-8},
                            {"spherical-pendulum", "lobatto-14", 0.5, 1e-10},
                            {"henon-heiles", "gauss-6", 3, 1e-4},
                            {"henon-heiles", "gauss-8", 4, 1e-4}}) {
    SCOPED_TRACE(std::string(c.key) + " on " + c.model);
    const Motion motion(c.model, c.h);
    const State<double> x = motion.run(c.key, 100).x;
    EXPECT_LE(std::abs(motion.sys.H(x.q, x.p) - motion.sys.H(motion.start.q, motion.start.p)), c.energy_error);
  }
}
// A rod that turns by 1.8 radians in a step of many stages is not a wrong root.
TEST(LongSteps, MayTurnAConstraintByMoreThanARightAngle) {
  const Motion motion("pendulum", 2.0), fine("pendulum", 0.01);
  EXPECT_LE(largest_difference(motion.run("lobatto-14", 1).x.q, fine.run("lobatto-4", 200).x.q), 1e-6);
}
// Where no root continues the motion, the step fails, whatever else converges.
TEST(LongSteps, FailRatherThanJump) {
  for (const char* key : {"lobatto-3", "lobatto-5", "lobatto-9", "gauss-3+jay"}) {
    const Motion motion("double-pendulum");
    const double E = motion.sys.H(motion.start.q, motion.start.p);
    for (const double h : {1.0, 1.5, 2.5}) {
      const auto method = methods().find(key).make<double>(motion.sys);
      State<double> x = motion.start;
      ASSERT_TRUE(method->begin(x, h).ok());
      for (int k = 0; k < 50 && method->step(x, h).ok(); ++k) {
      }
      EXPECT_LE(std::abs(motion.sys.H(x.q, x.p) - E), 6)
          << key << ", h = " << h;  // the rods hang at −3, and stand at 3
    }
  }
}

// A spring of 10⁴ turns by 10 radians in a step: too much for iterations that know nothing of the forces.
TEST(FullMatrix, TakesOverWhereForcesAreStiff) {
  const ModelSystem<double> sys(compile(parse_model(R"toml(
format = 1
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "y + 5000*(sqrt(x^2 + y^2) - 1)^2 + z^2"
[constraints]
plane = "z - x^2/2"
[initial]
project = true
q = { x = 1, y = 0, z = "1/2" }
p = { y = "1/10" }
)toml",
                                                    "stiff")));
  const State<double> start = initial_state(sys).state;
  const auto attempt = [&](StageMatrix matrix) {
    const auto method = methods().find("radau-2a-2").make<double>(sys, with_matrix(matrix));
    State<double> x = start;
    EXPECT_TRUE(method->begin(x, 0.1).ok());
    Status status;
    for (int k = 0; k < 20 && status.ok(); ++k) status = method->step(x, 0.1);
    return std::pair{status, x};
  };
  EXPECT_EQ(attempt(StageMatrix::stages).first.failure, Failure::no_convergence);
  const auto [status, x] = attempt(StageMatrix::automatic);
  EXPECT_TRUE(status.ok());
  EXPECT_LE(largest_difference(x.q, attempt(StageMatrix::full).second.q), 1e-13);
}

// First guesses extrapolate the polynomial of the last step, which must not make rounding errors larger than they are
// worth.
TEST(Iterations, EndForEveryNumberOfStages) {
  const Motion motion("double-pendulum");
  const State<double> ten = motion.run("lobatto-10", 20).x;
  for (const int s : {16, 20, 25, 30}) {
    const Result result = motion.run(lobatto(s), 20);
    EXPECT_LE(distance(result.x, ten, size_of(motion)), 1e-12) << lobatto(s);
    EXPECT_LE(result.iterations(), 6.5) << lobatto(s);
  }
}

// ---- Threads

TEST(Threads, DoNotChangeABit) {
  const Motion chain("hanging-chain", {{"N", "1000"}});
  const auto run = [&](int threads) {
    MethodOptions options;
    options.threads = threads;
    return chain.run("lobatto-4", 20, options).x;
  };
  const State<double> one = run(1);
  EXPECT_GT(largest_difference(one.q, chain.start.q), 0);
  for (const int threads : {2, 3}) {
    const State<double> more = run(threads);
    EXPECT_TRUE(std::equal(one.q.begin(), one.q.end(), more.q.begin())) << threads;
    EXPECT_TRUE(std::equal(one.p.begin(), one.p.end(), more.p.begin())) << threads;
  }
}
TEST(Threads, AreThere) {
  const Motion chain("hanging-chain");
  const auto view = chain.sys.as<HamiltonianView<double>>();
  ASSERT_TRUE(view);
  PartitionedRungeKutta<HamiltonianView<double>> method(*view, runge_kutta<double>(Family::lobatto_3a, 4),
                                                        runge_kutta_dual<double>(Family::lobatto_3a, 4));
  for (const auto& [asked, got] : {std::pair{3, 3}, std::pair{8, 3}, std::pair{1, 1}, std::pair{2, 2}}) {
    method.use_threads(asked);
    ASSERT_TRUE(method.begin(*view, chain.start, chain.h).ok());
    EXPECT_EQ(method.threads(), got) << asked;
  }
}
// With a mass matrix M(q), whose factorisation each thread keeps for itself; more threads than stages.
TEST(Threads, DoNotChangeABitWithAMassMatrix) {
  const Motion crank("slider-crank");
  for (const char* key : {"lobatto-4", "radau-2a-3", "gauss-2+jay"}) {
    MethodOptions options;
    options.threads = 8;
    const State<double> one = crank.run(key, 50).x, more = crank.run(key, 50, options).x;
    EXPECT_TRUE(std::equal(one.q.begin(), one.q.end(), more.q.begin())) << key;
    EXPECT_TRUE(std::equal(one.p.begin(), one.p.end(), more.p.begin())) << key;
  }
}

// ---- Pairs from files

class Pairs : public testing::Test {
 protected:
  std::string key(const std::string& text) const {
    const std::string path =
        testing::TempDir() + "holonom_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
    std::ofstream(path) << text;
    return "pair:" + path;
  }
  std::string refusal(const std::string& text) const {
    try {
      (void)methods().find(key(text));
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  }
  static bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
};

TEST_F(Pairs, LobattoFromAFileIsLobatto) {
  const Motion motion("double-pendulum");
  const std::string file =
      key("A = [[0, 0, 0], [\"5/24\", \"1/3\", \"-1/24\"], [\"1/6\", \"2/3\", \"1/6\"]]\nb = [\"1/6\", \"2/3\", "
          "\"1/6\"]\n");
  const MethodInfo info = methods().find(file).info;
  EXPECT_EQ(info.order, 4);
  EXPECT_TRUE(info.symmetric && info.symplectic && info.keeps_position && info.keeps_hidden && info.momentum_maps);
  const State<double> x = motion.run(file, 100).x, y = motion.run("lobatto-3", 100).x;
  EXPECT_EQ(largest_difference(x.q, y.q), 0);
  EXPECT_EQ(largest_difference(x.p, y.p), 0);
}

// Another inner row on the nodes of Lobatto: the theorem promises less, but the map is symplectic, and symmetric.
TEST_F(Pairs, OfLowerOrderIsSymplecticAsWell) {
  const std::string file = key(
      "A = [[0, 0, 0], [\"1/5\", \"1/3\", \"-1/30\"], [\"1/6\", \"2/3\", \"1/6\"]]\nb = [\"1/6\", \"2/3\", \"1/6\"]\n");
  const MethodEntry entry = methods().find(file);
  EXPECT_EQ(entry.info.order, 2);  // (4.2) says 1, and symmetry that it is even
  EXPECT_LE(Ground<double>("charged-particle").defect(entry), bound);
}

TEST_F(Pairs, OthersAreRefusedWithTheReason) {
  const std::string radau =
      refusal("name = \"Radau IIA\"\nA = [[\"5/12\", \"-1/12\"], [\"3/4\", \"1/4\"]]\nb = [\"3/4\", \"1/4\"]\n");
  EXPECT_TRUE(contains(radau, "'Radau IIA' and its dual are no method for constrained systems")) << radau;
  EXPECT_TRUE(contains(radau, "a_1j")) << radau;
  const std::string lobatto_3c = refusal("A = [[\"1/2\", \"-1/2\"], [\"1/2\", \"1/2\"]]\nb = [\"1/2\", \"1/2\"]\n");
  EXPECT_TRUE(contains(lobatto_3c, "no method for constrained systems")) << lobatto_3c;
  EXPECT_TRUE(contains(lobatto_3c, "a_1j")) << lobatto_3c;
}

TEST_F(Pairs, DecimalsAreForTheirOwnPrecision) {
  const MethodEntry entry =
      methods().find(key("A = [[0, 0, 0], [0.2083333333333333, 0.3333333333333333, -0.0416666666666667],\n"
                         "     [0.1666666666666667, 0.6666666666666667, 0.1666666666666667]]\n"
                         "b = [0.1666666666666667, 0.6666666666666667, 0.1666666666666667]\nc = [0, 0.5, 1]\n"));
  EXPECT_EQ(entry.info.order, 4);
  EXPECT_NO_THROW((void)entry.make<double>(ModelSystem<double>(load("pendulum"))));
  try {
    (void)entry.make<quad>(ModelSystem<quad>(load("pendulum")));
    FAIL() << "sixteen digits are a pair in quad";
  } catch (const Unsuitable& e) {
    EXPECT_TRUE(contains(e.what(), "give its coefficients as formulas, or with more digits")) << e.what();
  }
}

// ---- Histories, and steps that fail

TEST(BackwardDifferences, BeginForgetsTheHistory) {
  const Motion motion("double-pendulum");
  const auto used = methods().find("bdf-4").make<double>(motion.sys),
             fresh = methods().find("bdf-4").make<double>(motion.sys);
  State<double> x = motion.start, with_history = motion.start;
  ASSERT_TRUE(used->begin(x, motion.h).ok());
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(used->step(x, motion.h).ok());
  const State<double> middle = x;
  with_history = middle;
  ASSERT_TRUE(used->step(with_history, motion.h).ok());
  State<double> y = x = middle;
  ASSERT_TRUE(used->begin(x, motion.h).ok());
  ASSERT_TRUE(fresh->begin(y, motion.h).ok());
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(used->step(x, motion.h).ok());
    ASSERT_TRUE(fresh->step(y, motion.h).ok());
    EXPECT_EQ(largest_difference(x.q, y.q), 0) << k;
    EXPECT_EQ(largest_difference(x.p, y.p), 0) << k;
    // The first step anew is one of Lobatto.
    if (k == 0) {
      EXPECT_GT(largest_difference(x.q, with_history.q), 1e-8);
    }
  }
}

const char* const implicit_keys[] = {"lobatto-3",      "lobatto-6", "gauss-2+jay", "radau-2a-2",
                                     "radau-2a-3+jay", "bdf-1",     "bdf-3"};

// A step that fails leaves the state, and the next begin finds nothing of it.
TEST(FailedSteps, LeaveNothingBehind) {
  for (const char* model : {"double-pendulum", "charged-particle"})
    for (const char* key : implicit_keys) {
      SCOPED_TRACE(std::string(key) + " on " + model);
      const Motion motion(model);
      const auto method = methods().find(key).make<double>(motion.sys);
      State<double> x = motion.start;
      ASSERT_TRUE(method->begin(x, motion.h).ok());
      for (int k = 0; k < 5; ++k) ASSERT_TRUE(method->step(x, motion.h).ok());
      State<double> y = x;
      const double none = std::numeric_limits<double>::quiet_NaN();
      ASSERT_TRUE(method->begin(x, none).ok());
      EXPECT_FALSE(method->step(x, none).ok());
      EXPECT_EQ(largest_difference(x.q, y.q), 0);
      EXPECT_EQ(largest_difference(x.p, y.p), 0);
      const auto fresh = methods().find(key).make<double>(motion.sys);
      ASSERT_TRUE(method->begin(x, motion.h).ok());
      ASSERT_TRUE(fresh->begin(y, motion.h).ok());
      for (int k = 0; k < 5; ++k) {
        ASSERT_TRUE(method->step(x, motion.h).ok());
        ASSERT_TRUE(fresh->step(y, motion.h).ok());
      }
      EXPECT_EQ(largest_difference(x.q, y.q), 0);
      EXPECT_EQ(largest_difference(x.p, y.p), 0);
    }
}

// The same by a step that is too long for the motion, after attempts with every matrix.
TEST(FailedSteps, ThatAreTooLongLeaveNothingBehind) {
  for (const char* key : {"lobatto-3", "lobatto-6"}) {
    const Motion motion("double-pendulum");
    const auto method = methods().find(key).make<double>(motion.sys);
    State<double> x = motion.start;
    ASSERT_TRUE(method->begin(x, motion.h).ok());
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(method->step(x, motion.h).ok());
    const State<double> y = x;
    EXPECT_FALSE(method->step(x, 40.0).ok()) << key;
    EXPECT_EQ(largest_difference(x.q, y.q), 0) << key;
    EXPECT_EQ(largest_difference(x.p, y.p), 0) << key;
    ASSERT_TRUE(method->begin(x, motion.h).ok());
    EXPECT_TRUE(method->step(x, motion.h).ok()) << key;
  }
}

// The first coordinate leaves the domain of V, the second one does not feel it.
TEST(FailedSteps, NotANumberInOneCoordinateIsAFailure) {
  const ModelSystem<double> sys(compile(parse_model(R"toml(
format = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "2*x*sqrt(x)/3 + y^2/2"
[initial]
q = { x = "0.1", y = 1 }
p = { x = -1, y = 0 }
)toml",
                                                    "domain")));
  for (const StageMatrix matrix : {StageMatrix::automatic, StageMatrix::start, StageMatrix::full})
    for (const char* key : {"lobatto-3", "gauss-2", "radau-2a-2", "bdf-1"}) {
      const auto method = methods().find(key).make<double>(sys, with_matrix(matrix));
      State<double> x = initial_state(sys).state;
      ASSERT_TRUE(method->begin(x, 0.3).ok());
      Status status = method->step(x, 0.3);
      if (status.ok()) status = method->step(x, 0.3);
      EXPECT_EQ(status.failure, Failure::not_finite) << key << " " << static_cast<int>(matrix) << " x = " << x.q[0];
    }
}

}  // namespace
}  // namespace holonom::contract
