// Factorisations, rank, minimum-norm multipliers, and the Gram solver in its static, dense and sparse
// forms, against computations of another kind.
#include <bit>
#include <random>

#include "holonom/solve/acceleration.hpp"
#include "holonom/solve/gram.hpp"
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

// Any matrix as rows of numbers.
template <class S>
using Rows = vector<vector<S>>;

template <class S>
Rows<S> random_rows(std::mt19937& random, int m, int n) {
  Rows<S> A(static_cast<std::size_t>(m), vector<S>(static_cast<std::size_t>(n)));
  for (auto& row : A)
    for (S& x : row) x = random_number<S>(random);
  return A;
}
template <class S>
Rows<S> times_transpose(const Rows<S>& A, const Rows<S>& B) {  // A Bᵀ
  Rows<S> C(A.size(), vector<S>(B.size(), S(0)));
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < B.size(); ++j)
      for (std::size_t k = 0; k < A[i].size(); ++k) C[i][j] += A[i][k] * B[j][k];
  return C;
}
template <class S, int M = Dynamic>
Square<S, M> square(const Rows<S>& A) {
  Square<S, M> result(static_cast<int>(A.size()));
  for (int i = 0; i < result.size(); ++i)
    for (int j = 0; j < result.size(); ++j) result(i, j) = A[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return result;
}
// The largest |A x − b|, tangents included
template <class S, int M>
double residual(const Rows<S>& A, const Vec<S, M>& x, const Vec<S, M>& b) {
  double largest = 0;
  for (int i = 0; i < x.size(); ++i) {
    S r = -b[i];
    for (int j = 0; j < x.size(); ++j) r += A[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * x[j];
    largest = std::max(largest, static_cast<double>(magnitude(r)));
  }
  return largest;
}
template <class S, int M = Dynamic>
Vec<S, M> random_vector(std::mt19937& random, int m) {
  Vec<S, M> b(m);
  for (S& x : b) x = random_number<S>(random);
  return b;
}

// ---- factorisations

template <class S>
class Dense : public ::testing::Test {};
using SolverScalars = ::testing::Types<double, quad, Dual<double>>;
TYPED_TEST_SUITE(Dense, SolverScalars);

template <class S, int M>
void check_factorisations(int m) {
  std::mt19937 random(static_cast<unsigned>(m));
  const double tolerance = 1e4 * static_cast<double>(epsilon<S>());
  const Rows<S> B = random_rows<S>(random, m, m + 2);
  const Rows<S> A = times_transpose(B, B);
  const auto b = random_vector<S, M>(random, m);
  auto factor = square<S, M>(A);
  auto x = b;
  ASSERT_EQ(factor_ldl(factor, Real<S>(0)), -1);
  solve_ldl(factor, x);
  EXPECT_LE(residual(A, x, b), tolerance) << "LDL, m = " << m;

  Rows<S> near = A;  // not symmetric, but near A
  for (auto& row : near)
    for (S& y : row) y += S(0.01) * random_number<S>(random);
  factor = square<S, M>(near);
  x = b;
  ASSERT_EQ(factor_lu(factor), -1);
  solve_lu(factor, x);
  EXPECT_LE(residual(near, x, b), tolerance) << "LU, m = " << m;
}

TYPED_TEST(Dense, FactorisationsSolve) {
  check_factorisations<TypeParam, 1>(1);
  check_factorisations<TypeParam, 2>(2);
  check_factorisations<TypeParam, 3>(3);
  for (const int m : {1, 2, 3, 6, 12}) check_factorisations<TypeParam, Dynamic>(m);
}

TEST(DenseFailures, TheFirstPivotThatIsNotPositiveIsNamed) {
  const Rows<double> indefinite{{4, 2, 0}, {2, 1, 3}, {0, 3, 1}}, negative{{1, 0, 0}, {0, 1, 0}, {0, 0, -2}};
  auto A = square(indefinite);
  EXPECT_EQ(factor_ldl(A, 1e-12), 1);
  A = square(negative);
  EXPECT_EQ(factor_ldl(A, 0.0), 2);
  A = square(negative);
  EXPECT_EQ(factor_lu(A), 2);
  auto two = square<double, 2>({{1, 2}, {2, 4}});
  EXPECT_EQ(factor_ldl(two, 1e-12), 1);
  two = square<double, 2>({{-1, 0}, {0, 1}});
  EXPECT_EQ(factor_lu(two), 0);
  A = square<double>({{1, 0}, {0, std::nan("")}});
  EXPECT_EQ(factor_ldl(A, 0.0), 1) << "NaN is not positive";
}

// Row exchanges follow the values: a pivot that is all tangent is none.
TEST(PivotedFactors, OfDualsPivotOnValues) {
  using D = Dual<double>;
  PivotedLu<D> lu(2);
  lu.matrix()(0, 0) = D(0, 4);
  lu.matrix()(0, 1) = D(1, 0);
  lu.matrix()(1, 0) = D(0.5, 0);
  lu.matrix()(1, 1) = D(0, 1);
  ASSERT_TRUE(lu.factor());
  Vec<D> x{D(2, 0), D(3, 0)};
  lu.solve(x);  // (6, 2), whose tangents solve A ẋ = −Ȧ x = (−24, −2)
  EXPECT_TRUE(agree(x[0], D(6, -4)));
  EXPECT_TRUE(agree(x[1], D(2, -24)));
}

// A factor that is zero but for its tangent is not skipped.
TEST(PivotedLu, KeepsTangentsOfZeroFactors) {
  using D = Dual<double>;
  PivotedLu<D> lu(2);
  lu.matrix()(0, 0) = D(1, 0);
  lu.matrix()(0, 1) = D(2, 0);
  lu.matrix()(1, 0) = D(0, 3);
  lu.matrix()(1, 1) = D(1, 0);
  ASSERT_TRUE(lu.factor());
  Vec<D> x{D(5, 0), D(1, 0)};
  lu.solve(x);  // (3, 1), whose tangents solve A ẋ = −Ȧ x = (0, −9)
  EXPECT_TRUE(agree(x[0], D(3, 18)));
  EXPECT_TRUE(agree(x[1], D(1, -9)));
}

// x ← x + f(x) with f(x) = (T − 1) x + b: as many iterations as T has different eigenvalues, and two more.
TEST(Acceleration, SolvesLinearProblemsInAFewIterations) {
  const auto iterations = [](bool accelerated, auto scalar) {
    using S = decltype(scalar);
    const double eigenvalue[] = {0.9, -0.7, 1.3, 0.9, -0.7, 1.3};
    Acceleration<S> accelerate(6, 1);
    accelerate.begin();
    Vec<S> x(7);
    for (int count = 1; count < 100; ++count) {
      Real<S> largest(0);
      for (int k = 0; k < 6; ++k) {
        accelerate.f(k) = S(eigenvalue[k] - 1) * x[k] + S(k + 1);
        accelerate.y(k) = x[k] + accelerate.f(k);
        keep_largest(largest, Real<S>(magnitude(accelerate.f(k))));
      }
      accelerate.y(6) = accelerate.y(0) + accelerate.y(2);  // carried along: any linear function of the others
      if (!(largest < 1e3)) break;
      if (largest < 1e-11) {
        EXPECT_NEAR(to_double(x[0]), 1 / (1 - 0.9), 1e-9);
        EXPECT_NEAR(to_double(x[6]), to_double(S(x[0] + x[2])), 1e-9);
        return count;
      }
      if (accelerated) accelerate();
      for (int k = 0; k < 7; ++k) x[k] = accelerate.y(k);
    }
    return 100;
  };
  EXPECT_EQ(iterations(false, 0.0), 100) << "1.3 diverges";
  EXPECT_LE(iterations(true, 0.0), 6);
  EXPECT_LE(iterations(true, Dual<double>(0)), 6);
}

TEST(DenseFailures, ThresholdIsRelativeToTheOwnDiagonal) {
  // The same dependence in other units.
  for (const double unit : {1.0, 1e-8, 1e8}) {
    auto A = square<double>({{1, unit}, {unit, unit * unit * (1 + 1e-9)}});
    EXPECT_EQ(factor_ldl(A, 1e-6), 1) << unit;
    A = square<double>({{1, unit}, {unit, unit * unit * (1 + 1e-3)}});
    EXPECT_EQ(factor_ldl(A, 1e-6), -1) << unit;
  }
}

// ---- rank

// Symmetric eigenvalues by Jacobi rotations: slow, and unlike anything in the library.
struct Eigen {
  vector<double> value;
  Rows<double> vector_;  // rows
};
Eigen eigen(Rows<double> A) {
  const std::size_t m = A.size();
  Eigen e{vector<double>(m), Rows<double>(m, vector<double>(m, 0.0))};
  for (std::size_t i = 0; i < m; ++i) e.vector_[i][i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep)
    for (std::size_t p = 0; p < m; ++p)
      for (std::size_t q = p + 1; q < m; ++q) {
        if (A[p][q] == 0) continue;
        const double angle = 0.5 * std::atan2(2 * A[p][q], A[q][q] - A[p][p]), c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < m; ++k) {
          const double x = A[k][p], y = A[k][q];
          A[k][p] = c * x - s * y;
          A[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < m; ++k) {
          const double x = A[p][k], y = A[q][k], u = e.vector_[p][k], v = e.vector_[q][k];
          A[p][k] = c * x - s * y;
          A[q][k] = s * x + c * y;
          e.vector_[p][k] = c * u - s * v;
          e.vector_[q][k] = s * u + c * v;
        }
      }
  for (std::size_t i = 0; i < m; ++i) e.value[i] = A[i][i];
  return e;
}
Vec<double> pseudo_inverse_times(const Rows<double>& K, const Vec<double>& b, double cutoff) {
  const Eigen e = eigen(K);
  Vec<double> x(b.size());
  for (std::size_t i = 0; i < K.size(); ++i) {
    if (std::abs(e.value[i]) < cutoff) continue;
    double along = 0;
    for (int j = 0; j < b.size(); ++j) along += e.vector_[i][static_cast<std::size_t>(j)] * b[j];
    for (int j = 0; j < b.size(); ++j) x[j] += along / e.value[i] * e.vector_[i][static_cast<std::size_t>(j)];
  }
  return x;
}

// m rows of which `rank` are independent
template <class S>
Rows<S> dependent_matrix(std::mt19937& random, int m, int n, int rank) {
  Rows<S> G = random_rows<S>(random, m, n);
  for (int i = rank; i < m; ++i) {
    auto& row = G[static_cast<std::size_t>(i)];
    std::fill(row.begin(), row.end(), S(0));
    for (int k = 0; k < rank; ++k) {
      const S c = random_number<S>(random);
      for (int j = 0; j < n; ++j)
        row[static_cast<std::size_t>(j)] += c * G[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
    }
  }
  std::swap(G[0], G[static_cast<std::size_t>(m) - 1]);  // the dependent ones need not come last
  return G;
}

TEST(Rank, IsFoundInAnyUnits) {
  std::mt19937 random(3);
  for (int rank = 1; rank <= 5; ++rank) {
    Rows<double> G = dependent_matrix<double>(random, 6, 9, rank);
    for (int unit = 0; unit < 3; ++unit) {
      const auto K = square(times_transpose(G, G));
      PivotOrder<double> order(6);
      EXPECT_EQ(order.choose(K, 6, 1e-11), rank);
      vector<int> rows;
      for (int i = 0; i < 6; ++i) rows.push_back(order[i]);
      std::sort(rows.begin(), rows.end());
      EXPECT_EQ(rows, (vector<int>{0, 1, 2, 3, 4, 5})) << "the order is a permutation";
      for (std::size_t k = 0; k < G.size(); ++k)
        for (double& x : G[k]) x *= std::pow(10.0, static_cast<double>(k) - 2.5);  // other units for each constraint
    }
  }
}

TEST(Rank, AVanishingGradientCountsAsZero) {
  PivotOrder<double> order(2);
  EXPECT_EQ(order.choose(square<double>({{1, 0}, {0, 1e-33}}), 2, 1e-13), 1) << "the square of a rounding error";
  EXPECT_EQ(order[0], 0);
  EXPECT_EQ(order.choose(square<double>({{1, 0}, {0, 1e-20}}), 2, 1e-13), 2) << "small units, not a rounding error";
  EXPECT_EQ(order.choose(square<double>({{0, 0}, {0, 0}}), 2, 1e-13), 0);
  EXPECT_EQ(order.choose(square<double>({{4, 0}, {0, 9}}), 1, 1e-13), 1) << "no more than asked for";
  EXPECT_EQ(order[0], 1) << "the largest pivot first";
}

TEST(Rank, DependentRowsNameThoseInvolvedAndNoOthers) {
  // rows: a, b, c, a + 2b, d
  const Rows<double> G{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 2, 0, 0}, {0, 0, 0, 5}};
  const auto sets = dependent_rows(square(times_transpose(G, G)), 1e-12);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0], (vector<int>{0, 1, 3}));
  EXPECT_TRUE(dependent_rows(square<double>({{2, 1}, {1, 2}}), 1e-12).empty());
}

