#include "sundials.hpp"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cstdlib>
#include <memory>

#include "../measure.hpp"

namespace bench {
namespace {

constexpr long steps_between_looks = 20000;  // at the clock: a solver may get stuck between two samples

SUNContext context() {
  static const SUNContext c = [] {
    SUNContext made = nullptr;
    if (SUNContext_Create(nullptr, &made) != 0) std::abort();
    return made;
  }();
  return c;
}

void silent(int, const char*, const char*, char*, void*) {}

// The C objects of a run, freed with it.
struct Freed {
  void operator()(N_Vector v) const { N_VDestroy(v); }
  void operator()(SUNMatrix a) const { SUNMatDestroy(a); }
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
  void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
};
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Freed>;

void check(int flag) {
  if (flag < 0) std::abort();  // a wrong call, not a failure of the integrator
}

// Asks for the solution at the sampling times. `advance(t)` gives the solver's flag; `too_many_steps` is the
// one that asks to be called again.
template <class P, class Advance>
Outcome sample(const double* y, double periods, double limit, int too_many_steps, Advance advance) {
  EnergyLog log(energy<P>(y, y + P::n));
  const double begin = cpu_seconds();
  const long samples = std::lround(std::ceil(periods / sample_interval));
  for (long k = 1; k <= samples; ++k) {
    const double t = static_cast<double>(k) * sample_interval;
    int flag = too_many_steps;
    for (int looks = 0; flag == too_many_steps; ++looks) {
      if ((looks > 0 || k % 16 == 0) && cpu_seconds() - begin > limit) return Outcome::cut_at(cpu_seconds() - begin);
      flag = advance(t * P::period);
    }
    if (flag < 0 || !log.add(t, energy<P>(y, y + P::n))) return {};
  }
  return {cpu_seconds() - begin, log};
}

// ---- IDA, Gear-Gupta-Leimkuhler form with y = (q, p, λ, μ):
//   q' = p − Gᵀμ,   p' = −V_q − Gᵀλ,   g(q) = 0,   G(q) p = 0
// Analytic Jacobian, dense; multipliers are left out of the error test (IDASetSuppressAlg), as the manual
// advises for index 2 (with them it is ten times slower, or stuck). The Newton iteration is solved a hundred
// times better than by default and looks at the multipliers loosely: half the cost of the defaults at the same
// error, and it still works at a tolerance of 1e-14.
template <class P>
struct Ggl {
  static constexpr int n = P::n, m = P::m, size = 2 * n + 2 * m;

  static int residual(realtype, N_Vector y_, N_Vector yp_, N_Vector r_, void*) {
    const double *q = NV_DATA_S(y_), *p = q + n, *lambda = p + n, *mu = lambda + m, *dot = NV_DATA_S(yp_);
    double *r = NV_DATA_S(r_), G[m][n];
    P::G(q, G);
    for (int i = 0; i < n; ++i) {
      r[i] = dot[i] - p[i];
      r[n + i] = dot[n + i] + V_q<P>(i);
      for (int k = 0; k < m; ++k) {
        r[i] += G[k][i] * mu[k];
        r[n + i] += G[k][i] * lambda[k];
      }
    }
    P::g(q, r + 2 * n);
    for (int k = 0; k < m; ++k) {
      r[2 * n + m + k] = 0;
      for (int i = 0; i < n; ++i) r[2 * n + m + k] += G[k][i] * p[i];
    }
    return 0;
  }

  static int jacobian(realtype, realtype cj, N_Vector y_, N_Vector, N_Vector, SUNMatrix A, void*, N_Vector, N_Vector,
                      N_Vector) {
    const double *q = NV_DATA_S(y_), *p = q + n, *lambda = p + n, *mu = lambda + m;
    const auto entry = [A](int i, int j) -> double& { return SM_ELEMENT_D(A, i, j); };
    double G[m][n];
    P::G(q, G);
    SUNMatZero(A);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < m; ++k) {
          entry(i, j) += mu[k] * P::g_qq(k, i, j);
          entry(n + i, j) += lambda[k] * P::g_qq(k, i, j);
          entry(2 * n + m + k, i) += P::g_qq(k, i, j) * p[j];
        }
      entry(i, i) += cj;
      entry(i, n + i) = -1;
      entry(n + i, n + i) = cj;
      for (int k = 0; k < m; ++k)
        entry(i, 2 * n + m + k) = entry(n + i, 2 * n + k) = entry(2 * n + k, i) = entry(2 * n + m + k, n + i) = G[k][i];
    }
    return 0;
  }

