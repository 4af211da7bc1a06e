// Rigid bodies in a separable system: groups of nine coordinates that are the entries of a matrix Q, with constraints
// that say QᵀQ = I and with the kinetic energy tr(Q' D Q'ᵀ)/2, D symmetric (Hairer, Lubich, Wanner 2003, (6.9)).
// Coordinates without constraints, such as centres of mass, may stand beside them.
//
// They are found by what the system does, not by names: coordinates that share a constraint belong together; their
// constraints have to vanish at rotation matrices, and to have rank 6 there, whatever they look like; and masses have
// to be those of a D. On Q the normals of all such constraints are the same, QΛ with a symmetric Λ, and so is RATTLE.
#pragma once

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "holonom/system.hpp"

namespace holonom {

template <class R>
using Matrix3 = std::array<R, 9>;  // by rows

template <class R>
struct RigidBody {
  std::array<int, 9> at{};  // where the entries of Q are in q, by rows; columns are body axes
  std::array<R, 3> d{};     // second moments of mass, the largest first, about the principal axes
  Matrix3<R> axes{};        // of these in the columns of Q, where they are others (`turned`): D = W diag(d) Wᵀ
  bool turned = false;
  int constraint = 0;  // the first of its own, to name it by
};

template <class R>
struct RigidBodies {
  std::vector<RigidBody<R>> list;
  std::string reason;  // why the system is none of rigid bodies; empty if it is one
};

namespace detail {

// (0, 1) without a pattern, the same in every run
class Scatter {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (static_cast<double>(state_ >> 11) + 0.5) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 20021103;
};

// A D Aᵀ becomes diagonal by plane rotations (Jacobi); the columns of W are its axes.
template <class R>
void diagonalise(Matrix3<R>& D, Matrix3<R>& W) {
  using std::sqrt;
  W = {R(1), R(0), R(0), R(0), R(1), R(0), R(0), R(0), R(1)};
  constexpr int sweeps = 30;  // some six are needed
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int i = 0; i < 3; ++i)
      for (int j = i + 1; j < 3; ++j) {
        const auto at = [](int a, int b) { return 3 * static_cast<std::size_t>(a) + static_cast<std::size_t>(b); };
        const R off = D[at(i, j)];
        if (off == R(0)) continue;
        const R theta = (D[at(j, j)] - D[at(i, i)]) / (2 * off);
        const R root = sqrt(R(theta * theta + 1));
        const R t = R(1) / (theta < R(0) ? R(theta - root) : R(theta + root));
        const R c = R(1) / R(sqrt(R(t * t + 1))), s = t * c;
        for (int k = 0; k < 3; ++k) {
          const R a = D[at(k, i)], b = D[at(k, j)];
          D[at(k, i)] = c * a - s * b;
          D[at(k, j)] = s * a + c * b;
        }
        for (int k = 0; k < 3; ++k) {
          const R a = D[at(i, k)], b = D[at(j, k)];
          D[at(i, k)] = c * a - s * b;
          D[at(j, k)] = s * a + c * b;
          const R u = W[at(k, i)], v = W[at(k, j)];
          W[at(k, i)] = c * u - s * v;
          W[at(k, j)] = s * u + c * v;
        }
        D[at(i, j)] = D[at(j, i)] = R(0);
      }
}

template <Separable Sys>
class BodySearch {
  using S = ScalarOf<Sys>;
  using R = Real<S>;

 public:
  explicit BodySearch(const Sys& sys) : sys_(sys), n_(size_q(sys)), m_(size_g(sys)) {}

  RigidBodies<R> operator()() {
    RigidBodies<R> found;
    found.reason = m_ == 0 ? "it has no constraints" : find_groups();
    if (found.reason.empty()) found.reason = try_rotations();
    if (found.reason.empty()) found.reason = find_masses();
    for (Group& group : groups_) {
      if (!found.reason.empty()) return found;
      found.reason = make_body(group);
      found.list.push_back(group.body);
    }
    return found;
  }

 private:
  struct Group {
    std::vector<int> coordinates, constraints;
    std::array<R, 81> mass{};
    RigidBody<R> body;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static R magnitude_of(const S& x) { return magnitude(value(x)); }

  std::string name(int constraint) const {
    if constexpr (requires { sys_.labels(); })
      return "'" + sys_.labels().constraints[at(constraint)] + "'";
    else
      return std::to_string(constraint);
  }
  std::string names(const Group& group) const {
    if constexpr (requires { sys_.labels(); }) {
      const auto& all = sys_.labels().coordinates;
      return "'" + all[at(group.coordinates.front())] + "' to '" + all[at(group.coordinates.back())] + "'";
    } else {
      return std::to_string(group.coordinates.front()) + " to " + std::to_string(group.coordinates.back());
    }
  }

