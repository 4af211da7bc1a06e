// Sparse masses, and the saddle point form of the Gram solver, against dense computations; masses from files.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "holonom/adapt.hpp"
#include "holonom/methods/rattle.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "holonom/solve/manifold.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using std::vector;

template <class S>
S random_number(std::mt19937& random) {
  return S(std::uniform_real_distribution<double>(-1, 1)(random));
}
template <>
Dual<double> random_number(std::mt19937& random) {
  return {random_number<double>(random), random_number<double>(random)};
}
template <class S>
Vec<S> random_vector(std::mt19937& random, int size) {
  Vec<S> x(size);
  for (S& a : x) a = random_number<S>(random);
  return x;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A random sparse problem: n coordinates, each coupled with some others by the mass, m constraints with three
// coordinates each, somewhere.
template <class S>
struct Problem {
  std::mt19937 random;
  Square<S> M;
  Pattern mass_pattern, pattern;
  Vec<S> mass_values;
  Jacobian<S> G0, G1;

  Problem(int n, int m, unsigned seed) : random(seed), M(n) {
    for (int i = 0; i < n; ++i) M(i, i) = S(3) + random_number<S>(random);
    std::uniform_int_distribution<int> any(0, n - 1);
    for (int e = 0; e < n; ++e) {
      const int i = any(random), j = any(random);
      if (i == j || !(M(i, j) == S(0))) continue;
      const S x = random_number<S>(random);
      M(i, j) = M(j, i) = x;
      M(i, i) += S(1);  // diagonally dominant
      M(j, j) += S(1);
    }
    mass_pattern.n = pattern.n = n;
    vector<S> values;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        if (!(M(i, j) == S(0))) {
          mass_pattern.column.push_back(j);
          values.push_back(M(i, j));
        }
      mass_pattern.row_start.push_back(mass_pattern.nonzeros());
    }
    mass_values = Vec<S>(mass_pattern.nonzeros());
    std::copy(values.begin(), values.end(), mass_values.begin());
    for (int k = 0; k < m; ++k) {
      vector<int> columns;
      while (columns.size() < 3) {
        const int j = any(random);
        if (std::find(columns.begin(), columns.end(), j) == columns.end()) columns.push_back(j);
      }
      pattern.column.insert(pattern.column.end(), columns.begin(), columns.end());
      pattern.row_start.push_back(pattern.nonzeros());
    }
    G0 = G1 = Jacobian<S>(pattern);
    for (int z = 0; z < pattern.nonzeros(); ++z) {
      G0.values()[z] = random_number<S>(random);
      G1.values()[z] = G0.values()[z] + S(0.01) * random_number<S>(random);
    }
  }
  Problem(const Problem&) = delete;  // Jacobians refer to the pattern

  SparseMass<S> mass() const { return SparseMass<S>::of(mass_pattern, mass_values).value(); }
};

// M⁻¹ with or without its sparse form
template <class S>
struct Metric {
  const SparseMass<S>& mass;
  bool sparse = true;
  void operator()(const Vec<S>& u, Vec<S>& out) const { mass.solve(u, out); }
  const Vec<S>* diagonal() const { return nullptr; }
  const SparseMass<S>* sparse_mass() const { return sparse ? &mass : nullptr; }
};

template <class S>
double distance(const Vec<S>& x, const Vec<S>& y) {
  double largest = 0;
  for (int i = 0; i < x.size(); ++i)
    largest = std::max(largest, static_cast<double>(magnitude(S(x[i] - y[i])) / (1 + magnitude(y[i]))));
  return largest;
}

template <class S>
class Kkt : public ::testing::Test {};
using Scalars = ::testing::Types<double, quad, Dual<double>>;
TYPED_TEST_SUITE(Kkt, Scalars);

