// A file of its own: the compiler sees neither the caller nor the numbers, as in a program of many files.
#include "hand_written_chain.hpp"

namespace hand::chain {

// With s = 1/r²: V = 4 (s⁶ − s³), and ∂V/∂r_i = c (r_i − r_j) with c = 24 s⁴ (1 − 2 s³). No root.
void V_q(const double* q, double* out) {
  for (int i = 0; i < n; ++i) out[i] = 0;
  for (int i = 0; i < n; i += 3) {
    const double x = q[i], y = q[i + 1], z = q[i + 2];
    double fx = 0, fy = 0, fz = 0;
    for (int j = i + 3; j < n; j += 3) {
      const double dx = x - q[j], dy = y - q[j + 1], dz = z - q[j + 2];
      const double s = 1 / (dx * dx + dy * dy + dz * dz), s3 = s * s * s;
      const double c = 24 * s * s3 * (1 - 2 * s3);
      const double ax = c * dx, ay = c * dy, az = c * dz;
      fx += ax, fy += ay, fz += az;
      out[j] -= ax, out[j + 1] -= ay, out[j + 2] -= az;
    }
    out[i] += fx, out[i + 1] += fy, out[i + 2] += fz;
  }
}

// With d = r_i − r_j and w = u_i − u_j: c w + e d, where e = 96 s⁵ (7 s³ − 2) d·w is the derivative of c along w.
void V_qq(const double* q, const double* u, double* out) {
  for (int i = 0; i < n; ++i) out[i] = 0;
  for (int i = 0; i < n; i += 3) {
    const double x = q[i], y = q[i + 1], z = q[i + 2], ux = u[i], uy = u[i + 1], uz = u[i + 2];
    double fx = 0, fy = 0, fz = 0;
    for (int j = i + 3; j < n; j += 3) {
      const double dx = x - q[j], dy = y - q[j + 1], dz = z - q[j + 2];
      const double wx = ux - u[j], wy = uy - u[j + 1], wz = uz - u[j + 2];
      const double s = 1 / (dx * dx + dy * dy + dz * dz), s3 = s * s * s, s4 = s * s3;
      const double c = 24 * s4 * (1 - 2 * s3);
      const double e = 96 * s * s4 * (7 * s3 - 2) * (dx * wx + dy * wy + dz * wz);
      const double ax = c * wx + e * dx, ay = c * wy + e * dy, az = c * wz + e * dz;
      fx += ax, fy += ay, fz += az;
      out[j] -= ax, out[j + 1] -= ay, out[j + 2] -= az;
    }
    out[i] += fx, out[i + 1] += fy, out[i + 2] += fz;
  }
}

void g_and_G(const double* q, double* g, double* G) {
  for (int k = 0; k < m; ++k, q += 3, G += 6) {
    const double dx = q[0] - q[3], dy = q[1] - q[4], dz = q[2] - q[5];
    g[k] = 0.5 * (dx * dx + dy * dy + dz * dz - 1);
    G[0] = dx, G[1] = dy, G[2] = dz;
    G[3] = -dx, G[4] = -dy, G[5] = -dz;
  }
}

void g_qq(const double* u, const double* v, double* out) {
  for (int k = 0; k < m; ++k, u += 3, v += 3)
    out[k] = (u[0] - u[3]) * (v[0] - v[3]) + (u[1] - u[4]) * (v[1] - v[4]) + (u[2] - u[5]) * (v[2] - v[5]);
}

void g_uu(const double* u, double* out) {
  for (int k = 0; k < m; ++k, u += 3) {
    const double dx = u[0] - u[3], dy = u[1] - u[4], dz = u[2] - u[5];
    out[k] = dx * dx + dy * dy + dz * dz;
  }
}

}  // namespace hand::chain
