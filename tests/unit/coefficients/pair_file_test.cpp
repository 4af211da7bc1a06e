// Pairs in files: exact entries, the row sums, and what is said about mistakes.
#include "holonom/coefficients/pair_file.hpp"

#include <fstream>

#include "holonom/coefficients/pair_report.hpp"
#include "holonom/model/model.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

const std::string good =
    "name = \"my pair\"\n"
    "A = [[\"0\", \"0\", \"0\"], [\"5/24\", \"1/3\", \"-1/24\"], [\"1/6\", \"2/3\", \"1/6\"]]\n"
    "b = [\"1/6\", \"2/3\", \"1/6\"]\n";

template <class S>
void expect_equal(const Tableau<S>& x, const Tableau<S>& y) {
  ASSERT_EQ(x.stages(), y.stages());
  for (int i = 0; i < x.stages(); ++i) {
    EXPECT_EQ(x.b[i], y.b[i]) << precision_name<S>() << " b " << i;
    EXPECT_EQ(x.c[i], y.c[i]) << precision_name<S>() << " c " << i;
    for (int j = 0; j < x.stages(); ++j) EXPECT_EQ(x.A(i, j), y.A(i, j)) << precision_name<S>() << " a " << i << j;
  }
}

template <class S>
void expect_lobatto(const PairFile& file, int s) {
  expect_equal(file.tableau<S>(), runge_kutta<S>(Family::lobatto_3a, s));
  expect_equal(file.dual<S>(), runge_kutta_dual<S>(Family::lobatto_3a, s));
  const PairReport report = check_pair(file.tableau<S>(), file.dual<S>());
  EXPECT_EQ(report.order(), 2 * s - 2) << report.text();
}

std::string complaint(const std::string& text) {
  return message_of<InputError>([&] { (void)parse_pair(text, "p.toml"); });
}

TEST(PairFile, IsExactInEveryScalar) {
  for (const char* c : {"", "c = [0, 0.5, 1]\n"}) {
    const PairFile file = parse_pair(good + c, "p.toml");
    EXPECT_EQ(file.name(), "my pair");
    EXPECT_EQ(file.stages(), 3);
    expect_lobatto<double>(file, 3);
    expect_lobatto<long double>(file, 3);
    expect_lobatto<quad>(file, 3);
    expect_lobatto<mp100>(file, 3);
  }
}

// Four stages: irrational coefficients (Hairer, Wanner, p. 80).
TEST(PairFile, FormulasAreEvaluatedWithGuardDigits) {
  const PairFile file = parse_pair(
      "A = [[0, 0, 0, 0],\n"
      "     [\"(11 + sqrt(5))/120\", \"(25 - sqrt(5))/120\", \"(25 - 13*sqrt(5))/120\", \"(-1 + sqrt(5))/120\"],\n"
      "     [\"(11 - sqrt(5))/120\", \"(25 + 13*sqrt(5))/120\", \"(25 + sqrt(5))/120\", \"(-1 - sqrt(5))/120\"],\n"
      "     [\"1/12\", \"5/12\", \"5/12\", \"1/12\"]]\n"
      "b = [\"1/12\", \"5/12\", \"5/12\", \"1/12\"]\n",
      "folder/lobatto.toml");
  EXPECT_EQ(file.name(), "lobatto") << "the name of the file, if there is no other";
  expect_lobatto<double>(file, 4);
  expect_lobatto<long double>(file, 4);
  expect_lobatto<quad>(file, 4);
  expect_lobatto<mp100>(file, 4);
}

TEST(PairFile, ABareNumberKeepsItsDigits) {
  const PairFile file = parse_pair("A = [[0, 0], [0.1, 0.5]]\nb = [0.1, 1234567890123456789012345e-24]\n", "p.toml");
  EXPECT_EQ(file.tableau<mp100>().A(1, 0), mp100(1) / 10);
  EXPECT_EQ(file.tableau<mp100>().b[1], mp100("1.234567890123456789012345"));
  EXPECT_EQ(file.tableau<mp100>().c[1], mp100(6) / 10) << "the row sum";
}

