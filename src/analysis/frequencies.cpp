#include "holonom/analysis/frequencies.hpp"

#include "holonom/adapt.hpp"
#include "holonom/analysis/eigenvalues.hpp"
#include "holonom/solve/underlying_field.hpp"

namespace holonom {

namespace {

// H = p²/2 + ω² q²/2, all of it fast.
struct Oscillator {
  using Scalar = double;
  static constexpr int N = 1, M = 0;
  double omega;

  double V(const Vec<double, 1>& q) const { return omega * omega * q[0] * q[0] / 2; }
  void V_q(const Vec<double, 1>& q, Vec<double, 1>& out) const { out[0] = omega * omega * q[0]; }
  double V_fast(const Vec<double, 1>& q) const { return V(q); }
  void V_fast_q(const Vec<double, 1>& q, Vec<double, 1>& out) const { V_q(q, out); }
  void V_slow_q(const Vec<double, 1>&, Vec<double, 1>& out) const { out[0] = 0; }
  void V_qq(Part part, const Vec<double, 1>&, const Vec<double, 1>& u, Vec<double, 1>& out) const {
    out[0] = part == Part::slow ? 0 : omega * omega * u[0];
  }
  DiagonalMass<double, 1> mass() const { return DiagonalMass<double, 1>({1.0}); }
  void g(const Vec<double, 1>&, Vec<double, 0>&) const {}
  void G(const Vec<double, 1>&, Jacobian<double, 1, 0>&) const {}
};

}  // namespace

std::vector<double> linear_frequencies(const AnySystem<double>& sys, const AnySystem<Dual<double>>& dual,
                                       const State<double>& x, const StateSize<double>& size) {
  using D = Dual<double>;
  const int n = sys.n();
  const std::vector<TangentVector<double>> basis = tangent_basis(sys, x, size);
  const auto count = static_cast<int>(basis.size());
  const UnderlyingField<D> field(dual);
  Vec<D> q(n), p(n), q_rate(n), p_rate(n);
  TangentVector<double> rate{Vec<double>(n), Vec<double>(n)};
  Square<double> A(count);
  for (int j = 0; j < count; ++j) {
    const TangentVector<double>& xi = basis[static_cast<std::size_t>(j)];
    for (int i = 0; i < n; ++i) {
      q[i] = {x.q[i], xi.q[i] * size.q};
      p[i] = {x.p[i], xi.p[i] * size.p};
    }
    field.rates(q, p, q_rate, p_rate);
    for (int i = 0; i < n; ++i) {
      rate.q[i] = q_rate[i].d / size.q;
      rate.p[i] = p_rate[i].d / size.p;
    }
    for (int i = 0; i < count; ++i) A(i, j) = dot(basis[static_cast<std::size_t>(i)], rate);
  }
  std::vector<double> found;
  for (const std::complex<double>& e : eigenvalues(A))
    if (e.imag() > 0) found.push_back(e.imag());
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<double> half_trace(const MethodEntry& entry, double h_omega) {
  if (!entry.info.formulation.empty()) return {};
  const auto oscillator = adapt(Oscillator{h_omega}, "oscillator");
  if (!suits<double>(entry, oscillator)) return {};
  double trace = 0;
  try {
    NumericalMap<double> map(entry, oscillator);
    for (const bool momentum : {false, true}) {
      State<double> x(1, 0);
      (momentum ? x.p : x.q)[0] = 1;
      map(x, 1.0, 1);
      trace += (momentum ? x.p : x.q)[0];
    }
  } catch (const StepFailed&) {
    return {};
  } catch (const Unsuitable&) {
    return {};
  }
  return trace / 2;
}

std::optional<StepResonance> step_resonance(const MethodEntry& entry, const std::vector<double>& vibrations, double h,
                                            double time_of_motion) {
  const double limit = std::sqrt(std::abs(h) / time_of_motion), pi = std::acos(-1.0);
  std::optional<StepResonance> worst;
  const auto keep = [&](const StepResonance& found) {
    const auto rank = [](const StepResonance& r) { return r.unstable ? -1.0 : r.distance * r.k; };
    if (!worst || rank(found) < rank(*worst)) worst = found;
  };
  for (const double omega : vibrations) {
    const double h_omega = std::abs(h) * omega;
    const std::optional<double> cosine = half_trace(entry, h_omega);
    if (!cosine) continue;
    if (std::abs(*cosine) > 1) {
      keep({omega, *cosine > 0 ? 0 : pi, 2, 0, limit, true});
      continue;
    }
    const double phase = std::acos(*cosine);
    for (int k = 1; k <= most_resonant_steps; ++k) {
      if (k * h_omega < pi) continue;  // the first resonance of so many steps is further away than none
      const double distance = std::abs(std::sin(k * phase / 2));
      if (distance < limit) keep({omega, phase, k, distance, limit, false});
    }
  }
  return worst;
}

}  // namespace holonom
