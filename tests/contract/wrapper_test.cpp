// Reich's wrapper (24) for maps that a user brings along, registered through the public interface.
#include <gtest/gtest.h>

#include "checks.hpp"
#include "holonom/coefficients/composition.hpp"
#include "holonom/methods/composition.hpp"
#include "holonom/methods/projected_map.hpp"

namespace holonom::contract {
namespace {

// Verlet, constraints ignored.
template <class Sys>
class Verlet {
  using S = ScalarOf<Sys>;

 public:
  explicit Verlet(const Sys& sys) : f_(size_q(sys)), v_(size_q(sys)) {}
  Status operator()(const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, const S& h, Counters& counters) {
    kick(sys, q, p, S(h / 2), counters);
    sys.mass().solve(p, v_);
    axpy(h, v_, q);
    kick(sys, q, p, S(h / 2), counters);
    return {};
  }

 private:
  void kick(const Sys& sys, const QVec<Sys>& q, QVec<Sys>& p, const S& h, Counters& counters) {
    sys.V_q(q, f_);
    ++counters.force;
    axpy(S(-h), f_, p);
  }
  QVec<Sys> f_, v_;
};

// Three Verlet steps: order 4 where there are no constraints.
template <class Sys>
class TripleJump {
  using S = ScalarOf<Sys>;

 public:
  explicit TripleJump(const Sys& sys) : verlet_(sys), c_(coefficients<S>(*find_composition("yoshida-4"))) {}
  Status operator()(const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, const S& h, Counters& counters) {
    for (const S& c : c_)
      if (const Status s = verlet_(sys, q, p, S(c * h), counters); !s.ok()) return s;
    return {};
  }

