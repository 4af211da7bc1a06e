// State: time, positions, momenta, and the exact multipliers λ(q, p) where they were asked for.
#pragma once

#include "holonom/vector.hpp"

namespace holonom {

template <class S, int N = Dynamic, int M = Dynamic>
struct State {
  S t{0};  // t0 + k h, never accumulated
  Vec<S, N> q, p;
  Vec<S, M> lambda;

  State() = default;
  State(int n, int m) : q(n), p(n), lambda(m) {}

  template <class F>
  void visit_memory(F&& f) {
    f("t", t);
    f("q", q);
    f("p", p);
    f("lambda", lambda);
  }
};

}  // namespace holonom
