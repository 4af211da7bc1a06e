// Positions in TOML text: toml++ knows where a value begins; formulas need the column within it, and
// numbers their digits as written.
#pragma once

// A malformed table header, such as [,], is an error of the text, not of the program: without this toml++ 3.3
// would abort on it in a debug build, before it comes to the message.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "holonom/model/model.hpp"

namespace holonom {

// All of a file. Throws InputError.
std::string read_text(const std::string& path);

class TomlSource {
 public:
  TomlSource(std::string file_name, std::string source_text);

  // The text as toml++ reads it. Throws InputError.
  toml::table parse() const;

  std::string place(const toml::source_position& at) const;  // file:line:column
  [[noreturn]] void fail(const toml::source_position& at, const std::string& what) const;
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const;
  // At byte `offset` of the value of a string.
  [[noreturn]] void fail(const toml::node& string, std::size_t offset, const std::string& what) const;

  // A number as it is written, without sign conversions or rounding.
  std::string digits(const toml::node& number) const;

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }

 private:
  // After a mistake in the TOML itself: throws if it is a formula without quotes that TOML stumbled over there.
  void fail_if_unquoted(const toml::source_position& at, std::string_view description) const;
  std::size_t index(const toml::source_position& at) const;
  toml::source_position position(std::size_t index) const;

  std::string file_, text_;
  std::vector<std::size_t> line_start_;
  std::unordered_set<std::size_t> wide_lines_;  // where a character is not a byte
};

// The entries of a table in the order of the file.
struct Entry {
  std::string key;
  const toml::key* place;
  const toml::node* node;
};
std::vector<Entry> in_file_order(const toml::table& table);

}  // namespace holonom