  static Outcome run(double fineness, double periods, double limit) {
    const double tolerance = 1 / fineness;
    const auto vector = [] { return Owned<N_Vector>(N_VNew_Serial(size, context())); };
    const auto y = vector(), yp = vector(), differential = vector(), absolute = vector();
    for (N_Vector v : {y.get(), yp.get()}) N_VConst(0, v);
    double *q = NV_DATA_S(y.get()), *dot = NV_DATA_S(yp.get()), G[m][n];
    start<P>(q, q + n);
    multipliers<P>(q, q + n, G, q + 2 * n);
    for (int i = 0; i < n; ++i) {
      dot[n + i] = -V_q<P>(i);
      for (int k = 0; k < m; ++k) dot[n + i] -= G[k][i] * q[2 * n + k];
    }
    for (int i = 0; i < size; ++i) {
      NV_Ith_S(differential.get(), i) = i < 2 * n;
      NV_Ith_S(absolute.get(), i) = i < 2 * n ? tolerance : 1e6 * tolerance;
    }
    const Owned<SUNMatrix> A(SUNDenseMatrix(size, size, context()));
    const Owned<SUNLinearSolver> linear(SUNLinSol_Dense(y.get(), A.get(), context()));
    void* ida = IDACreate(context());
    check(IDAInit(ida, residual, 0, y.get(), yp.get()));
    check(IDASetErrHandlerFn(ida, silent, nullptr));
    check(IDASVtolerances(ida, tolerance, absolute.get()));
    check(IDASetId(ida, differential.get()));
    check(IDASetSuppressAlg(ida, SUNTRUE));
    check(IDASetNonlinConvCoef(ida, 1e-3));
    check(IDASetInitStep(ida, 1e-5 * P::period));
    check(IDASetMaxNumSteps(ida, steps_between_looks));
    check(IDASetLinearSolver(ida, linear.get(), A.get()));
    check(IDASetJacFn(ida, jacobian));
    const Outcome outcome = sample<P>(q, periods, limit, IDA_TOO_MUCH_WORK, [&](double until) {
      double t = 0;
      return IDASolve(ida, until, &t, y.get(), yp.get(), IDA_NORMAL);
    });
    IDAFree(&ida);
    return outcome;
  }
};

// ---- CVODE on the underlying ODE: q' = p, p' = −V_q − G(q)ᵀ λ(q, p), with the fixed-point solver: the problem
// is not stiff (Newton's method with the analytic Jacobian was level with it to 5 per cent).

template <class P>
struct Underlying {
  static constexpr int n = P::n, m = P::m, size = 2 * n;

  static int rhs(realtype, N_Vector y_, N_Vector dot_, void*) {
    const double *q = NV_DATA_S(y_), *p = q + n;
    double *dot = NV_DATA_S(dot_), G[m][n], lambda[m];
    multipliers<P>(q, p, G, lambda);
    for (int i = 0; i < n; ++i) {
      dot[i] = p[i];
      dot[n + i] = -V_q<P>(i);
      for (int k = 0; k < m; ++k) dot[n + i] -= G[k][i] * lambda[k];
    }
    return 0;
  }

  // a ← a − Gᵀ (G Gᵀ)⁻¹ G a
  static void onto_tangent(const double (*G)[n], double* a) {
    double b[m] = {}, x[m];
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < n; ++i) b[k] += G[k][i] * a[i];
    solve_gram<P>(G, b, x);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < m; ++k) a[i] -= G[k][i] * x[k];
  }

  // The correction that brings q and p back, and the error estimate without its normal part.
  static int projection(realtype, N_Vector y_, N_Vector correction_, realtype, N_Vector error_, void*) {
    const double* y = NV_DATA_S(y_);
    double *correction = NV_DATA_S(correction_), z[size], G[m][n], r[m], x[m];
    std::copy_n(y, size, z);
    for (int iteration = 0; iteration < 8; ++iteration) {
      P::g(z, r);
      P::G(z, G);
      double largest = 0;
      for (int k = 0; k < m; ++k) largest = std::fmax(largest, std::fabs(r[k]));
      if (largest < 4e-16) break;
      solve_gram<P>(G, r, x);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < m; ++k) z[i] -= G[k][i] * x[k];
    }
    onto_tangent(G, z + n);
    for (int i = 0; i < size; ++i) correction[i] = z[i] - y[i];
    if (error_) {
      onto_tangent(G, NV_DATA_S(error_));
      onto_tangent(G, NV_DATA_S(error_) + n);
    }
    return 0;
  }

  static Outcome run(int family, double fineness, double periods, double limit) {
    const Owned<N_Vector> y(N_VNew_Serial(size, context()));
    double* q = NV_DATA_S(y.get());
    start<P>(q, q + n);
    void* cvode = CVodeCreate(family, context());
    check(CVodeInit(cvode, rhs, 0, y.get()));
    check(CVodeSetErrHandlerFn(cvode, silent, nullptr));
    check(CVodeSStolerances(cvode, 1 / fineness, 1 / fineness));
    check(CVodeSetMaxNumSteps(cvode, steps_between_looks));
    const Owned<SUNNonlinearSolver> fixed_point(SUNNonlinSol_FixedPoint(y.get(), 0, context()));
    check(CVodeSetNonlinearSolver(cvode, fixed_point.get()));
    if (family == CV_BDF) {  // CVODE refuses to project with Adams
      check(CVodeSetProjFn(cvode, projection));
      check(CVodeSetProjFrequency(cvode, 1));
    }
    const Outcome outcome = sample<P>(q, periods, limit, CV_TOO_MUCH_WORK, [&](double until) {
      double t = 0;
      return CVode(cvode, until, y.get(), &t, CV_NORMAL);
    });
    CVodeFree(&cvode);
    return outcome;
  }
};

}  // namespace

template <class P>
std::vector<Integrator> sundials() {
  constexpr auto knob = Integrator::Knob::inverse_tolerance;
  const auto cvode = [](int family) {
    return [family](double fineness, double periods, double limit) {
      return Underlying<P>::run(family, fineness, periods, limit);
    };
  };
  return {{"IDA, GGL form", knob, 1, true, 1e4, 1e14, Ggl<P>::run},
          {"CVODE BDF, projected", knob, 1, true, 1e4, 1e15, cvode(CV_BDF)},
          {"CVODE Adams, not projected", knob, 1, true, 1e4, 1e15, cvode(CV_ADAMS)}};
}
template std::vector<Integrator> sundials<Pendulum>();
template std::vector<Integrator> sundials<DoublePendulum>();

}  // namespace bench
