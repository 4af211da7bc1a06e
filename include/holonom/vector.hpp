// Vec<S, N>: N numbers on the stack, or, with N = Dynamic, a fixed number of them on the heap.
// Loops over size() unroll when N is known, which is what makes small systems fast.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace holonom {

inline constexpr int Dynamic = -1;

template <class S, int N = Dynamic>
class Vec {
 public:
  Vec() : a_{} {}
  explicit Vec(int) : a_{} {}
  Vec(std::initializer_list<S> values) : a_{} {
    std::copy_n(values.begin(), std::min<std::size_t>(values.size(), N), a_.begin());
  }

  static constexpr bool is_static = true;
  static constexpr int size() { return N; }
  S& operator[](int i) { return a_[static_cast<std::size_t>(i)]; }
  const S& operator[](int i) const { return a_[static_cast<std::size_t>(i)]; }
  S* data() { return a_.data(); }
  const S* data() const { return a_.data(); }
  auto begin() { return a_.begin(); }
  auto end() { return a_.end(); }
  auto begin() const { return a_.begin(); }
  auto end() const { return a_.end(); }

 private:
  std::array<S, static_cast<std::size_t>(N)> a_;
};

template <class S>
class Vec<S, Dynamic> {
 public:
  Vec() = default;
  explicit Vec(int n) : a_(static_cast<std::size_t>(n), S(0)) {}
  Vec(std::initializer_list<S> values) : a_(values) {}

  static constexpr bool is_static = false;
  int size() const { return static_cast<int>(a_.size()); }
  S& operator[](int i) { return a_[static_cast<std::size_t>(i)]; }
  const S& operator[](int i) const { return a_[static_cast<std::size_t>(i)]; }
  S* data() { return a_.data(); }
  const S* data() const { return a_.data(); }
  auto begin() { return a_.begin(); }
  auto end() { return a_.end(); }
  auto begin() const { return a_.begin(); }
  auto end() const { return a_.end(); }

 private:
  std::vector<S> a_;
};

// Scratch space for one function: a local copy if the type has a fixed size (the compiler then keeps it
// in registers), else the member that was allocated in advance. Use as `auto&& r = scratch(r_);`
template <class T>
decltype(auto) scratch(T& member) {
  if constexpr (T::is_static)
    return T(member);
  else
    return (member);
}

// The size of a product of extents, or Dynamic if one of them is.
constexpr int times(int a, int b) { return a == Dynamic || b == Dynamic ? Dynamic : a * b; }

template <class S, int N>
void fill(Vec<S, N>& x, const S& value) {
  std::fill(x.begin(), x.end(), value);
}

// y += a x
template <class S, int N>
void axpy(const S& a, const Vec<S, N>& x, Vec<S, N>& y) {
  for (int i = 0; i < y.size(); ++i) y[i] += a * x[i];
}

template <class S, int N>
S dot(const Vec<S, N>& x, const Vec<S, N>& y) {
  S s(0);
  for (int i = 0; i < x.size(); ++i) s += x[i] * y[i];
  return s;
}

}  // namespace holonom
