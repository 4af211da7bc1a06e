// The two problems of the work-precision comparison, with what peers need of them: unit masses, a constant
// force, constraints with constant second derivatives. Energies are in units of m g l = 1.
#pragma once

#include <algorithm>

#include "hand_written.hpp"

namespace bench {

// Reich's pendulum (models/pendulum.toml): released at rest from the horizontal.
struct Pendulum : hand::Pendulum {
  static constexpr const char* title = "plane pendulum released from the horizontal (Reich)";
  static constexpr const char* model = "pendulum.toml";
  static constexpr const char* unit = "its period, 4 K(1/2) = 7.4163";
  static constexpr double period = 7.4162987092054875;
  static double g_qq(int, int i, int j) { return i == j; }
};

// Jay's example 2 (models/double-pendulum.toml): rods at +30 and -30 degrees. The motion is quasi-periodic.
struct DoublePendulum : hand::DoublePendulum {
  static constexpr const char* title = "double pendulum, rods at +30 and -30 degrees (Jay's example 2)";
  static constexpr const char* model = "double-pendulum.toml";
  static constexpr const char* unit = "the slow small-oscillation period, 2 pi/sqrt(2 - sqrt(2)) = 8.2094";
  static constexpr double period = 8.209377223816247;
  static constexpr std::array<double, 4> q0{0.5, -0.86602540378443864676, 0, -1.7320508075688772935};
  static double g_qq(int k, int i, int j) {
    if (k == 0) return i == j && i < 2;
    return i % 2 != j % 2 ? 0 : i == j ? 1 : -1;
  }
};

// V_q, the opposite of the force.
template <class P>
constexpr double V_q(int i) {
  return P::force[static_cast<std::size_t>(i)];
}

template <class P>
void start(double* q, double* p) {
  std::copy_n(P::q0.data(), P::n, q);
  std::fill_n(p, P::n, 0.0);
}

template <class P>
double energy(const double* q, const double* p) {
  double s = 0;
  for (int i = 0; i < P::n; ++i) s += 0.5 * p[i] * p[i] + V_q<P>(i) * q[i];
  return s;
}

// (G Gᵀ) x = b, m ≤ 2
template <class P>
void solve_gram(const double (*G)[P::n], const double* b, double* x) {
  double a[P::m][P::m] = {};
  for (int k = 0; k < P::m; ++k)
    for (int l = 0; l < P::m; ++l)
      for (int i = 0; i < P::n; ++i) a[k][l] += G[k][i] * G[l][i];
  if constexpr (P::m == 1) {
    x[0] = b[0] / a[0][0];
  } else {
    const double d = 1 / (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
    const double x0 = (a[1][1] * b[0] - a[0][1] * b[1]) * d, x1 = (a[0][0] * b[1] - a[1][0] * b[0]) * d;
    x[0] = x0, x[1] = x1;
  }
}

// λ(q, p) of the index-1 system: G Gᵀ λ = g_qq(p, p) − G V_q. Fills G.
template <class P>
void multipliers(const double* q, const double* p, double (*G)[P::n], double* lambda) {
  P::G(q, G);
  double b[P::m];
  for (int k = 0; k < P::m; ++k) {
    b[k] = 0;
    for (int i = 0; i < P::n; ++i) {
      b[k] -= G[k][i] * V_q<P>(i);
      for (int j = 0; j < P::n; ++j) b[k] += P::g_qq(k, i, j) * p[i] * p[j];
    }
  }
  solve_gram<P>(G, b, lambda);
}

}  // namespace bench