TYPED_TEST(Kkt, SparseMassIsTheDenseOne) {
  using S = TypeParam;
  for (const int n : {1, 5, 40, 200}) {
    Problem<S> problem(n, 0, static_cast<unsigned>(n));
    const SparseMass<S> sparse = problem.mass();
    const DenseMass<S> dense = DenseMass<S>::of(problem.M).value();
    const Vec<S> u = random_vector<S>(problem.random, n);
    Vec<S> x(n), y(n);
    sparse.multiply(u, x);
    dense.multiply(u, y);
    EXPECT_LE(distance(x, y), 10 * static_cast<double>(epsilon<S>()));
    sparse.solve(u, x);
    dense.solve(u, y);
    EXPECT_LE(distance(x, y), 1e3 * static_cast<double>(epsilon<S>()));
    const AnyMass<S> any(sparse);
    EXPECT_EQ(any.inverse_diagonal(), nullptr);
    ASSERT_NE(any.sparse(), nullptr);
  }
}

TYPED_TEST(Kkt, SolvesAsTheDenseSolverDoes) {
  using S = TypeParam;
  const double tolerance = 1e6 * static_cast<double>(epsilon<S>());  // condition numbers of random problems
  for (const auto& sizes : vector<std::pair<int, int>>{{30, 10}, {80, 40}, {150, 60}}) {
    const int n = sizes.first, m = sizes.second;
    Problem<S> problem(n, m, static_cast<unsigned>(n + m));
    const SparseMass<S> mass = problem.mass();
    GramSolver<S, Dynamic, Dynamic> kkt(n, m), dense(n, m);
    ASSERT_TRUE(kkt.analyse(problem.G0, Metric<S>{mass}, equal_units<S>(m)).ok());
    ASSERT_TRUE(dense.analyse(problem.G0, Metric<S>{mass, false}, equal_units<S>(m)).ok());
    EXPECT_FALSE(kkt.refreshes());
    EXPECT_TRUE(dense.refreshes()) << "the other is the dense one";
    const Vec<S> b = random_vector<S>(problem.random, m), u = random_vector<S>(problem.random, n);
    const auto compare = [&](const char* what) {
      Vec<S> x = b, y = b;
      kkt.solve(x);
      dense.solve(y);
      EXPECT_LE(distance(x, y), tolerance) << what << ", m = " << m;
      x = y = b;
      kkt.newton(problem.G1, x, true);
      dense.newton(problem.G1, y, true);
      EXPECT_LE(distance(x, y), tolerance) << what << ", Newton, m = " << m;
      Vec<S> again = b;
      kkt.newton(problem.G1, again, false);
      EXPECT_EQ(distance(again, x), 0) << "the factors are kept";
      kkt.multiply(problem.G0, u, x);
      dense.multiply(problem.G0, u, y);
      EXPECT_LE(distance(x, y), tolerance) << what << ", G A u, m = " << m;
      Vec<S> v = u, w = u;
      kkt.subtract_displacement(problem.G0, S(0.3), b, v);
      dense.subtract_displacement(problem.G0, S(0.3), b, w);
      EXPECT_LE(distance(v, w), tolerance) << what << ", displacement, m = " << m;
    };
    compare("analysed");
    for (const int turned : {0, 1, 3}) {  // gradients that point the other way
      Jacobian<S> G1 = problem.G0;
      for (int k = 0; k < turned; ++k)
        for (int z = problem.pattern.row_start[at(3 * k)]; z < problem.pattern.row_start[at(3 * k + 1)]; ++z)
          G1.values()[z] = -G1.values()[z];
      EXPECT_EQ(kkt.negative_pivots(G1), turned);
      EXPECT_EQ(dense.negative_pivots(G1), turned);
    }
    std::swap(problem.G0, problem.G1);
    ASSERT_TRUE(kkt.factor(problem.G0, Metric<S>{mass}).ok());
    ASSERT_TRUE(dense.factor(problem.G0, Metric<S>{mass, false}).ok());
    compare("factored");
  }
}

