#include "toml_words.hpp"

#include <algorithm>

#include "holonom/expr/decimal.hpp"

namespace holonom {

namespace {

bool is_number(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > begin;
  };
  if (!digits()) return false;
  if (i < text.size() && text[i] == '.' && (++i, !digits())) return false;
  if (i < text.size() && text[i] == 'e') {
    ++i;
    if (i < text.size() && text[i] == '-') ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

// The code point at `i`, and its length in bytes; length 0 if it is no UTF-8.
std::size_t code_point_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
  // Forms that are too long, halves of pairs, and what is beyond Unicode
  if (length == 3 && ((first == 0xE0 && byte(i + 1) < 0xA0) || (first == 0xED && byte(i + 1) >= 0xA0))) return 0;
  if (length == 4 && ((first == 0xF0 && byte(i + 1) < 0x90) || (first == 0xF4 && byte(i + 1) >= 0x90))) return 0;
  return length;
}

}  // namespace

std::string toml_string(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = code_point_length(text, i);
    if (length == 0) {
      result += "\\uFFFD";  // TOML is Unicode: a byte that is not becomes the replacement character
      ++i;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      result += std::string("\\u00") + hex[byte >> 4U] + hex[byte & 15U];
    else
      result += text.substr(i, length);
    i += length;
  }
  return result + "\"";
}

std::string toml_key(std::string_view name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
  return bare ? std::string(name) : toml_string(name);
}

std::string toml_value(const std::string& formula) { return is_number(formula) ? formula : toml_string(formula); }

std::string toml_number(std::string_view cell) {
  std::string text(cell);
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  const auto without_zeros = [](std::string digits) {
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    return digits.empty() ? "0" : digits;
  };
  const std::size_t e = std::min(text.find_first_of("eE"), text.size()), point = std::min(text.find('.'), e);
  std::string result = (negative ? "-" : "") + without_zeros(text.substr(0, point));
  if (point + 1 < e) result += text.substr(point, e - point);
  if (e == text.size()) return result;
  const bool below = text[e + 1] == '-', sign = below || text[e + 1] == '+';
  return result + (below ? "e-" : "e") + without_zeros(text.substr(e + 1 + (sign ? 1 : 0)));
}

std::string toml_list(const std::vector<std::string>& values, std::size_t indent) {
  constexpr std::size_t longest = 118;
  std::string result = "[";
  std::size_t column = indent + 1;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool last = k + 1 == values.size();
    if (k > 0 && column + 1 + values[k].size() + 1 > longest) {
      result += "\n  ";
      column = 2;
    } else if (k > 0) {
      result += " ";
      ++column;
    }
    result += values[k] + (last ? "" : ",");
    column += values[k].size() + 1;
  }
  return result + "]";
}

}  // namespace holonom
