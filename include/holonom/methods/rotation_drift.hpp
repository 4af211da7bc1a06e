// The motion of rigid bodies without their potential, as matrices Q with QᵀQ = I and P = Q' D (rigid_bodies.hpp); the
// same map as that of Drift on such a system, to round-off:
//   P ← P − QΛ,   Q ← Q + (a + b) h P D⁻¹,   QᵀQ = I
// with Λ from the rotation of each body (rotation.hpp), and the projection of momenta
//   P ← P − Qμ = Q Ω̂ D,   Ω = I⁻¹m,   m̂ = QᵀP − PᵀQ
// in closed form: no Jacobian, and no Gram matrix. Both are impulses along the normals QΛ, as those of Drift: of what
// is rounded in Λ and μ, nothing changes the motion along the manifold. Other coordinates move freely.
#pragma once

#include "holonom/dense.hpp"
#include "holonom/methods/action.hpp"
#include "holonom/solve/predictor.hpp"
#include "holonom/solve/rotation.hpp"

namespace holonom {

template <Separable Sys>
class RotationDrift {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N;
  static constexpr int rates = N == 9 ? 3 : Dynamic;  // of rotation, of all bodies
  using Vector = std::array<S, 3>;
  using Matrix = Matrix3<S>;

 public:
  RotationDrift(const Sys& sys, int moves, const RigidBodies<R>& bodies)
      : moves_(moves),
        predictor_(moves, 3 * static_cast<int>(bodies.list.size())),
        rate_(3 * static_cast<int>(bodies.list.size())),
        p_(size_q(sys)),
        q_(size_q(sys)),
        v_(size_q(sys)),
        change_(size_q(sys)),
        lu_(6) {
    for (const RigidBody<R>& body : bodies.list) {
      bool in_order = true;
      for (int k = 0; k < 9; ++k) in_order = in_order && body.at[at(k)] == body.at[0] + k;
      bodies_.push_back({body, Rotation<S>(body), {}, in_order});
    }
  }

  Status begin(const Sys&, const StateOf<Sys>& x) {
    predictor_.begin(false);
    int first = 0;
    for (Body& body : bodies_) {
      const Matrix Q = entries(body, x.q);
      body.defect = defect_of(Q);
      const Vector omega = body.rotation.angular_velocity(inner(Q, entries(body, x.p)));
      for (std::size_t k = 0; k < 3; ++k) rate_[first + static_cast<int>(k)] = omega[k] / 2;
      first += 3;
    }
    for (int slot = 0; slot < moves_; ++slot) predictor_.suggest(slot, S(1), rate_);
    return {};
  }

  [[gnu::always_inline]] Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p,
                                     Rounding<S, N>* lost, ActionSum<S>* action = nullptr) {
    const S h = ah + bh, per_h = S(1) / h;
    auto&& p1 = scratch(p_);
    auto&& q1 = scratch(q_);
    auto&& v = scratch(v_);
    auto&& rate = scratch(rate_);
    predictor_.guess(slot, rate);
    if (lost)
      p1 = lost->p;
    else
      p1 = p;
    int first = 0, most = 0;
    for (Body& body : bodies_) {
      const Matrix Q = entries(body, q);
      const Matrix A = inner(Q, entries(body, p));
      const Vector omega = body.rotation.angular_velocity(A);
      const S half = h / 2;
      Vector c{S(h * rate[first]), S(h * rate[first + 1]), S(h * rate[first + 2])};
      int iterations = 0;
      Status s = body.rotation.solve({S(half * omega[0]), S(half * omega[1]), S(half * omega[2])}, c, counted_.options,
                                     iterations);
      most = iterations > most ? iterations : most;
      if (!s.ok()) [[unlikely]] {
        counted_.counters.newton(most);
        s.constraint = body.is.constraint;
        return s;
      }
      subtract(body, Q, body.rotation.impulse(A, c, per_h, body.defect), p1);
      for (std::size_t k = 0; k < 3; ++k) rate[first + static_cast<int>(k)] = c[k] * per_h;
      first += 3;
    }
    counted_.counters.newton(most);
    if (lost) {
      change_ = p1;
      for (int i = 0; i < p.size(); ++i) p1[i] += p[i];
    }
    arrive(sys, h, q, p1, lost, v, q1);
    for (Body& body : bodies_) {
      find_defect(body, h, q, v, q1, lost);
      if (!(size_of(body.defect) <= enough() * scale(body, q1))) [[unlikely]]
        if (const Status s = correct(sys, body, h, q, p, p1, q1, v, lost); !s.ok()) return s;
    }
    predictor_.remember(slot, rate);
    if (lost)
      for (int i = 0; i < p.size(); ++i) {
        lost->p[i] = lost_in_sum(p[i], change_[i], p1[i]);
        lost->q[i] = lost_in_sum(q[i], S(h * v[i] + lost->q[i]), q1[i]);
      }
    if (action) action->add(h * dot(p1, v) / 2);
    using std::swap;
    swap(q, q1);
    swap(p, p1);
    return {};
  }
  std::string track_action(const Sys&) const { return {}; }

