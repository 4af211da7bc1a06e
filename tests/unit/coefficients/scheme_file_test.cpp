// Compositions in files: exact coefficients, the order by its conditions, and what is said about mistakes.
#include "holonom/coefficients/scheme_file.hpp"

#include <cmath>
#include <limits>

#include "holonom/coefficients/composition_order.hpp"
#include "holonom/dual.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/model.hpp"
#include "holonom/wide.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

constexpr double eps_double = std::numeric_limits<double>::epsilon(), eps_quad = 1.93e-34, eps_100 = 1e-100;

const std::string triple_jump =
    "name = \"my jump\"\n"
    "coefficients = [\"1/(2 - 2^(1/3))\", \"-2^(1/3)/(2 - 2^(1/3))\", \"1/(2 - 2^(1/3))\"]\n";

CompositionScheme parsed(const std::string& text) { return parse_scheme(text, "s.toml"); }
int order(const std::string& text, double epsilon = eps_double, bool symmetric_base = true) {
  return scheme_order(parsed(text), symmetric_base, epsilon).order;
}
std::string complaint(const std::string& text) {
  return message_of<InputError>([&] { (void)parsed(text); });
}

template <class S>
void expect_same(const CompositionScheme& file, const CompositionScheme& known) {
  EXPECT_EQ(coefficients<S>(file), coefficients<S>(known)) << precision_name<S>();
}

TEST(SchemeFile, IsExactInEveryScalar) {
  const CompositionScheme file = parsed(triple_jump),
                          half = parsed("half = [\"1/(2 - 2^(1/3))\", \"-2^(1/3)/(2 - 2^(1/3))\"]\n");
  const CompositionScheme& known = *find_composition("yoshida-4");
  EXPECT_EQ(file.key, "scheme:s.toml");
  EXPECT_EQ(file.title, "my jump");
  EXPECT_EQ(half.title, "s") << "the name of the file, if there is no other";
  EXPECT_EQ(file.order, 0) << "none is claimed";
  EXPECT_FALSE(file.with_adjoint);
  for (const CompositionScheme* scheme : {&file, &half}) {
    expect_same<double>(*scheme, known);
    expect_same<long double>(*scheme, known);
    expect_same<quad>(*scheme, known);
    expect_same<mp100>(*scheme, known);
    EXPECT_TRUE(is_palindrome(*scheme, eps_100));
  }
}

TEST(SchemeFile, ABareNumberKeepsItsDigits) {
  const CompositionScheme file = parsed("coefficients = [0.1, 1234567890123456789012345e-24]\n");
  EXPECT_EQ(coefficients<mp100>(file)[0], mp100(1) / 10);
  EXPECT_EQ(coefficients<mp100>(file)[1], mp100("1.234567890123456789012345"));
}

TEST(SchemeFile, TheOrderIsThatOfTheConditions) {
  for (const double epsilon : {eps_double, eps_quad, eps_100}) {
    EXPECT_EQ(order(triple_jump, epsilon), 4);
    EXPECT_EQ(order("coefficients = [1]\n", epsilon), 2) << "a symmetric base has order 2";
    EXPECT_EQ(order("coefficients = ['1/2', '1/2']\nadjoint = true\n", epsilon, false), 2);
    EXPECT_EQ(order("coefficients = ['1/3', '2/3']\nadjoint = true\n", epsilon, false), 1);
    // c1 = 2 and the roots of x^2 + x - 7/3: sum 1, sum of cubes 0, no palindrome
    EXPECT_EQ(order("coefficients = [2, '(-1 + sqrt(31/3))/2', '(-1 - sqrt(31/3))/2']\n", epsilon), 3);
  }
  EXPECT_EQ(order("coefficients = ['1/2', '1/3']\n"), 0) << "the sum is not 1";
}

// Every built-in scheme, read from a file with all its digits, has the order that it claims.
TEST(SchemeFile, AllBuiltInSchemesPass) {
  for (const CompositionScheme& known : composition_schemes()) {
    std::string text = "coefficients = [";
    for (const std::string& c : known.coefficients) text += "\"" + c + "\", ";
    text += std::string("]\nadjoint = ") + (known.with_adjoint ? "true" : "false") + "\n";
    for (const double epsilon : {eps_double, eps_quad}) {
      const SchemeOrder found = scheme_order(parsed(text), !known.with_adjoint, epsilon);
      EXPECT_EQ(found.order, known.order) << known.key << ": " << found.failing.text;
      EXPECT_EQ(found.failing.weight, known.order + 1) << known.key;
    }
  }
}

