#include "holonom/analysis/residual_stability.hpp"

#include <limits>

#include "holonom/analysis/eigenvalues.hpp"
#include "holonom/analysis/interruption.hpp"
#include "holonom/methods/registry.hpp"
#include "lapack.hpp"

namespace holonom {

namespace {

using D = Dual<double>;

const Formulation& existing(const AnySystem<double>& sys, const Formulation& formulation) {
  if (formulation.info->on_manifold)
    throw Unsuitable("states of " + formulation.info->name + " are on the manifold: there are no residuals");
  if (const std::string reason = lacks_formulation(formulation, sys); !reason.empty())
    throw Unsuitable("the formulation " + formulation.key() + " does not suit this system: " + reason);
  return formulation;
}

std::shared_ptr<const AnySystem<D>> in_duals(const AnySystem<double>& sys) {
  auto dual = sys.in<D>();
  if (!dual) throw Unsuitable("the linearisation needs the system in dual numbers (a member rebind)");
  return dual;
}

// L (Φ + c K)
Columns product(const Square<double>& L, const Columns& phi, double c, const Columns& K) {
  const int size = L.size();
  Columns result(size, size);
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < size; ++k) {
      const double x = phi(k, j) + c * K(k, j);
      for (int i = 0; i < size; ++i) result(i, j) += L(i, k) * x;
    }
  return result;
}

}  // namespace

ResidualMatrix::ResidualMatrix(const AnySystem<double>& sys, const Formulation& formulation)
    : sys_(sys),
      dual_(in_duals(sys)),
      formulated_(formulate(existing(sys, formulation), *dual_)),
      at_(*dual_),
      projection_(sys),
      z_(sys.n()),
      x_(sys.n()),
      rate_(sys.n()),
      g_rate_(sys.m()),
      psi_rate_(sys.m()) {}

Status ResidualMatrix::operator()(const Vec<double>& q, const Vec<double>& p, Square<double>& L) {
  const int n = sys_.n(), m = sys_.m();
  if (const Status s = projection_.set(q, p); !s.ok()) return s;
  for (int j = 0; j < 2 * m; ++j) {
    projection_.right_inverse(j, z_);
    for (int i = 0; i < n; ++i) {
      x_.q[i] = {q[i], z_.q[i]};
      x_.p[i] = {p[i], z_.p[i]};
    }
    if (const Status s = at_.at(x_.q, x_.p); !s.ok()) return s;
    formulated_->system().H_p(x_.q, x_.p, rate_.q);
    formulated_->system().H_q(x_.q, x_.p, rate_.p);
    for (D& y : rate_.p) y = -y;
    multiply(at_.G(), rate_.q, g_rate_);
    at_.psi_along(rate_.q, rate_.p, psi_rate_);
    for (int k = 0; k < m; ++k) {
      L(k, j) = g_rate_[k].d;
      L(m + k, j) = psi_rate_[k].d;
    }
  }
  return {};
}

StabilityReport residual_stability(const AnySystem<double>& sys, const Formulation& formulation, const State<double>& x,
                                   double h, long steps, long every, double perturbation) {
  ResidualMatrix matrix(sys, formulation);
  const int size = matrix.size(), n = sys.n(), m = sys.m();
  StabilityReport report;
  // The motion at both ends and in the middle of each step
  const auto motion = methods().find("lobatto-5").make<double>(sys);
  State<double> y = x;
  Square<double> L(size);
  if (!matrix(y.q, y.p, L).ok() || !motion->begin(y, h / 2).ok()) {
    report.failure = "the linearisation does not exist at the start";
    return report;
  }
  // One run for each residual, which starts off the manifold by that; and one on the manifold, which residuals are
  // counted from: with a penalty the motion leaves it by itself.
  const MethodEntry entry = methods().find("gauss-4@" + formulation.key());
  struct Measured {
    std::unique_ptr<AnyMethod<double>> method;
    State<double> x;
    bool failed = false;
  };
  std::vector<Measured> runs(static_cast<std::size_t>(size) + 1);
  Gradient<double> z(n);
  double length = 0;
  for (const double q : x.q) length = std::max(length, std::abs(q));
  const double off = perturbation * (length > 0 ? length : 1);
  for (int j = 0; j <= size; ++j) {
    Measured& run = runs[static_cast<std::size_t>(j)];
    run.method = entry.make<double>(sys);
    run.x = x;
    if (j < size) {
      matrix.direction(j, z);
      axpy(off, z.q, run.x.q);
      axpy(off, z.p, run.x.p);
    }
    run.failed = !run.method->begin(run.x, h).ok();
  }
  Brackets<double> residuals(sys);
  const auto measure = [&] {
    Columns phi(size, size);
    Vec<double> g(m), psi(m);
    for (int j = size; j >= 0; --j) {
      const Measured& run = runs[static_cast<std::size_t>(j)];
      if (run.failed || !residuals.at(run.x.q, run.x.p).ok()) return std::numeric_limits<double>::quiet_NaN();
      if (j == size) {
        g = residuals.g();
        psi = residuals.psi();
        continue;
      }
      for (int k = 0; k < m; ++k) {
        phi(k, j) = (residuals.g()[k] - g[k]) / off;
        phi(m + k, j) = (residuals.psi()[k] - psi[k]) / off;
      }
    }
    return norm(phi);
  };

  Columns phi(size, size);
  for (int j = 0; j < size; ++j) phi(j, j) = 1;
  const auto row = [&](long done) {
    StabilityRow r;
    r.t = x.t + static_cast<double>(done) * h;
    r.fastest = {-std::numeric_limits<double>::infinity(), 0};
    for (const std::complex<double>& e : eigenvalues(L)) {
      if (e.real() > r.fastest.real()) r.fastest = e;
      r.frequency = std::max(r.frequency, std::abs(e.imag()));
    }
    r.expected = norm(phi);
    r.measured = measure();
    report.rows.push_back(r);
  };
  row(0);
  for (long k = 0; k < steps; ++k) {
    stop_if_interrupted();
    // Kutta's method for Φ' = L Φ
    const Square<double> before = L;
    Square<double> middle;
    for (int half = 0; half < 2; ++half) {
      if (!motion->step(y, h / 2).ok() || !matrix(y.q, y.p, L).ok()) {
        report.failure = "the motion cannot be followed beyond t = " + std::to_string(x.t + static_cast<double>(k) * h);
        return report;
      }
      if (half == 0) middle = L;
    }
    const Columns k1 = product(before, phi, 0, phi), k2 = product(middle, phi, h / 2, k1),
                  k3 = product(middle, phi, h / 2, k2), k4 = product(L, phi, h, k3);
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) phi(i, j) += h / 6 * (k1(i, j) + 2 * k2(i, j) + 2 * k3(i, j) + k4(i, j));
    for (Measured& run : runs)
      if (!run.failed) run.failed = !run.method->step(run.x, h).ok();
    if ((k + 1) % every == 0 || k + 1 == steps) row(k + 1);
  }
  return report;
}

}  // namespace holonom