 private:
  Verlet<Sys> verlet_;
  std::vector<S> c_;
};

template <class Sys>
using VerletMotion = MapMotion<Sys, Verlet>;
template <class Sys>
using TripleJumpMotion = MapMotion<Sys, TripleJump>;

template <class S, template <class> class Motion>
Maker<S> maker(const std::string& key, const CompositionScheme* scheme) {
  Word<S> word{move(S(S(1) / S(2)), S(S(1) / S(2)))};
  if (scheme) word = compose(word, coefficients<S>(*scheme), scheme->with_adjoint);
  return [key, word](const AnySystem<S>& sys, const MethodOptions& options) {
    using View = SeparableView<S>;
    return make_on<Composition<View, Motion>, View>(key, sys, options, word);
  };
}

template <template <class> class Motion>
MethodFamily wrapped(const std::string& key) {
  MethodFamily family;
  family.pattern = key + " | yoshida-4/" + key;
  family.members = {key, "yoshida-4/" + key};
  family.parse = [key](std::string_view asked) -> std::optional<MethodEntry> {
    const bool composed = asked == "yoshida-4/" + key;
    if (!composed && asked != key) return std::nullopt;
    MethodEntry entry;
    entry.info.key = asked;
    entry.info.order = composed ? 4 : 2;
    entry.info.symmetric = entry.info.symplectic = entry.info.keeps_position = entry.info.keeps_hidden = true;
    entry.info.needs = Needs::separable;
    const CompositionScheme* scheme = composed ? find_composition("yoshida-4") : nullptr;
    if (scheme) entry.info.substeps = coefficients<double>(*scheme);
    std::get<Maker<double>>(entry.makers) = maker<double, Motion>(entry.info.key, scheme);
    std::get<Maker<quad>>(entry.makers) = maker<quad, Motion>(entry.info.key, scheme);
    std::get<Maker<Dual<double>>>(entry.makers) = maker<Dual<double>, Motion>(entry.info.key, scheme);
    return entry;
  };
  return family;
}

const Registry& own() {
  static const Registry registry = [] {
    Registry r;
    r.add(wrapped<VerletMotion>("verlet"));
    r.add(wrapped<TripleJumpMotion>("triple-jump"));
    return r;
  }();
  return registry;
}

// With the steps of the model, except where they are too long for the triple jump, which goes 1.35 h forth and 1.7 h
// back near a singularity.
Problem problem_of(std::string_view model, std::string_view key) {
  const bool long_jumps = model == "kepler-sphere" && key.ends_with("triple-jump");
  Case about = case_of(model);
  if (long_jumps) about.coarsest *= 4;
  const double h = about.time / static_cast<double>(about.coarsest);
  // Orders above 2 begin with a step that suits a composition of short steps; jumps within jumps are longer.
  if (long_jumps && key != "triple-jump") about.coarsest *= 8;
  Problem problem(about);
  if (long_jumps) problem.h = h;
  return problem;
}

constexpr const char* models[] = {"double-pendulum", "kepler-sphere", "spring-chain"};

TEST(Wrapper, VerletBecomesRattle) {
  for (const char* model : models) {
    const Problem problem = problem_of(model, "verlet");
    NumericalMap<double> wrapper(own().find("verlet"), problem.sys), rattle(methods().find("rattle"), problem.sys);
    double off = 0;
    for (const State<double>& x : problem.states) {
      State<double> y = x, z = x;
      wrapper(y, problem.h, 10);
      rattle(z, problem.h, 10);
      keep_largest(off, distance(y, z, problem.size));
    }
    std::printf("%s: wrapped Verlet − rattle %.1e after 10 steps\n", model, off);
    EXPECT_LE(off, Bounds::round_off) << model;
  }
}

// Order 4 without constraints, 2 with them (the impulse acts at one instant), 4 again when composed.
TEST(Wrapper, OrderIsLimitedToTwoAndRaisedByComposition) {
  MethodEntry unconstrained = own().find("triple-jump");
  unconstrained.info.order = 4;
  const Verdict free = has_order(unconstrained, Problem(case_of("henon-heiles")));
  std::printf("henon-heiles, no constraints: %s\n", free.evidence.c_str());
  EXPECT_TRUE(free.holds) << free.evidence;
  for (const char* model : {"double-pendulum", "kepler-sphere"})
    for (const char* key : {"verlet", "triple-jump", "yoshida-4/verlet", "yoshida-4/triple-jump"}) {
      const Verdict verdict = has_order(own().find(key), problem_of(model, key));
      std::printf("%s, %s: %s\n", model, key, verdict.evidence.c_str());
      EXPECT_TRUE(verdict.holds) << key << " on " << model << ": " << verdict.evidence;
    }
}

TEST(Wrapper, KeepsWhatReichProves) {
  for (const char* model : models)
    for (const MethodEntry& entry : own().all()) {
      const Problem problem = problem_of(model, entry.info.key);
      for (const auto& [name, check] :
           {std::pair{"symplectic", &is_symplectic_by_tangents}, std::pair{"symmetric", &is_symmetric},
            std::pair{"position", &keeps_position}, std::pair{"hidden", &keeps_hidden}}) {
        const Verdict verdict = check(entry, problem);
        std::printf("%s, %s, %s: %s\n", model, entry.info.key.c_str(), name, verdict.evidence.c_str());
        EXPECT_TRUE(verdict.holds) << entry.info.key << " on " << model << ", " << name << ": " << verdict.evidence;
      }
    }
}

// Broyden's method has no derivative of the map, and still needs few evaluations of it.
TEST(Wrapper, BroydenConvergesFast) {
  for (const char* model : models)
    for (const char* key : {"verlet", "triple-jump"}) {
      const Problem problem = problem_of(model, key);
      const auto method = own().find(key).make<double>(problem.sys);
      State<double> x = problem.start;
      ASSERT_TRUE(method->begin(x, problem.h).ok());
      for (int k = 0; k < 1000; ++k)
        ASSERT_TRUE(method->step(x, problem.h).ok()) << key << " on " << model << ", step " << k;
      const Counters& c = method->counters();
      const double mean = static_cast<double>(c.newton_iterations) / static_cast<double>(c.newton_solves);
      std::printf("%s, %s: %.2f iterations a solve, at most %d\n", model, key, mean, c.newton_max);
      EXPECT_LE(mean, 7) << key << " on " << model;
    }
}

}  // namespace
}  // namespace holonom::contract
