// RATTLE as one would write it by hand for one problem with unit masses and a constant force: the
// yardstick. The same algorithm as the library: warm start, Newton's method with G(q₁) G(q₀)ᵀ to
// round-off, one factorisation for the momenta.
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace hand {

struct Pendulum {
  static constexpr int n = 2, m = 1;
  static constexpr std::array<double, 2> q0{1, 0}, force{0, 1};
  static void g(const double* q, double* r) { r[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1); }
  static void G(const double* q, double (*J)[2]) {
    J[0][0] = q[0];
    J[0][1] = q[1];
  }
};

struct DoublePendulum {
  static constexpr int n = 4, m = 2;
  static constexpr std::array<double, 4> q0{0.5, -0.8660254037844386, 0.5, -1.8660254037844386}, force{0, 1, 0, 1};
  static void g(const double* q, double* r) {
    const double a = q[2] - q[0], b = q[3] - q[1];
    r[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
    r[1] = 0.5 * (a * a + b * b - 1);
  }
  static void G(const double* q, double (*J)[4]) {
    const double a = q[2] - q[0], b = q[3] - q[1];
    J[0][0] = q[0], J[0][1] = q[1], J[0][2] = 0, J[0][3] = 0;
    J[1][0] = -a, J[1][1] = -b, J[1][2] = a, J[1][3] = b;
  }
};

// One problem at work: positions, momenta, and G at the position that a move starts from.
template <class P>
class Motion {
 protected:
  static constexpr int n = P::n, m = P::m;

 public:
  double q[n], p[n] = {};

  Motion() {
    for (int i = 0; i < n; ++i) q[i] = P::q0[static_cast<std::size_t>(i)];
    P::G(q, G0);
  }

 protected:
  void kick(double h) {
    for (int i = 0; i < n; ++i) p[i] -= h * P::force[static_cast<std::size_t>(i)];
  }

  // Free motion onto g = 0, from a first guess of the impulse
  void drift(double h, double* impulse) {
    const double rate = 1 / h;
    double q1[n], ph[n], r[m], G1[m][n];
    const auto move = [&] {
      for (int i = 0; i < n; ++i) {
        double s = p[i];
        for (int k = 0; k < m; ++k) s -= G0[k][i] * impulse[k];
        ph[i] = s;
        q1[i] = q[i] + h * s;
      }
    };
    double previous = 0;
    for (int it = 1; it < 50; ++it) {
      move();
      P::g(q1, r);
      P::G(q1, G1);
      double size = 0;
      for (int k = 0; k < m; ++k) size = std::fmax(size, std::fabs(r[k]));
      if (size <= 2.3e-16 || (it > 1 && size >= previous / 2 && size < 1e-11)) break;
      solve(G1, r);
      for (int k = 0; k < m; ++k) impulse[k] += r[k] * rate;
      const double next = it == 1 ? 100 * size * size : 10 * size * (size / previous) * (size / previous);
      previous = size;
      if (next <= 2.3e-16) {
        move();
        P::G(q1, G1);
        break;
      }
    }
    for (int i = 0; i < n; ++i) {
      q[i] = q1[i];
      p[i] = ph[i];
      for (int k = 0; k < m; ++k) G0[k][i] = G1[k][i];
    }
  }

  // Momenta onto G p = 0
  void project() {
    double r[m];
    for (int k = 0; k < m; ++k) {
      r[k] = 0;
      for (int i = 0; i < n; ++i) r[k] += G0[k][i] * p[i];
    }
    solve(G0, r);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < m; ++k) p[i] -= G0[k][i] * r[k];
  }

 private:
  // (G1 G0ᵀ) x = r in closed form, m ≤ 2
  void solve(const double (*G1)[n], double* r) const {
    double a[m][m];
    for (int k = 0; k < m; ++k)
      for (int l = 0; l < m; ++l) {
        a[k][l] = 0;
        for (int i = 0; i < n; ++i) a[k][l] += G1[k][i] * G0[l][i];
      }
    if constexpr (m == 1) {
      r[0] /= a[0][0];
    } else {
      const double d = 1 / (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
      const double x = (a[1][1] * r[0] - a[0][1] * r[1]) * d, y = (a[0][0] * r[1] - a[1][0] * r[0]) * d;
      r[0] = x, r[1] = y;
    }
  }

  double G0[m][n];
};

template <class P>
class Rattle : public Motion<P> {
 public:
  void step(double h) {
    this->kick(h / 2);
    this->drift(h, impulse_);
    this->kick(h / 2);
    this->project();
  }

 private:
  double impulse_[P::m] = {};
};

// A composition of RATTLE: kicks merged, one projection, an impulse to start from for each substep.
template <class P>
class Composition : public Motion<P> {
 public:
  explicit Composition(const std::vector<double>& c) : c_(c), impulse_(c.size() * P::m) {}

  void step(double h) {
    double before = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      this->kick((before + c_[i]) * h / 2);
      this->drift(c_[i] * h, &impulse_[i * P::m]);
      before = c_[i];
    }
    this->kick(before * h / 2);
    this->project();
  }

 private:
  std::vector<double> c_, impulse_;
};

}  // namespace hand
