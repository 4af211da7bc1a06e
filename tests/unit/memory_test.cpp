// Memory as bytes: what is written is read back to the last bit, and what was not written so is refused.
#include "holonom/memory.hpp"

#include <limits>
#include <map>

#include "holonom/solve/status.hpp"
#include "support.hpp"

namespace holonom {
namespace {

using test::contains;
using test::message_of;

template <class T>
std::string written(const T& x) {
  MemoryWriter out;
  out("x", x);
  return out.bytes();
}
// x as it is read from what was written of `original`, over something else that was there
template <class T>
T reread(const T& original, T x) {
  const std::string bytes = written(original);
  MemoryReader in(bytes);
  in("x", x);
  EXPECT_TRUE(in.at_end());
  EXPECT_TRUE(written(x) == bytes);
  return x;
}

template <class S>
class MemoryOf : public testing::Test {};
using Scalars = testing::Types<double, long double, quad, mp100>;
TYPED_TEST_SUITE(MemoryOf, Scalars);

template <class S>
std::vector<S> extreme_numbers() {
  using limits = std::numeric_limits<S>;
  const S third = S(1) / S(3);
  std::vector<S> x{S(0),
                   S(-S(0)),
                   third,
                   S(-third),
                   limits::max(),
                   limits::min(),
                   limits::lowest(),
                   limits::epsilon(),
                   limits::infinity(),
                   S(-limits::infinity()),
                   limits::quiet_NaN()};
  if (limits::has_denorm == std::denorm_present) {
    x.push_back(limits::denorm_min());
    x.push_back(S(limits::min() / S(3)));
  }
  return x;
}
template <class S>
void expect_same(const S& a, const S& b) {
  using std::isnan;
  using std::signbit;
  EXPECT_EQ(isnan(a), isnan(b));
  if (isnan(a)) return;
  EXPECT_TRUE(a == b) << to_double(a) << " and " << to_double(b);
  EXPECT_EQ(signbit(a), signbit(b));
}

TYPED_TEST(MemoryOf, NumbersIsExact) {
  using S = TypeParam;
  for (const S& x : extreme_numbers<S>())
    for (const S& before : extreme_numbers<S>()) {
      expect_same(reread(x, before), x);
      using D = Dual<S>;
      const D pair = reread(D(x, S(7) / S(5)), D(before, before));
      expect_same(pair.v, x);
      expect_same(pair.d, S(S(7) / S(5)));
      expect_same(reread(D(S(1), x), D(before, before)).d, x);
    }
}

TYPED_TEST(MemoryOf, VectorsIsExact) {
  using S = TypeParam;
  const std::vector<S> numbers = extreme_numbers<S>();
  Vec<S> x(static_cast<int>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), x.begin());
  for (const int size : {0, 3, x.size()}) {
    const Vec<S> y = reread(x, Vec<S>(size));
    ASSERT_EQ(y.size(), x.size());
    for (int k = 0; k < x.size(); ++k) expect_same(y[k], x[k]);
  }
  const Vec<S, 3> fixed{S(1) / S(3), S(2), S(-5)}, again = reread(fixed, Vec<S, 3>());
  for (int k = 0; k < 3; ++k) expect_same(again[k], fixed[k]);
  EXPECT_EQ(reread(numbers, std::vector<S>(2)).size(), numbers.size());
}

// Bytes that are no part of a number may be anything.
TEST(Memory, HasNoPadding) {
  const long double x = 1.0L / 3;
  long double other;
  std::memset(&other, 0x5a, sizeof other);
  other = x;
  EXPECT_EQ(written(x), written(other));
  const auto bytes_of = [](const mp100& y) { return written(y); };
  EXPECT_EQ(bytes_of(mp100(1)), bytes_of(mp100(mp100(1) / 3 + mp100(2) / 3)));
}

enum class Colour : std::uint8_t { red, green, blue };

struct Part {
  double weight = 0;
  std::optional<Vec<double>> direction;
  template <class F>
  void visit_memory(F&& f) {
    f("weight", weight);
    f("direction", direction);
  }
};
struct Whole {
  bool known = false;
  int count = 0;
  std::uint64_t many = 0;
  Colour colour = Colour::red;
  std::string text;
  std::array<bool, 3> flags{};
  std::array<Vec<double>, 2> differences;
  std::vector<int> order;
  std::optional<double> perhaps;
  Part part;
  std::vector<Part> parts;
  template <class F>
  void visit_memory(F&& f) {
    f("known", known);
    f("count", count);
    f("many", many);
    f("colour", colour);
    f("text", text);
    f("flags", flags);
    f("differences", differences);
    f("order", order);
    f("perhaps", perhaps);
    f("part", part);
    f("parts", parts);
  }
};
Whole something() {
  Whole x;
  x.known = true;
  x.count = -7;
  x.many = std::numeric_limits<std::uint64_t>::max();
  x.colour = Colour::blue;
  x.text = std::string("a text\0with a zero", 18);
  x.flags = {true, false, true};
  x.differences = {Vec<double>{1, 2, 3}, Vec<double>{}};
  x.order = {3, 1, 2};
  x.perhaps = 0.1;
  x.part.weight = 1e-300;
  x.part.direction = Vec<double>{1, 0};
  x.parts.resize(2);
  x.parts[1].weight = 4;
  return x;
}

TEST(Memory, OfObjectsIsWhole) {
  const Whole x = something(), y = reread(x, Whole());
  EXPECT_TRUE(y.known);
  EXPECT_EQ(y.count, -7);
  EXPECT_EQ(y.many, x.many);
  EXPECT_EQ(y.colour, Colour::blue);
  EXPECT_EQ(y.text, x.text);
  EXPECT_EQ(y.flags, x.flags);
  EXPECT_EQ(y.differences[0][2], 3);
  EXPECT_EQ(y.differences[1].size(), 0);
  EXPECT_EQ(y.order, x.order);
  EXPECT_EQ(y.perhaps, x.perhaps);
  EXPECT_EQ(y.part.weight, 1e-300);
  EXPECT_EQ((*y.part.direction)[0], 1);
  EXPECT_EQ(y.parts[1].weight, 4);
  const Whole empty = reread(Whole(), something());
  EXPECT_FALSE(empty.perhaps || empty.part.direction || empty.known);
  EXPECT_TRUE(empty.parts.empty() && empty.text.empty());
}

TEST(Memory, OfCountersIsWhole) {
  const Counters x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  // One that was added would have no place here.
  const auto [steps, force, slow, fast, hessian, constraint, jacobian, factorisation, iterations, solves, most] =
      reread(x, Counters());
  const std::vector<std::uint64_t> all{steps,
                                       force,
                                       slow,
                                       fast,
                                       hessian,
                                       constraint,
                                       jacobian,
                                       factorisation,
                                       iterations,
                                       solves,
                                       static_cast<std::uint64_t>(most)};
  for (std::uint64_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k + 1);
}

TEST(Memory, ComparesNames) {
  MemoryWriter out;
  out("mass", 1.0);
  double x = 0;
  const std::string message = message_of<MemoryError>([&] { MemoryReader{out.bytes()}("length", x); });
  EXPECT_TRUE(contains(message, "'length' was expected"));
  EXPECT_TRUE(contains(message, "'mass'"));
}

TEST(Memory, ThatEndsTooSoonIsRefused) {
  const std::string bytes = written(something());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Whole x;
    MemoryReader in(std::string_view(bytes).substr(0, length));
    EXPECT_THROW(in("x", x), MemoryError) << length << " of " << bytes.size();
  }
}