TEST(KktPattern, ConstraintsComeAfterAllTheirCoordinates) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Problem<double> problem(60, 30, seed);
    const KktPattern pattern(problem.mass_pattern, problem.pattern);
    vector<int> seen(90, 0);
    for (const auto i : pattern.order) ++seen[at(i)];
    EXPECT_EQ(seen, vector<int>(90, 1)) << "the order is a permutation";
    for (int k = 0; k < 30; ++k)
      problem.G0.row(k, [&](int j, double) { EXPECT_LT(pattern.place[at(j)], pattern.place[at(60 + k)]); });
  }
}

// The last constraints repeat the first ones, in other units.
TEST(KktRank, DependentConstraintsAreFoundAndDropped) {
  constexpr int n = 900, m = 310, repeated = 7;  // too many for the dense solver of redundant constraints
  Problem<double> problem(n, m, 5);
  for (int k = 0; k < repeated; ++k)
    for (int z = 0; z < 3; ++z) {
      problem.pattern.column[at(3 * (m - 1 - k) + z)] = problem.pattern.column[at(3 * k + z)];
      problem.G0.values()[3 * (m - 1 - k) + z] = 1e3 * problem.G0.values()[3 * k + z];
    }
  const SparseMass<double> mass = problem.mass();
  GramSolver<double, Dynamic, Dynamic> gram(n, m);
  ASSERT_TRUE(gram.analyse(problem.G0, Metric<double>{mass}, equal_units<double>(gram.m())).ok());
  EXPECT_EQ(gram.rank(), m - repeated);
  ASSERT_EQ(gram.dropped().size(), at(repeated));
  for (const int k : gram.dropped()) EXPECT_TRUE(k < repeated || k >= m - repeated) << k;
  // A right-hand side that a motion can have: G M⁻¹ u
  const Vec<double> u = random_vector<double>(problem.random, n);
  Vec<double> b(m), x(m), force(n), v(n), back(m);
  gram.multiply(problem.G0, u, b);
  x = b;
  gram.solve(x);
  for (const int k : gram.dropped()) EXPECT_EQ(x[k], 0);
  subtract_force(problem.G0, x, force);
  mass.solve(force, v);
  multiply(problem.G0, v, back);
  for (int k = 0; k < m; ++k) EXPECT_NEAR(-back[k], b[k], 1e-9);
  EXPECT_TRUE(gram.factor(problem.G0, Metric<double>{mass}).ok()) << "the same ones may depend later";
}

TEST(KktRank, ADependenceOnTheWayIsNamed) {
  constexpr int n = 60, m = 20;
  Problem<double> problem(n, m, 9);
  for (int z = 0; z < 3; ++z) problem.pattern.column[at(3 * 7 + z)] = problem.pattern.column[at(3 * 2 + z)];
  const SparseMass<double> mass = problem.mass();
  GramSolver<double, Dynamic, Dynamic> gram(n, m);
  ASSERT_TRUE(gram.analyse(problem.G0, Metric<double>{mass}, equal_units<double>(gram.m())).ok());
  ASSERT_EQ(gram.rank(), m);
  const Jacobian<double> good = problem.G0;
  for (int z = 0; z < 3; ++z) problem.G0.values()[3 * 7 + z] = 2 * problem.G0.values()[3 * 2 + z];
  const Status bad = gram.factor(problem.G0, Metric<double>{mass});
  EXPECT_EQ(bad.failure, Failure::singular);
  EXPECT_TRUE(bad.constraint == 2 || bad.constraint == 7) << bad.constraint;
  problem.G0 = good;
  problem.G0.values()[3 * 7] = std::nan("");
  const Status nan = gram.factor(problem.G0, Metric<double>{mass});
  EXPECT_EQ(nan.failure, Failure::not_finite);
  EXPECT_EQ(nan.constraint, 7);
  EXPECT_TRUE(gram.factor(good, Metric<double>{mass}).ok()) << "failures leave nothing behind";
  Vec<double> x = random_vector<double>(problem.random, m), y = x;
  gram.solve(x);
  GramSolver<double, Dynamic, Dynamic> fresh(n, m);
  ASSERT_TRUE(fresh.analyse(good, Metric<double>{mass}, equal_units<double>(m)).ok());
  fresh.solve(y);
  EXPECT_EQ(distance(x, y), 0);
}

