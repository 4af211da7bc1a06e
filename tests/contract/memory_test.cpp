// A run that is resumed is the same run, to the last bit: of states, multipliers, counters, and of all that the method
// remembers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "choice.hpp"
#include "holonom/methods/rattle_general.hpp"

namespace holonom::contract {
namespace {

// A method on a system of its own, as in a process of its own.
template <class S>
struct Process {
  Process(const MethodEntry& entry, const std::shared_ptr<const CompiledModel>& compiled, bool compensated,
          Form form = Form::interpreted)
      : sys(compiled, engine_of(form)) {
    MethodOptions options;
    options.compensated = compensated;
    options.fixed_sizes = form != Form::dynamic_sizes;
    method = entry.make<S>(sys, options);
  }

  // How many steps succeeded
  long go(const S& h, long count) {
    for (long k = 0; k < count; ++k)
      if (!method->step(x, h).ok()) return k;
    return count;
  }
  // What it remembers
  std::string memory() {
    MemoryWriter out;
    method->save(out);
    return out.bytes();
  }
  // What can be seen of it
  std::string appearance() {
    MemoryWriter out;
    out("q", x.q);
    out("p", x.p);
    out("counters", method->counters());
    if (const Vec<S>* lambda = method->stage_multipliers()) out("multipliers", *lambda);
    return out.bytes();
  }

  GraphSystem<S> sys;
  std::unique_ptr<AnyMethod<S>> method;
  State<S> x;
};

template <class S>
struct Departure {
  State<S> x;
  S h;
};
template <class S>
Departure<S> departure(const std::shared_ptr<const CompiledModel>& compiled, double longer = 1) {
  const GraphSystem<S> sys(compiled);
  const auto given = initial_state(sys);
  return {given.state, S(longer) * given.step.value()};
}
// A tangent, for dual numbers: any that is not zero.
template <class R>
Departure<Dual<R>> with_tangent(const Departure<R>& start) {
  const auto dual = [](const Vec<R>& x, int k) {
    Vec<Dual<R>> y(x.size());
    for (int i = 0; i < x.size(); ++i) y[i] = Dual<R>(x[i], R(1) / R(i + k));
    return y;
  };
  Departure<Dual<R>> result;
  result.x.q = dual(start.x.q, 1);
  result.x.p = dual(start.x.p, 2);
  result.h = Dual<R>(start.h);
  return result;
}

// A run at some moments, counted in steps. It may fail, with steps that are too long: then up to the last one before.
template <class S>
struct Moment {
  long step = 0;
  State<S> x;
  std::string memory, appearance;
};
template <class S>
std::vector<Moment<S>> whole_run(Process<S>&& process, const Departure<S>& from, const std::vector<long>& steps) {
  std::vector<Moment<S>> moments;
  process.x = from.x;
  if (!process.method->begin(process.x, from.h).ok()) return moments;
  long at = 0;
  for (const long k : steps) {
    if (process.go(from.h, k - at) < k - at) break;
    at = k;
    moments.push_back({k, process.x, process.memory(), process.appearance()});
    EXPECT_TRUE(process.memory() == moments.back().memory) << "saving has changed it";
  }
  return moments;
}

// Of a run that fails early there is not much to see: most must not.
struct Tally {
  int runs = 0, ended = 0;
  ~Tally() { EXPECT_GE(2 * ended, runs); }
};

// Whether a run that is interrupted at any of these moments is the same as one that is not.
template <class S, class Make>
void resumes(const std::string& name, Make&& make, const Departure<S>& from, const std::vector<long>& steps,
             Tally* tally = nullptr) {
  SCOPED_TRACE(name);
  const std::vector<Moment<S>> moments = whole_run<S>(make(), from, steps);
  if (tally) {
    ++tally->runs;
    tally->ended += moments.size() == steps.size();
  }
  if (moments.empty()) return;
  const Moment<S>& end = moments.back();
  for (const Moment<S>& moment : moments) {
    SCOPED_TRACE("interrupted after " + std::to_string(moment.step) + " of " + std::to_string(end.step));
    Process<S> resumed = make();
    resumed.x = moment.x;
    MemoryReader in(moment.memory);
    ASSERT_TRUE(resumed.method->load(in, resumed.x, from.h).ok());
    EXPECT_TRUE(in.at_end());
    EXPECT_TRUE(resumed.appearance() == moment.appearance && resumed.memory() == moment.memory)
        << "what was loaded is not what was saved";
    ASSERT_EQ(resumed.go(from.h, end.step - moment.step), end.step - moment.step);
    EXPECT_TRUE(resumed.appearance() == end.appearance) << "another run";
    EXPECT_TRUE(resumed.memory() == end.memory) << "another memory";
  }
}
const std::vector<long> usual_steps{0, 2, 16, 32};

std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

// What no model of models/ has, by its name.
struct OwnModel {
  const char* name;
  std::shared_ptr<const CompiledModel> compiled;
};

// H_pp depends on p, so that it matters where it was taken.
std::string relativistic(const std::string& more_constraints) {
  return R"model(
[coordinates]
names = ["x", "y"]
[energy]
hamiltonian = "sqrt(1 + p_x^2 + 2*p_y^2) + y"
[constraints]
rod = "(x^2 + y^2 - 1)/2"
)model" + more_constraints +
         R"model(
[initial]
q = { x = "0.6", y = "-0.8" }
p = { x = "1.6", y = "0.6" }
[integrate]
step = "0.05"
)model";
}
// From the origin, where its terms are small, to where they are a hundred thousand times larger.
std::string far_away(const std::string& more_constraints) {
  return R"model(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "y/10"
[constraints]
line = "y - x - 0.01*sin(x)"
)model" + more_constraints +
         R"model(