TEST(RedundantConstraints, MultipliersHaveMinimalNorm) {
  std::mt19937 random(11);
  for (const auto& [m, rank] : vector<std::pair<int, int>>{{2, 1}, {4, 3}, {5, 2}, {7, 4}}) {
    const Rows<double> G = dependent_matrix<double>(random, m, m + 3, rank), K = times_transpose(G, G);
    // a right-hand side in the range of K
    const Vec<double> y = random_vector<double>(random, m);
    Vec<double> b(m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) b[i] += K[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * y[j];
    Redundant<double> solver(m, rank, equal_units<double>(m));
    ASSERT_TRUE(solver.factor(square(K), 1e-11));
    Vec<double> x = b;
    solver.solve(x);
    EXPECT_LE(residual(K, x, b), 1e-11);
    const Vec<double> shortest = pseudo_inverse_times(K, b, 1e-9);
    for (int i = 0; i < m; ++i) EXPECT_NEAR(x[i], shortest[i], 1e-9) << "m = " << m << ", rank " << rank;
  }
}

TEST(RedundantConstraints, MultipliersAreDifferentiatedExactly) {
  // K(ε) = G(ε) G(ε)ᵀ of constant rank: the tangent of the minimum-norm solution against differences in quad.
  constexpr int m = 4, n = 6, rank = 2;
  std::mt19937 random(12);
  const auto base = random_rows<double>(random, rank, n), turn = random_rows<double>(random, rank, n);
  const auto mix = random_rows<double>(random, m, rank), shift = random_rows<double>(random, m, rank);
  const Vec<double> y = random_vector<double>(random, m);
  const auto solve = [&](auto epsilon) {
    using S = decltype(epsilon);
    const auto moved = [&](const Rows<double>& a, const Rows<double>& b) {
      Rows<S> c(a.size(), vector<S>(a[0].size()));
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a[i].size(); ++j) c[i][j] = S(a[i][j]) + epsilon * S(b[i][j]);
      return c;
    };
    const Rows<S> independent = moved(base, turn), mixing = moved(mix, shift);
    Rows<S> G(m, vector<S>(n, S(0)));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < rank; ++k)
        for (std::size_t j = 0; j < n; ++j) G[i][j] += mixing[i][k] * independent[k][j];
    const Rows<S> K = times_transpose(G, G);
    Vec<S> b(m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) b[i] += K[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * S(y[j]);
    Redundant<S> solver(m, rank, equal_units<S>(m));
    EXPECT_TRUE(solver.factor(square(K), Real<S>(1e-11)));
    solver.solve(b);
    return b;
  };
  const auto tangent = solve(Dual<double>(0.0, 1.0));
  const quad step("1e-11");
  const auto plus = solve(step), minus = solve(quad(-step));
  for (int i = 0; i < m; ++i) EXPECT_NEAR(tangent[i].d, to_double(quad((plus[i] - minus[i]) / (2 * step))), 1e-9);
}

