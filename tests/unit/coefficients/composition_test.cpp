// Composition schemes: their order from the algebra, their digits from the literature, and an order seen on a pendulum.
#include "holonom/coefficients/composition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <map>
#include <set>

#include "holonom/coefficients/composition_order.hpp"
#include "holonom/dual.hpp"
#include "holonom/wide.hpp"

namespace holonom::test {
namespace {

// Wider than any coefficient: the decimals themselves are checked, without rounding.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<160>, boost::multiprecision::et_off>;
using Coefficients = std::vector<Wide>;

const Wide tolerance("1e-102");  // coefficients of 110 decimals, and up to 6 digits lost (triple-jump-10)

Coefficients wide(const CompositionScheme& scheme) {
  Coefficients c;
  for (const std::string& decimal : scheme.coefficients) c.emplace_back(decimal);
  return c;
}

const CompositionScheme& scheme(const std::string& key) {
  const CompositionScheme* found = find_composition(key);
  if (!found) throw std::invalid_argument("no scheme " + key);
  return *found;
}

int order_of(const CompositionScheme& s, const Coefficients& c) {
  return composition_order(c, s.with_adjoint, s.order + 1, tolerance).order;
}

std::vector<std::string> keys() {
  std::vector<std::string> all;
  for (const CompositionScheme& s : composition_schemes()) all.push_back(s.key);
  return all;
}

class EveryScheme : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EveryScheme, ::testing::ValuesIn(keys()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryScheme, HasTheOrderThatItClaimsAndNoMore) {
  const CompositionScheme& s = scheme(GetParam());
  const auto found = composition_order(wide(s), s.with_adjoint, s.order + 1, tolerance);
  EXPECT_EQ(found.order, s.order);
  EXPECT_LT(found.residual, tolerance);
  EXPECT_GT(found.leading, 1e-9);
}

TEST_P(EveryScheme, KeepsItsOrderInTheWidestScalar) {
  const CompositionScheme& s = scheme(GetParam());
  const mp100 rounding("1e-94");
  EXPECT_EQ(composition_order(coefficients<mp100>(s), s.with_adjoint, s.order + 1, rounding).order, s.order);
}

TEST_P(EveryScheme, IsAPalindromeThatSumsToOne) {
  const CompositionScheme& s = scheme(GetParam());
  std::vector<std::string> reversed = s.coefficients;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(reversed, s.coefficients);
  Wide sum = -1;
  for (const Wide& c : wide(s)) sum += c;
  EXPECT_LT(abs(sum), Wide("1e-108"));
}

TEST_P(EveryScheme, HasDigitsForTheWidestScalar) {
  for (const std::string& decimal : scheme(GetParam()).coefficients) {
    if (decimal == "0.28" || decimal == "0.1867") continue;  // McLachlan's choices, exact
    const auto first = decimal.find_first_of("123456789");
    const auto point = decimal.find('.');
    EXPECT_GE(decimal.size() - first - (first < point ? 1 : 0), 105u) << decimal;
  }
}

TEST_P(EveryScheme, IsRoundedOnceInEveryScalar) {
  const CompositionScheme& s = scheme(GetParam());
  const Coefficients exact = wide(s);
  const auto in_double = coefficients<double>(s);
  const auto in_quad = coefficients<quad>(s);
  const auto in_dual = coefficients<Dual<double>>(s);
  ASSERT_EQ(in_double.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_EQ(in_double[i], exact[i].convert_to<double>());
    EXPECT_LE(abs(Wide(in_quad[i]) - exact[i]), abs(exact[i]) * Wide(epsilon<quad>()) / 2);
    EXPECT_EQ(in_dual[i].v, in_double[i]);
    EXPECT_EQ(in_dual[i].d, 0.0);
  }
}

// The pendulum H = p²/2 − cos q, by Störmer-Verlet or by symplectic Euler and its adjoint.
struct Pendulum {
  mp100 q = mp100("0.7"), p = mp100("0.9");

