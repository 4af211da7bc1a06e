// Runge-Kutta coefficients: the simplifying assumptions as Jay (1996) writes them, his tables and nodes, the last digit
// in every scalar, and pairs that must be refused.
#include "holonom/coefficients/tableau.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "holonom/coefficients/pair_report.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<160>, boost::multiprecision::et_off>;
using T = Tableau<mp100>;

Tableau<mp100> table(const std::vector<std::vector<const char*>>& A, const std::vector<const char*>& b,
                     const std::vector<const char*>& c) {
  const auto number = [](const char* text) { return exact_number<mp100>(text); };
  T t(static_cast<int>(b.size()));
  for (int i = 0; i < t.stages(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    t.b[i] = number(b[k]);
    t.c[i] = number(c[k]);
    for (int j = 0; j < t.stages(); ++j) t.A(i, j) = number(A[k][static_cast<std::size_t>(j)]);
  }
  return t;
}

template <class R>
R distance(const Tableau<R>& x, const Tableau<R>& y) {
  R worst(0);
  for (int i = 0; i < x.stages(); ++i) {
    worst = std::max({worst, magnitude(R(x.b[i] - y.b[i])), magnitude(R(x.c[i] - y.c[i]))});
    for (int j = 0; j < x.stages(); ++j) worst = std::max(worst, magnitude(R(x.A(i, j) - y.A(i, j))));
  }
  return worst;
}

// The assumptions in powers of c, word for word: the library asks the same of Legendre polynomials.
struct Printed {
  const T &t, &hat;
  int s = t.stages();

  mp100 power(int i, int k) const {
    mp100 x(1);
    while (k-- > 0) x *= t.c[i];
    return x;
  }
  mp100 B(int k) const {
    mp100 sum(0);
    for (int i = 0; i < s; ++i) sum += t.b[i] * power(i, k - 1);
    return abs(mp100(sum - mp100(1) / k));
  }
  mp100 C(const T& m, int k) const {
    mp100 worst(0);
    for (int i = 0; i < s; ++i) {
      mp100 sum(0);
      for (int j = 0; j < s; ++j) sum += m.A(i, j) * power(j, k - 1);
      worst = std::max(worst, mp100(abs(sum - power(i, k) / k)));
    }
    return worst;
  }
  mp100 D(const T& m, int k) const {
    mp100 worst(0);
    for (int j = 0; j < s; ++j) {
      mp100 sum(0);
      for (int i = 0; i < s; ++i) sum += m.b[i] * power(i, k - 1) * m.A(i, j);
      worst = std::max(worst, mp100(abs(sum - m.b[j] / k * (1 - power(j, k)))));
    }
    return worst;
  }
  mp100 CC(int k) const {
    mp100 worst(0);
    for (int i = 0; i < s; ++i) {
      mp100 sum(0);
      for (int j = 0; j < s; ++j)
        for (int l = 0; l < s; ++l) sum += t.A(i, j) * hat.A(j, l) * power(l, k - 2);
      worst = std::max(worst, mp100(abs(sum - power(i, k) / (k * (k - 1)))));
    }
    return worst;
  }
  mp100 DD(int k) const {
    mp100 worst(0);
    for (int l = 0; l < s; ++l) {
      mp100 sum(0);
      for (int i = 0; i < s; ++i)
        for (int j = 0; j < s; ++j) sum += t.b[i] * power(i, k - 2) * t.A(i, j) * hat.A(j, l);
      worst = std::max(worst,
                       mp100(abs(sum - t.b[l] / k + t.b[l] * t.c[l] / (k - 1) - t.b[l] * power(l, k) / (k * (k - 1)))));
    }
    return worst;
  }
  template <class Residual>
  int largest(int first, Residual&& residual_of) const {
    int k = first;
    while (k <= 2 * s && residual_of(k) < mp100("1e-95")) ++k;
    return k - 1;
  }
  Assumptions assumptions() const {
    return {largest(1, [&](int k) { return B(k); }),      largest(1, [&](int k) { return C(t, k); }),
            largest(1, [&](int k) { return D(t, k); }),   largest(1, [&](int k) { return C(hat, k); }),
            largest(1, [&](int k) { return D(hat, k); }), largest(2, [&](int k) { return CC(k); }),
            largest(2, [&](int k) { return DD(k); })};
  }
};

std::vector<int> as_list(const Assumptions& a) { return {a.p, a.q, a.r, a.q_hat, a.r_hat, a.Q, a.R}; }

class Stages : public ::testing::TestWithParam<int> {
 protected:
  int s = GetParam();
};
INSTANTIATE_TEST_SUITE_P(Few, Stages, ::testing::Range(2, 12), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Many, Stages, ::testing::Values(15, 20), ::testing::PrintToStringParamName());

TEST_P(Stages, LobattoPairHasItsAssumptionsAndNoMore) {
  const T t = runge_kutta<mp100>(Family::lobatto_3a, s), hat = runge_kutta_dual<mp100>(Family::lobatto_3a, s);
  // B(2s−2), C(s), D(s−2), Ĉ(s−2), D̂(s), CĈ(s), DD̂(s): Jay, sections 2 and 4. "Largest": the next one fails.
  const std::vector<int> theory{2 * s - 2, s, s - 2, s - 2, s, s, s};
  EXPECT_EQ(as_list(simplifying_assumptions(t, hat)), theory);
  EXPECT_EQ(as_list(Printed{t, hat}.assumptions()), theory) << "as printed";
  EXPECT_LT(symplecticity_defect(t, hat), mp100("1e-99"));
}

TEST_P(Stages, LobattoPairMayBeUsedWithOrder2sMinus2) {
  const T t = runge_kutta<mp100>(Family::lobatto_3a, s);
  const PairReport report = check_with_dual(t);
  EXPECT_TRUE(report.usable()) << report.text();
  EXPECT_EQ(report.order(), 2 * s - 2);
  EXPECT_EQ(report.orders.k, 2 * s - 2);
  EXPECT_EQ(report.symplectic_orders.k, 2 * s - 2);
  EXPECT_EQ(report.symplectic_orders.l, 2 * s - 2);
  EXPECT_TRUE(report.first_row_is_zero && report.last_row_is_b && report.last_column_is_zero && report.same_weights &&
              report.same_nodes && report.invertible && report.last_weight && report.symplectic);
}

TEST_P(Stages, OtherFamiliesHaveTheirAssumptions) {
  const auto of = [&](Family family) {
    const T t = runge_kutta<mp100>(family, s);
    const Assumptions a = simplifying_assumptions(t, t), printed = Printed{t, t}.assumptions();
    EXPECT_EQ(as_list(a), as_list(printed));
    return std::vector<int>{a.p, a.q, a.r};
  };
  EXPECT_EQ(of(Family::gauss), (std::vector{2 * s, s, s}));
  EXPECT_EQ(of(Family::radau_2a), (std::vector{2 * s - 1, s, s - 1}));
  EXPECT_EQ(of(Family::lobatto_3c), (std::vector{2 * s - 2, s - 1, s - 1}));
}

TEST_P(Stages, DoubleIsEnoughToFindTheAssumptions) {
  const auto t = runge_kutta<double>(Family::lobatto_3a, s), hat = runge_kutta_dual<double>(Family::lobatto_3a, s);
  EXPECT_EQ(as_list(simplifying_assumptions(t, hat)), (std::vector{2 * s - 2, s, s - 2, s - 2, s, s, s}));
  EXPECT_EQ(check_pair(t, hat).order(), 2 * s - 2) << check_pair(t, hat).text();
}

// (Not a conversion: g++ 12 sees an overrun in a branch of Boost's that is never taken.)
Wide widened(const mp100& x) { return Wide(x.str(170, std::ios_base::scientific)); }
Wide widened(const auto& x) { return Wide(x); }

// Every coefficient must be the number of S that is nearest to the true one, and its rest what is missing: to twice the
// digits, or to those that coefficients are computed with.
template <class S>
void expect_last_digit(Family family, int s) {
  const Tableau<Wide> exact = tableau<Wide>(family, s), exact_dual = symplectic_dual(exact);
  const auto expect_nearest = [&](const Tableau<S>& got, const Tableau<Wide>& want) {
    const auto check = [&](const S& x, const S& rest, const Wide& y, const char* what, int i, int j) {
      int exponent = 0;
      frexp(y, &exponent);
      const bool zero = abs(y) < Wide("1e-150");
      const Wide half_ulp = ldexp(Wide(1), exponent - std::numeric_limits<S>::digits - 1);
      EXPECT_LE(abs(zero ? widened(x) : Wide(widened(x) - y)), zero ? Wide(0) : half_ulp)
          << what << " " << i << " " << j << " of " << s;
      const Wide least = std::max(Wide(half_ulp * widened(epsilon<S>())), Wide("1e-120"));
      EXPECT_LE(abs(Wide(widened(x) + widened(rest) - y)), least) << "rest of " << what << " " << i << " " << j;
    };
    const Tableau<S>& rest = *got.rest;
    for (int i = 0; i < s; ++i) {
      check(got.b[i], rest.b[i], want.b[i], "b", i, 0);
      check(got.c[i], rest.c[i], want.c[i], "c", i, 0);
      for (int j = 0; j < s; ++j) check(got.A(i, j), rest.A(i, j), want.A(i, j), "a", i, j);
    }
  };
  expect_nearest(runge_kutta<S>(family, s), exact);
  expect_nearest(runge_kutta_dual<S>(family, s), exact_dual);
}

TEST(RungeKutta, EveryCoefficientIsRoundedCorrectly) {
  for (const Family family : {Family::gauss, Family::radau_2a, Family::lobatto_3a, Family::lobatto_3c})
    for (const int s : {2, 3, 5, 8, 11, 20, 30}) {
      expect_last_digit<double>(family, s);
      expect_last_digit<long double>(family, s);
      expect_last_digit<quad>(family, s);
      expect_last_digit<mp100>(family, s);
    }
}

TEST(RungeKutta, WithoutGuardDigitsAFewUnitsAreLost) {
  for (const int s : {2, 5, 11, 30}) {
    EXPECT_LT(distance(lobatto_3a<double>(s), runge_kutta<double>(Family::lobatto_3a, s)), 8 * epsilon<double>());
    EXPECT_LT(distance(lobatto_3c<double>(s), runge_kutta<double>(Family::lobatto_3c, s)), 8 * epsilon<double>());
    EXPECT_LT(distance(gauss<quad>(s), runge_kutta<quad>(Family::gauss, s)), 8 * epsilon<quad>());
    EXPECT_LT(distance(radau_2a<long double>(s), runge_kutta<long double>(Family::radau_2a, s)),
              8 * epsilon<long double>());
  }
}

TEST(RungeKutta, ZerosAndOnesOfTheEndsAreExact) {
  for (const int s : {2, 3, 11, 30}) {
    const auto t = runge_kutta<double>(Family::lobatto_3a, s), hat = runge_kutta_dual<double>(Family::lobatto_3a, s);
    EXPECT_EQ(t.c[0], 0);
    EXPECT_EQ(t.c[s - 1], 1);
    for (int j = 0; j < s; ++j) {
      EXPECT_EQ(t.A(0, j), 0);
      EXPECT_EQ(t.A(s - 1, j), t.b[j]);
      EXPECT_EQ(hat.A(j, s - 1), 0);
      EXPECT_EQ(hat.A(j, 0), t.b[0]);
    }
  }
}

TEST(RungeKutta, DualsCarryNoTangent) {
  const auto t = runge_kutta<Dual<double>>(Family::lobatto_3a, 4);
  const auto real = runge_kutta<double>(Family::lobatto_3a, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(t.b[i].v, real.b[i]);
    EXPECT_EQ(t.b[i].d, 0);
  }
}

TEST(RungeKutta, OneStage) {
  EXPECT_EQ(runge_kutta<double>(Family::gauss, 1).A(0, 0), 0.5);
  EXPECT_EQ(runge_kutta<double>(Family::radau_2a, 1).A(0, 0), 1);
}

TEST(RungeKutta, TooFewStages) {
  EXPECT_EQ(message_of<std::invalid_argument>([] { (void)runge_kutta<double>(Family::lobatto_3a, 1); }),
            "Lobatto IIIA needs at least 2 stages, not 1");
  EXPECT_EQ(message_of<std::invalid_argument>([] { (void)runge_kutta<double>(Family::gauss, 0); }),
            "Gauss needs at least 1 stage, not 0");
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([] { (void)runge_kutta<double>(Family::lobatto_3c, 1); }),
                       "Lobatto IIIC needs at least 2 stages"));
}