// Sixteen digits are a scheme in double, and none in quad; a wrong digit is found in double.
TEST(SchemeFile, RoundedDecimalsAreCheckedInThePrecisionOfTheRun) {
  const auto jump = [](const std::string& c1, const std::string& c2) { return "half = [" + c1 + ", " + c2 + "]\n"; };
  const std::string rounded = jump("1.351207191959658", "-1.702414383919315");
  EXPECT_EQ(order(rounded, eps_double), 4);
  EXPECT_EQ(order(rounded, eps_quad), 0) << "not even the sum is 1 to 34 digits";
  EXPECT_EQ(order(jump("1.351207191969658", "-1.702414383939316"), eps_double), 2)
      << "an error of 1e-11, with the sum 1";
  const SchemeOrder wrong = scheme_order(parsed(jump("1.351207191969658", "-1.702414383939316")), true, eps_double);
  EXPECT_EQ(wrong.failing.weight, 3);
  EXPECT_EQ(wrong.failing.text, "the sum of the cubes of the coefficients must be 0");
  const double exact = 2 * 3 * 1.3512 * 1.3512 * 1e-11 - 3 * 1.7024 * 1.7024 * 2e-11;
  EXPECT_NEAR(wrong.failing.residual, exact, 1e-3 * std::abs(exact));
}

TEST(SchemeFile, PalindromesAreSymmetric) {
  EXPECT_TRUE(is_palindrome(parsed("half = [0.3, 0.2]\nadjoint = true\n"), eps_double));
  EXPECT_EQ(parsed("half = [0.3, 0.2]\nadjoint = true\n").coefficients.size(), 4U);
  EXPECT_EQ(parsed("half = [0.3, 0.4]\n").coefficients.size(), 3U);
  EXPECT_FALSE(is_palindrome(parsed("coefficients = [0.3, 0.2, 0.5]\n"), eps_double));
  EXPECT_TRUE(is_palindrome(parsed("coefficients = [0.3333333333333333, '1/3', '1/3']\n"), eps_double));
  EXPECT_FALSE(is_palindrome(parsed("coefficients = [0.3333333333333333, '1/3', '1/3']\n"), eps_quad));
}

TEST(SchemeFile, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(complaint("name = 'x'\n"),
            "s.toml:1:1: 'coefficients' is missing: add coefficients = [...], the list of the substeps");
  EXPECT_EQ(complaint("coefficients = []\n").substr(0, 12), "s.toml:1:16:");
  EXPECT_EQ(complaint("coefficients = 1\n").substr(0, 12), "s.toml:1:16:");
  EXPECT_NE(complaint("coefs = [1]\n").find("s.toml:1:1: unknown key 'coefs'"), std::string::npos);
  EXPECT_NE(complaint("coefficients = [1, '1/0']\n").find("entry 2 of coefficients is not a finite number"),
            std::string::npos);
  EXPECT_NE(complaint("coefficients = [1, 0]\n")
                .find("s.toml:1:20: entry 2 of coefficients is 0: a substep must have a length"),
            std::string::npos);
  EXPECT_NE(complaint("coefficients = [1, 'x']\n").find("s.toml:1:21: in an entry of coefficients: unknown name 'x'"),
            std::string::npos);
  EXPECT_NE(
      complaint("coefficients = [1]\nhalf = [1]\n").find("s.toml:2:8: give coefficients = [...], all of them, or half"),
      std::string::npos);
  EXPECT_NE(complaint("coefficients = [1]\nadjoint = 1\n").find("s.toml:2:11: adjoint must be true or false"),
            std::string::npos);
  EXPECT_NE(complaint("coefficients = [1]\norder = 20\n").find("s.toml:2:9: order must be one of 1 to 12"),
            std::string::npos);
  EXPECT_NE(complaint("coefficients = [1]\norder = 2.5\n").find("order must be one of 1 to 12"), std::string::npos);
  EXPECT_NE(complaint("coefficients = [1\n").find("s.toml:"), std::string::npos);
}

}  // namespace
}  // namespace holonom::test