[initial]
q = { x = "0.01", y = "0.01 + 0.01*sin(0.01)" }
v = { x = "1000", y = "1000*(1 + 0.01*cos(0.01))" }
[integrate]
step = "0.01"
)model";
}
// Of a size that is known at compile time, but for the dependent constraint.
const char* const ball = R"model(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 2, 3]
potential = "z + x^2"
[constraints]
ball = "(x^2 + y^2 + z^2 - 1)/2"
again = "x^2 + y^2 + z^2 - 1"
[initial]
q = { x = "0.6", y = 0, z = "-0.8" }
p = { x = 0, y = 1, z = 0 }
[integrate]
step = "0.02"
)model";
// More constraints than dense algebra is for; one of them twice, if `redundant`.
std::string chain(int links, bool redundant, const std::string& mass) {
  const std::string N = std::to_string(links);
  std::string text = "[coordinates]\nr = { count = " + N + ", dim = 2 }\n[energy]\nmass = " + mass +
                     "\n[[energy.sum]]\nover = { i = \"0.." + std::to_string(links - 1) +
                     "\" }\nterm = \"r[i].y\"\n[constraints]\nhook = \"(dot(r[0], r[0]) - 1)/2\"\n";
  if (redundant) text += "again = \"dot(r[1] - r[0], r[1] - r[0]) - 1\"\n";
  text += "[[constraints.stack]]\nname = \"link\"\nover = { i = \"0.." + std::to_string(links - 2) +
          "\" }\nzero = \"(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2\"\n";
  return text +
         "[initial]\nq.r = [\"(1 - cos(pi*(i + 1)))/4\", \"-(i + 1)*sqrt(3)/2\"]\n[integrate]\nstep = \"0.01\"\n";
}
// A consistent mass matrix, of a chain of finite elements: sparse, and not diagonal.
std::shared_ptr<const CompiledModel> finite_elements(int links) {
  const auto folder = std::filesystem::temp_directory_path() / ("holonom-memory-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  {
    std::ofstream csv(folder / "mass.csv");
    csv << "i,j,m\n";
    for (int i = 0; i < 2 * links; ++i) {
      csv << i << "," << i << "," << (i + 2 < 2 * links ? "0.66" : "0.33") << "\n";
      if (i + 2 < 2 * links) csv << i + 2 << "," << i << ",0.16\n";
    }
    std::ofstream(folder / "chain.toml") << "format = 1\nname = \"test\"\n"
                                         << chain(links, false, "{ file = \"mass.csv\" }");
  }
  auto compiled = compile(load_model((folder / "chain.toml").string()));
  std::filesystem::remove_all(folder);
  return compiled;
}