  // The motion over a time below the resolution of a move: at the speed that is foreseen for the first move.
  void make_up(const Sys& sys, const S& time, const Vec<S, N>& q, const Vec<S, N>& p, Rounding<S, N>& lost) {
    predictor_.guess(0, rate_);
    sys.mass().solve(p, v_);
    int first = 0;
    for (const Body& body : bodies_) {
      const Vector omega{S(2 * rate_[first]), S(2 * rate_[first + 1]), S(2 * rate_[first + 2])};
      set(body, turned_by(entries(body, q), omega), v_);
      first += 3;
    }
    axpy(time, v_, lost.q);
  }

  Status project(const Sys&, const Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost) {
    for (const Body& body : bodies_) {
      const Matrix Q = entries(body, q);
      // Normals that are much larger than what is left leave their rounding errors: then once more.
      constexpr int most = 4;
      for (int i = 0; i < most; ++i) {
        const auto [mu, clean] = body.rotation.normal(inner(Q, entries(body, p)));
        subtract(body, Q, mu, lost ? lost->p : p);
        if (lost)
          for (const int k : body.is.at) {
            const S before = p[k], change = lost->p[k];
            p[k] = before + change;
            lost->p[k] = lost_in_sum(before, change, p[k]);
          }
        if (clean) break;
      }
    }
    return {};
  }

