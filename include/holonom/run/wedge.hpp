// The wedge product of two tangent vectors along a run, ω(ξ, η) = ξ_q·η_p − ξ_p·η_q (Leimkuhler and Reich,
// section 3.2): what a symplectic method keeps. Each of them is carried along by a run in dual numbers, exactly.
//
// They start tangent to the manifold (consistent initial differentials). Of vectors that are chosen the tangent part is
// taken; else ξ is one of no special direction, and η the tangent part of its conjugate (−ξ_p, ξ_q), such that the
// product starts with 1.
#pragma once

#include "holonom/methods/registry.hpp"
#include "holonom/run/companion.hpp"
#include "holonom/solve/orthogonal_projection.hpp"

namespace holonom {

template <class S>
class Wedge final : public Companion<S> {
  using D = Dual<S>;

 public:
  // `dual`: the system in dual numbers, and `sys` as it is. chosen: two vectors, or none. Throws Unsuitable if the
  // method does not suit it.
  Wedge(const AnySystem<S>& sys, std::shared_ptr<const AnySystem<D>> dual, const MethodEntry& method,
        const MethodOptions& options, std::vector<Gradient<S>> chosen = {})
      : sys_(sys), dual_(std::move(dual)), retry_(method.info.one_step), chosen_(std::move(chosen)) {
    for (auto& along : along_) along.method = method.make<D>(*dual_, options);
  }

  std::string name() const override { return "wedge"; }
  Status begin(const State<S>& x, const S& h) override {
    Gradient<S> xi(sys_.n()), eta(sys_.n());
    if (const Status s = chosen_.empty() ? usual(x, xi, eta) : tangent_parts(x, xi, eta); !s.ok()) return s;
    start(along_[0].x, x, xi);
    start(along_[1].x, x, eta);
    for (auto& along : along_)
      if (const Status s = along.method->begin(along.x, D(h)); !s.ok()) return s;
    return {};
  }
  Status step(const S& h, long count) override {
    for (long k = 0; k < count; ++k) {
      if (retry_) meet();
      for (auto& along : along_) {
        Status s = along.method->step(along.x, D(h));
        if (!s.ok() && retry_)
          s = once_more(*along.method, along.x, D(h), s, [&] { return along.method->step(along.x, D(h)); });
        if (!s.ok()) return s;
      }
    }
    return {};
  }
  S observe(const S&) override {
    const State<D>&xi = along_[0].x, &eta = along_[1].x;
    S sum(0);
    for (int i = 0; i < xi.q.size(); ++i) sum += xi.q[i].d * eta.p[i].d - xi.p[i].d * eta.q[i].d;
    return sum;
  }

  void save(MemoryWriter& out) override {
    for (auto& along : along_) {
      out("dual_q", along.x.q);
      out("dual_p", along.x.p);
      along.method->save(out);
    }
  }
  Status load(MemoryReader& in, const S& h) override {
    for (auto& along : along_) {
      in("dual_q", along.x.q);
      in("dual_p", along.x.p);
      if (const Status s = along.method->load(in, along.x, D(h)); !s.ok()) return s;
    }
    return {};
  }

 private:
  Status usual(const State<S>& x, Gradient<S>& xi, Gradient<S>& eta) const {
    using std::cos;
    const int n = sys_.n();
    for (int i = 0; i < n; ++i) {
      xi.q[i] = S(cos(Real<S>(1 + i)));
      xi.p[i] = S(cos(Real<S>(1 + n + i)));
    }
    OrthogonalProjection<S> manifold(sys_);
    if (const Status s = manifold.onto_tangent(x.q, x.p, xi); !s.ok()) return s;
    eta.p = xi.q;
    for (int i = 0; i < n; ++i) eta.q[i] = -xi.p[i];
    if (const Status s = manifold.onto_tangent(x.q, x.p, eta); !s.ok()) return s;
    const S product = dot(xi.q, eta.p) - dot(xi.p, eta.q);
    for (int i = 0; i < n; ++i) {
      eta.q[i] /= product;
      eta.p[i] /= product;
    }
    return {};
  }
  Status tangent_parts(const State<S>& x, Gradient<S>& xi, Gradient<S>& eta) const {
    xi = chosen_[0];
    eta = chosen_[1];
    OrthogonalProjection<S> manifold(sys_);
    if (const Status s = manifold.onto_tangent(x.q, x.p, xi); !s.ok()) return s;
    return manifold.onto_tangent(x.q, x.p, eta);
  }
  // Both along the same motion: where iterations end depends on tangents, and two motions that part by rounding errors
  // have another form between their tangents. Before a step, not after it: what a method knows of the state that it
  // came to is of that very state, and is found again there by a run that is resumed.
  void meet() {
    for (int i = 0; i < sys_.n(); ++i) {
      along_[1].x.q[i].v = along_[0].x.q[i].v;
      along_[1].x.p[i].v = along_[0].x.p[i].v;
    }
  }
  void start(State<D>& to, const State<S>& x, const Gradient<S>& tangent) const {
    to = State<D>(sys_.n(), sys_.m());
    for (int i = 0; i < sys_.n(); ++i) {
      to.q[i] = {x.q[i], tangent.q[i]};
      to.p[i] = {x.p[i], tangent.p[i]};
    }
  }

  const AnySystem<S>& sys_;
  std::shared_ptr<const AnySystem<D>> dual_;
  const bool retry_;  // as the driver does, not for methods with a history
  const std::vector<Gradient<S>> chosen_;
  struct {
    std::unique_ptr<AnyMethod<D>> method;
    State<D> x;
  } along_[2];
};

}  // namespace holonom