  // Coordinates that share a constraint, at a position without a pattern.
  std::string find_groups() {
    Vec<S, Sys::N> q(n_);
    for (S& x : q) x = S(2 * random_() - 1);
    JacobianOf<Sys> G = make_jacobian(sys_);
    sys_.G(q, G);
    std::vector<int> root(at(n_));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int i) {
      while (root[at(i)] != i) i = root[at(i)] = root[at(root[at(i)])];
      return i;
    };
    std::vector<int> of_row(at(m_), -1);
    for (int k = 0; k < m_; ++k)
      G.row(k, [&](int j, const S& a) {
        if (value(a) == R(0)) return;
        if (of_row[at(k)] < 0) of_row[at(k)] = j;
        root[at(find(j))] = find(of_row[at(k)]);
      });
    std::vector<int> group_of_root(at(n_), -1);
    group_of_.assign(at(n_), -1);
    for (int k = 0; k < m_; ++k) {
      if (of_row[at(k)] < 0) return "the constraint " + name(k) + " depends on no coordinate";
      int& group = group_of_root[at(find(of_row[at(k)]))];
      if (group < 0) {
        group = static_cast<int>(groups_.size());
        groups_.emplace_back();
      }
      groups_[at(group)].constraints.push_back(k);
    }
    for (int i = 0; i < n_; ++i)
      if (const int group = group_of_root[at(find(i))]; group >= 0) {
        group_of_[at(i)] = group;
        groups_[at(group)].coordinates.push_back(i);
      }
    for (const Group& group : groups_)
      if (group.coordinates.size() != 9)
        return "the constraint " + name(group.constraints.front()) + " and those that share coordinates with it tie " +
               std::to_string(group.coordinates.size()) + " coordinates together, and a rotation matrix has nine";
    return {};
  }