  bool redundant() const { return false; }
  Counters& counters() { return counted_.counters; }
  NewtonOptions& options() { return counted_.options; }

  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    for (Body& body : bodies_) f("defect", body.defect);
  }
  Status resume(const Sys&, const Vec<S, N>&) { return {}; }

 private:
  struct Body {
    RigidBody<R> is;
    Rotation<S> rotation;
    Symmetric3<S> defect;  // QᵀQ − I, a few ε: the next move takes it away
    bool in_order;         // its entries follow each other
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Of a body, about its principal axes
  [[gnu::always_inline]] static Matrix entries(const Body& body, const Vec<S, N>& x) {
    Matrix a;
    if (body.in_order)
      std::copy_n(x.data() + body.is.at[0], 9, a.begin());
    else
      for (std::size_t k = 0; k < 9; ++k) a[k] = x[body.is.at[k]];
    if (body.is.turned) [[unlikely]]
      a = turn(a, body.is, false);
    return a;
  }
  static void set(const Body& body, const Matrix& a, Vec<S, N>& x) {
    const Matrix b = body.is.turned ? turn(a, body.is, true) : a;
    for (std::size_t k = 0; k < 9; ++k) x[body.is.at[k]] = b[k];
  }
  // a W, or a Wᵀ
  [[gnu::noinline]] static Matrix turn(const Matrix& a, const RigidBody<R>& body, bool back) {
    Matrix b;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        S sum(0);
        for (int k = 0; k < 3; ++k) sum += a[at(3 * i + k)] * S(body.axes[at(back ? 3 * j + k : 3 * k + j)]);
        b[at(3 * i + j)] = sum;
      }
    return b;
  }
  // aᵀb
  [[gnu::always_inline]] static Matrix inner(const Matrix& a, const Matrix& b) {
    Matrix c;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
    return c;
  }
  // Q ω̂
  [[gnu::always_inline]] static Matrix turned_by(const Matrix& Q, const Vector& w) {
    Matrix a;
    for (std::size_t i = 0; i < 9; i += 3) {
      a[i] = Q[i + 1] * w[2] - Q[i + 2] * w[1];
      a[i + 1] = Q[i + 2] * w[0] - Q[i] * w[2];
      a[i + 2] = Q[i] * w[1] - Q[i + 1] * w[0];
    }
    return a;
  }
  // x ← x − Q Λ
  [[gnu::always_inline]] static void subtract(const Body& body, const Matrix& Q, const Symmetric3<S>& L, Vec<S, N>& x) {
    Matrix a;
    for (std::size_t i = 0; i < 9; i += 3) {
      a[i] = Q[i] * L[0] + Q[i + 1] * L[3] + Q[i + 2] * L[4];
      a[i + 1] = Q[i] * L[3] + Q[i + 1] * L[1] + Q[i + 2] * L[5];
      a[i + 2] = Q[i] * L[4] + Q[i + 1] * L[5] + Q[i + 2] * L[2];
    }
    if (body.is.turned) [[unlikely]]
      a = turn(a, body.is, true);
    if (body.in_order)
      for (int k = 0; k < 9; ++k) x[body.is.at[0] + k] -= a[at(k)];
    else
      for (std::size_t k = 0; k < 9; ++k) x[body.is.at[k]] -= a[k];
  }
  [[gnu::always_inline]] static Symmetric3<S> defect_of(const Matrix& Q) {
    const auto product = [&](std::size_t i, std::size_t j) -> S {
      return Q[i] * Q[j] + Q[3 + i] * Q[3 + j] + Q[6 + i] * Q[6 + j];
    };
    return {S(product(0, 0) - S(1)), S(product(1, 1) - S(1)), S(product(2, 2) - S(1)),
            product(0, 1),           product(0, 2),           product(1, 2)};
  }
  // With what does not fit into q₁, if anyone keeps it
  [[gnu::always_inline]] static void find_defect(Body& body, const S& h, const Vec<S, N>& q, const Vec<S, N>& v,
                                                 const Vec<S, N>& q1, const Rounding<S, N>* lost) {
    const Matrix Q = entries(body, q1);
    body.defect = defect_of(Q);
    if (!lost) return;
    Matrix rest;
    for (std::size_t k = 0; k < 9; ++k) {
      const int i = body.is.at[k];
      rest[k] = lost_in_sum(q[i], S(h * v[i] + lost->q[i]), q1[i]);
    }
    const Matrix B = inner(Q, body.is.turned ? turn(rest, body.is, false) : rest);
    const Symmetric3<S> more{S(2 * B[0]), S(2 * B[4]), S(2 * B[8]), S(B[1] + B[3]), S(B[2] + B[6]), S(B[5] + B[7])};
    for (std::size_t k = 0; k < 6; ++k) body.defect[k] += more[k];
  }
  static R size_of(const Symmetric3<S>& E) {
    R sum(0);
    for (const S& x : E) sum += magnitude(x);
    return sum;
  }
  // The terms of QᵀQ are as large as its tangents, if it has any.
  static R scale(const Body& body, const Vec<S, N>& q) {
    R largest(1);
    if constexpr (!std::is_same_v<S, R>)
      for (const int i : body.is.at) keep_largest(largest, R(magnitude(q[i])));
    return largest;
  }
  R enough() const {
    const R usual = R(32) * epsilon<S>(), tolerance(counted_.options.tolerance);
    return usual < tolerance ? tolerance : usual;
  }
  [[gnu::always_inline]] static void arrive(const Sys& sys, const S& h, const Vec<S, N>& q, const Vec<S, N>& p1,
                                            const Rounding<S, N>* lost, Vec<S, N>& v, Vec<S, N>& q1) {
    sys.mass().solve(p1, v);
    if (lost)
      for (int i = 0; i < q.size(); ++i) q1[i] = q[i] + (h * v[i] + lost->q[i]);
    else
      for (int i = 0; i < q.size(); ++i) q1[i] = q[i] + h * v[i];
  }

  // From a start off the manifold, or tangents across it, a first-order correction of the defect is not enough:
  // Newton's method for all six multipliers, R Δ D⁻¹ + its transpose = E/h with R = Q₁ᵀQ, from where the rotation has
  // led to.
  [[gnu::noinline, gnu::cold]] Status correct(const Sys& sys, Body& body, const S& h, const Vec<S, N>& q,
                                              const Vec<S, N>& p, Vec<S, N>& p1, Vec<S, N>& q1, Vec<S, N>& v,
                                              const Rounding<S, N>* lost) {
    constexpr std::array<std::pair<int, int>, 6> place{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    Convergence<R> convergence(epsilon<S>(), counted_.options);
    if constexpr (!std::is_same_v<S, R>) convergence.accept(tangent_rounding_errors<S>());
    const Matrix Q = entries(body, q);
    for (;;) {
      const R size = size_of(body.defect) / scale(body, q1);
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::done) return {};
      if (verdict == Convergence<R>::Verdict::failed)
        return {size == size ? Failure::no_convergence : Failure::not_finite, body.is.constraint, to_double(size)};
      const Matrix back = inner(entries(body, q1), Q);
      const auto& d = body.rotation.d();
      for (int l = 0; l < 6; ++l) {
        const int a = place[at(l)].first, b = place[at(l)].second;
        const auto image = [&](int i, int j) {  // of the unit matrix of l, Q₁ᵀQ Δ D⁻¹
          S sum(0);
          if (j == b) sum += back[at(3 * i + a)] / d[at(j)];
          if (j == a && a != b) sum += back[at(3 * i + b)] / d[at(j)];
          return sum;
        };
        for (int k = 0; k < 6; ++k) {
          const auto [i, j] = place[at(k)];
          lu_.matrix()(k, l) = image(i, j) + image(j, i);
        }
      }
      ++counted_.counters.factorisation;
      if (!lu_.factor()) return {Failure::singular, body.is.constraint};
      Vec<S, 6> x;
      for (int k = 0; k < 6; ++k) x[k] = body.defect[at(k)] / h;
      lu_.solve(x);
      Symmetric3<S> more;
      for (int k = 0; k < 6; ++k) more[at(k)] = x[k];
      if (lost) {
        subtract(body, Q, more, change_);
        for (int i = 0; i < p.size(); ++i) p1[i] = p[i] + change_[i];
      } else {
        subtract(body, Q, more, p1);
      }
      arrive(sys, h, q, p1, lost, v, q1);
      find_defect(body, h, q, v, q1, lost);
    }
  }

  struct Counted {
    Counters counters;
    NewtonOptions options;
  };

  int moves_;
  Counted counted_;
  std::vector<Body> bodies_;
  Predictor<S, rates> predictor_;
  Vec<S, rates> rate_;  // c/h: half the angular velocity, about
  Vec<S, N> p_, q_, v_, change_;
  PivotedLu<S, 6> lu_;
};

}  // namespace holonom
