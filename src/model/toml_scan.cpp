#include "toml_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "holonom/expr/decimal.hpp"

namespace holonom {

namespace {

// Whether a number of the grammar of TOML is too long or too large for toml++, or too small.
bool is_beyond(std::string number) {
  constexpr std::size_t longest = 100, longest_integer = 18;
  number.erase(std::remove(number.begin(), number.end(), '_'), number.end());
  if (number.size() > longest) return true;
  if (number.find_first_of(".eE") == std::string::npos)
    return static_cast<std::size_t>(std::count_if(number.begin(), number.end(), is_digit)) > longest_integer;
  const std::size_t mantissa = std::min(number.find_first_of("eE"), number.size());
  const bool zero = number.substr(0, mantissa).find_first_of("123456789") == std::string::npos;
  const double x = std::abs(std::strtod(number.c_str(), nullptr));
  return std::isinf(x) || (!zero && x < std::numeric_limits<double>::min());
}

// Walks over the text and knows, as far as that is right, where values may begin. Malformed text may mislead it; toml++
// then finds the mistake.
class Scanner {
 public:
  explicit Scanner(std::string text) : text_(std::move(text)) {}

  TomlScan run() {
    bool line_begins = true;
    while (i_ < text_.size() && !deep_key_) {
      const char c = text_[i_];
      const bool first = std::exchange(line_begins, line_begins && (c == ' ' || c == '\t' || c == '\r'));
      if (c == '#') {
        i_ = std::min(text_.find('\n', i_), text_.size());
        continue;
      }
      if (c == '"' || c == '\'') {
        skip_string(c);
        value_ = false;
        continue;
      }
      if (value_ && std::string_view(" \t\r\n,.=[]{}").find(c) == std::string_view::npos) {
        token();
        value_ = false;
        continue;
      }
      switch (c) {
        case '\n':
          dots_ = 0;
          header_ = false;
          if (open_.empty()) value_ = false;
          line_begins = open_.empty();
          break;
        case '=':
          value_ = true;
          dots_ = 0;
          break;
        case '[':
          header_ = header_ || (first && open_.empty());
          if (header_) break;
          open_.push_back(c);
          value_ = true;
          break;
        case '{':
          open_.push_back(c);
          value_ = false;
          break;
        case ']':
        case '}':
          if (!open_.empty()) open_.pop_back();
          value_ = false;
          break;
        case ',':
          dots_ = 0;
          value_ = !open_.empty() && open_.back() == '[';
          break;
        case '.':
          if (++dots_ >= most_parts_of_a_key) deep_key_ = i_;
          break;
        default: break;
      }
      ++i_;
    }
    return {std::move(text_), deep_key_};
  }

 private:
  void skip_string(char quote) {
    const bool triple = text_.compare(i_, 3, std::string(3, quote)) == 0;
    i_ += triple ? 3 : 1;
    while (i_ < text_.size()) {
      if (triple ? text_.compare(i_, 3, std::string(3, quote)) == 0 : text_[i_] == quote) break;
      if (!triple && text_[i_] == '\n') return;
      i_ += quote == '"' && text_[i_] == '\\' ? 2 : 1;
    }
    i_ = std::min(i_ + (triple ? 3 : 1), text_.size());
  }

  // digits, with single underscores between them; false if there are none
  bool digits(std::size_t& k) const {
    const std::size_t begin = k;
    while (k < text_.size() && (is_digit(text_[k]) || (text_[k] == '_' && k > begin && k + 1 < text_.size() &&
                                                       is_digit(text_[k - 1]) && is_digit(text_[k + 1]))))
      ++k;
    return k > begin;
  }

  void token() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}#", i_), text_.size());
    std::size_t k = i_ + (text_[i_] == '+' || text_[i_] == '-');
    const std::size_t whole = k;
    bool good = digits(k) && (text_[whole] != '0' || k == whole + 1);
    if (good && k < end && text_[k] == '.') good = digits(++k);
    if (good && k < end && (text_[k] == 'e' || text_[k] == 'E')) {
      ++k;
      k += k < end && (text_[k] == '+' || text_[k] == '-');
      good = digits(k);
    }
    constexpr std::string_view harmless = "0.5";  // no integer, so that nobody takes it for one
    const std::size_t length = end - i_;
    if (good && k == end && length >= harmless.size() && is_beyond(text_.substr(i_, length)))
      text_.replace(i_, length, std::string(harmless) + std::string(length - harmless.size(), ' '));
    i_ = end;
  }

  std::string text_;
  std::size_t i_ = 0;
  std::optional<std::size_t> deep_key_;
  std::vector<char> open_;  // brackets of values
  int dots_ = 0;
  bool value_ = false, header_ = false;  // a value may begin here; within [table]
};

}  // namespace

TomlScan scan_toml(std::string text) { return Scanner(std::move(text)).run(); }

}  // namespace holonom