// Light and heavy coordinates, badly scaled constraints. The factorisation is that of a matrix that is off by
// ε sqrt(A_ii A_jj) in each entry, where A is M or G M⁻¹ Gᵀ: residuals are no larger than such errors make them.
TEST(KktStability, TheBackwardErrorIsRoundOffInBadProblems) {
  for (const double spread : {0.0, 4.0, 8.0}) {
    constexpr int n = 120, m = 50;
    Problem<double> problem(n, m, 21);
    const auto unit = [&] { return std::pow(10.0, spread / 2 * random_number<double>(problem.random)); };
    Vec<double> units(n);
    for (double& x : units) x = unit();
    for (int i = 0; i < n; ++i)
      for (int z = problem.mass_pattern.row_start[at(i)]; z < problem.mass_pattern.row_start[at(i) + 1]; ++z)
        problem.mass_values[z] *= units[i] * units[problem.mass_pattern.column[at(z)]];
    for (int k = 0; k < m; ++k) {
      const double factor = unit();
      for (int z = 3 * k; z < 3 * k + 3; ++z) problem.G0.values()[z] *= factor;
    }
    const SparseMass<double> mass = problem.mass();
    DenseGram<double, Dynamic, Dynamic> dense(n, m);
    dense.assemble(problem.G0, Metric<double>{mass});
    GramSolver<double, Dynamic, Dynamic> gram(n, m);
    Vec<double> comparable(m);
    for (int k = 0; k < m; ++k) comparable[k] = std::ldexp(1.0, -std::ilogb(std::sqrt(dense.matrix()(k, k))));
    ASSERT_TRUE(gram.analyse(problem.G0, Metric<double>{mass}, comparable).ok());
    ASSERT_EQ(gram.rank(), m) << "spread 10^" << spread;
    Vec<double> b = random_vector<double>(problem.random, m);
    for (int k = 0; k < m; ++k) b[k] *= std::sqrt(dense.matrix()(k, k));
    Vec<double> x = b, force(n), v(n), back(m);
    gram.solve(x);
    subtract_force(problem.G0, x, force);
    mass.solve(force, v);
    multiply(problem.G0, v, back);
    double size = 0;
    for (int k = 0; k < m; ++k) size += std::sqrt(dense.matrix()(k, k)) * std::abs(x[k]);
    for (int i = 0; i < n; ++i) size += std::sqrt(mass.diagonal(i)) * std::abs(v[i]);
    for (int k = 0; k < m; ++k)
      EXPECT_LE(std::abs(-back[k] - b[k]), 4 * epsilon<double>() * std::sqrt(dense.matrix()(k, k)) * size)
          << "spread 10^" << spread;
  }
}

TEST(SparseMass, TheCoordinateAtFaultIsNamed) {
  const Pattern tridiagonal{3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}};
  int bad = -1;
  EXPECT_TRUE(SparseMass<double>::of(tridiagonal, {2, 1, 1, 2, 1, 1, 2}, &bad));
  EXPECT_FALSE(SparseMass<double>::of(tridiagonal, {2, 1, 1, -2, 1, 1, 2}, &bad));
  EXPECT_EQ(bad, 1);
  EXPECT_FALSE(SparseMass<double>::of(tridiagonal, {1, 1, 1, 1, 0, 0, 2}, &bad)) << "singular";
  EXPECT_EQ(bad, 1);
  EXPECT_FALSE(SparseMass<double>::of(tridiagonal, {1, 0, 0, 1, 0, 0, std::nan("")}, &bad));
  EXPECT_EQ(bad, 2);
}