  // Whether constraints vanish at rotation matrices, by lines in the order of the coordinates, and say no less.
  std::string try_rotations() {
    Vec<S, Sys::N> q(n_);
    Vec<S, Sys::M> g(m_);
    JacobianOf<Sys> G = make_jacobian(sys_);
    constexpr int trials = 4;
    for (int trial = 0; trial < trials; ++trial) {
      for (const Group& group : groups_) {
        std::array<R, 4> e{};
        R square(0);
        for (R& x : e) {
          x = R(2 * random_() - 1);
          square += x * x;
        }
        const R s = 2 / square;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            const int k = 3 - i - j;  // the third index, where i and j differ
            const R turn = i == j ? R(0) : R((j == (i + 1) % 3 ? -e[0] : e[0]) * e[at(k + 1)]);
            const R diagonal = i == j ? R(R(1) - s * (square - e[0] * e[0])) : R(0);
            q[group.coordinates[at(3 * i + j)]] = S(R(diagonal + s * (e[at(i + 1)] * e[at(j + 1)] + turn)));
          }
      }
      constraint_and_jacobian(sys_, q, g, G);
      for (const Group& group : groups_) {
        for (const int k : group.constraints) {
          R terms(0);
          G.row(k, [&](int j, const S& a) { terms += magnitude_of(a) * magnitude_of(q[j]); });
          if (!(magnitude_of(g[k]) <= R(1000) * epsilon<S>() * terms))
            return "the constraint " + name(k) +
                   " does not hold for rotation matrices of its nine coordinates, row by row or column by column";
        }
        if (const int rank = rank_of(group, G); rank < 6)
          return "the constraint " + name(group.constraints.front()) +
                 " and those that share coordinates with it leave nine coordinates " + std::to_string(9 - rank) +
                 " degrees of freedom, and a rotation matrix has three";
      }
    }
    return {};
  }
  int rank_of(const Group& group, const JacobianOf<Sys>& G) const {
    std::vector<std::array<R, 9>> rows;
    for (const int k : group.constraints) {
      std::array<R, 9> row{};
      R size(0);
      G.row(k, [&](int j, const S& a) {
        const auto place = std::find(group.coordinates.begin(), group.coordinates.end(), j);
        if (place == group.coordinates.end()) return;
        row[at(static_cast<int>(place - group.coordinates.begin()))] = value(a);
        keep_largest(size, magnitude_of(a));
      });
      for (R& a : row) a /= size;
      rows.push_back(row);
    }
    int rank = 0;
    std::vector<bool> used(rows.size(), false);
    for (;;) {
      std::size_t row = 0, column = 0;
      R best(0);
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < 9 && !used[r]; ++c)
          if (const R size = magnitude(rows[r][c]); size > best) best = size, row = r, column = c;
      if (!(best > R(1e-3))) return rank;  // gradients of usual constraints are far from dependent
      used[row] = true;
      ++rank;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (used[r]) continue;
        const R factor = rows[r][column] / rows[row][column];
        for (std::size_t c = 0; c < 9; ++c) rows[r][c] -= factor * rows[row][c];
      }
    }
  }

  // f(i, j, M_ij) for all that may not be zero
  template <class F>
  void mass_entries(F&& f) const {
    Vec<S, Sys::N> x(n_), image(n_);
    if (const auto* diagonal = InverseMass<Sys>{sys_}.diagonal(); diagonal) {
      fill(x, S(1));
      sys_.mass().multiply(x, image);
      for (int i = 0; i < n_; ++i) f(i, i, R(value(image[i])));
      return;
    }
    if constexpr (requires { sys_.mass().sparse()->pattern(); })
      if (const auto* sparse = sys_.mass().sparse()) {
        const Pattern& rows = sparse->pattern();
        for (int i = 0; i < n_; ++i)
          for (int z = rows.row_start[at(i)]; z < rows.row_start[at(i) + 1]; ++z)
            f(i, rows.column[at(z)], R(value(sparse->values()[z])));
        return;
      }
    for (int j = 0; j < n_; ++j) {
      fill(x, S(0));
      x[j] = S(1);
      sys_.mass().multiply(x, image);
      for (int i = 0; i < n_; ++i) f(i, j, R(value(image[i])));
    }
  }
  std::string find_masses() {
    std::vector<int> place(at(n_), -1);
    for (const Group& group : groups_)
      for (int k = 0; k < 9; ++k) place[at(group.coordinates[at(k)])] = k;
    std::string reason;
    mass_entries([&](int i, int j, const R& a) {
      const int group = group_of_[at(i)];
      if (a == R(0) || (group < 0 && group_of_[at(j)] < 0)) return;
      if (group == group_of_[at(j)])
        groups_[at(group)].mass[at(9 * place[at(i)] + place[at(j)])] = a;
      else if (reason.empty())
        reason = "the mass matrix couples the rotation of " + names(groups_[at(group < 0 ? group_of_[at(j)] : group)]) +
                 " with other coordinates";
    });
    return reason;
  }

  // The masses of Q' as 1 ⊗ D with the entries of Q by rows or by columns.
  std::string make_body(Group& group) const {
    RigidBody<R>& body = group.body;
    body.constraint = group.constraints.front();
    R largest(0);
    for (const R& a : group.mass) keep_largest(largest, R(magnitude(a)));
    const auto index = [](bool by_rows, int i, int j) { return by_rows ? 3 * i + j : 3 * j + i; };
    for (const bool by_rows : {true, false}) {
      Matrix3<R> D{};
      bool fits = true;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) {
              const R a = group.mass[at(9 * index(by_rows, i, j) + index(by_rows, k, l))];
              if (i == 0 && k == 0) D[at(3 * j + l)] = a;
              const R expected = i == k ? D[at(3 * j + l)] : R(0);
              fits = fits && magnitude(R(a - expected)) <= R(64) * epsilon<S>() * largest;
            }
      if (!fits) continue;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) body.at[at(3 * i + j)] = group.coordinates[at(index(by_rows, i, j))];
      return find_axes(body, D) ? std::string()
                                : "the masses of " + names(group) + " have second moments that are not positive";
    }
    return "the masses of " + names(group) +
           " are not those of a rigid body: the entries of a matrix Q need the kinetic energy tr(Q' D Q'^T)/2, with "
           "the "
           "same D for all rows of Q";
  }
  // Principal axes, the largest moment first: columns of Q in another order, or turned.
  static bool find_axes(RigidBody<R>& body, Matrix3<R> D) {
    Matrix3<R> W{};
    body.turned = !(D[1] == R(0) && D[2] == R(0) && D[5] == R(0));
    diagonalise(D, W);
    std::array<int, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](int i, int j) { return D[at(4 * i)] > D[at(4 * j)]; });
    const std::array<int, 9> before = body.at;
    for (int j = 0; j < 3; ++j) {
      body.d[at(j)] = D[at(4 * order[at(j)])];
      for (int i = 0; i < 3; ++i) {
        body.axes[at(3 * i + j)] = W[at(3 * i + order[at(j)])];
        if (!body.turned) body.at[at(3 * i + j)] = before[at(3 * i + order[at(j)])];
      }
    }
    return body.d[2] > R(0) && is_finite(body.d[0]);
  }

  const Sys& sys_;
  int n_, m_;
  Scatter random_;
  std::vector<Group> groups_;
  std::vector<int> group_of_;  // by coordinate; −1: free
};

}  // namespace detail

template <Separable Sys>
RigidBodies<Real<ScalarOf<Sys>>> find_rigid_bodies(const Sys& sys) {
  if constexpr (requires { sys.lacks(Quantity::V); })
    if (std::string reason = sys.lacks(Quantity::V); !reason.empty()) return {{}, reason};
  return detail::BodySearch<Sys>(sys)();
}

}  // namespace holonom