TEST(RungeKutta, CollocationRefusesRepeatedNodes) {
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([] {
                         (void)collocation(Vec<double>{0, 0.5, 0.5, 1});
                       }),
                       "node 2 is repeated"));
}

// ---- the paper

TEST(Jay, Table21) {
  const T A = table({{"0", "0"}, {"1/2", "1/2"}}, {"1/2", "1/2"}, {"0", "1"});
  const T B = table({{"1/2", "0"}, {"1/2", "0"}}, {"1/2", "1/2"}, {"0", "1"});
  EXPECT_EQ(distance(runge_kutta<mp100>(Family::lobatto_3a, 2), A), 0);
  EXPECT_EQ(distance(runge_kutta_dual<mp100>(Family::lobatto_3a, 2), B), 0);
}

TEST(Jay, Table22) {
  const T A = table({{"0", "0", "0"}, {"5/24", "1/3", "-1/24"}, {"1/6", "2/3", "1/6"}}, {"1/6", "2/3", "1/6"},
                    {"0", "1/2", "1"});
  const T B =
      table({{"1/6", "-1/6", "0"}, {"1/6", "1/3", "0"}, {"1/6", "5/6", "0"}}, {"1/6", "2/3", "1/6"}, {"0", "1/2", "1"});
  EXPECT_EQ(distance(runge_kutta<mp100>(Family::lobatto_3a, 3), A), 0);
  EXPECT_EQ(distance(runge_kutta_dual<mp100>(Family::lobatto_3a, 3), B), 0);
}