TEST(RedundantConstraints, AFallInRankIsReported) {
  Redundant<double> solver(3, 2, equal_units<double>(3));
  EXPECT_TRUE(solver.factor(square<double>({{1, 0, 1}, {0, 1, 0}, {1, 0, 1}}), 1e-12));
  EXPECT_FALSE(solver.factor(square<double>({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), 1e-12));
}

// ---- the Gram solver

// A = M⁻¹, diagonal or full
template <class S, int N>
struct TestMetric {
  Vec<S, N> inverse_mass;
  S coupling{0};
  void operator()(const Vec<S, N>& u, Vec<S, N>& out) const {
    S sum(0);
    for (int i = 0; i < u.size(); ++i) sum += u[i];
    for (int i = 0; i < u.size(); ++i) out[i] = inverse_mass[i] * u[i] + coupling * sum;
  }
  const Vec<S, N>* diagonal() const { return coupling == S(0) ? &inverse_mass : nullptr; }
};

Pattern dense_pattern(int m, int n) {
  Pattern pattern{n, {0}, {}};
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j < n; ++j) pattern.column.push_back(j);
    pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
  }
  return pattern;
}

// All that a step asks of a Gram solver, in one list of numbers.
template <class Gram, class G_t, class Metric, class VecM, class VecN>
vector<double> everything(Gram& gram, const G_t& G0, const G_t& G1, const Metric& A, const VecM& b, const VecN& u) {
  vector<double> all;
  const auto keep = [&](const auto& x) { all.insert(all.end(), x.begin(), x.end()); };
  EXPECT_TRUE(gram.analyse(G0, A, units_like(b)).ok());
  VecM x = b;
  gram.solve(x);
  keep(x);
  VecN moved = u;
  gram.subtract_displacement(G0, 0.3, x, moved);
  keep(moved);
  VecM product = b;
  gram.multiply(G0, u, product);
  keep(product);
  x = b;
  gram.newton(G1, x, true);
  keep(x);
  EXPECT_TRUE(gram.factor(G1, A).ok());
  x = b;
  gram.solve(x);
  keep(x);
  return all;
}