const std::vector<OwnModel>& own_models() {
  static const std::vector<OwnModel> all{
      {"relativistic", from_text(relativistic(""))},
      {"relativistic, redundant", from_text(relativistic("again = \"3*x^2 + 3*y^2 - 3\""))},
      {"far away", from_text(far_away(""))},
      {"far away, redundant", from_text(far_away("again = \"2*y - 2*x - 0.02*sin(x)\""))},
      {"ball, redundant", from_text(ball)},
      {"chain", from_text(chain(12, false, "{ r = 1 }"))},
      {"chain, redundant", from_text(chain(12, true, "{ r = 1 }"))},
      {"finite elements", finite_elements(12)},
  };
  return all;
}

// Separable systems through their general form, too, with redundant and with many constraints.
MethodEntry general_form() {
  MethodEntry entry;
  entry.info.key = "rattle-general";
  std::get<Maker<double>>(entry.makers) = [](const AnySystem<double>& sys, const MethodOptions& options) {
    using View = HamiltonianView<double>;
    return make_on<RattleGeneral<View>, View>("rattle-general", sys, options);
  };
  return entry;
}
std::vector<MethodEntry> with_general_form(std::vector<MethodEntry> entries) {
  entries.push_back(general_form());
  return entries;
}

// ---- every method

class Resuming : public testing::TestWithParam<Case> {};

TEST_P(Resuming, IsTheSameRun) {
  const auto compiled = load(GetParam().model);
  const GraphSystem<double> sys(compiled);
  Tally tally;
  const auto check = [&](const MethodEntry& entry, bool compensated, double longer, Form form, std::uint64_t every) {
    const std::string name = entry.info.key + (compensated ? " compensated " : " ") + name_of(form) + " with " +
                             std::to_string(longer) + " h";
    if (HasFatalFailure() || !in_rotation(GetParam().model + name, every)) return;
    const auto make = [&] { return Process<double>(entry, compiled, compensated, form); };
    // Most methods have to resolve stiff springs.
    const bool resolve = GetParam().stiff() && !is_for_stiff(entry.info);
    Departure<double> from = departure<double>(compiled);
    from.h = longer * (resolve ? GetParam().resolved : from.h);
    resumes<double>(name, make, from, usual_steps, longer == 1 ? &tally : nullptr);
  };
  for (const MethodEntry& entry : with_general_form(methods().all())) {
    if (!suits(entry, sys)) continue;
    for (const bool compensated : {false, true}) {
      check(entry, compensated, 1, Form::interpreted, compensated ? other_forms : 2);
      check(entry, compensated, 25, Form::interpreted, other_pairs);  // where paths are followed, and flags matter
    }
    for (const Form form : forms(entry.info, GetParam()))
      if (form != Form::interpreted) check(entry, false, 1, form, other_forms);
  }
  EXPECT_GT(tally.runs, 0);
  RecordProperty("runs", tally.runs);
}

INSTANTIATE_TEST_SUITE_P(On, Resuming, testing::ValuesIn(cases()),
                         [](const auto& on) { return test_name(on.param.model); });

TEST(ResumingOnOwnModels, IsTheSameRun) {
  for (const auto& [model, compiled] : own_models())
    for (const MethodEntry& entry : with_general_form(representatives())) {
      if (!suits(entry, GraphSystem<double>(compiled))) continue;
      for (const double longer : {1., 10.})
        for (const bool compensated : {false, true}) {
          const auto make = [&] { return Process<double>(entry, compiled, compensated); };
          resumes<double>(std::string(model) + ", " + entry.info.key + (compensated ? " compensated " : " ") +
                              std::to_string(longer) + " h",
                          make, departure<double>(compiled, longer), usual_steps);
        }
      if (HasFatalFailure()) return;
    }
}

// Many constraints, of which one is left out.
TEST(ResumingOnOwnModels, IsTheSameRunWithAConstraintLeftOut) {
  const auto compiled = from_text(chain(310, true, "{ r = 1 }"));
  for (const char* key : {"rattle", "midpoint", "shake", "lobatto-2"}) {
    const auto make = [&] { return Process<double>(methods().find(key), compiled, false); };
    resumes<double>(key, make, departure<double>(compiled), {1, 12, 24});
  }
}

