// What reformulations need of the quantities: the gradient of λ(q, p), from their list alone.
#include "holonom/solve/manifold.hpp"
#include "quantity_models.hpp"

namespace {

using namespace holonom;
using namespace holonom::test;
using std::string;

struct Multipliers {
  const AnySystem<quad>& sys;
  int n = sys.n(), m = sys.m();

  Vec<quad> product(Quantity f, const Vec<quad>& q, const Vec<quad>& p, const Vec<quad>& u) const {
    return evaluate(sys, f, {.q = &q, .p = &p, .u = &u});
  }
  Vec<quad> third(Quantity f, const Vec<quad>& q, const Vec<quad>& p, const Vec<quad>& u, const Vec<quad>& v) const {
    return evaluate(sys, f, {.q = &q, .p = &p, .u = &u, .v = &v});
  }
  Vec<quad> force(const Vec<quad>& q, const Vec<quad>& lambda) const {  // Gᵀλ
    Jacobian<quad> G(sys.pattern());
    Vec<quad> out(n);
    sys.G(q, G);
    for (int k = 0; k < m; ++k) G.row(k, [&](int j, const quad& a) { out[j] += a * lambda[k]; });
    return out;
  }
  // G H_pp Gᵀ
  Square<quad> gram(const Vec<quad>& q, const Vec<quad>& p) const {
    Jacobian<quad> G(sys.pattern());
    sys.G(q, G);
    Square<quad> K(m);
    Vec<quad> unit(m), column(m);
    for (int k = 0; k < m; ++k) {
      fill(unit, quad(0));
      unit[k] = quad(1);
      multiply(G, product(Quantity::H_pp, q, p, force(q, unit)), column);
      for (int i = 0; i < m; ++i) K(i, k) = column[i];
    }
    factor_lu(K);
    return K;
  }
  // G H_pp Gᵀ λ = g_qq(v, v) + G (H_pq v − H_pp H_q),   v = H_p
  Vec<quad> operator()(const Vec<quad>& q, const Vec<quad>& p) const {
    Vec<quad> v(n), F(n), curvature(m), out(m);
    sys.H_p(q, p, v), sys.H_q(q, p, F), sys.g_qq(q, v, v, curvature);
    Vec<quad> a = product(Quantity::H_pq, q, p, v);
    axpy(quad(-1), product(Quantity::H_pp, q, p, F), a);
    Jacobian<quad> G(sys.pattern());
    sys.G(q, G);
    multiply(G, a, out);
    axpy(quad(1), curvature, out);
    solve_lu(gram(q, p), out);
    return out;
  }
  // Of c·λ(q, p). With μ = (G H_pp Gᵀ)⁻¹c, a = Gᵀμ and s = H_q + Gᵀλ, it is that of
  //   μ·g_qq(v, v) + a·H_pq v − a·H_pp s   with fixed μ and λ.
  std::pair<Vec<quad>, Vec<quad>> gradient(const Vec<quad>& q, const Vec<quad>& p, const Vec<quad>& c) const {
    using enum Quantity;
    const Vec<quad> lambda = (*this)(q, p);
    Vec<quad> mu = c, v(n), s(n);
    solve_lu(gram(q, p), mu);
    sys.H_p(q, p, v), sys.H_q(q, p, s);
    axpy(quad(1), force(q, lambda), s);
    const Vec<quad> a = force(q, mu);
    const auto curvature = [&](const Vec<quad>& l, const Vec<quad>& u) {
      return evaluate(sys, lambda_g_qq, {.q = &q, .lambda = &l, .u = &u});
    };
    const Vec<quad> bent = curvature(mu, v), turned = product(H_qp, q, p, a), pushed = product(H_pp, q, p, a);
    Vec<quad> along_q = evaluate(sys, lambda_g_qqq, {.q = &q, .lambda = &mu, .u = &v, .v = &v});
    axpy(quad(2), product(H_qp, q, p, bent), along_q);
    axpy(quad(1), curvature(mu, product(H_pq, q, p, v)), along_q);
    axpy(quad(1), third(H_qqp, q, p, v, a), along_q);
    axpy(quad(1), product(H_qp, q, p, turned), along_q);
    axpy(quad(-1), curvature(mu, product(H_pp, q, p, s)), along_q);
    axpy(quad(-1), third(H_qpp, q, p, a, s), along_q);
    axpy(quad(-1), curvature(lambda, pushed), along_q);
    axpy(quad(-1), product(H_qq, q, p, pushed), along_q);
    Vec<quad> along_p = third(H_pqp, q, p, v, a);
    axpy(quad(2), product(H_pp, q, p, bent), along_p);
    axpy(quad(1), product(H_pp, q, p, turned), along_p);
    axpy(quad(-1), third(H_ppp, q, p, a, s), along_p);
    axpy(quad(-1), product(H_pq, q, p, pushed), along_p);
    return {along_q, along_p};
  }
};

TEST(Quantities, AreEnoughForTheGradientOfTheMultipliers) {
  for (const string& text : {separable, full_mass, mass_matrix, general, table}) {
    const ModelSystem<quad> sys(from_text(text));
    const Place<quad> at(sys);
    const Multipliers multipliers{sys};
    const auto [along_q, along_p] = multipliers.gradient(at.q, at.p, at.lambda);
    State<quad> x(sys.n(), sys.m());
    x.q = at.q, x.p = at.p;
    ASSERT_TRUE(Manifold<quad>(sys).multipliers(x).ok());
    const Vec<quad> lambda = multipliers(at.q, at.p);
    for (int k = 0; k < sys.m(); ++k) EXPECT_TRUE(agree(lambda[k], x.lambda[k], 1e6));
    const quad h("1e-6");
    quad slope(0);
    for (const auto& [steps, weight] : {std::pair{-2, 1}, {-1, -8}, {1, 8}, {2, -1}}) {
      Vec<quad> q = at.q, p = at.p;
      axpy(quad(steps * h), at.u, q);
      axpy(quad(steps * h), at.w, p);
      slope += quad(weight) / (12 * h) * dot(at.lambda, multipliers(q, p));
    }
    EXPECT_GT(to_double(quad(abs(slope))), 1e-3);
    EXPECT_NEAR(to_double(quad((dot(along_q, at.u) + dot(along_p, at.w)) / slope)), 1, 1e-15);
  }
}

}  // namespace
