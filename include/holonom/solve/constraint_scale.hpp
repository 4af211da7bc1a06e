// What a residual of a constraint is measured against: the sizes of the terms it is made of. The same in all units of
// coordinates and constraints, and never a number that happens to vanish.
#pragma once

#include "holonom/mass.hpp"
#include "holonom/norm.hpp"
#include "holonom/system.hpp"

namespace holonom {

// max_k |r_k| / scale_k. NaN if one of them is. (No branches: which constraint is the largest cannot be predicted.)
template <class S, class R, int M>
R relative_residual(const Vec<S, M>& r, const Vec<R, M>& inverse_scale) {
  if (r.size() == 0) return R(0);
  R largest = magnitude(r[0]) * inverse_scale[0], sum = largest;
  for (int k = 1; k < r.size(); ++k) {
    const R x = magnitude(r[k]) * inverse_scale[k];
    sum += x;
    largest = largest < x ? x : largest;
  }
  return sum == sum ? largest : sum;
}

// The constraint with the largest relative residual.
template <class S, class R, int M>
int worst_constraint(const Vec<S, M>& r, const Vec<R, M>& inverse_scale) {
  int worst = -1;
  R largest(0);
  for (int k = 0; k < r.size(); ++k) {
    const R x = magnitude(r[k]) * inverse_scale[k];
    if (x <= largest) continue;  // NaN is the worst
    largest = x;
    worst = k;
  }
  return worst;
}

template <class S, int N, int M>
class ConstraintScale {
  using R = Real<S>;

 public:
  ConstraintScale(int n, int m)
      : unit_(n), impulse_(n), error_(n), memory_{Vec<R, M>(m)}, reach_(m), hidden_(m), stands_still_(m), trial_(m) {}

  // At a first point, with G = G(q) and the metric A there; r is scratch.
  template <Constrained Sys, class Metric>
  void begin(const Sys& sys, const Metric& A, const Vec<S, N>& q, const Jacobian<S, N, M>& G, Vec<S, M>& r) {
    find_units(A, q);
    fill(memory_.inverse, R(0));  // unknown
    if constexpr (requires { sys.g_scale(q, r); }) {
      sys.g_scale(q, r);
      for (int k = 0; k < r.size(); ++k)
        if (magnitude(r[k]) > R(0)) memory_.inverse[k] = R(1) / magnitude(r[k]);
    }
    grow(G, q);
    fill(reach_, R(0));
    grow(G, q, reach_);
  }

  // At a point that was reached: scales only ever grow, so that a residual cannot come and go with them.
  // (Out of line, as all that is rare: small systems need the registers.)
  [[gnu::noinline]] void grow(const Jacobian<S, N, M>& G, const Vec<S, N>& q) { grow(G, q, memory_.inverse); }

  R residual(const Vec<S, M>& r) const { return relative_residual(r, memory_.inverse); }
  // Against the terms at q as well, which nobody has reached yet.
  [[gnu::noinline]] R residual_at(const Jacobian<S, N, M>& G, const Vec<S, N>& q, const Vec<S, M>& r) {
    trial_ = memory_.inverse;
    grow(G, q, trial_);
    return relative_residual(r, trial_);
  }
  // Against what rounding errors of positions do to g: what can be reached at best.
  R residual_of_positions(const Vec<S, M>& r) const { return relative_residual(r, reach_); }
  int worst(const Vec<S, M>& r) const { return worst_constraint(r, memory_.inverse); }
  const Vec<R, M>& inverse() const { return memory_.inverse; }
  // The same as powers of two: rows of G times these are comparable with each other, and have lost no digit.
  Vec<R, M> row_units() const {
    using std::frexp;
    using std::ldexp;
    Vec<R, M> unit(memory_.inverse.size());
    for (int k = 0; k < unit.size(); ++k) {
      int exponent = 0;
      frexp(memory_.inverse[k], &exponent);
      unit[k] = ldexp(R(1), exponent);
    }
    return unit;
  }

