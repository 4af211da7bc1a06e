// Where a solution of a step's equations cannot be compared with a path that leads to it: whether the way to it leads
// along the constraints, or across them to the other side.
#pragma once

#include "holonom/jacobian.hpp"
#include "holonom/norm.hpp"

namespace holonom {

// A constraint that the way from q to q₁ leads across, with G = G(q), or −1.
template <class S, int N, int M>
int leads_across(const Jacobian<S, N, M>& G, const Vec<S, N>& q, const Vec<S, N>& q1) {
  using R = Real<S>;
  constexpr double most = 0.75;  // of the way; 0.7 where a gradient turns by a right angle
  const R round_off = R(1e4) * epsilon<S>() * largest(q);
  for (int k = 0; k < G.m(); ++k) {
    R across(0), gradient(0), way(0);
    G.row(k, [&](int j, const S& x) {
      const R d = value(q1[j]) - value(q[j]);
      across += value(x) * d;
      gradient += value(x) * value(x);
      way += d * d;
    });
    if (across * across > R(most * most) * gradient * way && way > round_off * round_off) return k;
  }
  return -1;
}

}  // namespace holonom