// Known independently: Hairer, Wanner, section IV.5.
TEST(Jay, OtherFamiliesInClosedForm) {
  EXPECT_EQ(distance(runge_kutta<mp100>(Family::radau_2a, 2),
                     table({{"5/12", "-1/12"}, {"3/4", "1/4"}}, {"3/4", "1/4"}, {"1/3", "1"})),
            0);
  EXPECT_EQ(distance(runge_kutta<mp100>(Family::lobatto_3c, 3),
                     table({{"1/6", "-1/3", "1/6"}, {"1/6", "5/12", "-1/12"}, {"1/6", "2/3", "1/6"}},
                           {"1/6", "2/3", "1/6"}, {"0", "1/2", "1"})),
            0);
  const mp100 root = sqrt(mp100(3)) / 6, half = mp100(1) / 2, quarter = half / 2;
  const T g = runge_kutta<mp100>(Family::gauss, 2);
  EXPECT_LT(abs(g.c[0] - (half - root)), mp100("1e-99"));
  EXPECT_LT(abs(g.A(0, 1) - (quarter - root)), mp100("1e-99"));
  EXPECT_LT(abs(g.A(1, 0) - (quarter + root)), mp100("1e-99"));
}

TEST(Jay, NodesOfElevenStages) {
  const auto t = runge_kutta<mp100>(Family::lobatto_3a, 11);
  const char* reference[] = {"0.0329992847959704328338629", "0.107758263168427790688791", "0.217382336501897496764518",
                             "0.352120932206530304284044"};
  for (int i = 1; i <= 4; ++i) {
    EXPECT_LT(abs(t.c[i] - mp100(reference[i - 1])), mp100("1e-24"));
    EXPECT_LT(abs(t.c[10 - i] - (1 - t.c[i])), mp100("1e-99"));
  }
  EXPECT_EQ(t.c[5], mp100(1) / 2);
}