template <int N, int M>
void compare_static_with_dynamic(double coupling) {
  std::mt19937 random(N + M);
  const Pattern pattern = dense_pattern(M, N);
  Jacobian<double, N, M> G0, G1;
  Jacobian<double> D0(pattern), D1(pattern);
  for (int k = 0; k < M; ++k)
    for (int j = 0; j < N; ++j) {
      G0(k, j) = D0.values()[k * N + j] = random_number<double>(random) + (j == k ? 1 : 0);
      G1(k, j) = D1.values()[k * N + j] = G0(k, j) + 0.01 * random_number<double>(random);
    }
  TestMetric<double, N> A{random_vector<double, N>(random, N), coupling};
  TestMetric<double, Dynamic> AD{Vec<double>(N), coupling};
  Vec<double, M> b = random_vector<double, M>(random, M);
  Vec<double, N> u = random_vector<double, N>(random, N);
  Vec<double> bd(M), ud(N);
  for (int i = 0; i < N; ++i) {
    A.inverse_mass[i] = AD.inverse_mass[i] = 1 + std::abs(A.inverse_mass[i]);
    ud[i] = u[i];
  }
  for (int k = 0; k < M; ++k) bd[k] = b[k];
  GramSolver<double, N, M> fixed(N, M);
  GramSolver<double, Dynamic, Dynamic> dynamic(N, M);
  const auto x = everything(fixed, G0, G1, A, b, u), y = everything(dynamic, D0, D1, AD, bd, ud);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], y[i], 1e-12 * (1 + std::abs(y[i]))) << N << ", " << M << ", number " << i;
}