// ---- own types

// Points on circles around the origin, coupled by their masses alone.
struct Circles {
  using Scalar = double;
  static constexpr int N = Dynamic, M = Dynamic;
  explicit Circles(int points) {
    Pattern mass;
    vector<double> values;
    mass.n = pattern_.n = 2 * points;
    for (int i = 0; i < mass.n; ++i) {
      for (int j = std::max(0, i - 1); j <= std::min(mass.n - 1, i + 1); ++j) {
        mass.column.push_back(j);
        values.push_back(i == j ? 3 : 1);
      }
      mass.row_start.push_back(mass.nonzeros());
    }
    Vec<double> entries(mass.nonzeros());
    std::copy(values.begin(), values.end(), entries.begin());
    mass_ = SparseMass<double>::of(mass, std::move(entries)).value();
    for (int k = 0; k < points; ++k) {
      pattern_.column.insert(pattern_.column.end(), {2 * k, 2 * k + 1});
      pattern_.row_start.push_back(pattern_.nonzeros());
    }
  }
  int n() const { return pattern_.n; }
  int m() const { return pattern_.m(); }
  const Pattern& pattern() const { return pattern_; }
  const SparseMass<double>& mass() const { return mass_; }
  double V(const Vec<double>& q) const { return q[1]; }
  void V_q(const Vec<double>&, Vec<double>& out) const {
    fill(out, 0.0);
    out[1] = 1;
  }
  void g(const Vec<double>& q, Vec<double>& out) const {
    for (int k = 0; k < m(); ++k) out[k] = (q[2 * k] * q[2 * k] + q[2 * k + 1] * q[2 * k + 1] - 1) / 2;
  }
  void G(const Vec<double>& q, Jacobian<double>& out) const { out.values() = q; }

  Pattern pattern_;
  SparseMass<double> mass_;
};

TEST(OwnType, ASparseMassIsUsedAsSuch) {
  const Circles sys(20);
  auto x = make_state(sys);
  for (int k = 0; k < sys.m(); ++k) x.q[2 * k] = 1;
  Rattle<Circles> rattle(sys);
  ASSERT_TRUE(rattle.begin(sys, x, 0.05).ok());
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(rattle.step(sys, x, 0.05).ok());
  const auto any = adapt(sys);
  ASSERT_NE(any.sparse_mass(), nullptr);
  Manifold<double> manifold(any);
  EXPECT_LE(manifold.position(x.q).relative, 16 * epsilon<double>());
  EXPECT_LE(manifold.hidden(x.q, x.p).absolute, 16 * epsilon<double>()) << "velocities of the first point are near 1";
  EXPECT_NEAR(any.H(x.q, x.p), 0, 1e-2) << "the energy at the start";
  EXPECT_NE(x.q[39], 0) << "the last point is set in motion through the mass alone";
}

// ---- model files

struct Scratch {
  Scratch() : folder(std::filesystem::temp_directory_path() / ("holonom_kkt_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~Scratch() { std::filesystem::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  std::filesystem::path folder;
};

// A chain of rigid links with the consistent mass matrix of finite elements: 1/6 [2 1; 1 2] for each link and
// component; the first link begins at the origin.
std::string consistent_mass(int links) {
  std::ostringstream csv;
  csv << "i,j,m\n";
  for (int i = 0; i < links; ++i)
    for (int c = 0; c < 2; ++c) {
      csv << 2 * i + c << "," << 2 * i + c << ","
          << (i + 1 < links ? "0.666666666666666666666666666666666666" : "0.333333333333333333333333333333333333")
          << "\n";
      if (i + 1 < links) csv << 2 * i + 2 + c << "," << 2 * i + c << ",0.166666666666666666666666666666666667\n";
    }
  return csv.str();
}
const char* chain_model = R"toml(
format = 1
[parameters]
N = 10000
fold = 100
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { file = "mass.csv" }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].y"
[constraints]
hook = "(dot(r[0], r[0]) - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[initial]
project = true
q.r = ["abs(i + 1 - 2*fold*floor((i + 1)/(2*fold) + 1/2))/2", "-sqrt(3)/2*(i + 1 - 2*floor((i + 1)/2))"]
)toml";

