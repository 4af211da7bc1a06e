// No step allocates. This program counts every call of operator new and, where COUNT_MALLOC says so (with
// glibc, but not under a sanitizer that has a malloc of its own), of malloc, so that nothing gets around it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "choice.hpp"
#include "holonom/adapt.hpp"
#include "holonom/analysis/numerical_map.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/shadow.hpp"

namespace {
long allocations = 0;

void* allocate(std::size_t size, std::align_val_t alignment = std::align_val_t{alignof(std::max_align_t)}) noexcept {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, (size + unit) / unit * unit);  // a positive multiple of it
}
void* or_throw(void* memory) { return memory ? memory : throw std::bad_alloc(); }
}  // namespace

using Align = std::align_val_t;
using NoThrow = std::nothrow_t;
void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, Align alignment) { return or_throw(allocate(size, alignment)); }
void* operator new[](std::size_t size, Align alignment) { return or_throw(allocate(size, alignment)); }
void* operator new(std::size_t size, const NoThrow&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const NoThrow&) noexcept { return allocate(size); }
void* operator new(std::size_t size, Align alignment, const NoThrow&) noexcept { return allocate(size, alignment); }
void* operator new[](std::size_t size, Align alignment, const NoThrow&) noexcept { return allocate(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, Align) noexcept { std::free(memory); }
void operator delete[](void* memory, Align) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, Align) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, Align) noexcept { std::free(memory); }
void operator delete(void* memory, const NoThrow&) noexcept { std::free(memory); }
void operator delete[](void* memory, const NoThrow&) noexcept { std::free(memory); }
void operator delete(void* memory, Align, const NoThrow&) noexcept { std::free(memory); }
void operator delete[](void* memory, Align, const NoThrow&) noexcept { std::free(memory); }

#ifdef COUNT_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
}
#endif