TEST(Memory, OfAnImpossibleLengthIsRefused) {
  std::string bytes = written(Vec<double>{1, 2});
  bytes[9 + 7] = '\x7f';  // of the number of entries, which follows the name
  Vec<double> x;
  EXPECT_THROW(MemoryReader{bytes}("x", x), MemoryError);
}

TEST(Memory, OfAnotherSizeIsRefusedWhereSizesAreFixed) {
  const std::string bytes = written(Vec<double>{1, 2, 3});
  Vec<double, 2> x;
  EXPECT_TRUE(contains(message_of<MemoryError>([&] { MemoryReader{bytes}("x", x); }), "3 entries instead of 2"));
  std::array<double, 2> y{};
  EXPECT_THROW(MemoryReader{bytes}("x", y), MemoryError);
}

TEST(Memory, CanBeForgottenInParts) {
  const std::string bytes = written(something());
  Whole x;
  MemoryReader in(bytes);
  std::map<std::string, int> seen;
  in.forget([&](std::string_view name) {
    ++seen[std::string(name)];
    return name == "count" || name == "weight";
  });
  in("x", x);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(x.count, 0);
  EXPECT_EQ(x.part.weight, 0);
  EXPECT_EQ(x.parts[1].weight, 0);
  EXPECT_EQ(x.text, something().text);
  EXPECT_EQ(seen["weight"], 3);
  EXPECT_FALSE(seen.contains("part")) << "an object is what it names";
}

}  // namespace
}  // namespace holonom