  void drift(const mp100& h) { q += h * p; }
  void kick(const mp100& h) { p -= h * sin(q); }
  void step(const std::vector<mp100>& c, bool with_adjoint, const mp100& h) {
    for (std::size_t i = 0; i < c.size(); ++i) {
      const mp100 substep = c[i] * h;
      if (!with_adjoint) {
        kick(substep / 2);
        drift(substep);
        kick(substep / 2);
      } else if (i % 2 == 0) {
        kick(substep);
        drift(substep);
      } else {
        drift(substep);
        kick(substep);
      }
    }
  }
};

mp100 angle_after(const std::vector<mp100>& c, bool with_adjoint, int steps) {
  Pendulum pendulum;
  const mp100 h = mp100(1) / (64 * steps);
  for (int i = 0; i < steps; ++i) pendulum.step(c, with_adjoint, h);
  return pendulum.q;
}

TEST_P(EveryScheme, ShowsItsOrderOnAPendulum) {
  const CompositionScheme& s = scheme(GetParam());
  const auto c = coefficients<mp100>(s);
  const mp100 coarse = angle_after(c, s.with_adjoint, 1), middle = angle_after(c, s.with_adjoint, 2),
              fine = angle_after(c, s.with_adjoint, 4);
  const double order = std::log2(to_double(mp100((coarse - middle) / (middle - fine))));
  EXPECT_NEAR(order, s.order, 0.1);
}

TEST(Composition, KeysAreUniqueAndFound) {
  std::set<std::string> seen;
  for (const CompositionScheme& s : composition_schemes()) {
    EXPECT_TRUE(seen.insert(s.key).second) << s.key;
    EXPECT_EQ(find_composition(s.key), &s);
    EXPECT_FALSE(s.title.empty());
    EXPECT_FALSE(s.citation.empty());
  }
  EXPECT_EQ(find_composition("yoshida-5"), nullptr);
  EXPECT_EQ(find_composition(""), nullptr);
  EXPECT_EQ(find_composition("kahan-li"), nullptr);
  EXPECT_EQ(scheme("yoshida-4").coefficients, scheme("triple-jump-4").coefficients);
}

TEST(Composition, StagesAreAsPublished) {
  // substeps, or pairs of a substep and one of the adjoint
  const std::map<std::string, std::size_t> stages{
      {"yoshida-4", 3},       {"triple-jump-4", 3},  {"triple-jump-6", 9},       {"triple-jump-8", 27},
      {"triple-jump-10", 81}, {"suzuki-4", 5},       {"suzuki-6", 25},           {"suzuki-8", 125},
      {"mclachlan-4", 5},     {"yoshida-6", 7},      {"mclachlan-6", 9},         {"kahan-li-6", 9},
      {"yoshida-8", 15},      {"kahan-li-8", 17},    {"kahan-li-10", 33},        {"suzuki-umeno-8", 15},
      {"blanes-moan-4", 6},   {"blanes-moan-6", 10}, {"mclachlan-4-adjoint", 5}, {"sofroniou-spaletta-10", 35}};
  EXPECT_EQ(stages.size(), composition_schemes().size());
  for (const auto& [key, count] : stages)
    EXPECT_EQ(scheme(key).coefficients.size(), scheme(key).with_adjoint ? 2 * count : count) << key;
}

// The first, second, ... number of a half, as printed; agreement to one unit of the last decimal.
struct Printed {
  const char* key;
  std::vector<const char*> decimals;
};
const std::vector<Printed> printed{
    {"triple-jump-4", {"1.3512071919596576340", "-1.7024143839193152681"}},
    {"suzuki-4", {"0.4144907717943757371", "0.4144907717943757371", "-0.6579630871775029485"}},
    {"mclachlan-4", {"0.28", "0.62546642846767004501", "-0.8109328569353400900"}},
    {"yoshida-6", {"0.78451361047755726381949763", "0.23557321335935813368479318", "-1.17767998417887100694641568"}},
    {"mclachlan-6", {"0.1867", "0.55549702371247839916", "0.12946694891347535806", "-0.84326562338773460855"}},
    {"kahan-li-6", {"0.39216144400731413927925056", "0.33259913678935943859974864", "-0.70624617255763935980996482"}},
    // Yoshida printed three more decimals, which are wrong: 0.914844246229740, ...
    {"yoshida-8", {"0.914844246230", "0.253693336566", "-1.444852236860", "-0.158240635368", "1.938139137623"}},
    {"suzuki-umeno-8",
     {"0.74167036435061295344822780", "-0.40910082580003159399730010", "0.19075471029623837995387626"}},
    {"kahan-li-8", {"0.13020248308889008087881763", "0.56116298177510838456196441", "-0.38947496264484728640807860"}},
    {"kahan-li-10", {"0.09040619368607278492161150", "0.53591815953030120213784983", "0.35123257547493978187517736"}},
    {"sofroniou-spaletta-10",
     {"0.078795722521686419263907679337684", "0.31309610341510852776481247192647",
      "0.027918383235078066109520273275299"}},
};

Wide last_decimal(const std::string& decimal) {
  return pow(Wide(10), -static_cast<int>(decimal.size() - decimal.find('.') - 1));
}

TEST(Composition, DigitsAreThoseOfTheLiterature) {
  for (const auto& [key, decimals] : printed) {
    const Coefficients c = wide(scheme(key));
    for (std::size_t i = 0; i < decimals.size(); ++i)
      EXPECT_LE(abs(c[i] - Wide(decimals[i])), last_decimal(decimals[i])) << key << " " << i;
  }
}

// Schemes with an adjoint were published as splittings of A + B: A a₁, B b₁, A a₂, ... With A first in the base and B
// first in the adjoint, a₁ = c₁, b₁ = c₁ + c₂, a₂ = c₂ + c₃, ...
TEST(Composition, SplittingsAreThoseOfTheLiterature) {
  const std::vector<Printed> splittings{
      {"mclachlan-4-adjoint",
       {"0.089269454226475244887", "0.4", "-0.097336042636895508015", "-0.1", "0.50806658841042026313", "0.4"}},
      {"blanes-moan-4",
       {"0.0792036964311957", "0.209515106613362", "0.353172906049774", "-0.143851773179818", "-0.0420650803577195"}},
      // 14 decimals: the 15th and 16th printed ones are rounding errors of the authors' solution
      {"blanes-moan-6",
       {"0.05026276440039", "0.14881644790104", "0.41351430042834", "-0.13238586576778", "0.04507988979440"}}};
  for (const auto& [key, decimals] : splittings) {
    const Coefficients c = wide(scheme(key));
    for (std::size_t i = 0; i < decimals.size(); ++i) {
      const Wide sum = i == 0 ? c[0] : Wide(c[i - 1] + c[i]);
      const bool exact = std::string(decimals[i]).size() < 6;
      EXPECT_LE(abs(sum - Wide(decimals[i])), exact ? Wide("1e-109") : last_decimal(decimals[i])) << key << " " << i;
    }
  }
}

TEST(Composition, NestedSchemesFollowTheirFormulas) {
  const auto triple = [](int p) { return 1 / (2 - std::pow(2.0, 1.0 / (p + 1))); };
  const auto five = [](int p) { return 1 / (4 - std::pow(4.0, 1.0 / (p + 1))); };
  const auto first = [](const char* key) { return coefficients<double>(scheme(key))[0]; };
  EXPECT_NEAR(first("triple-jump-10"), triple(2) * triple(4) * triple(6) * triple(8), 1e-14);
  EXPECT_NEAR(first("suzuki-8"), five(2) * five(4) * five(6), 1e-16);
  EXPECT_NEAR(coefficients<double>(scheme("suzuki-6"))[12], (1 - 4 * five(2)) * (1 - 4 * five(4)), 1e-15);
}

TEST(CompositionOrder, OfTheSimplestMethods) {
  const Wide half = Wide(1) / 2;
  EXPECT_EQ(composition_order<Wide>({1}, false, 6, tolerance).order, 2);           // a symmetric base
  EXPECT_EQ(composition_order<Wide>({1}, true, 6, tolerance).order, 1);            // a base
  EXPECT_EQ(composition_order<Wide>({0, 1}, true, 6, tolerance).order, 1);         // its adjoint
  EXPECT_EQ(composition_order<Wide>({half, half}, true, 6, tolerance).order, 2);   // both: symmetric
  EXPECT_EQ(composition_order<Wide>({half, half}, false, 6, tolerance).order, 2);  // two smaller steps
  EXPECT_EQ(composition_order<Wide>({half}, false, 6, tolerance).order, 0);
  // exp(Y₁/2 + Y₃/8)² has 2/8 at Y₃
  EXPECT_EQ(composition_order<Wide>({half, half}, false, 6, tolerance).leading, half / 2);
}

// Base and adjoint may change places, but a scheme for a symmetric base is none for a base and its adjoint.
TEST(CompositionOrder, KnowsTheAdjoint) {
  for (const char* key : {"mclachlan-4-adjoint", "blanes-moan-4", "blanes-moan-6"}) {
    const CompositionScheme& s = scheme(key);
    Coefficients c = wide(s);
    c.insert(c.begin(), 0);  // Φ of step zero first: then Φ*, Φ, ...
    EXPECT_EQ(order_of(s, c), s.order) << key;
  }
  EXPECT_EQ(composition_order(wide(scheme("yoshida-4")), true, 5, tolerance).order, 1);
}

// What a wrong coefficient costs. The palindrome and the sum are kept: the middle makes up for the change.
Coefficients changed(const CompositionScheme& s, std::size_t i, const Wide& by) {
  Coefficients c = wide(s);
  const std::size_t last = c.size() - 1, middle = c.size() / 2;
  c[i] += by;
  c[last - i] += by;
  c[middle] -= s.with_adjoint ? by : 2 * by;
  if (s.with_adjoint) c[last - middle] -= by;
  return c;
}

TEST(CompositionOrder, RejectsAnErrorInThe30thDigit) {
  for (const CompositionScheme& s : composition_schemes()) {
    Coefficients c = wide(s);
    c[0] += Wide("1e-30");
    EXPECT_EQ(order_of(s, c), 0) << s.key;
    EXPECT_LT(order_of(s, changed(s, 0, Wide("1e-30"))), s.order) << s.key;
    EXPECT_LT(order_of(s, changed(s, 1 % (c.size() / 2), Wide("-1e-30"))), s.order) << s.key;
  }
}

TEST(CompositionOrder, RejectsAWrongSign) {
  for (const CompositionScheme& s : composition_schemes()) {
    const Coefficients right = wide(s);
    EXPECT_LT(order_of(s, changed(s, 0, -2 * right[0])), s.order) << s.key;
    Coefficients c = right;
    c[right.size() / 2] *= -1;
    EXPECT_EQ(order_of(s, c), 0) << s.key;
  }
}

// The first two coefficients that differ, and their mirror images, change places.
Coefficients swapped(const CompositionScheme& s) {
  Coefficients c = wide(s);
  const std::size_t last = c.size() - 1;
  std::size_t i = 0;
  while (c[i] == c[i + 1]) ++i;
  std::swap(c[i], c[i + 1]);
  std::swap(c[last - i], c[last - i - 1]);
  return c;
}

TEST(CompositionOrder, RejectsSwappedCoefficients) {
  for (const CompositionScheme& s : composition_schemes())
    if (s.order > 4 || s.with_adjoint) {
      EXPECT_LT(order_of(s, swapped(s)), s.order) << s.key;
    }
  // With a symmetric base the conditions up to order 4 are sums of powers: any palindrome will do.
  EXPECT_EQ(order_of(scheme("mclachlan-4"), swapped(scheme("mclachlan-4"))), 4);
}

}  // namespace
}  // namespace holonom::test
