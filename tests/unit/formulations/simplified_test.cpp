// (3.9)-(3.10) of Leimkuhler and Reich (1994), written out by hand with the sign of μ that they need, against h-m:
//   q' = p + μ_pᵀg,   p' = −∇F − μ_qᵀg − Gᵀμ,   μ = (G Gᵀ)⁻¹(G_q(p, p) − G∇F)
// For unit masses they are the same, on the manifold and off it.
#include "formulations/near_start.hpp"
#include "holonom/dense.hpp"
#include "holonom/formulations/formulation.hpp"

namespace holonom::test {
namespace {

using D = Dual<double>;

// Nodes in the plane with links of length 1 between neighbours, F = weight Σ m_i y_i + ½ spring Σ |r_i − r_{i+2}|².
// Coordinates are √m_i r_i, in which all masses are 1.
struct Chain {
  int nodes = 1;
  bool hung = true;    // the first node, from the origin
  bool roots = false;  // g = |d| − 1, else (|d|² − 1)/2
  double weight = 1, spring = 0;
  std::vector<double> mass = std::vector<double>(static_cast<std::size_t>(nodes), 1.0);

  double unit(int i) const { return 1 / std::sqrt(mass[static_cast<std::size_t>(i / 2)]); }  // of the i-th coordinate
};

// Everything that is printed but for the derivatives of μ
template <class S>
struct Formulas {
  Formulas(const Chain& chain, const Vec<S>& q, const Vec<S>& p) : force(q.size()) {
    const auto at = [&](const Vec<S>& x, int node, int axis) {
      return node < 0 ? S(0) : S(x[2 * node + axis] * S(chain.unit(2 * node)));
    };
    for (int node = chain.hung ? 0 : 1; node < chain.nodes; ++node) {
      S dd(0), uu(0), du(0), d[2];
      for (int axis = 0; axis < 2; ++axis) {
        d[axis] = at(q, node, axis) - at(q, node - 1, axis);
        const S u = at(p, node, axis) - at(p, node - 1, axis);
        dd += d[axis] * d[axis];
        uu += u * u;
        du += d[axis] * u;
      }
      using std::sqrt;
      const S length = chain.roots ? S(sqrt(dd)) : S(1);
      g.push_back(chain.roots ? S(length - S(1)) : S((dd - S(1)) / S(2)));
      curvature.push_back(chain.roots ? S((uu - du * du / dd) / length) : uu);
      Vec<S> row(q.size());
      for (int axis = 0; axis < 2; ++axis)
        for (const int end : {node, node - 1})
          if (end >= 0) row[2 * end + axis] = S(end == node ? 1 : -1) * d[axis] / length * S(chain.unit(2 * end));
      G.push_back(row);
    }
    for (int node = 0; node < chain.nodes; ++node) {
      force[2 * node + 1] += S(chain.weight * chain.mass[static_cast<std::size_t>(node)]);
      for (const int other : {node - 2, node + 2})
        for (int axis = 0; axis < 2 && other >= 0 && other < chain.nodes; ++axis)
          force[2 * node + axis] += S(chain.spring) * (at(q, node, axis) - at(q, other, axis));
    }
    for (int i = 0; i < force.size(); ++i) force[i] *= S(chain.unit(i));
    const int m = static_cast<int>(g.size());
    PivotedLu<S> lu(m);
    mu = Vec<S>(m);
    for (int k = 0; k < m; ++k) {
      mu[k] = curvature[at_k(k)] - dot(G[at_k(k)], force);
      for (int l = 0; l < m; ++l) lu.matrix()(k, l) = dot(G[at_k(k)], G[at_k(l)]);
    }
    EXPECT_TRUE(lu.factor());
    lu.solve(mu);
  }
  static std::size_t at_k(int k) { return static_cast<std::size_t>(k); }