TEST(Gram, StaticIsDynamic) {
  for (const double coupling : {0.0, 0.2}) {
    compare_static_with_dynamic<2, 1>(coupling);
    compare_static_with_dynamic<4, 2>(coupling);
    compare_static_with_dynamic<6, 3>(coupling);
    compare_static_with_dynamic<9, 6>(coupling);
  }
}

// A chain of m links in the plane: enough constraints for the sparse solver when the mass is diagonal.
struct Chain {
  explicit Chain(int m) : pattern{2 * (m + 1), {0}, {}} {
    for (int k = 0; k < m; ++k) {
      for (int j = 2 * k; j < 2 * k + 4; ++j) pattern.column.push_back(j);
      pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
    }
  }
  Jacobian<double> jacobian(double bend) const {
    Jacobian<double> G(pattern);
    for (int k = 0; k < pattern.m(); ++k) {
      const double c = std::cos(bend * k), s = std::sin(bend * k);
      const double row[] = {-c, -s, c, s};
      for (int j = 0; j < 4; ++j) G.values()[4 * k + j] = row[j];
    }
    return G;
  }
  Pattern pattern;
};

TEST(Gram, SparseIsDense) {
  constexpr int m = 30;
  const Chain chain(m);
  const Jacobian<double> G0 = chain.jacobian(0.7), G1 = chain.jacobian(0.71);
  std::mt19937 random(4);
  TestMetric<double, Dynamic> A{Vec<double>(chain.pattern.n), 0.0};
  for (double& x : A.inverse_mass) x = 1.5 + random_number<double>(random);
  const Vec<double> b = random_vector<double>(random, m), u = random_vector<double>(random, chain.pattern.n);
  GramSolver<double, Dynamic, Dynamic> sparse(chain.pattern.n, m);
  DenseGram<double, Dynamic, Dynamic> dense(chain.pattern.n, m);
  const auto x = everything(sparse, G0, G1, A, b, u), y = everything(dense, G0, G1, A, b, u);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-11 * (1 + std::abs(y[i]))) << i;
}