// (2.7), with the argument of arccos and the sign of u as parameters.
struct ClosedFormula {
  mp100 argument, delta[4];
  ClosedFormula(bool corrected_arccos, bool corrected_sign) {
    const auto ratio = [](long a, long b) { return mp100(a) / mp100(b); };
    const mp100 c = sqrt(ratio(13, 42));
    argument = corrected_arccos ? mp100(3 * c / 2) : mp100(3 / (2 * c));
    const mp100 v = 32 / (323 * c) * cos(mp100(acos(argument) / 3)) + ratio(720, 6137);
    const mp100 e1 = ratio(-1080, 6137), e2 = ratio(96912, 28800941), u = (corrected_sign ? 1 : -1) * sqrt(v);
    const mp100 d1 = (e1 + v) / 2, d2 = sqrt(mp100((e1 + v) * (e1 + v) - 4 * e2)) / 2;
    const mp100 a1 = sqrt(mp100(v - 4 * (d1 - d2))), a2 = sqrt(mp100(v - 4 * (d1 + d2))), a3 = ratio(9, 19);
    const mp100 inner[] = {(u + a1) / 2 + a3, (u - a1) / 2 + a3, (-u + a2) / 2 + a3, (-u - a2) / 2 + a3};
    for (int i = 0; i < 4; ++i) delta[i] = sqrt(inner[i]) / 2;
  }
  mp100 error() const {
    const auto t = runge_kutta<mp100>(Family::lobatto_3a, 11);
    mp100 worst(0);
    for (int i = 0; i < 4; ++i) worst = std::max(worst, mp100(abs(mp100(1) / 2 - delta[i] - t.c[i + 1])));
    return worst;
  }
};

