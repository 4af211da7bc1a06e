// The shadow energy along a run, as one more invariant: what a symplectic method keeps where it does not keep the
// energy. The value after step n is that of the window of M + 1 states that ends there; before step M, that of the
// first window, which is known at the start from M steps taken ahead, once.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>

#include "holonom/methods/registry.hpp"
#include "holonom/run/companion.hpp"
#include "holonom/run/extent.hpp"
#include "holonom/run/shadow_window.hpp"

namespace holonom {

// Why a method follows no Hamiltonian on this system; empty if it does.
template <class S>
std::string lacks_shadow_energy(const MethodInfo& info, const AnySystem<S>& sys) {
  if (sys.is_field()) return "a field y' = f(y) has no symplectic form, and no shadow energy that a method would keep";
  if (info.on(sys.m()).symplectic) return {};
  return info.key + " is not symplectic" + (info.symplectic ? " with constraints" : "") +
         ", so that it follows no other Hamiltonian: it has no shadow energy. Take rattle, one of its compositions, or "
         "a "
         "lobatto method";
}

// What rounding errors may do to it in so many steps: a bound of the random walk of an energy of this size, and of
// single values, ε Σ|p_i q_i| / h.
template <class S>
double shadow_rounding(double size, double product, double h, long steps) {
  return to_double(epsilon<S>()) * (8 * std::sqrt(static_cast<double>(steps)) * size + 4 * product / std::abs(h));
}
// Whether it tells what the energy does not. If not, the window does not resolve the motion.
inline bool shadow_resolves(double range, double energy_range, double rounding) {
  return range <= rounding || range < energy_range;
}

template <class S>
class Shadow final : public Companion<S> {
 public:
  // method: the one of the run. Throws Unsuitable if it has no shadow energy on the system.
  Shadow(const AnySystem<S>& sys, const MethodEntry& entry, const MethodOptions& options, AnyMethod<S>& method, int M)
      : method_(method),
        make_([&sys, entry, options] { return entry.make<S>(sys, options); }),
        retry_(entry.info.one_step),
        weights_(M),
        window_(sys.n(), M),
        marked_(window_) {
    std::string reason = lacks_shadow_energy(entry.info, sys);
    if (reason.empty())
      if (const std::string why = method.track_action(); !why.empty())
        reason = "no shadow energy of " + entry.info.key + " can be found: " + why;
    if (!reason.empty()) throw Unsuitable(reason);
  }

  std::string name() const override { return "shadow"; }
  long needs_states() const override { return weights_.steps(); }
  Status begin(const State<S>& x, const S& h) override {
    h_ = h;
    done_ = 0;
    ahead(x);
    window_.begin(x);
    line_ = {};
    shadow_ = energy_ = {};
    size_ = product_ = 0;
    value_ = first_;
    return {};
  }
  void see(const State<S>& x, long count) override {
    if (count == 1)
      window_.add(x, method_.action());
    else
      window_.begin(x);
  }
  void mark() override { marked_ = window_; }
  void rewind() override { window_ = marked_; }
  // Steps that were taken ahead fail where the run fails, unless it has found a way that they have not.
  Status step(const S&, long count) override {
    done_ += count;
    return done_ >= weights_.steps() ? ahead_ : Status{};
  }
  S observe(const S& energy) override {
    energy_.add(energy);
    if (!window_.is_full()) return value_;
    value_ = window_.value(weights_, h_);
    line_.add(Real<S>(done_), Real<S>(value(S(value_ - first_))));
    shadow_.add(value_);
    keep_largest(size_, to_double(Real<S>(window_.motion() / magnitude(h_) / 2 + magnitude(energy))));
    keep_largest(product_, to_double(window_.product()));
    return value_;
  }
  std::optional<Line<Real<S>>> trend() const override { return line_(); }
  std::string doubt() const override {
    if (shadow_resolves(shadow_.range(), energy_.range(), shadow_rounding<S>(size_, product_, to_double(h_), done_)))
      return {};
    char text[200];
    std::snprintf(text, sizeof text,
                  "the window does not resolve the motion: the shadow energy varies by %.1e, the energy by %.1e. Take "
                  "the energy, or a shorter step",
                  shadow_.range(), energy_.range());
    return text;
  }

  void save(MemoryWriter& out) override { visit_memory(out); }
  Status load(MemoryReader& in, const S&) override {
    visit_memory(in);
    return {};
  }

 private:
  // The first window, by a method of its own: that of the run has not begun.
  void ahead(State<S> x) {
    first_ = S(std::numeric_limits<Real<S>>::quiet_NaN());
    const std::unique_ptr<AnyMethod<S>> method = make_();
    (void)method->track_action();
    window_.begin(x);
    ahead_ = method->begin(x, h_);
    for (int k = 0; k < weights_.steps() && ahead_.ok(); ++k) {
      ahead_ = method->step(x, h_);
      if (!ahead_.ok() && retry_) ahead_ = once_more(*method, x, h_, ahead_, [&] { return method->step(x, h_); });
      if (ahead_.ok()) window_.add(x, method->action());
    }
    if (ahead_.ok()) first_ = window_.value(weights_, h_);
  }
  template <class F>
  void visit_memory(F&& f) {
    f("shadow_window", window_);
    f("shadow_first", first_);
    f("shadow_value", value_);
    f("shadow_done", done_);
    f("shadow_line", line_);
    f("shadow_extent", shadow_);
    f("shadow_energy_extent", energy_);
    f("shadow_size", size_);
    f("shadow_product", product_);
  }

  AnyMethod<S>& method_;
  std::function<std::unique_ptr<AnyMethod<S>>()> make_;
  const bool retry_;  // as the driver does, not for methods with a history
  ShadowWeights<S> weights_;
  ShadowWindow<S> window_, marked_;
  S h_{0}, first_{0}, value_{0};
  Status ahead_;
  long done_ = 0;
  LineFit<Real<S>> line_;
  Extent<S> shadow_, energy_;
  double size_ = 0, product_ = 0;  // the largest, of what rounding errors are made of
};

}  // namespace holonom
