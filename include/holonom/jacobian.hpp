// The constraint Jacobian G(q): dense for compile-time sizes, compressed rows otherwise. Methods use
// G v and Gᵀλ, solvers walk along rows; neither knows how the numbers are stored.
#pragma once

#include <vector>

#include "holonom/vector.hpp"

namespace holonom {

// Where G may be nonzero; declared once by the system, and shared.
struct Pattern {
  int n = 0;
  std::vector<int> row_start{0}, column;

  int m() const { return static_cast<int>(row_start.size()) - 1; }
  int nonzeros() const { return static_cast<int>(column.size()); }
};

template <class S, int N = Dynamic, int M = Dynamic>
class Jacobian {
 public:
  static constexpr bool is_static = true;
  Jacobian() = default;

  S& operator()(int k, int j) { return a_[k * N + j]; }
  const S& operator()(int k, int j) const { return a_[k * N + j]; }
  static constexpr int m() { return M; }
  static constexpr int n() { return N; }

  // f(j, G_kj) for all j in row k
  template <class F>
  void row(int k, F&& f) const {
    for (int j = 0; j < N; ++j) f(j, a_[k * N + j]);
  }

 private:
  Vec<S, N * M> a_;
};

template <class S>
class Jacobian<S, Dynamic, Dynamic> {
 public:
  static constexpr bool is_static = false;
  Jacobian() = default;
  explicit Jacobian(const Pattern& pattern) : pattern_(&pattern), value_(pattern.nonzeros()) {}

  Vec<S>& values() { return value_; }
  const Vec<S>& values() const { return value_; }
  const Pattern& pattern() const { return *pattern_; }
  int m() const { return pattern_->m(); }
  int n() const { return pattern_->n; }

  template <class F>
  void row(int k, F&& f) const {
    const int end = pattern_->row_start[static_cast<std::size_t>(k) + 1];
    for (int z = pattern_->row_start[static_cast<std::size_t>(k)]; z < end; ++z)
      f(pattern_->column[static_cast<std::size_t>(z)], value_[z]);
  }

 private:
  const Pattern* pattern_ = nullptr;
  Vec<S> value_;
};

// out = G v
template <class S, int N, int M>
void multiply(const Jacobian<S, N, M>& G, const Vec<S, N>& v, Vec<S, M>& out) {
  for (int k = 0; k < G.m(); ++k) {
    S s(0);
    G.row(k, [&](int j, const S& x) { s += x * v[j]; });
    out[k] = s;
  }
}

// out -= Gᵀ λ: a constraint force acts along −Gᵀλ
template <class S, int N, int M>
void subtract_force(const Jacobian<S, N, M>& G, const Vec<S, M>& lambda, Vec<S, N>& out) {
  for (int k = 0; k < G.m(); ++k) {
    const S& l = lambda[k];
    G.row(k, [&](int j, const S& x) { out[j] -= x * l; });
  }
}

}  // namespace holonom