  // The same for G v, v = A p: against velocities, and against momenta, of which rounding errors make some where A is
  // not diagonal. `redundant`: gradients may vanish (a dead centre), their rounding errors do not.
  void measure_motion(const Jacobian<S, N, M>& G, const Vec<S, N>& v, const Vec<S, N>& p, bool redundant = false) {
    R all(0);
    for (int i = 0; i < v.size(); ++i) {
      impulse_[i] = magnitude(v[i]) * unit_[i];
      keep_larger(impulse_[i], R(magnitude(p[i]) / unit_[i]));
      keep_larger(all, impulse_[i]);
    }
    for (int k = 0; k < G.m(); ++k) {
      R gradient(0), motion(0);
      G.row(k, [&](int j, const S& x) {
        keep_larger(gradient, R(magnitude(x) / unit_[j]));
        keep_larger(motion, impulse_[j]);
      });
      stands_still_[k] = motion > negligible() * all ? R(0) : R(1);
      if (stands_still_[k] > R(0)) motion = all;
      if (redundant && memory_.inverse[k] * memory_.extent > R(0))
        keep_larger(gradient, R(R(1) / (memory_.inverse[k] * memory_.extent)));
      hidden_[k] = gradient * motion > R(0) ? R(R(1) / (gradient * motion)) : R(1);
    }
  }
  // Redundant constraints contradict each other off the manifold, and positions are on it up to their rounding errors
  // only: G v vanishes up to g_qq(v, εq). r is scratch.
  template <HasCurvature Sys>
  void add_rounding_of_positions(const Sys& sys, const Vec<S, N>& q, const Vec<S, N>& v, Vec<S, M>& r) {
    if (!knows(sys, Quantity::g_qq)) return;
    like_rounding_errors(q, error_);
    sys.g_qq(q, v, error_, r);
    for (int k = 0; k < r.size(); ++k)
      if (const R size = magnitude(value(r[k])); size * hidden_[k] > R(1)) hidden_[k] = R(1) / size;
  }
  // A projection of momenta, p ← p − Gᵀμ, leaves rounding errors of its own terms, which may be larger than what is
  // left of p.
  void add_impulse(const Jacobian<S, N, M>& G, const Vec<S, M>& mu) {
    fill(impulse_, R(0));
    for (int k = 0; k < G.m(); ++k)
      G.row(k, [&](int j, const S& x) { impulse_[j] += magnitude(S(x * mu[k])) / unit_[j]; });
    for (int k = 0; k < G.m(); ++k) {
      R gradient(0), motion(0);
      G.row(k, [&](int j, const S& x) {
        keep_larger(gradient, R(magnitude(x) / unit_[j]));
        keep_larger(motion, impulse_[j]);
      });
      if (gradient * motion * hidden_[k] > R(1)) hidden_[k] = R(1) / (gradient * motion);
    }
  }
  // Of coordinates, from the metric at the first point
  Vec<R, N>& units() { return unit_; }

  R hidden_residual(const Vec<S, M>& r) const { return relative_residual(r, hidden_); }
  int worst_hidden(const Vec<S, M>& r) const { return worst_constraint(r, hidden_); }
  const Vec<R, M>& hidden_inverse() const { return hidden_; }
  // Whether the motion of other coordinates is the measure, because those of constraint k do not move.
  bool stands_still(int k) const { return stands_still_[k] > R(0); }

  template <class F>
  void visit_memory(F&& f) {
    memory_.visit_memory(f);
  }

 private:
  // What is smaller than this part of the largest is a rounding error of it.
  static R negligible() { return R(1000) * epsilon<S>(); }
  static void keep_larger(R& a, const R& b) {
    if (a < b) a = b;
  }
  // 1/√A_ii: coordinates times these have a common unit.
  template <class Metric>
  void find_units(const Metric& A, const Vec<S, N>& q) {
    using std::sqrt;
    fill(unit_, R(1));
    const auto set = [&](int i, const S& a) {
      if (value(a) > R(0) && is_finite(value(a))) unit_[i] = R(1) / R(sqrt(value(a)));
    };
    if (const Vec<S, N>* diagonal = A.diagonal()) {
      for (int i = 0; i < q.size(); ++i) set(i, (*diagonal)[i]);
    } else if (const auto* mass = sparse_mass(A)) {
      for (int i = 0; i < q.size(); ++i) set(i, S(S(1) / mass->diagonal(i)));
    } else {
      Vec<S, N> unit(q.size()), image(q.size());
      for (int i = 0; i < q.size(); ++i) {
        unit[i] = S(1);
        A(unit, image);
        set(i, image[i]);
        unit[i] = S(0);
      }
    }
  }
  template <class Metric>
  static const SparseMass<S>* sparse_mass(const Metric& A) {
    if constexpr (N == Dynamic && requires { A.sparse_mass(); })
      return A.sparse_mass();
    else
      return nullptr;
  }
  // Rounding errors of q change g_k by ε Σ_j |G_kj| |q_j|. Products may vanish, or all coordinates of a constraint:
  // then what is left is an error of the others, and measured against these.
  void grow(const Jacobian<S, N, M>& G, const Vec<S, N>& q, Vec<R, M>& inverse) {
    memory_.extent = R(0);
    for (int i = 0; i < q.size(); ++i) keep_larger(memory_.extent, R(magnitude(q[i]) * unit_[i]));
    for (int k = 0; k < G.m(); ++k) {
      R terms(0), gradient(0), place(0);
      G.row(k, [&](int j, const S& a) {
        terms += magnitude(a) * magnitude(q[j]);
        keep_larger(gradient, R(magnitude(a) / unit_[j]));
        keep_larger(place, R(magnitude(q[j]) * unit_[j]));
      });
      keep_larger(terms, R(gradient * (place > negligible() * memory_.extent ? place : memory_.extent)));
      if (terms * inverse[k] > R(1) || (inverse[k] == R(0) && terms > R(0))) inverse[k] = R(1) / terms;
      if (inverse[k] == R(0)) inverse[k] = R(1);
    }
  }

  // What grows, or changes, with the positions that were reached
  struct Memory {
    Vec<R, M> inverse;  // 1/scale of the terms of g: what rounding errors of g are relative to
    R extent{0};        // the largest coordinate in common units, where it was last looked at

    template <class F>
    void visit_memory(F&& f) {
      f("inverse_scale", inverse);
      f("extent", extent);
    }
  };

  Vec<R, N> unit_, impulse_;  // impulse_ is scratch
  Vec<S, N> error_;           // scratch
  Memory memory_;
  Vec<R, M> reach_;         // 1/scale of what rounding errors of positions do to g
  Vec<R, M> hidden_;        // 1/scale of G v
  Vec<R, M> stands_still_;  // 1: yes
  Vec<R, M> trial_;
};

}  // namespace holonom