// Sixteen decimals are a pair in double, and none in quad.
TEST(PairFile, RoundedDecimalsAreCheckedInThePrecisionOfTheRun) {
  const PairFile file = parse_pair(
      "A = [[0, 0, 0], [0.20833333333333333, 0.33333333333333333, -0.04166666666666667],\n"
      "     [0.16666666666666667, 0.66666666666666667, 0.16666666666666667]]\n"
      "b = [0.16666666666666667, 0.66666666666666667, 0.16666666666666667]\nc = [0, 0.5, 1]\n",
      "p.toml");
  EXPECT_EQ(check_with_dual(file.tableau<double>()).order(), 4);
  EXPECT_EQ(check_with_dual(file.tableau<quad>()).order(), 0);
}

TEST(PairFile, MistakesHaveAPlaceAndARemedy) {
  const std::string A = "A = [[0, 0], [\"1/2\", \"1/2\"]]\n", b = "b = [\"1/2\", \"1/2\"]\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {b, "p.toml:1:1: 'A' is missing: add A = [...], a list of rows"},
      {A, "p.toml:1:1: 'b' is missing: add b = [...], the list of the weights"},
      {A + b + "d = [0, 1]\n", "p.toml:3:1: unknown key 'd' in the file of a pair."},
      {A + b + "nmae = \"x\"\n", "Did you mean 'name'?"},
      {A + b + "name = 3\n", "p.toml:3:8: the name must be a string"},
      {"A = 3\n" + b, "p.toml:1:5: A must be a list of rows, A = [...]"},
      {"A = []\n" + b, "p.toml:1:5: A must be a list of rows"},
      {"A = [1, 2]\n" + b, "p.toml:1:6: row 1 of A must be a list"},
      {"A = [[0, 0],\n [1]]\n" + b, "p.toml:2:2: row 2 of A has 1 entries, but A has 2 rows: it needs 2"},
      {A + "b = [1]\n", "p.toml:2:5: b has 1 entries, but A has 2 rows: it needs 2"},
      {A + b + "c = [0, 1, 2]\n", "p.toml:3:5: c has 3 entries, but A has 2 rows"},
      {A + "b = [\"1/0\", 1]\n", "p.toml:2:"},
      {A + "b = [1, \"log(0)\"]\n", "p.toml:2:9: entry 2 of b is not a finite number"},
      {A + "b = [1, \"sqrt(-1)\"]\n", "p.toml:2:9: entry 2 of b is not a finite number"},
      {A + "b = [1, nan]\n", "p.toml:2:9: a finite number was expected, not nan"},
      {A + "b = [1, true]\n", "p.toml:2:9: an entry of b must be a number or a formula in quotes"},
      {A + "b = [1, \"1/2 + x\"]\n", "p.toml:2:16: in an entry of b: unknown name 'x'"},
      {A + "b = [1, \"[1, 2]\"]\n", "p.toml:2:9: an entry of b must be a number, not a vector"},
      {"A = [[0, 0], [1, 2]\n" + b, "p.toml:"},
      {"A = [[0, 0]", "p.toml:1:"},
  };
  for (const auto& [text, expected] : cases) EXPECT_TRUE(contains(complaint(text), expected)) << text;
}

TEST(PairFile, WithoutADualItSaysSo) {
  const PairFile file = parse_pair("A = [[0, 0], [1, 0]]\nb = [1, 0]\n", "p.toml");
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { (void)file.dual<double>(); }), "b_2 = 0"));
  EXPECT_TRUE(contains(check_with_dual(file.tableau<double>()).text(), "b_2 = 0: there is no symplectic dual"));
}

TEST(PairFile, FromDisk) {
  const std::string path = ::testing::TempDir() + "holonom_pair.toml";
  std::ofstream(path) << good;
  EXPECT_EQ(load_pair(path).stages(), 3);
  EXPECT_TRUE(contains(message_of<InputError>([] { (void)load_pair("nowhere.toml"); }),
                       "nowhere.toml: the file cannot be read"));
}

}  // namespace
}  // namespace holonom::test
