// What an object remembers, as bytes that give it back without losing one. An object names its memory once,
//   template <class Visitor>
//   void visit_memory(Visitor&& f) {
//     f("impulse", impulse_);
//     f("known", known_);
//   }
// and a MemoryWriter and a MemoryReader call it alike. Values are numbers in any scalar, flags, enumerators, texts,
// vectors, arrays and optionals of these, and objects that name a memory of their own. A reader compares the names:
// what was written by another class, or by another version of it, is refused. Bytes are those of one type of machine.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "holonom/dual.hpp"
#include "holonom/vector.hpp"

namespace holonom {

// The bytes are not what the object expects.
class MemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The bytes of one number; a scalar whose bytes are not all of it, or more than it, has a specialisation (wide.hpp).
template <class T>
struct ExactBytes {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "holonom: nobody knows how to save this type");
  // Of long double, 6 of 16 bytes are padding, and may be anything.
  static constexpr std::size_t size =
      std::is_same_v<T, long double> && std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(T);
  static void put(const T& x, char* to) { std::memcpy(to, &x, size); }
  static void get(const char* from, T& x) {
    x = T{};
    std::memcpy(&x, from, size);
  }
};
template <class S>
struct ExactBytes<Dual<S>> {
  static constexpr std::size_t size = 2 * ExactBytes<S>::size;
  static void put(const Dual<S>& x, char* to) {
    ExactBytes<S>::put(x.v, to);
    ExactBytes<S>::put(x.d, to + ExactBytes<S>::size);
  }
  static void get(const char* from, Dual<S>& x) {
    ExactBytes<S>::get(from, x.v);
    ExactBytes<S>::get(from + ExactBytes<S>::size, x.d);
  }
};

namespace detail {

template <class T>
struct IsVector : std::false_type {};
template <class S, int N>
struct IsVector<Vec<S, N>> : std::true_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T, std::size_t N>
struct IsVector<std::array<T, N>> : std::true_type {};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T, class Visitor>
concept HasMemory = requires(T& x, Visitor& f) {
  x.visit_memory(f);
};

}  // namespace detail

class MemoryWriter {
 public:
  template <class T>
  void operator()(std::string_view name, const T& x) {
    text(name);
    put(x);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(const T& x) {
    if constexpr (detail::HasMemory<T, MemoryWriter>) {
      const_cast<T&>(x).visit_memory(*this);  // which only reads: one function serves both ways
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(x);
    } else if constexpr (detail::IsVector<T>::value) {
      number(static_cast<std::uint64_t>(x.size()));
      for (const auto& each : x) put(each);
    } else if constexpr (detail::IsOptional<T>::value) {
      number(x.has_value());
      if (x) put(*x);
    } else {
      number(x);
    }
  }
  template <class T>
  void number(const T& x) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + ExactBytes<T>::size);
    ExactBytes<T>::put(x, bytes_.data() + at);
  }
  void text(std::string_view x) {
    number(static_cast<std::uint64_t>(x.size()));
    bytes_ += x;
  }
  std::string bytes_;
};

// Throws MemoryError where the bytes are those of something else, or end too soon.
class MemoryReader {
 public:
  explicit MemoryReader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  void operator()(std::string_view name, T& x) {
    if (const std::string_view found = text(); found != name)
      throw MemoryError("'" + std::string(name) + "' was expected, and '" + std::string(found.substr(0, 40)) +
                        "' is there");
    if constexpr (!detail::HasMemory<T, MemoryReader>)
      if (forgets_ && forgets_(name)) {
        T unused = x;
        return get(unused);
      }
    get(x);
  }
  bool at_end() const { return left_.empty(); }
  // Values of these names stay as they are: for tests of what becomes of an object that does not name them.
  void forget(std::function<bool(std::string_view name)> these) { forgets_ = std::move(these); }

 private:
  template <class T>
  void get(T& x) {
    if constexpr (detail::HasMemory<T, MemoryReader>) {
      x.visit_memory(*this);
    } else if constexpr (std::is_same_v<T, std::string>) {
      x = text();
    } else if constexpr (detail::IsVector<T>::value) {
      fit(x, length());
      for (auto& each : x) get(each);
    } else if constexpr (detail::IsOptional<T>::value) {
      bool known = false;
      get(known);
      if (!known) return x.reset();
      get(x.emplace());
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      ExactBytes<std::uint8_t>::get(take(1).data(), byte);
      x = byte != 0;
    } else {
      ExactBytes<T>::get(take(ExactBytes<T>::size).data(), x);
    }
  }
  template <class T>
  static void fit(T& x, std::size_t size) {
    if (static_cast<std::size_t>(x.size()) == size) return;
    if constexpr (requires { x.resize(size); })
      x.resize(size);
    else if constexpr (
        requires { x = T(0); } && !requires { requires T::is_static; })
      x = T(static_cast<int>(size));
    else
      throw MemoryError("a vector has " + std::to_string(size) + " entries instead of " + std::to_string(x.size()));
  }
  // Of something that has at least one byte an entry: a number beyond that is no length.
  std::size_t length() {
    std::uint64_t size = 0;
    get(size);
    if (size > left_.size()) throw MemoryError("it ends too soon");
    return static_cast<std::size_t>(size);
  }
  std::string_view text() { return take(length()); }
  std::string_view take(std::size_t size) {
    if (size > left_.size()) throw MemoryError("it ends too soon");
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::string_view left_;
  std::function<bool(std::string_view)> forgets_;
};

}  // namespace holonom
