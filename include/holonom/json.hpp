// JSON output: objects in the order of writing, numbers with all their digits. Wider precisions are
// strings, because JSON readers would round them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

class Json {
 public:
  Json& begin(std::string_view key = {}) { return open(key, '{'); }
  Json& begin_list(std::string_view key = {}) { return open(key, '['); }
  Json& end() { return close('}'); }
  Json& end_list() { return close(']'); }

  Json& text(std::string_view key, std::string_view value) {
    name(key);
    quote(value);
    return *this;
  }
  Json& boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  Json& null(std::string_view key) { return raw(key, "null"); }
  Json& integer(std::string_view key, long long value) { return raw(key, std::to_string(value)); }
  template <class S>
  Json& number(std::string_view key, const S& value) {
    if (!is_finite(value)) return raw(key, "null");
    const std::string digits = to_text(value);
    if constexpr (std::is_same_v<S, double>)
      return raw(key, digits);
    else
      return text(key, digits);
  }

  // Digits of a number: of a double, or of a wider one.
  Json& digits(std::string_view key, std::string_view value, bool of_double) {
    return of_double ? raw(key, value) : text(key, value);
  }

  const std::string& str() const { return out_; }

 private:
  Json& open(std::string_view key, char bracket) {
    name(key);
    out_ += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }
  Json& raw(std::string_view key, std::string_view value) {
    name(key);
    out_ += value;
    return *this;
  }
  void name(std::string_view key) {
    if (!first_) out_ += ", ";
    first_ = false;
    if (key.empty()) return;
    quote(key);
    out_ += ": ";
  }
  void quote(std::string_view value) {
    out_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        constexpr std::string_view hex = "0123456789abcdef";
        out_ += "\\u00";
        out_ += hex[static_cast<unsigned char>(c) >> 4U];
        out_ += hex[static_cast<unsigned char>(c) & 15U];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  std::string out_;
  bool first_ = true;
};

}  // namespace holonom
