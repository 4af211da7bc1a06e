// Symplecticity by the exact tangent map. The form ω(ξ, η) = ξ_q·η_p − ξ_p·η_q, restricted to the
// manifold {g = 0, G H_p = 0}, is what a constrained symplectic method keeps; off the tangent space of
// the manifold it says nothing. A run in dual numbers carries one tangent vector along, exactly. Of a field the same
// vectors tell whether volume is preserved.
#pragma once

#include <algorithm>
#include <vector>

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/dense.hpp"
#include "holonom/unconstrained.hpp"

namespace holonom {

// In units of the motion (StateSize), so that q and p weigh alike.
template <class S>
struct TangentVector {
  Vec<S> q, p;
};

template <class S>
S dot(const TangentVector<S>& x, const TangentVector<S>& y) {
  return dot(x.q, y.q) + dot(x.p, y.p);
}
template <class S>
S wedge(const TangentVector<S>& x, const TangentVector<S>& y) {
  return dot(x.q, y.p) - dot(x.p, y.q);
}

// Gram-Schmidt that takes the vectors with the largest remainder first, so that dependent ones come
// last: `negligible` is what is left of a unit vector that depends on the others.
template <class S>
class Orthonormal {
 public:
  const std::vector<TangentVector<S>>& vectors() const { return vectors_; }

  void extend(std::vector<TangentVector<S>> by, const S& negligible) {
    using std::sqrt;
    for (TangentVector<S>& x : by) {
      if (const S size = dot(x, x); size > S(0)) scale(x, S(1) / S(sqrt(size)));
      for (const TangentVector<S>& e : vectors_) remove(x, e);
    }
    while (!by.empty()) {
      const auto longest =
          std::max_element(by.begin(), by.end(),
                           [](const TangentVector<S>& x, const TangentVector<S>& y) { return dot(x, x) < dot(y, y); });
      const S size = sqrt(dot(*longest, *longest));
      if (!(size > negligible)) return;
      std::swap(*longest, by.back());
      TangentVector<S> chosen = std::move(by.back());
      by.pop_back();
      scale(chosen, S(1) / size);
      for (const TangentVector<S>& e : vectors_) remove(chosen, e);  // once more: twice is enough
      scale(chosen, S(1) / S(sqrt(dot(chosen, chosen))));
      for (TangentVector<S>& x : by) remove(x, chosen);
      vectors_.push_back(std::move(chosen));
    }
  }

 private:
  static void scale(TangentVector<S>& x, const S& a) {
    for (S& y : x.q) y *= a;
    for (S& y : x.p) y *= a;
  }
  static void remove(TangentVector<S>& x, const TangentVector<S>& e) {
    const S along = dot(x, e);
    axpy(S(-along), e.q, x.q);
    axpy(S(-along), e.p, x.p);
  }