TEST(Jay, ClosedFormula27NeedsItsErratum) {
  const ClosedFormula printed(false, false);
  EXPECT_NEAR(to_double(printed.argument), 2.70, 0.005) << "as printed, arccos is asked for a number beyond 1";
  EXPECT_FALSE(is_finite(printed.delta[0]));
  EXPECT_GT(ClosedFormula(true, false).error(), mp100("1e-3")) << "with arccos alone corrected, the nodes are wrong";
  EXPECT_LT(ClosedFormula(true, true).error(), mp100("1e-90"));
}

// ---- pairs that must be refused

TEST(Pairs, RadauWithItsDualIsRefused) {
  const PairReport report = check_with_dual(runge_kutta<mp100>(Family::radau_2a, 2));
  EXPECT_FALSE(report.usable());
  EXPECT_EQ(report.order(), 0);
  EXPECT_TRUE(report.symplectic) << "the pair is symplectic: the reason is another";
  EXPECT_FALSE(report.first_row_is_zero);
  EXPECT_TRUE(report.last_row_is_b && report.last_column_is_zero);
  EXPECT_EQ(
      report.text(),
      "a_11 = 0.416667, but a_1j = 0 is needed (3.12): Q_1 is not q_0, so (3.11) has 2 conditions g(Q_i) = 0 for the 1 "
      "multiplier that enters it, more equations than unknowns");
}

TEST(Pairs, LobattoIIICWithItsDualIsRefused) {
  for (const int s : {2, 3, 7}) {
    const PairReport report = check_with_dual(runge_kutta<mp100>(Family::lobatto_3c, s));
    EXPECT_FALSE(report.first_row_is_zero);
    EXPECT_TRUE(contains(report.text(), "but a_1j = 0 is needed (3.12): Q_1 is not q_0, so (3.11) has " +
                                            std::to_string(s) + " conditions"));
  }
}

TEST(Pairs, GaussIsRefusedForAllItLacks) {
  const T t = runge_kutta<mp100>(Family::gauss, 2);
  const PairReport report = check_with_dual(t);
  EXPECT_TRUE(report.symplectic);
  EXPECT_FALSE(report.last_row_is_b);
  EXPECT_TRUE(contains(report.text(), "a_1j = 0 is needed"));
  EXPECT_TRUE(contains(report.text(), "q_1 is not Q_s"));
  EXPECT_TRUE(contains(report.text(), "â_js = 0 is needed (3.10)"));
}

TEST(Pairs, WithoutADual) {
  const T t =
      table({{"0", "0", "0"}, {"1/4", "1/4", "0"}, {"1/2", "0", "1/2"}}, {"1/2", "0", "1/2"}, {"0", "1/2", "1"});
  EXPECT_EQ(check_with_dual(t).text(),
            "b_2 = 0: there is no symplectic dual, since â_ij = b_j (1 − a_ji/b_i) divides by it");
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { (void)symplectic_dual(t); }), "b_2 = 0"));
}

TEST(Pairs, RepeatedNodes) {
  const T t = table({{"0", "0", "0"}, {"1/4", "1/8", "1/8"}, {"1/4", "1/4", "1/2"}}, {"1/4", "1/4", "1/2"},
                    {"0", "1/2", "1/2"});
  EXPECT_TRUE(contains(check_with_dual(t).text(), "c_2 = c_3 = 0.5: the nodes must be distinct"));
}

