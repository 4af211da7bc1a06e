// Brackets: gradients against dual numbers, and the identities of Leimkuhler and Reich, section 3.1.
#include "holonom/solve/brackets.hpp"

#include "formulations/near_start.hpp"

namespace holonom::test {
namespace {

using D = Dual<double>;

// x·ψ, x·r, xᵀK y and xᵀB y
template <class S>
struct Values {
  S psi, r, K, B;

  Values(const AnySystem<S>& sys, Brackets<S>& at, const Vec<S>& q, const Vec<S>& p, const Vec<S>& x, const Vec<S>& y)
      : psi(dot(x, at.psi())) {
    Vec<S> X(sys.n()), Y(sys.n()), a(sys.n()), b(sys.m());
    at.add_g(S(1), x, X);
    at.add_g(S(1), y, Y);
    sys.H_pp(q, p, Y, a);
    K = dot(X, a);
    at.B(y, b);
    B = dot(x, b);
    // r = K λ
    fill(Y, S(0));
    at.add_g(S(1), at.lambda(), Y);
    sys.H_pp(q, p, Y, a);
    r = dot(X, a);
  }
};

TEST(Brackets, GradientsAreThoseOfDualNumbers) {
  std::mt19937 random(11);
  for (const std::string& model : formulation_models()) {
    SCOPED_TRACE(model);
    const auto compiled = load(model);
    const ModelSystem<double> sys(compiled);
    const ModelSystem<D> dual(compiled);
    for (int trial = 0; trial < 3; ++trial) {
      const NearStart at(sys, random, 0.05);
      Brackets<double> here(sys);
      Brackets<D> in_duals(dual);
      ASSERT_TRUE(here.at(at.q, at.p).ok());
      ASSERT_TRUE(in_duals.at(at.dq, at.dp).ok());
      Vec<D> x(sys.m()), y(sys.m());
      for (int k = 0; k < sys.m(); ++k) {
        x[k] = at.x[k];
        y[k] = at.y[k];
      }
      const Values<D> values(dual, in_duals, at.dq, at.dp, x, y);
      Gradient<double> row(sys.n());
      const auto expect = [&](const char* what, const D& value) {
        const double size = std::sqrt(dot(row.q, row.q) + dot(row.p, row.p)) * std::sqrt(2.0 * sys.n());
        EXPECT_NEAR(along(row.q, row.p, at), value.d, 1e-11 * std::max(1.0, size)) << what;
        row.clear();
      };
      here.add_psi(1.0, at.x, row);
      expect("psi", values.psi);
      here.add_r(1.0, at.x, row);
      expect("r", values.r);
      here.add_K(1.0, at.x, at.y, row);
      expect("K", values.K);
      here.add_B(1.0, at.x, at.y, row);
      expect("B", values.B);
      Vec<double> change(sys.m());
      here.lambda_along(at.u, at.w, change);
      for (int k = 0; k < sys.m(); ++k)
        EXPECT_NEAR(change[k], in_duals.lambda()[k].d, 1e-9 * (1 + std::abs(change[k]))) << "lambda";
      here.psi_along(at.u, at.w, change);
      for (int k = 0; k < sys.m(); ++k)
        EXPECT_NEAR(change[k], in_duals.psi()[k].d, 1e-11 * (1 + std::abs(change[k]))) << "psi along";
    }
  }
}

// {ψ, ψ} is skew: xᵀB y = −yᵀB x. It does not vanish where there are several constraints.
TEST(Brackets, OfTheHiddenConstraintsAreSkew) {
  std::mt19937 random(12);
  double largest = 0;
  for (const std::string& model : formulation_models()) {
    const ModelSystem<double> sys(load(model));
    const NearStart at(sys, random, 0.05);
    Brackets<double> here(sys);
    ASSERT_TRUE(here.at(at.q, at.p).ok());
    Vec<double> a(sys.m()), b(sys.m());
    here.B(at.y, a);
    here.B(at.x, b);
    const double xBy = dot(at.x, a), yBx = dot(at.y, b);
    EXPECT_NEAR(xBy, -yBx, 1e-11 * (1 + std::abs(xBy))) << model;
    if (sys.m() == 1) {
      EXPECT_NEAR(xBy, 0, 1e-12) << model;
    }
    largest = std::max(largest, std::abs(xBy));
  }
  EXPECT_GT(largest, 0.1);
}

}  // namespace
}  // namespace holonom::test