TEST(Gram, SolutionsSatisfyTheEquations) {
  // G A Gᵀ x = b, and the Newton step G₁ A Gᵀ y = b, multiplied out by hand.
  const Chain chain(5);
  const Jacobian<double> G0 = chain.jacobian(0.7), G1 = chain.jacobian(0.9);
  TestMetric<double, Dynamic> A{Vec<double>(chain.pattern.n), 0.1};
  for (int i = 0; i < chain.pattern.n; ++i) A.inverse_mass[i] = 1 + 0.1 * i;
  std::mt19937 random(6);
  const Vec<double> b = random_vector<double>(random, 5);
  GramSolver<double, Dynamic, Dynamic> gram(chain.pattern.n, 5);
  ASSERT_TRUE(gram.analyse(G0, A, equal_units<double>(gram.m())).ok());
  for (const bool newton : {false, true}) {
    Vec<double> x = b, force(chain.pattern.n), image(chain.pattern.n), back(5);
    if (newton) {
      gram.newton(G1, x, true);
    } else {
      gram.solve(x);
    }
    subtract_force(G0, x, force);  // −G₀ᵀx
    A(force, image);
    multiply(newton ? G1 : G0, image, back);
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(-back[k], b[k], 1e-13);
  }
}

TEST(Gram, FailuresAreTold) {
  const Pattern pattern = dense_pattern(2, 2);
  const TestMetric<double, Dynamic> A{Vec<double>{1, 1}, 0.0};
  Jacobian<double> G(pattern);
  GramSolver<double, Dynamic, Dynamic> gram(2, 2);
  G.values() = {1, 0, 0, 1};
  ASSERT_TRUE(gram.analyse(G, A, equal_units<double>(2)).ok());
  G.values() = {1, 0, std::nan(""), 1};
  EXPECT_EQ(gram.factor(G, A).failure, Failure::not_finite);
  EXPECT_FALSE(gram.analyse(G, A, equal_units<double>(2)).ok());
  G.values() = {1, 2, 2, 4};
  EXPECT_TRUE(gram.analyse(G, A, equal_units<double>(2)).ok())
      << "dependent constraints are allowed if they are found at the start";
  EXPECT_EQ(gram.rank(), 1);
  G.values() = {1, 0, 0, 1};
  EXPECT_TRUE(gram.analyse(G, A, equal_units<double>(2)).ok());
  EXPECT_EQ(gram.rank(), 2);
  G.values() = {1, 2, 2, 4};
  EXPECT_EQ(gram.factor(G, A).failure, Failure::singular) << "but not if they become so on the way";

  Jacobian<double, 2, 2> fixed;
  fixed(0, 0) = fixed(1, 0) = 1;
  GramSolver<double, 2, 2> small(2, 2);
  EXPECT_EQ(small.analyse(fixed, TestMetric<double, 2>{{1.0, 1.0}, 0.0}, equal_units<double, 2>(2)).failure,
            Failure::singular);
}

TEST(Gram, ANewtonStepWorksBeyondADeadCentre) {
  // G₁ G₀ᵀ with a determinant that is negative, and with one that nearly vanishes
  const Pattern pattern = dense_pattern(2, 2);
  const TestMetric<double, Dynamic> A{Vec<double>{1, 1}, 0.0};
  Jacobian<double> G0(pattern), G1(pattern);
  G0.values() = {1, 0.2, 0.1, 1};
  GramSolver<double, Dynamic, Dynamic> gram(2, 2);
  ASSERT_TRUE(gram.analyse(G0, A, equal_units<double>(2)).ok());
  for (const auto& turned : {Vec<double>{0, 1, 1, 0.3}, Vec<double>{1, 1, 1, 1 + 1e-6}}) {
    G1.values() = turned;
    const Vec<double> b{0.3, -0.7};
    Vec<double> x = b, force(2), back(2);
    gram.newton(G1, x, true);
    subtract_force(G0, x, force);
    multiply(G1, force, back);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(-back[k], b[k], 1e-9);
  }
}

