// Where quantities are tried: models in which nothing vanishes that can be different from zero, and a place in them.
#pragma once

#include "holonom/quantities.hpp"
#include "models.hpp"

namespace holonom::test {

// Any state and any directions will do, on the manifold or not: the start, shaken.
template <class S>
struct Place {
  Vec<S> q, p, lambda, u, v, w;

  explicit Place(const ModelSystem<S>& sys) : Place(sys.n(), sys.m()) {
    const State<S> start = initial_state(sys).state;
    for (int i = 0; i < sys.n(); ++i) {
      q[i] += start.q[i];
      p[i] += start.p[i];
    }
  }
  Place(int n, int m) : q(n), p(n), lambda(m), u(n), v(n), w(n) {
    for (int i = 0; i < n; ++i) {
      q[i] = S((i * 7) % 5 - 2) / S(40) + S(1) / S(111);
      p[i] = S((i * 3) % 7 - 3) / S(5) + S(1) / S(13);
      u[i] = S((i * 5) % 11 - 4) / S(3) + S(1) / S(7);
      v[i] = S((i * 4) % 13 - 5) / S(4) + S(1) / S(9);
      w[i] = S((i * 8) % 9 - 3) / S(2) + S(1) / S(5);
    }
    for (int k = 0; k < m; ++k) lambda[k] = S(2 * k + 1) / S(3) - S(m) + S(1) / S(17);
  }
  // What a quantity depends on
  Arguments<S> operator()(Quantity f, Part part = Part::all) const {
    Arguments<S> x{.q = &q, .u = &u, .part = part};
    if (is_of_H(f)) x.p = &p;
    if (is_of_multipliers(f)) x.lambda = &lambda;
    if (lower(f) || is_per_constraint(f)) x.v = &v;
    if (f == Quantity::g_qqq) x.w = &w;
    return x;
  }
};

template <class S>
Vec<S> evaluate(const AnySystem<S>& sys, Quantity f, const Arguments<S>& x) {
  Vec<S> out(is_per_constraint(f) ? sys.m() : sys.n());
  fill(out, std::numeric_limits<S>::quiet_NaN());
  sys.evaluate(f, x, out);
  return out;
}

// ---- models

inline const std::string constraints = R"toml(
[constraints]
one = "x^2*y + sin(z) + x*y*z"
two = "exp(x*z) + y^3 - x"
[initial]
project = true
q = { x = "0.5", y = "-0.4", z = "0.7" }
)toml";
inline const std::string names = R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
)toml";

inline const std::string separable = names + R"toml(
mass = [1, 2, 3]
potential = { slow = "x^3*y + exp(z)*x*y", fast = "sin(x*y*z) + y^3/(2 + z)" }
)toml" + constraints;
inline const std::string full_mass = names + R"toml(
mass = [[4, 1, 0], [1, 5, 2], [0, 2, 6]]
potential = "x^3*y + exp(z)*x*y + sin(x*y*z)"
)toml" + constraints;
inline const std::string mass_matrix = names + R"toml(
kinetic = "((3 + sin(x*y))*v_x^2 + (2 + z^2 + x^4)*v_y^2 + exp(x + y)*v_z^2)/2 + x*z*v_x*v_z/3 + cos(y)*v_x*v_y/2"
potential = "x^3*y + exp(z)*x*y"
)toml" + constraints;
inline const std::string general = names + R"toml(
hamiltonian = "sqrt(2 + (p_x + y*z^2)^2 + (p_y - x^2*z)^2 + (p_z + sin(x*y))^2)*(2 + x*y + z^2) + p_x*p_y*p_z*x/5"
)toml" + constraints;
inline const std::string table = R"toml(
[coordinates]
names = ["s"]
r = { count = 4, dim = 2 }
[energy]
mass = { s = 2, r = "1 + i" }
potential = "s^4"
[[energy.sum]]
over = { i = "0..2" }
term = "1/(1 + dot(r[i+1] - r[i], r[i+1] - r[i])) + s^2*r[i].x*r[i+1].y^2"
[[energy.sum]]
over = { i = "0..3" }
part = "fast"
term = "exp(r[i].x*r[i].y)*(i + 1)"
[constraints]
[[constraints.stack]]
name = "link"
over = { i = "0..2" }
zero = "sqrt(1 + dot(r[i+1] - r[i], r[i+1] - r[i]) + s*r[i].x*r[i].y) - 1.5"
[initial]
project = true
q = { s = "0.3", r = ["i", "0.2*i^2"] }
)toml";

}  // namespace holonom::test