// Where a dead centre is passed the rank would be another one, if it were looked for there.
TEST(ResumingNearADeadCentre, IsTheSameRun) {
  const auto compiled = compile(load_model(HOLONOM_TEST_MODELS "/parallelogram.toml"));
  std::vector<long> all;
  for (long k = 0; k <= 120; ++k) all.push_back(k);
  for (const MethodEntry& entry : {methods().find("rattle"), methods().find("geodesic-3"), methods().find("lobatto-2"),
                                   methods().find("shake"), general_form()}) {
    const auto make = [&] { return Process<double>(entry, compiled, false); };
    resumes<double>(entry.info.key, make, departure<double>(compiled), all);
  }
}

// ---- every scalar

class ResumingIn : public testing::TestWithParam<const char*> {
 protected:
  template <class S, class Depart>
  static void all(long most, std::uint64_t every, Depart&& depart) {
    const auto compiled = load(GetParam());
    Tally tally;
    for (const MethodEntry& entry : representatives()) {
      if (!suits(entry, GraphSystem<S>(compiled))) continue;
      if (case_of(GetParam()).stiff() && !is_for_stiff(entry.info)) continue;
      for (const bool compensated : {false, true}) {
        const std::string name = entry.info.key + (compensated ? " compensated" : "");
        if (!in_rotation(std::string(GetParam()) + precision_name<Real<S>>() + name, every)) continue;
        const auto make = [&] { return Process<S>(entry, compiled, compensated); };
        resumes<S>(name, make, depart(compiled), {1, most / 2, most}, &tally);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(ResumingIn, LongDouble) {
  all<long double>(24, 4, [](const auto& compiled) { return departure<long double>(compiled); });
}
TEST_P(ResumingIn, Quad) {
  all<quad>(24, 4, [](const auto& compiled) { return departure<quad>(compiled); });
}
TEST_P(ResumingIn, HundredDigits) {
  all<mp100>(14, 16, [](const auto& compiled) { return departure<mp100>(compiled); });
}
TEST_P(ResumingIn, Duals) {
  all<Dual<double>>(24, 4, [](const auto& compiled) { return with_tangent(departure<double>(compiled)); });
}
TEST_P(ResumingIn, QuadDuals) {
  all<Dual<quad>>(14, 4, [](const auto& compiled) { return with_tangent(departure<quad>(compiled)); });
}

INSTANTIATE_TEST_SUITE_P(On, ResumingIn,
                         testing::Values("double-pendulum", "charged-particle", "slider-crank", "four-bar-redundant",
                                         "rigid-body-heavy", "elastic-double-pendulum", "stiff-pendulum-chain"),
                         [](const auto& on) { return test_name(on.param); });

// ---- nothing less, and nothing more

// A name is there because some run is another one without it.
TEST(Memory, NothingOfItCanBeForgotten) {
  std::set<std::string> all, missed;
  const auto try_all = [&](const MethodEntry& entry, const std::shared_ptr<const CompiledModel>& compiled,
                           bool compensated, double longer) {
    const auto make = [&] { return Process<double>(entry, compiled, compensated); };
    const Departure<double> from = departure<double>(compiled, longer);
    const std::vector<Moment<double>> moments = whole_run<double>(make(), from, {2, 8, 16, 20, 32});
    if (moments.size() < 2) return;
    const Moment<double>&middle = moments[(moments.size() - 1) / 2], &end = moments.back();
    // Whether the run is the same without the memory of this name.
    const auto same_without = [&](const std::string& forgotten, std::set<std::string>* names) {
      Process<double> resumed = make();
      resumed.x = middle.x;
      MemoryReader in(middle.memory);
      in.forget([&](std::string_view name) {
        if (names) names->emplace(name);
        return name == forgotten;
      });
      try {
        if (!resumed.method->load(in, resumed.x, from.h).ok() || resumed.appearance() != middle.appearance)
          return false;
      } catch (const MemoryError&) {
        return false;
      }
      return resumed.go(from.h, end.step - middle.step) == end.step - middle.step &&
             resumed.appearance() == end.appearance && resumed.memory() == end.memory;
    };
    std::set<std::string> names;
    ASSERT_TRUE(same_without("", &names));
    all.insert(names.begin(), names.end());
    for (const std::string& name : names)
      if (!missed.contains(name) && !same_without(name, nullptr)) missed.insert(name);
  };
  std::vector<std::shared_ptr<const CompiledModel>> models;
  for (const char* model :
       {"pendulum", "elastic-double-pendulum", "stiff-pendulum-chain", "locomotive", "slider-crank"})
    models.push_back(load(model));
  for (const OwnModel& own : own_models()) models.push_back(own.compiled);
  for (const auto& compiled : models)
    for (const MethodEntry& entry : with_general_form(representatives()))
      if (suits(entry, GraphSystem<double>(compiled)))
        for (const double longer : {1., 10., 40.}) {
          try_all(entry, compiled, longer == 1, longer);
          if (HasFatalFailure()) return;
        }
  for (const std::string& name : all) EXPECT_TRUE(missed.contains(name)) << name << " is not missed by any run";
}

// Factors and other work space are found again, not saved: a checkpoint is a few times the size of the state.
TEST(Memory, IsNotMuchMoreThanTheState) {
  const auto compiled = load("hanging-chain", {{"N", "1000"}});
  const Departure<double> start = departure<double>(compiled);
  for (const auto& [key, most] : {std::pair{"rattle", 10}, {"lobatto-2", 30}, {"shake", 12}, {"bdf-3", 20}}) {
    Process<double> run(methods().find(key), compiled, false);
    run.x = start.x;
    ASSERT_TRUE(run.method->begin(run.x, start.h).ok());
    ASSERT_EQ(run.go(start.h, 5), 5);
    EXPECT_LE(run.memory().size(), static_cast<std::size_t>(most) * 2000 * sizeof(double)) << key;
    RecordProperty(key, static_cast<int>(run.memory().size()));
  }
}

TEST(Memory, OfAnotherMethodOrSystemIsRefused) {
  const auto memory_of = [](const char* key, const char* model, bool compensated) {
    Process<double> run(methods().find(key), load(model), compensated);
    const Departure<double> start = departure<double>(load(model));
    run.x = start.x;
    EXPECT_TRUE(run.method->begin(run.x, start.h).ok());
    EXPECT_EQ(run.go(start.h, 3), 3);
    return run.memory();
  };
  const auto load_into = [](const char* key, const char* model, std::string_view memory) {
    const auto compiled = load(model);
    Process<double> run(methods().find(key), compiled, false);
    const Departure<double> start = departure<double>(compiled);
    MemoryReader in(memory);
    const bool good = run.method->load(in, start.x, start.h).ok();
    return good && in.at_end();
  };
  const std::string memory = memory_of("rattle", "double-pendulum", false);
  EXPECT_TRUE(load_into("rattle", "double-pendulum", memory));
  EXPECT_THROW((void)load_into("rattle", "pendulum", memory), MemoryError);
  EXPECT_THROW((void)load_into("rattle", "four-bar-redundant", memory_of("rattle", "four-bar", false)), MemoryError);
  EXPECT_THROW((void)load_into("lobatto-4", "double-pendulum", memory_of("lobatto-3", "double-pendulum", false)),
               MemoryError);
  EXPECT_THROW((void)load_into("bdf-2", "double-pendulum", memory_of("bdf-4", "double-pendulum", false)), MemoryError);
  EXPECT_THROW((void)load_into("lobatto-3", "double-pendulum", memory), MemoryError);
  EXPECT_THROW((void)load_into("yoshida-4", "double-pendulum", memory), MemoryError);
  EXPECT_THROW((void)load_into("rattle", "double-pendulum", memory_of("rattle", "double-pendulum", true)), MemoryError);
  for (std::size_t length = 0; length < memory.size(); length += 7)
    EXPECT_THROW((void)load_into("rattle", "double-pendulum", std::string_view(memory).substr(0, length)), MemoryError);
}

// A method of somebody else need not have a memory; then it says so.
class Forgetful final : public AnyMethod<double> {
 public:
  Status begin(const State<double>&, const double&) override { return {}; }
  Status step(State<double>&, const double&) override { return {}; }
  const Counters& counters() override { return counters_; }

 private:
  Counters counters_;
};

TEST(Memory, IsNotNamedByEveryMethod) {
  Forgetful method;
  MemoryWriter out;
  MemoryReader in("");
  EXPECT_THROW(method.save(out), MemoryError);
  EXPECT_THROW((void)method.load(in, State<double>(), 1), MemoryError);
}

}  // namespace
}  // namespace holonom::contract
