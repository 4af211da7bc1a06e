// Every registered method on every model that it suits: each property that its info claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <typeinfo>

#include "checks.hpp"
#include "choice.hpp"
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/methods/rattle_general.hpp"

namespace holonom::contract {
namespace {

// A separable system is a special case of H(q, p): there the general form of RATTLE makes all its claims
// too, on redundant and on free systems as well, of which there are none with a general H.
constexpr const char* general_key = "rattle-general";
MethodEntry general_form() {
  MethodEntry entry;
  entry.info = methods().find("rattle").info;
  entry.info.key = general_key;
  const auto add = []<class S>(Maker<S>& maker) {
    maker = [](const AnySystem<S>& sys, const MethodOptions& options) {
      return make_on<RattleGeneral<HamiltonianView<S>>, HamiltonianView<S>>(general_key, sys, options);
    };
  };
  add(std::get<Maker<double>>(entry.makers));
  add(std::get<Maker<quad>>(entry.makers));
  add(std::get<Maker<Dual<double>>>(entry.makers));
  return entry;
}

const std::vector<MethodEntry>& entries() {
  static const std::vector<MethodEntry> list = [] {
    std::vector<MethodEntry> all = methods().all();
    all.push_back(general_form());
    return all;
  }();
  return list;
}

// A method on a model in a form: a test of all that is claimed, since most of its time would go into the problem.
struct Claims {
  const MethodEntry* method;
  const Case* model;
  Form form;
  std::string name() const {
    const std::string where = method->info.key + "__" + model->model;
    return form == Form::interpreted ? where : where + "__" + name_of(form);
  }
  friend std::ostream& operator<<(std::ostream& out, const Claims& c) { return out << c.name(); }
};

std::vector<Claims> claims() {
  std::vector<Claims> all;
  for (const MethodEntry& entry : entries())
    for (const Case& c : cases()) {
      if (!may_suit(entry, c)) continue;
      if (!entry.info.constrained && c.constraints > 0) continue;  // nothing is claimed
      const bool usual = is_usual(entry.info, c) && !(entry.info.key == general_key && c.constraints > 10);
      for (const Form form : forms(entry.info, c)) {
        const Claims claim{&entry, &c, form};
        const std::uint64_t every = (usual ? 1 : other_pairs) * (form == Form::interpreted ? 1 : other_forms);
        if (in_rotation(claim.name(), every)) all.push_back(claim);
      }
    }
  return all;
}

// Tangents are measured in dual numbers and most orders in quad, which have one form only.
bool has_forms(const Property& property, const MethodInfo& info, const Case& on) {
  return property.name != "tangents" && property.name != "volume" &&
         (property.name != "order" || !measures_order_in_quad(info, on));
}

class Contract : public testing::TestWithParam<Claims> {};

TEST_P(Contract, Holds) {
  const auto& [method, its_case, form] = GetParam();
  const MethodEntry entry = in_form(*method, form);
  const Problem problem(*its_case, form);
  ASSERT_EQ(suits(entry, problem.sys), may_suit(entry, *its_case));
  const MethodInfo claimed = entry.info.on(its_case->constraints, its_case->field);
  for (const Property& property : properties()) {
    if (!property.claimed(claimed, *its_case) || is_deficit(property.name, entry.info, *its_case)) continue;
    if (property.name == "order" && measures_order_in_quad(entry.info, *its_case) &&
        !is_usual_in_quad(entry.info, *its_case) && !in_rotation(GetParam().name() + " order", other_pairs))
      continue;
    if (form != Form::interpreted && !has_forms(property, entry.info, *its_case)) continue;
    SCOPED_TRACE(property.name);
    Verdict verdict;
    ASSERT_NO_THROW(verdict = property.check(entry, problem));
    RecordProperty(test_name(property.name), verdict.evidence);
    EXPECT_TRUE(verdict.holds) << verdict.evidence;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Contract, testing::ValuesIn(claims()),
                         [](const testing::TestParamInfo<Claims>& claim) { return test_name(claim.param.name()); });

// Steps of which only the last state is wanted are the same steps.
TEST(Steps, AreTheSameInOneCall) {
  for (const char* model : {"double-pendulum", "slider-crank", "four-bar-redundant", "locomotive"}) {
    const Problem problem(case_of(model));
    for (const char* key : {"rattle", "position-verlet", "midpoint", "yoshida-4"}) {
      State<double> one_by_one = problem.start, at_once = problem.start;
      constexpr long steps = 200;
      const auto method = methods().find(key).make<double>(problem.sys);
      ASSERT_TRUE(method->begin(one_by_one, problem.h).ok());
      for (long k = 0; k < steps; ++k) ASSERT_TRUE(method->step(one_by_one, problem.h).ok()) << key << " on " << model;
      ASSERT_TRUE(method->begin(at_once, problem.h).ok());
      ASSERT_TRUE(method->steps(at_once, problem.h, steps).ok()) << key << " on " << model;
      EXPECT_LE(distance(one_by_one, at_once, problem.size), 1e-12) << key << " on " << model;
    }
  }
}

TEST(Registry, HasCompleteInfo) {
  ASSERT_FALSE(methods().all().empty());
  for (const MethodEntry& entry : methods().all()) {
    const Verdict verdict = info_is_complete(entry.info);
    EXPECT_TRUE(verdict.holds) << entry.info.key << ": " << verdict.evidence;
  }
}

TEST(Registry, HasUniqueKeys) {
  std::set<std::string> keys;
  for (const MethodEntry& entry : methods().all()) EXPECT_TRUE(keys.insert(entry.info.key).second) << entry.info.key;
}

TEST(Models, AreAllUnderContract) {
  std::set<std::string> files, known;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS))
    if (file.path().extension() == ".toml") files.insert(file.path().stem());
  for (const Case& c : cases()) known.insert(c.model);
  EXPECT_EQ(files, known);
}

// What is not under contract is written down, and is there: a line that covers nothing is stale.
TEST(Deficits, AreLinesOfTheDocuments) {
  std::ifstream file(HOLONOM_DOCS "/known-deficits.md");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (const Deficit& d : deficits()) {
    EXPECT_NE(text.find(d.line), std::string::npos) << d.line;
    const auto covers_some = [&](const Property& property) {
      for (const MethodEntry& entry : entries())
        for (const Case& c : cases())
          if (may_suit(entry, c) && property.claimed(entry.info.on(c.constraints, c.field), c) &&
              d.covers(property.name, entry.info, c))
            return true;
      return false;
    };
    EXPECT_TRUE(std::any_of(properties().begin(), properties().end(), covers_some)) << d.line;
  }
}

// Reversibility of a method means nothing unless ρ is one of the system; a momentum map is kept only if
// it is one.
TEST(Models, HaveTheSymmetriesThatTheySay) {
  for (const Case& c : cases()) {
    const Problem problem(c);
    const double defect = reversal_defect(problem.sys, problem.states.front());
    EXPECT_EQ(defect <= 1e-13, c.reversible) << c.model << ", " << defect;
    for (const double rate : invariant_rates(problem.sys, problem.states.front())) EXPECT_LE(rate, 1e-12) << c.model;
  }
}

bool has_fixed_sizes(const ModelSystem<double>& sys) {
  MethodOptions dynamic;
  dynamic.fixed_sizes = false;
  const MethodEntry rattle = methods().find("rattle");
  const auto usual = rattle.make<double>(sys), other = rattle.make<double>(sys, dynamic);
  const AnyMethod<double>&one = *usual, &two = *other;
  return typeid(one) != typeid(two);
}

TEST(Models, HaveWhatTheirCasesSay) {
  std::set<std::string> other;
  for (const Case& c : cases()) {
    const Problem problem(c);
    EXPECT_EQ(problem.sys.m(), c.constraints) << c.model;
    EXPECT_EQ(problem.sys.is_field(), c.field) << c.model;
    EXPECT_EQ(problem.sys.labels().has_parts(), c.parts) << c.model;
    EXPECT_EQ(ShearView<double>::missing(problem.sys).empty(), c.shears) << c.model;
    if (!c.field) {
      EXPECT_EQ(has_fixed_sizes(problem.sys), c.small) << c.model;
    }
    const std::vector<bool> linear = momentum_maps(problem.sys, problem.states.front());
    EXPECT_EQ(std::count(linear.begin(), linear.end(), true), c.momenta) << c.model;
    for (std::size_t k = 0; k < linear.size(); ++k)
      if (!linear[k]) other.insert(problem.sys.labels().invariants[k]);
  }
  // Of the Runge-Lenz vector, quadratic in p; of the Toda lattice, cubic; of Euler's equations, which have no p.
  EXPECT_EQ(other, (std::set<std::string>{"A2", "J3", "square"}));
}

}  // namespace
}  // namespace holonom::contract