namespace holonom {
namespace {

// Allocations in steps after the first: a first step may still make room.
template <class S>
long allocations_in_steps(const MethodEntry& entry, const AnySystem<S>& sys, State<S> x, const S& h,
                          const MethodOptions& options = {}) {
  const auto method = entry.make<S>(sys, options);
  EXPECT_TRUE(method->begin(x, h).ok());
  EXPECT_TRUE(method->step(x, h).ok());
  const long before = allocations;
  bool ok = true;
  for (int k = 0; k < 20; ++k) ok = ok && method->step(x, h).ok();
  const long count = allocations - before;
  EXPECT_TRUE(ok) << entry.info.key;
  return count;
}

template <class S>
class Allocation : public testing::Test {};
using Scalars = testing::Types<double, long double, quad, mp100, Dual<double>, Dual<quad>>;
TYPED_TEST_SUITE(Allocation, Scalars);

TYPED_TEST(Allocation, NoneInAStep) {
  using S = TypeParam;
  // Separable, without constraints, full mass matrix, general H, M(q), redundant, sparse, split, fields.
  for (const char* model :
       {"double-pendulum", "rigid-body-heavy", "kepler", "four-bar", "charged-particle", "slider-crank",
        "four-bar-redundant", "locomotive", "hanging-chain", "elastic-double-pendulum", "lotka-volterra", "abc-flow"}) {
    const ModelSystem<S> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/" + model + ".toml")));
    const Start<S> start = initial_state(sys);
    for (const MethodEntry& entry : contract::representatives()) {
      if (!suits(entry, sys)) continue;
      EXPECT_EQ(allocations_in_steps<S>(entry, sys, start.state, *start.step), 0) << entry.info.key << " on " << model;
    }
  }
}

// Every method that is said to be symplectic knows its action. No step with it allocates, nor does the window of a
// shadow energy.
template <class S>
void expect_no_allocation_with_actions() {
  for (const char* model : {"double-pendulum", "kepler", "charged-particle", "slider-crank", "four-bar-redundant",
                            "hanging-chain", "elastic-double-pendulum"}) {
    const ModelSystem<S> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/" + model + ".toml")));
    const Start<S> start = initial_state(sys);
    std::vector<MethodEntry> entries = contract::representatives();
    if (sys.m() > 0 && sys.n() < 100 && std::string_view(model) != "four-bar-redundant")
      for (const char* key : {"gauss-1@dirac", "lobatto-3@h-m", "gauss-1@state-space"})
        entries.push_back(methods().find(key));
    for (const MethodEntry& entry : entries) {
      if (!suits(entry, sys) || !lacks_shadow_energy(entry.info, sys).empty()) continue;
      State<S> x = start.state;
      const S h = *start.step / S(4);
      const auto method = entry.make<S>(sys);
      ASSERT_EQ(method->track_action(), "") << entry.info.key << " on " << model;
      const ShadowWeights<S> weights(4);
      ShadowWindow<S> window(sys.n(), 4);
      window.begin(x);
      S value(0);
      const auto take = [&] {
        if (!method->step(x, h).ok()) return false;
        window.add(x, method->action());
        if (window.is_full()) value = window.value(weights, h);
        return true;
      };
      EXPECT_TRUE(method->begin(x, h).ok() && take());
      const long before = allocations;
      bool ok = true;
      for (int k = 0; k < 10; ++k) ok = ok && take();
      const long count = allocations - before;
      EXPECT_TRUE(ok && is_finite(value)) << entry.info.key << " on " << model;
      EXPECT_EQ(count, 0) << entry.info.key << " on " << model;
    }
  }
}
TEST(AllocationWithActions, NoneInAStep) {
  expect_no_allocation_with_actions<double>();
  expect_no_allocation_with_actions<quad>();
}

// (Projections after steps, and the symplectic one around methods without stages, begin the method anew; charts that
// change are made anew: these may.)
TYPED_TEST(Allocation, NoneInAStepOnFormulations) {
  using S = TypeParam;
  for (const char* model : {"double-pendulum", "charged-particle", "slider-crank", "hanging-chain"}) {
    const ModelSystem<S> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/" + model + ".toml")));
    const Start<S> start = initial_state(sys);
    for (const char* key : {"gauss-1@dirac", "lobatto-3@h-m", "rattle@dirac:0.5", "gauss-2@weak", "rk-4@underlying",
                            "bdf-2@baumgarte:2", "radau-2a-2@index-2", "bdf-2@index-2", "gauss-1@state-space",
                            "gauss-1@h-m+symplectic", "lobatto-2@dirac+symplectic"}) {
      // Of the chain in double: wide scalars take minutes there, and full matrices have no place.
      if (sys.n() > 100 && (!std::is_same_v<S, double> || std::string_view(key).ends_with("state-space"))) continue;
      EXPECT_EQ(allocations_in_steps<S>(methods().find(key), sys, start.state, S(*start.step / S(4))), 0)
          << key << " on " << model;
    }
  }
}

TYPED_TEST(Allocation, NoneInAStepInAChart) {
  using S = TypeParam;
  for (const char* model : {"geodesic-torus", "slider-crank"}) {
    const ModelSystem<S> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/" + model + ".toml")));
    const Start<S> start = initial_state(sys);
    for (const char* key : {"gauss-2@state-space:own", "rattle@state-space:own", "rk-4@state-space:own",
                            "gauss-2@state-space:own-velocity"})
      EXPECT_EQ(allocations_in_steps<S>(methods().find(key), sys, start.state, *start.step), 0)
          << key << " on " << model;
  }
}

// The stages of implicit Runge-Kutta methods with each of the matrices that correct them.
TYPED_TEST(Allocation, NoneInAStepWithAnyStageMatrix) {
  using S = TypeParam;
  for (const char* model : {"double-pendulum", "slider-crank", "four-bar-redundant", "henon-heiles"}) {
    const ModelSystem<S> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/" + model + ".toml")));
    const Start<S> start = initial_state(sys);
    MethodOptions options;
    for (const StageMatrix matrix : {StageMatrix::start, StageMatrix::stages, StageMatrix::full}) {
      options.newton.matrix = matrix;
      for (const char* key : {"lobatto-3", "lobatto-4", "gauss-2+jay", "radau-2a-3", "bdf-2"})
        EXPECT_EQ(allocations_in_steps<S>(methods().find(key), sys, start.state, *start.step, options), 0)
            << key << " on " << model << " with matrix " << static_cast<int>(matrix);
    }
  }
}

// A chain of rigid links with consistent masses: M is sparse, and not diagonal.
TYPED_TEST(Allocation, NoneInAStepWithASparseMass) {
  using S = TypeParam;
  std::string names, kinetic, potential, constraints, start;
  for (int i = 0; i < 15; ++i) {
    const std::string k = std::to_string(i), x = "x" + k, y = "y" + k, l = std::to_string(i - 1);
    names += (i ? ", " : "") + ("\"" + x + "\", \"" + y + "\"");
    potential += (i ? " + " : "") + y;
    start += (i ? ", " : "") + x + " = \"" + std::to_string(i + 1) + "/2\", " + y + " = \"" +
             (i % 2 ? "0" : "-sqrt(3)/2") + "\"";
    for (const std::string c : {"x", "y"})
      kinetic += (kinetic.empty() ? "" : " + ") + ("v_" + c + k + "^2") +
                 (i ? " + v_" + c + k + "*v_" + c + l + " + v_" + c + l + "^2" : "");
    constraints +=
        "link" + k +
        (i ? " = \"(" + x + " - x" + l + ")^2 + (" + y + " - y" + l + ")^2 - 1\"\n" : " = \"x0^2 + y0^2 - 1\"\n");
  }
  const ModelSystem<S> sys(
      compile(parse_model("format = 1\n[coordinates]\nnames = [" + names + "]\n[energy]\nkinetic = \"(" + kinetic +
                              ")/6\"\npotential = \"" + potential + "\"\n[constraints]\n" + constraints +
                              "[initial]\nq = {" + start + "}\n",
                          "chain")));
  ASSERT_NE(sys.sparse_mass(), nullptr);
  const State<S> x = initial_state(sys).state;
  for (const MethodEntry& entry : contract::representatives()) {
    if (!suits(entry, sys)) continue;
    EXPECT_EQ(allocations_in_steps<S>(entry, sys, x, S(0.01)), 0) << entry.info.key;
  }
}

// A type of one's own, without second derivatives and without clones.
struct OwnPendulum {
  using Scalar = double;
  static constexpr int N = 2, M = 1;
  double V(const Vec<double, 2>& q) const { return q[1]; }
  void V_q(const Vec<double, 2>&, Vec<double, 2>& out) const { out = {0, 1}; }
  const DiagonalMass<double, 2>& mass() const { return mass_; }
  void g(const Vec<double, 2>& q, Vec<double, 1>& out) const { out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; }
  void G(const Vec<double, 2>& q, Jacobian<double, 2, 1>& out) const {
    out(0, 0) = q[0];
    out(0, 1) = q[1];
  }
  DiagonalMass<double, 2> mass_{Vec<double, 2>{1, 1}};
};
TEST(OwnTypes, DoNotAllocateInAStep) {
  const auto sys = adapt(OwnPendulum{}, "own pendulum");
  State<double> x(2, 1);
  x.q[0] = 1;
  MethodOptions threads;
  threads.threads = 2;
  for (const char* key : {"rattle", "yoshida-4", "lobatto-2", "lobatto-4", "gauss-2+jay", "radau-2a-2", "bdf-2"}) {
    EXPECT_EQ(allocations_in_steps<double>(methods().find(key), sys, x, 0.05), 0) << key;
    EXPECT_EQ(allocations_in_steps<double>(methods().find(key), sys, x, 0.05, threads), 0) << key;
  }
}

// A method that allocates, if only by malloc.
class Allocating final : public AnyMethod<double> {
 public:
  explicit Allocating(bool by_new) : by_new_(by_new) {}
  Status begin(const State<double>&, const double&) override { return {}; }
  Status step(State<double>& x, const double&) override {
    if (by_new_)
      x.q = Vec<double>(x.q.size());
    else
      waste();
    return {};
  }
  const Counters& counters() override { return counters_; }

 private:
  static void waste() {
    void* volatile memory = std::malloc(16);  // volatile: a compiler may leave out what is never used
    std::free(memory);
  }
  bool by_new_;
  Counters counters_;
};

TEST(BrokenAllocation, IsCounted) {
  const ModelSystem<double> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/pendulum.toml")));
  const State<double> x = initial_state(sys).state;
  const auto count = [&](bool by_new) {
    MethodEntry entry;
    std::get<Maker<double>>(entry.makers) = [=](const AnySystem<double>&, const MethodOptions&) {
      return std::make_unique<Allocating>(by_new);
    };
    return allocations_in_steps<double>(entry, sys, x, 0.1);
  };
  EXPECT_GE(count(true), 20);
#ifdef COUNT_MALLOC
  EXPECT_GE(count(false), 20);
#endif
}

}  // namespace
}  // namespace holonom