TEST(ConsistentMass, AChainOfManyLinksStaysOnTheManifold) {
  const Scratch scratch;
  constexpr int links = 10000;
  scratch.write("mass.csv", consistent_mass(links));
  const ModelSystem<double> sys(compile(load_model(scratch.write("chain.toml", chain_model))));
  ASSERT_NE(sys.sparse_mass(), nullptr);
  State<double> x = initial_state(sys).state;
  const double before = sys.H(x.q, x.p);
  const auto method = methods().find("rattle").make<double>(sys);
  ASSERT_TRUE(method->begin(x, 1e-2).ok());
  Manifold<double> manifold(sys);
  double position = 0, hidden = 0;
  for (int step = 0; step < 50; ++step) {
    ASSERT_TRUE(method->step(x, 1e-2).ok());
    position = std::max(position, manifold.position(x.q).relative);
    hidden = std::max(hidden, manifold.hidden(x.q, x.p).relative);
  }
  EXPECT_LE(position, 16 * epsilon<double>());
  EXPECT_LE(hidden, 64 * epsilon<double>());
  EXPECT_LE(method->counters().newton_max, 4);
  EXPECT_NEAR(sys.H(x.q, x.p), before, 1e-4 * std::abs(before));
  EXPECT_EQ(constraint_rank(sys, x).rank, links);
  ASSERT_TRUE(manifold.multipliers(x).ok());
}

// The same chain in coordinates with names of their own, and with the full matrix in the model.
std::string named_chain(int links) {
  std::ostringstream names, mass, potential, constraints, start;
  for (int i = 0; i < links; ++i) {
    names << (i ? ", " : "") << "\"x" << i << "\", \"y" << i << "\"";
    potential << (i ? " + " : "") << "y" << i;
    if (i == 0)
      constraints << "hook = \"(x0^2 + y0^2 - 1)/2\"\n";
    else
      constraints << "link" << i << " = \"((x" << i << " - x" << i - 1 << ")^2 + (y" << i << " - y" << i - 1
                  << ")^2 - 1)/2\"\n";
    start << (i ? ", " : "") << "x" << i << " = \"" << i + 1 << "/2\", y" << i << " = \""
          << (i % 2 ? "0" : "-sqrt(3)/2") << "\"";
    for (int c = 0; c < 2; ++c) {
      mass << (i + c ? ",\n" : "") << "[";
      for (int j = 0; j < 2 * links; ++j) {
        const int away = std::abs(j - 2 * i - c);
        mass << (j ? ", " : "") << (away == 0 ? (i + 1 < links ? "\"2/3\"" : "\"1/3\"") : away == 2 ? "\"1/6\"" : "0");
      }
      mass << "]";
    }
  }
  return "format = 1\n[coordinates]\nnames = [" + names.str() + "]\n[energy]\nmass = [" + mass.str() +
         "]\npotential = \"" + potential.str() + "\"\n[constraints]\n" + constraints.str() + "[initial]\nq = {" +
         start.str() + "}\n";
}

