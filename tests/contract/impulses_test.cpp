// Reich's (34), stages and impulse solved for together, against his (31) as it stands: the wrapper that solves the
// whole step anew for each guess of the impulse.
#include <gtest/gtest.h>

#include "choice.hpp"
#include "holonom/methods/composition.hpp"
#include "holonom/methods/impulsive_map.hpp"
#include "model_run.hpp"

namespace holonom::contract {
namespace {

template <class S>
std::unique_ptr<AnyMethod<S>> wrapper(const std::string& method, const std::string& formulation,
                                      const AnySystem<S>& sys) {
  using View = HamiltonianView<S>;
  const Word<S> word{move(S(1) / S(2), S(1) / S(2))};
  return make_on<Composition<View, ImpulsiveMotion>, View>(method, sys, MethodOptions{}, word, sys,
                                                           Formulation::parse(formulation), methods().find(method),
                                                           MethodOptions{});
}
template <class S>
std::unique_ptr<AnyMethod<S>> together(const std::string& method, const std::string& formulation,
                                       const AnySystem<S>& sys, const MethodOptions& options = {}) {
  return methods().find(method + "@" + formulation + "+symplectic").make<S>(sys, options);
}

// How many of `steps` steps succeeded
template <class S>
long go(AnyMethod<S>& method, State<S>& x, const S& h, long steps) {
  if (!method.begin(x, h).ok()) return -1;
  for (long k = 0; k < steps; ++k)
    if (!method.step(x, h).ok()) return k;
  return steps;
}
// Of q and p, relative to their sizes
template <class S>
double apart(const State<S>& x, const State<S>& y) {
  Real<S> off = largest_difference(x.q, y.q) / largest(x.q);
  keep_largest(off, Real<S>(largest_difference(x.p, y.p) / largest(x.p)));
  return to_double(off);
}

// With steps of the model and longer ones: where the wrapper finds a step, so does this, and it is the same one. (All
// models, and steps that are longer still: make test-full. There the wrapper may take a step or two more of a run that
// it cannot finish either.)
TEST(Impulses, AreThoseOfTheWrapper) {
  std::vector<const char*> models{"pendulum", "double-pendulum", "charged-particle", "slider-crank"};
  std::vector<const char*> formulations{"h-m", "dirac"};
  std::vector<double> lengths{0.25, 1, 8};
  if (runs_everything()) {
    formulations.push_back("dirac:0.5");
    for (const char* more : {"pendulum-quadratic", "spring-chain", "kepler-sphere", "four-bar", "rigid-body-heavy",
                             "geodesic-torus", "lj-chain"})
      models.push_back(more);
    lengths = {0.25, 1, 2, 4, 8, 16};
  }
  constexpr long steps = 10;
  for (const char* model : models) {
    const ModelSystem<double> sys(load(model));
    const auto start = initial_state(sys);
    for (const char* formulation : formulations) {
      double largest = 0;
      int both = 0, alone = 0;
      for (const char* method : {"gauss-1", "gauss-2", "gauss-3", "lobatto-2", "lobatto-3"})
        for (const double longer : lengths) {
          SCOPED_TRACE(std::string(method) + "@" + formulation + " on " + model + ", " + std::to_string(longer) + " h");
          const double h = longer * *start.step;
          const auto a = together<double>(method, formulation, sys), b = wrapper<double>(method, formulation, sys);
          State<double> x = start.state, y = start.state;
          const long mine = go(*a, x, h, steps), others = go(*b, y, h, steps);
          if (others == steps || longer <= 8) {
            EXPECT_GE(mine, others);
          }
          alone += mine == steps && others < steps;
          if (mine < steps || others < steps) continue;
          ++both;
          const double off = apart(x, y);
          keep_largest(largest, off);
          if (off > 1e-13) {  // long steps of chaotic motions magnify rounding errors: in quad it is the same step
            const ModelSystem<quad> wide(load(model));
            const auto c = together<quad>(method, formulation, wide), d = wrapper<quad>(method, formulation, wide);
            State<quad> z = initial_state(wide).state, w = z;
            ASSERT_EQ(go(*c, z, quad(h), steps), steps);
            ASSERT_EQ(go(*d, w, quad(h), steps), steps);
            EXPECT_LE(apart(z, w), 5e-31);
            std::printf("  %s with %g h: in double %.1e, in quad %.1e\n", method, longer, off, apart(z, w));
          }
          // Of the wrapper half of the gradients are counted: those of H_p at other momenta are not.
          if (longer == 1) {
            EXPECT_LT(a->counters().force, 2 * b->counters().force);
          }
        }
      std::printf("%-18s %-9s %2d runs of both, largest difference %.1e; %d without the wrapper\n", model, formulation,
                  both, largest, alone);
      EXPECT_LE(largest, 2e-13) << model << " " << formulation;
      // The wrapper confirms most runs that end well. (On kepler-sphere it fails at twice the step of the model.)
      EXPECT_GE(both, 5) << model << " " << formulation;
      EXPECT_GT(both, alone) << model << " " << formulation;
    }
  }
}

TEST(Impulses, AreThoseOfTheWrapperOnAChain) {
  const ModelSystem<double> sys(load("hanging-chain", {{"N", "40"}}));
  const auto start = initial_state(sys);
  for (const char* formulation : {"h-m", "dirac"}) {
    const auto a = together<double>("gauss-2", formulation, sys), b = wrapper<double>("gauss-2", formulation, sys);
    State<double> x = start.state, y = start.state;
    ASSERT_EQ(go(*a, x, *start.step, 40), 40);
    ASSERT_EQ(go(*b, y, *start.step, 40), 40);
    EXPECT_LE(apart(x, y), 1e-13) << formulation;
  }
}

// Whoever asks for the full Newton matrix from the start has the same steps.
TEST(Impulses, AreTheSameWithTheFullMatrix) {
  for (const char* model : {"double-pendulum", "charged-particle", "slider-crank"}) {
    const ModelSystem<double> sys(load(model));
    const auto start = initial_state(sys);
    for (const char* formulation : {"h-m", "dirac", "dirac:0.5"})
      for (const char* method : {"gauss-1", "gauss-3", "lobatto-3"}) {
        SCOPED_TRACE(std::string(method) + "@" + formulation + " on " + model);
        MethodOptions options;
        options.newton.matrix = StageMatrix::full;
        const auto a = together<double>(method, formulation, sys),
                   b = together<double>(method, formulation, sys, options);
        State<double> x = start.state, y = start.state;
        const double h = *start.step / 4;
        ASSERT_EQ(go(*a, x, h, 20), 20);
        ASSERT_EQ(go(*b, y, h, 20), 20);
        EXPECT_LE(apart(x, y), 2e-14);
        EXPECT_EQ(a->counters().hessian, 0U);
        EXPECT_GT(b->counters().hessian, 0U);
        // Its second derivatives are those of the formulation: with wrong ones it would take more.
        const double mean = static_cast<double>(b->counters().newton_iterations) / 20;
        std::printf("%-18s %-22s %.2f iterations a step, %.2f without the matrix\n", model,
                    (std::string(method) + "@" + formulation).c_str(), mean,
                    static_cast<double>(a->counters().newton_iterations) / 20);
        EXPECT_LE(mean, 5);
      }
  }
  const ModelSystem<double> large(load("hanging-chain", {{"N", "200"}}));
  MethodOptions options;
  options.newton.matrix = StageMatrix::full;
  EXPECT_THROW((void)together<double>("gauss-1", "h-m", large, options), Unsuitable);
}

// Stages are solved to round-off everywhere: steps forth and back lead to where they began. (Contractions of dirac
// turn: an iteration that ends where it pauses leaves 1e-11 in one step of a hundred.)
TEST(Impulses, LeadBackAgain) {
  const ModelSystem<double> sys(load("double-pendulum"));
  for (const char* method : {"gauss-1", "gauss-2"}) {
    const auto along = methods().find("lobatto-3").make<double>(sys);
    const auto there = together<double>(method, "dirac", sys);
    State<double> x = initial_state(sys).state;
    ASSERT_TRUE(along->begin(x, 0.0371).ok());
    double largest = 0;
    for (int k = 0; k < 250; ++k) {
      ASSERT_TRUE(along->step(x, 0.0371).ok());
      State<double> y = x;
      ASSERT_EQ(go(*there, y, 0.12, 10), 10);
      ASSERT_EQ(go(*there, y, -0.12, 10), 10);
      keep_largest(largest, largest_difference(x.q, y.q));
      keep_largest(largest, largest_difference(x.p, y.p));
    }
    std::printf("%s@dirac: ten steps forth and back from 250 states, within %.1e\n", method, largest);
    EXPECT_LE(largest, 3e-14) << method;
  }
}

// Tangents of dual numbers are the derivative of the step, by difference quotients in quad.
TEST(Impulses, HaveExactTangents) {
  for (const char* model : {"double-pendulum", "charged-particle", "slider-crank"})
    for (const char* key : {"gauss-2@h-m+symplectic", "gauss-1@dirac+symplectic", "lobatto-3@dirac:0.5+symplectic"}) {
      SCOPED_TRACE(std::string(key) + " on " + model);
      const auto compiled = load(model);
      const ModelSystem<Dual<double>> dual(compiled);
      const ModelSystem<quad> sys(compiled);
      const auto start = initial_state(sys);
      const int n = sys.n();
      State<Dual<double>> x(n, sys.m());
      const auto direction = [](int i) { return std::sin(1.0 + i); };
      for (int i = 0; i < n; ++i) {
        x.q[i] = {to_double(start.state.q[i]), direction(i)};
        x.p[i] = {to_double(start.state.p[i]), direction(i + n)};
      }
      const quad away("1e-11");
      State<quad> ends[2];
      for (const int side : {0, 1}) {
        State<quad> y(n, sys.m());
        for (int i = 0; i < n; ++i) {
          const quad c = side == 0 ? away : quad(-away);
          y.q[i] = quad(x.q[i].v) + c * quad(x.q[i].d);
          y.p[i] = quad(x.p[i].v) + c * quad(x.p[i].d);
        }
        const auto method = methods().find(key).make<quad>(sys);
        ASSERT_EQ(go(*method, y, quad(to_double(*start.step)), 3), 3);
        ends[side] = y;
      }
      const auto method = methods().find(key).make<Dual<double>>(dual);
      ASSERT_EQ(go(*method, x, Dual<double>(to_double(*start.step)), 3), 3);
      const auto off = [&](const Vec<Dual<double>>& a, const Vec<quad>& b, const Vec<quad>& c) {
        double largest = 0, size = 0;
        for (int i = 0; i < n; ++i) {
          const double slope = to_double(quad((b[i] - c[i]) / (2 * away)));
          keep_largest(largest, std::abs(a[i].d - slope));
          keep_largest(size, std::abs(slope));
        }
        return largest / size;
      };
      EXPECT_LE(off(x.q, ends[0].q, ends[1].q), 1e-13);
      EXPECT_LE(off(x.p, ends[0].p, ends[1].p), 1e-13);
    }
}

// Steps that are far too long fail, and leave the state as it was.
TEST(Impulses, FailWithoutATrace) {
  for (const char* key : {"gauss-2@h-m+symplectic", "gauss-1@dirac+symplectic", "lobatto-3@dirac+symplectic"}) {
    const ModelSystem<double> sys(load("double-pendulum"));
    const State<double> start = initial_state(sys).state;
    const auto method = methods().find(key).make<double>(sys);
    State<double> x = start;
    ASSERT_TRUE(method->begin(x, 30).ok());
    EXPECT_FALSE(method->step(x, 30).ok()) << key;
    for (int i = 0; i < sys.n(); ++i) {
      EXPECT_EQ(x.q[i], start.q[i]);
      EXPECT_EQ(x.p[i], start.p[i]);
    }
    ASSERT_TRUE(method->begin(x, 0.1).ok());
    EXPECT_TRUE(method->step(x, 0.1).ok()) << key;
  }
}

}  // namespace
}  // namespace holonom::contract