// Triangles of rods that have turned by 40 degrees, some of them to their mirror images; one rod may be there twice.
template <class G_t>
void set_triangles(G_t& G, int triangles, unsigned mirrored, double angle, bool twice) {
  const double corner[3][2] = {{0, 0}, {1.3, 0.2}, {0.4, 0.9}};
  const int rod[4][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 1}};
  for (int t = 0; t < triangles; ++t)
    for (int r = 0; r < (twice ? 4 : 3); ++r)
      for (int c = 0; c < 2; ++c) {
        const auto place = [&](int point) {
          const double x = corner[point][0], y = (mirrored >> t & 1 ? -1 : 1) * corner[point][1];
          return c == 0 ? std::cos(angle) * x - std::sin(angle) * y : std::sin(angle) * x + std::cos(angle) * y;
        };
        const double d = place(rod[r][1]) - place(rod[r][0]);
        const int row = (twice ? 4 : 3) * t + r;
        if constexpr (G_t::is_static) {
          G(row, 6 * t + 2 * rod[r][0] + c) = -d;
          G(row, 6 * t + 2 * rod[r][1] + c) = d;
        } else {
          G.values()[row * G.n() + 6 * t + 2 * rod[r][0] + c] = -d;
          G.values()[row * G.n() + 6 * t + 2 * rod[r][1] + c] = d;
        }
      }
}

TEST(Gram, PivotsCountMirrorImages) {
  constexpr double angle = 0.7;
  for (const int triangles : {1, 2, 5})  // few constraints are dense, many sparse
    for (const bool twice : {false, true}) {
      const int n = 6 * triangles, m = (twice ? 4 : 3) * triangles;
      const Pattern pattern = dense_pattern(m, n);
      TestMetric<double, Dynamic> A{Vec<double>(n), 0.0};
      fill(A.inverse_mass, 1.5);
      Jacobian<double> G0(pattern), G1(pattern);
      set_triangles(G0, triangles, 0, 0, twice);
      GramSolver<double, Dynamic, Dynamic> gram(n, m);
      ASSERT_TRUE(gram.analyse(G0, A, equal_units<double>(m)).ok());
      EXPECT_EQ(gram.rank(), 3 * triangles);
      for (unsigned mirrored = 0; mirrored < 1u << triangles; ++mirrored) {
        fill(G1.values(), 0.0);
        set_triangles(G1, triangles, mirrored, angle, twice);
        EXPECT_EQ(gram.negative_pivots(G1), std::popcount(mirrored)) << triangles << ' ' << twice;
        Vec<double> r(m);
        gram.newton(G1, r, true);
        EXPECT_EQ(gram.negative_pivots(), std::popcount(mirrored));
      }
    }
  for (const unsigned mirrored : {0u, 1u}) {
    Jacobian<double, 6, 3> G0, G1;
    set_triangles(G0, 1, 0, 0, false);
    set_triangles(G1, 1, mirrored, angle, false);
    GramSolver<double, 6, 3> gram(6, 3);
    const TestMetric<double, 6> A{{1, 1, 1, 1, 1, 1}, 0.0};
    ASSERT_TRUE(gram.analyse(G0, A, equal_units<double, 3>(3)).ok());
    EXPECT_EQ(gram.negative_pivots(G1), static_cast<int>(mirrored));
  }
}

// A factor in a constraint changes units, not ranks, forces or digits.
TEST(RedundantConstraints, AFactorOfTwoToTheKChangesNoBit) {
  std::mt19937 random(21);
  const Rows<double> G = dependent_matrix<double>(random, 5, 8, 3);
  const Vec<double> y = random_vector<double>(random, 5);
  const auto forces = [&](double factor) {
    Rows<double> scaled_rows = G;
    for (double& a : scaled_rows[2]) a *= factor;
    const Rows<double> K = times_transpose(scaled_rows, scaled_rows);
    Vec<double> unit = equal_units<double>(5), b(5);
    unit[2] = 1 / factor;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j)
        b[i] += K[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * (j == 2 ? y[j] / factor : y[j]);
    Redundant<double> solver(5, 3, unit);
    EXPECT_TRUE(solver.factor(square(K), 1e-11)) << factor;
    solver.solve(b);
    vector<double> force(8, 0.0);
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t j = 0; j < 8; ++j) force[j] += scaled_rows[k][j] * b[static_cast<int>(k)];
    return force;
  };
  const vector<double> as_written = forces(1);
  for (const int k : {-400, -40, 40, 400}) EXPECT_EQ(forces(std::ldexp(1.0, k)), as_written) << k;
}

}  // namespace
}  // namespace holonom::test
