// Reich's wrapper (24): any symplectic map Ψ of the unconstrained system becomes a method on the manifold,
//   (q₁, p̃) = Ψ_h(q, p − G(q)ᵀΛ),   g(q₁) = 0,   then p₁ = p̃ − G(q₁)ᵀμ with G H_p = 0.
// Its order is that of Ψ, but at most 2: Λ acts at one instant, where the multiplier of the exact flow acts
// all along. Compositions raise the order again.
//
// A map is a class Map<Sys> with
//   Map(sys)                                    its scratch space
//   Status operator()(sys, q, p, h, counters)   (q, p) ← Ψ_h(q, p), constraints ignored; no allocation, and nothing
//                                               remembered from call to call
//   response()                                  optional: −1 if an impulse moves positions against H_pp GᵀΛ, else 1
//   track_action(sys), action()                 optional, for shadow energies: from the first call on, the action of
//   the
//                                               last Ψ_h (action.hpp); the call returns why not, or an empty text
#pragma once

#include <algorithm>

#include "holonom/methods/interfaces.hpp"
#include "holonom/solve/across.hpp"
#include "holonom/solve/broyden.hpp"
#include "holonom/solve/predictor.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

template <class Sys, template <class> class Map>
class MapMotion {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  template <class... Further>
  MapMotion(const Sys& sys, int moves, Further&&... further)
      : map_(sys, std::forward<Further>(further)...),
        gram_(size_q(sys), size_g(sys)),
        predictor_(moves, size_g(sys)),
        broyden_(size_g(sys)),
        G_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        q1_(size_q(sys)),
        p1_(size_q(sys)),
        v_(size_q(sys)),
        impulse_(size_g(sys)),
        r_(size_g(sys)),
        scale_(size_q(sys), size_g(sys)),
        p_of_last_move_(size_q(sys)) {
    static_assert(MapOf<Map<Sys>, Sys>);
  }

  Status begin(const Sys& sys, const State<S, N, M>& x) {
    sys.G(x.q, G_);
    ++counters_.jacobian;
    const MetricAt<Sys> metric{sys, x.q, x.p};
    scale_.begin(sys, metric, x.q, G_, r_);
    const Status s = gram_.analyse(G_, metric, scale_.row_units());
    predictor_.begin(gram_.rank() < gram_.m(), scale_.row_units());
    return s;
  }

  Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost,
              ActionSum<S>* action = nullptr) {
    const S h = ah + bh;
    predictor_.guess(slot, impulse_);
    broyden_.begin();
    Convergence<R> convergence(epsilon<S>(), options_, false);
    bool paused = false;
    for (;;) {
      q1_ = q;
      p1_ = p;
      subtract_force(G_, impulse_, p1_);
      if (const Status s = map_(sys, q1_, p1_, h, counters_); !s.ok()) return s;
      if (gram_.m() == 0) break;
      sys.g(q1_, r_);
      ++counters_.constraint;
      const R size = scale_.residual(r_);
      const auto verdict = convergence(size);
      // Broyden's method need not gain in every iteration, least of all in tangents, only in every two.
      paused = !paused && convergence.stalled() && size > R(10) * epsilon<S>();
      if (verdict == Convergence<R>::Verdict::done && !paused) break;
      if (verdict == Convergence<R>::Verdict::failed) {
        counters_.newton(convergence.iterations());
        return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst(r_), to_double(size)};
      }
      R of_values(0);
      for (int k = 0; k < r_.size(); ++k)
        of_values = std::max(of_values, R(magnitude(value(r_[k])) * scale_.inverse()[k]));
      gram_.solve(r_);
      S response = h;
      if constexpr (requires { map_.response(); }) response *= S(map_.response());
      for (int k = 0; k < r_.size(); ++k) r_[k] /= response;
      broyden_(r_, of_values > R(1000) * epsilon<S>());
      for (int k = 0; k < r_.size(); ++k) impulse_[k] += r_[k];
    }
    if (const int k = leads_across(G_, q, q1_); k >= 0) return {Failure::wrong_root, k};
    predictor_.remember(slot, impulse_);
    if constexpr (knows_action)
      if (action) action->add(map_.action());
    q = q1_;
    p = p1_;
    if (lost) lost->clear();
    if (gram_.m() == 0) return {};
    counters_.newton(convergence.iterations());
    sys.G(q, G1_);
    ++counters_.jacobian;
    if (gram_.negative_pivots(G1_) > 0) return {Failure::wrong_root};
    std::swap(G_, G1_);
    ++counters_.factorisation;
    p_of_last_move_ = p;
    return gram_.factor(G_, MetricAt<Sys>{sys, q, p});
  }

  std::string track_action(const Sys& sys) {
    if constexpr (knows_action)
      return map_.track_action(sys);
    else
      return "its map does not say what its action is (members track_action and action, methods/projected_map.hpp)";
  }
  // What a map rounds within is not known, so nothing is compensated.
  void make_up(const Sys&, const S&, const Vec<S, N>&, const Vec<S, N>&, Rounding<S, N>&) {}

  Status project(const Sys& sys, const Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>*) {
    if (gram_.m() == 0) return {};
    return onto_cotangent(sys, gram_, G_, q, p, v_, r_, scale_, options_);
  }

  bool redundant() const { return gram_.rank() < gram_.m(); }
  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    if (gram_.m() > 0) f("p_of_last_move", p_of_last_move_);
  }
  Status resume(const Sys& sys, const Vec<S, N>& q) {
    if (gram_.m() == 0) return {};
    sys.G(q, G_);
    return gram_.factor(G_, MetricAt<Sys>{sys, q, p_of_last_move_});
  }

 private:
  static constexpr bool knows_action = requires(Map<Sys> & map, const Sys& sys) {
    { map.track_action(sys) } -> std::same_as<std::string>;
    { map.action() } -> std::convertible_to<S>;
  };

  Map<Sys> map_;
  GramSolver<S, N, M> gram_;
  Predictor<S, M> predictor_;
  Broyden<S, M> broyden_;
  Jacobian<S, N, M> G_, G1_;
  Vec<S, N> q1_, p1_, v_;
  Vec<S, M> impulse_, r_;
  ConstraintScale<S, N, M> scale_;
  Vec<S, N> p_of_last_move_;  // where G H_pp Gᵀ was factored: kicks and a projection have followed
  Counters counters_;
  NewtonOptions options_;
};

}  // namespace holonom