TEST(ConsistentMass, SparseMotionIsDenseMotion) {
  const Scratch scratch;
  constexpr int links = 10;  // enough for the sparse solver, and a matrix that is small enough to stay full
  scratch.write("mass.csv", consistent_mass(links));
  const ModelSystem<quad> sparse(
      compile(load_model(scratch.write("chain.toml", chain_model), {{"N", std::to_string(links)}})));
  const ModelSystem<quad> full(compile(parse_model(named_chain(links), "named")));
  ASSERT_NE(sparse.sparse_mass(), nullptr);
  ASSERT_EQ(full.sparse_mass(), nullptr);
  State<quad> x = initial_state(sparse).state, y = initial_state(full).state;
  EXPECT_LE(distance(x.q, y.q), 1e-30);
  const quad h("0.01");
  const auto step = [&](const ModelSystem<quad>& sys, State<quad>& state) {
    const auto method = methods().find("rattle").make<quad>(sys);
    ASSERT_TRUE(method->begin(state, h).ok());
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(method->step(state, h).ok());
    Manifold<quad> manifold(sys);
    EXPECT_LE(manifold.position(state.q).relative, 64 * epsilon<quad>());
    EXPECT_LE(manifold.hidden(state.q, state.p).relative, 64 * epsilon<quad>());
    ASSERT_TRUE(manifold.multipliers(state).ok());
  };
  step(sparse, x);
  step(full, y);
  // a chain is chaotic: some digits go
  EXPECT_LE(distance(x.q, y.q), 1e-25);
  EXPECT_LE(distance(x.p, y.p), 1e-25);
  EXPECT_LE(distance(x.lambda, y.lambda), 1e-24);
}

TEST(ConsistentMass, ALargeMatrixOfMostlyZerosIsSparse) {
  const ModelSystem<double> sys(compile(parse_model(named_chain(15), "named")));
  ASSERT_NE(sys.sparse_mass(), nullptr);
  EXPECT_EQ(sys.sparse_mass()->pattern().nonzeros(), 3 * 30 - 4);
  State<double> x = initial_state(sys).state;
  const auto method = methods().find("rattle").make<double>(sys);
  ASSERT_TRUE(method->begin(x, 0.01).ok());
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(method->step(x, 0.01).ok());
  Manifold<double> manifold(sys);
  EXPECT_LE(manifold.position(x.q).relative, 16 * epsilon<double>());
  EXPECT_LE(manifold.hidden(x.q, x.p).relative, 64 * epsilon<double>());
}

TEST(MassFile, OneTriangleOrBoth) {
  const Scratch scratch;
  const auto mass = [&](const std::string& csv) {
    scratch.write("mass.csv", csv);
    const ModelSystem<double> sys(compile(load_model(scratch.write("chain.toml", chain_model), {{"N", "2"}})));
    Vec<double> v{1, 2, 3, 4}, p(4);
    sys.mass().multiply(v, p);
    return vector<double>(p.begin(), p.end());
  };
  const std::string diagonal = "i,j,m\n0,0,4\n1,1,4\n2,2,2\n3,3,2\n";
  const vector<double> expected{7, 12, 7, 10};
  EXPECT_EQ(mass(diagonal + "0,2,1\n1,3,1\n"), expected) << "upper";
  EXPECT_EQ(mass(diagonal + "2,0,1\n3,1,1\n"), expected) << "lower";
  EXPECT_EQ(mass(diagonal + "2,0,1\n3,1,1\n0,2,1.0\n1,3,10e-1\n"), expected) << "both";
  EXPECT_EQ(mass("# in any order\nm, j, i\n2,3,3\n4,0,0\n1,0,2\n2,2,2\n1,1,3\n4,1,1\n"), expected);
  EXPECT_EQ(mass(diagonal), (vector<double>{4, 8, 6, 8}));
}