  std::vector<TangentVector<S>> vectors_;
};

// An orthonormal basis of the tangent space of the manifold at x: all (δq, δp) with
//   G δq = 0  and  δ(G H_p) = g_qq(H_p, δq) + G (H_pq δq + H_pp δp) = 0.
// Redundant constraints are allowed.
template <class S>
std::vector<TangentVector<S>> tangent_basis(const AnySystem<S>& sys, const State<S>& x, const StateSize<S>& size) {
  const int n = sys.n(), m = sys.m();
  const TangentVector<S> zero{Vec<S>(n), Vec<S>(n)};
  std::vector<TangentVector<S>> normals(static_cast<std::size_t>(2 * m), zero),
      units(static_cast<std::size_t>(2 * n), zero);
  const auto normal = [&](int k) -> TangentVector<S>& { return normals[static_cast<std::size_t>(k)]; };
  Vec<S> v(n), unit(n), image(n), curvature(m), row(m);
  Jacobian<S> G(sys.pattern());
  sys.G(x.q, G);
  sys.H_p(x.q, x.p, v);
  for (int k = 0; k < m; ++k) G.row(k, [&](int j, const S& a) { normal(k).q[j] = a * size.q; });
  for (int j = 0; j < n; ++j) {
    fill(unit, S(0));
    unit[j] = S(1);
    if (m > 0) {
      sys.g_qq(x.q, v, unit, curvature);
      sys.H_pq(x.q, x.p, unit, image);
      multiply(G, image, row);
      for (int k = 0; k < m; ++k) normal(m + k).q[j] = (curvature[k] + row[k]) * size.q;
      sys.H_pp(x.q, x.p, unit, image);
      multiply(G, image, row);
      for (int k = 0; k < m; ++k) normal(m + k).p[j] = row[k] * size.p;
    }
    const auto of_q = static_cast<std::size_t>(j), of_p = static_cast<std::size_t>(n) + of_q;
    units[of_q].q[j] = units[of_p].p[j] = S(1);
  }
  using std::sqrt;
  const S negligible = S(1000) * S(sqrt(epsilon<S>()));  // far from rounding errors, and from true angles
  Orthonormal<S> all;
  all.extend(std::move(normals), negligible);
  const auto rank = static_cast<std::ptrdiff_t>(all.vectors().size());
  all.extend(std::move(units), negligible);
  return {all.vectors().begin() + rank, all.vectors().end()};
}

// Each vector of `basis` under the tangent map of Φ_h^steps at x.
template <class S>
std::vector<TangentVector<S>> transport(const MethodEntry& entry, const AnySystem<Dual<S>>& sys, const State<S>& x,
                                        const std::vector<TangentVector<S>>& basis, const StateSize<S>& size,
                                        const S& h, long steps) {
  NumericalMap<Dual<S>> map(entry, sys);
  std::vector<TangentVector<S>> images;
  for (const TangentVector<S>& xi : basis) {
    State<Dual<S>> y(sys.n(), sys.m());
    for (int i = 0; i < sys.n(); ++i) {
      y.q[i] = {x.q[i], xi.q[i] * size.q};
      y.p[i] = {x.p[i], xi.p[i] * size.p};
    }
    map(y, Dual<S>(h), steps);
    TangentVector<S> image{Vec<S>(sys.n()), Vec<S>(sys.n())};
    for (int i = 0; i < sys.n(); ++i) {
      image.q[i] = y.q[i].d / size.q;
      image.p[i] = y.p[i].d / size.p;
    }
    images.push_back(std::move(image));
  }
  return images;
}

// max |ω(ξ'_i, ξ'_j) − ω(ξ_i, ξ_j)| / max(1, |ξ'_i| |ξ'_j|) over pairs of an orthonormal basis of the
// tangent space at x. The divisor matters only where the map stretches: rounding errors stretch too.
template <class S>
S symplectic_defect(const MethodEntry& entry, const AnySystem<S>& sys, const AnySystem<Dual<S>>& dual_sys,
                    const State<S>& x, const StateSize<S>& size, const S& h, long steps) {
  using std::sqrt;
  const std::vector<TangentVector<S>> before = tangent_basis(sys, x, size);
  const std::vector<TangentVector<S>> after = transport(entry, dual_sys, x, before, size, h, steps);
  S defect(0);
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t j = i + 1; j < before.size(); ++j) {
      using std::abs;
      S stretch = sqrt(S(dot(after[i], after[i]) * dot(after[j], after[j])));
      if (stretch < S(1)) stretch = S(1);
      keep_largest(defect, S(abs(S(wedge(after[i], after[j]) - wedge(before[i], before[j]))) / stretch));
    }
  return defect;
}

// |det − 1| of the tangent map of Φ_h^steps at x, in all of (q, p). What fills up the parts of a field stays as it is.
template <class S>
S volume_defect(const MethodEntry& entry, const AnySystem<Dual<S>>& sys, const State<S>& x, const S& h, long steps) {
  using std::abs;
  const int n = sys.n();
  std::vector<TangentVector<S>> units(static_cast<std::size_t>(2 * n), {Vec<S>(n), Vec<S>(n)});
  for (int j = 0; j < n; ++j) {
    const auto of_q = static_cast<std::size_t>(j), of_p = static_cast<std::size_t>(n) + of_q;
    units[of_q].q[j] = units[of_p].p[j] = S(1);
  }
  const std::vector<TangentVector<S>> images = transport(entry, sys, x, units, StateSize<S>{S(1), S(1)}, h, steps);
  PivotedLu<S> map(2 * n);
  for (int j = 0; j < 2 * n; ++j)
    for (int i = 0; i < n; ++i) {
      map.matrix()(i, j) = images[static_cast<std::size_t>(j)].q[i];
      map.matrix()(n + i, j) = images[static_cast<std::size_t>(j)].p[i];
    }
  if (!map.factor()) return not_a_number<S>();
  S determinant(map.sign());
  for (int k = 0; k < 2 * n; ++k) determinant *= abs(map.matrix()(k, k));
  return abs(S(determinant - S(1)));
}

// |Σ ∂f_i/∂y_i| / Σ |∂f_i/∂y_i| of a field at x; 0 where all of these are.
template <class S>
S divergence(const AnySystem<S>& sys, const State<S>& x) {
  using std::abs;
  const int n = sys.n();
  Vec<S> unit(n), change(n);
  S sum(0), size(0);
  for (int j = 0; j < n; ++j) {
    unit[j] = S(1);
    sys.H_pq(x.q, x.p, unit, change);
    S entry = change[j];
    sum += entry;
    size += abs(entry);
    sys.H_qp(x.q, x.p, unit, change);
    entry = -change[j];
    sum += entry;
    size += abs(entry);
    unit[j] = S(0);
  }
  return size == S(0) ? S(0) : S(abs(sum) / size);
}

}  // namespace holonom
