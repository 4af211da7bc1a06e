// A hand-written problem as an own C++ type: the same functions, the same arithmetic.
#pragma once

#include "holonom/jacobian.hpp"
#include "holonom/mass.hpp"
#include "holonom/vector.hpp"

template <class P>
struct Own {
  using Scalar = double;
  static constexpr int N = P::n, M = P::m;
  double V(const holonom::Vec<double, N>& q) const {
    double s = 0;
    for (int i = 0; i < N; ++i) s += P::force[static_cast<std::size_t>(i)] * q[i];
    return s;
  }
  void V_q(const holonom::Vec<double, N>&, holonom::Vec<double, N>& out) const {
    for (int i = 0; i < N; ++i) out[i] = P::force[static_cast<std::size_t>(i)];
  }
  holonom::UnitMass mass() const { return {}; }
  void g(const holonom::Vec<double, N>& q, holonom::Vec<double, M>& out) const { P::g(q.data(), out.data()); }
  void G(const holonom::Vec<double, N>& q, holonom::Jacobian<double, N, M>& out) const {
    double J[M][N];
    P::G(q.data(), J);
    for (int k = 0; k < M; ++k)
      for (int i = 0; i < N; ++i) out(k, i) = J[k][i];
  }
};

// With what the underlying ordinary differential equation needs. P::g_qq(k, i, j) is constant.
template <class P>
struct OwnHamiltonian : Own<P> {
  static constexpr int N = P::n, M = P::m;
  using Q = holonom::Vec<double, N>;
  double H(const Q& q, const Q& p) const {
    double s = this->V(q);
    for (int i = 0; i < N; ++i) s += p[i] * p[i] / 2;
    return s;
  }
  void H_q(const Q& q, const Q&, Q& out) const { this->V_q(q, out); }
  void H_p(const Q&, const Q& p, Q& out) const { out = p; }
  void H_pp(const Q&, const Q&, const Q& u, Q& out) const { out = u; }
  void H_pq(const Q&, const Q&, const Q&, Q& out) const { holonom::fill(out, 0.0); }
  void g_qq(const Q&, const Q& u, const Q& v, holonom::Vec<double, M>& out) const {
    for (int k = 0; k < M; ++k) {
      out[k] = 0;
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) out[k] += P::g_qq(k, i, j) * u[i] * v[j];
    }
  }
};