TEST(MassFile, MistakesAreNamedWithTheirPlace) {
  const Scratch scratch;
  const auto complaint = [&](const std::string& csv) {
    scratch.write("mass.csv", csv);
    const std::string model = scratch.write("chain.toml", chain_model);
    const std::string text = message_of<InputError>([&] {
      const ModelSystem<double> sys(compile(load_model(model, {{"N", "2"}})));
    });
    const std::string folder = scratch.folder.string() + "/";
    return text.starts_with(folder) ? text.substr(folder.size()) : text;
  };
  const std::string diagonal = "i,j,m\n0,0,4\n1,1,4\n2,2,2\n3,3,2\n";
  EXPECT_EQ(complaint(diagonal + "4,0,1\n"), "mass.csv:6:1: i = 4 is not a coordinate: they have the numbers 0 to 3");
  EXPECT_EQ(complaint(diagonal + "0,-1,1\n"), "mass.csv:6:3: j = -1 is not a coordinate: they have the numbers 0 to 3");
  EXPECT_EQ(complaint(diagonal + "0,0.5,1\n"),
            "mass.csv:6:3: j = 0.5 is not a coordinate: they have the numbers 0 to 3");
  EXPECT_EQ(complaint(diagonal + "1e400,0,1\n"),
            "mass.csv:6:1: i = 1e400 is not a coordinate: they have the numbers 0 to 3");
  EXPECT_EQ(complaint(diagonal + "2,0,1\n2,0,1\n"), "mass.csv:7:1: the entry (2, 0) is given twice; first in line 6");
  EXPECT_EQ(complaint(diagonal + "0,2,1\n2,0,1\n\n0,2,1\n"),
            "mass.csv:9:1: the entry (0, 2) is given twice; first in line 6");
  EXPECT_EQ(complaint(diagonal + "1,1,4\n"), "mass.csv:6:1: the entry (1, 1) is given twice; first in line 3");
  EXPECT_EQ(
      complaint(diagonal + "2,0,1\n0,2,1.5\n"),
      "mass.csv:7:5: the mass matrix is not symmetric: the entry (2, 0) in line 6 is 1, and (0, 2) in line 7 is 1.5");
  EXPECT_EQ(complaint(diagonal + "2,0,1\n0,2,1\n1,3,1\n"),
            "mass.csv:8:1: the mass matrix is not symmetric: the entry (1, 3) has no partner (3, 1). Give both "
            "triangles, or only one");
  EXPECT_EQ(complaint("i,j,m\n0,0,4\n1,1,4\n2,2,2\n3,3,2\n2,0,5\n"),
            "mass.csv:4:5: the mass matrix is not positive definite: every motion must have a positive kinetic energy. "
            "It fails at 'r[1].x', coordinate 2");
  EXPECT_EQ(complaint("i,j,m\n0,0,4\n1,1,4\n3,3,2\n"),
            "mass.csv: the mass matrix is not positive definite: every motion must have a positive kinetic energy. It "
            "fails at 'r[1].x', coordinate 2");
  EXPECT_EQ(complaint("i,j,mass\n0,0,4\n"),
            "mass.csv:1:5: unknown column 'mass'; a mass matrix has the columns i, j and m");
  EXPECT_EQ(complaint("i,m\n0,4\n"),
            "mass.csv:1:1: the column 'j' is missing; a mass matrix has the columns i, j and m");
  EXPECT_EQ(complaint("i,j,m\n0,0,heavy\n"), "mass.csv:2:5: 'heavy' in column 'm' is not a number");
  std::filesystem::remove(scratch.folder / "mass.csv");
  const std::string model = scratch.write("chain.toml", chain_model);
  EXPECT_TRUE(message_of<InputError>([&] { (void)load_model(model); }).ends_with("mass.csv: the file cannot be read"));
  EXPECT_NE(message_of<InputError>([&] { (void)load_model(model); }).find("chain.toml:"), std::string::npos);
}

TEST(MassFile, ACoordinateMayBeCalledFile) {
  const Model model = parse_model(
      "format = 1\n[coordinates]\nnames = [\"file\"]\n[energy]\nmass = { file = \"2\" }\npotential = "
      "\"0\"\n[initial]\nq = { file = 0 }\n",
      "m.toml");
  EXPECT_FALSE(model.mass_table.has_value());
  EXPECT_EQ(model.mass.size(), 1U);
}

}  // namespace
}  // namespace holonom::test