  std::vector<S> g, curvature;  // curvature: G_q(p, p)
  std::vector<Vec<S>> G;
  Vec<S> force, mu;  // force: ∇F
};

struct Rates {
  Vec<double> q, p;
};
// sign: of μ; −1 is as printed
Rates written_out(const Chain& chain, const Vec<double>& q, const Vec<double>& p, double sign = 1) {
  const Formulas<double> here(chain, q, p);
  const int n = q.size(), m = here.mu.size();
  Rates rates{p, Vec<double>(n)};
  Vec<D> dq(n), dp(n);
  for (int i = 0; i < n; ++i) {
    dq[i] = {q[i], 0};
    dp[i] = {p[i], 0};
  }
  for (int i = 0; i < n; ++i) {
    dp[i].d = 1;
    const Vec<D> by_p = Formulas<D>(chain, dq, dp).mu;
    dp[i].d = 0;
    dq[i].d = 1;
    const Vec<D> by_q = Formulas<D>(chain, dq, dp).mu;
    dq[i].d = 0;
    rates.p[i] = -here.force[i];
    for (int k = 0; k < m; ++k) {
      const auto at = static_cast<std::size_t>(k);
      rates.q[i] += sign * by_p[k].d * here.g[at];
      rates.p[i] -= sign * (by_q[k].d * here.g[at] + here.G[at][i] * here.mu[k]);
    }
  }
  return rates;
}
Rates of_h_m(const ModelSystem<double>& sys, const Vec<double>& q, const Vec<double>& p) {
  const auto K = formulate<double>(Formulation::parse("simplified"), sys);
  Rates rates{Vec<double>(q.size()), Vec<double>(q.size())};
  K->system().H_p(q, p, rates.q);
  K->system().H_q(q, p, rates.p);
  for (double& x : rates.p) x = -x;
  return rates;
}
// The largest difference, of the largest rate
double apart(const Rates& a, const Rates& b) {
  const double size = std::max(largest(a.q), largest(a.p));
  return std::max(holonom::largest_difference(a.q, b.q), holonom::largest_difference(a.p, b.p)) / size;
}

struct Row {
  const char* model;
  Overrides set;
  Chain chain;
};

TEST(Simplified, IsReichsHamiltonianForUnitMasses) {
  const Row rows[] = {{"pendulum-quadratic", {}, {}},
                      {"pendulum", {}, {.roots = true}},
                      {"double-pendulum", {}, {.nodes = 2, .roots = true}},
                      {"spring-chain", {}, {.nodes = 6, .hung = false, .weight = 0, .spring = 1}},
                      {"hanging-chain", {{"N", "5"}}, {.nodes = 5}}};
  std::mt19937 random(31);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.model);
    const ModelSystem<double> sys(load(row.model, row.set));
    for (int trial = 0; trial < 20; ++trial) {
      const NearStart at(sys, random, 0.3);
      const Formulas<double> here(row.chain, at.q, at.p);
      double off = 0;
      for (const double g : here.g) off = std::max(off, std::abs(g));
      ASSERT_GT(off, 1e-3);  // off the manifold
      const Rates h_m = of_h_m(sys, at.q, at.p);
      EXPECT_LE(apart(h_m, written_out(row.chain, at.q, at.p)), 1e-13);
      EXPECT_GT(apart(h_m, written_out(row.chain, at.q, at.p, -1)), 0.1);
    }
  }
}

// The same for a pendulum, with all derivatives by hand
TEST(Simplified, IsReichsHamiltonianOnThePendulum) {
  const ModelSystem<double> sys(load("pendulum-quadratic"));
  std::mt19937 random(32);
  for (int trial = 0; trial < 20; ++trial) {
    const NearStart at(sys, random, 0.5);
    const double qq = dot(at.q, at.q), pp = dot(at.p, at.p), g = (qq - 1) / 2, mu = (pp - at.q[1]) / qq;
    Rates rates{Vec<double>(2), Vec<double>(2)};
    for (int i = 0; i < 2; ++i) {
      const double down = i == 1 ? 1 : 0, mu_p = 2 * at.p[i] / qq, mu_q = -(down + 2 * mu * at.q[i]) / qq;
      rates.q[i] = at.p[i] + mu_p * g;
      rates.p[i] = -down - mu_q * g - at.q[i] * mu;
    }
    EXPECT_LE(apart(of_h_m(sys, at.q, at.p), rates), 1e-14);
  }
}

// With other masses p is no velocity: (3.9) differs already on the manifold, by p − M⁻¹p. They are h-m in the
// coordinates √m q, p/√m, in which masses are 1.
TEST(Simplified, IsReichsHamiltonianForOtherMassesInOtherCoordinates) {
  const Row rows[] = {{"pendulum-quadratic", {{"m", "0.3"}}, {.mass = {0.3}}},
                      {"double-pendulum", {{"m1", "2"}, {"m2", "0.3"}}, {.nodes = 2, .roots = true, .mass = {2, 0.3}}}};
  std::mt19937 random(33);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.model);
    const ModelSystem<double> sys(load(row.model, row.set));
    const int n = sys.n();
    Chain unit_masses = row.chain;
    unit_masses.mass.assign(unit_masses.mass.size(), 1.0);
    for (int trial = 0; trial < 20; ++trial) {
      const NearStart at(sys, random, 0.3);
      Vec<double> Q(n), P(n);
      for (int i = 0; i < n; ++i) {
        Q[i] = at.q[i] / row.chain.unit(i);
        P[i] = at.p[i] * row.chain.unit(i);
      }
      Rates rates = written_out(row.chain, Q, P);
      for (int i = 0; i < n; ++i) {
        rates.q[i] *= row.chain.unit(i);
        rates.p[i] /= row.chain.unit(i);
      }
      EXPECT_LE(apart(of_h_m(sys, at.q, at.p), rates), 1e-13);
      EXPECT_GT(apart(of_h_m(sys, at.q, at.p), written_out(unit_masses, at.q, at.p)), 0.01);
    }
    // On the manifold, where g = 0
    State<double> x = initial_state(sys).state;
    x.p = NearStart(sys, random, 0.3).p;
    const Rates h_m = of_h_m(sys, x.q, x.p), printed = written_out(unit_masses, x.q, x.p);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(h_m.q[i], x.p[i] / row.chain.mass[static_cast<std::size_t>(i / 2)], 1e-14);
      EXPECT_NEAR(printed.q[i], x.p[i], 1e-14);
    }
  }
}

}  // namespace
}  // namespace holonom::test