TEST(Pairs, SingularA0) {
  // Rows 2 and 3 of A are equal.
  const T t =
      table({{"0", "0", "0"}, {"1/6", "2/3", "1/6"}, {"1/6", "2/3", "1/6"}}, {"1/6", "2/3", "1/6"}, {"0", "1/2", "1"});
  const PairReport report = check_with_dual(t);
  EXPECT_FALSE(report.invertible);
  EXPECT_TRUE(contains(report.text(), "A₀Â₀ is singular"));
}

TEST(Pairs, NotSymplectic) {
  const T t = runge_kutta<mp100>(Family::lobatto_3a, 3);
  const PairReport report = check_pair(t, t);
  EXPECT_FALSE(report.symplectic);
  EXPECT_TRUE(contains(report.text(), "the pair is not symplectic: (2.3) is missed by 0.0277778")) << report.text();
  EXPECT_EQ(report.symplectic_orders.k, 0) << "(4.2') is not for this pair";
}

TEST(Pairs, OtherWeightsNodesAndStages) {
  const T t = runge_kutta<mp100>(Family::lobatto_3a, 3);
  T hat = symplectic_dual(t);
  hat.b[1] += 1;
  EXPECT_TRUE(contains(check_pair(t, hat).text(), "b_2 = 0.666667, but b̂_2 = 1.66667"));
  hat = symplectic_dual(t);
  hat.c[1] = 0;
  EXPECT_TRUE(contains(check_pair(t, hat).text(), "c_2 = 0.5, but ĉ_2 = 0"));
  EXPECT_TRUE(contains(check_pair(t, runge_kutta<mp100>(Family::lobatto_3a, 4)).text(), "3 and 4 stages"));
  EXPECT_TRUE(contains(check_with_dual(runge_kutta<mp100>(Family::gauss, 1)).text(), "at least 2 stages"));
}

TEST(Pairs, LastWeightAndSumOfWeights) {
  T t = runge_kutta<mp100>(Family::lobatto_3a, 3);
  for (int j = 0; j < 3; ++j) t.A(2, j) = t.b[j] = mp100(j == 2 ? 0 : 1);
  const std::string text = check_pair(t, t).text();
  EXPECT_TRUE(contains(text, "b_3 = 0: the last multiplier does not reach p_1"));
  EXPECT_TRUE(contains(text, "the sum of the weights b differs from 1 by 1"));
}

// One wrong digit, the 95th, in any one coefficient: the pair of A with its true partner must be rejected, or at least
// the order must drop.
TEST(Pairs, OneWrongDigitIsSeen) {
  for (const int s : {3, 6}) {
    const T good = runge_kutta<mp100>(Family::lobatto_3a, s), hat = runge_kutta_dual<mp100>(Family::lobatto_3a, s);
    ASSERT_TRUE(check_pair(good, hat).usable());
    const mp100 wrong("1e-95");
    for (int i = 0; i < s; ++i) {
      for (int j = 0; j < s; ++j) {
        T t = good;
        t.A(i, j) += wrong;
        EXPECT_FALSE(check_pair(t, hat).usable()) << "a " << i << j;
        EXPECT_LT(simplifying_assumptions(t, hat).q, s) << "a " << i << j;
        t = hat;
        t.A(i, j) += wrong;
        EXPECT_FALSE(check_pair(good, t).usable()) << "â " << i << j;
      }
      T t = good;
      t.b[i] += wrong;
      EXPECT_FALSE(check_with_dual(t).usable()) << "b " << i;
      t = good;
      t.c[i] += wrong;
      EXPECT_LT(check_with_dual(t).symplectic_orders.k, 2 * s - 2) << "c " << i;
    }
  }
}

TEST(Pairs, ANumberThatIsNoneIsRefused) {
  auto t = runge_kutta<double>(Family::lobatto_3a, 3);
  t.A(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(check_with_dual(t).text(), "a_22 is not a finite number"));
  EXPECT_EQ(simplifying_assumptions(t, t).q, 0);
  EXPECT_FALSE(symplecticity_defect(t, t) < 1);
}

}  // namespace
}  // namespace holonom::test
