#include "toml_source.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "toml_scan.hpp"

namespace holonom {

namespace {
// toml++ counts columns in code points.
bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
}  // namespace

std::string read_text(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) throw InputError(path + ": the file cannot be read");
  // A device may have no end.
  constexpr std::size_t most = std::size_t{1} << 28, block = std::size_t{1} << 16;
  std::string text;
  while (file) {
    const std::size_t size = text.size();
    if (size > most) throw InputError(path + ": the file has more than 256 MB; numbers belong into CSV files");
    text.resize(size + block);
    file.read(text.data() + size, block);
    text.resize(size + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw InputError(path + ": the file cannot be read");
  return text;
}

TomlSource::TomlSource(std::string file_name, std::string source_text)
    : file_(std::move(file_name)), text_(std::move(source_text)) {
  line_start_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (continues_code_point(text_[i])) wide_lines_.insert(line_start_.size());
    if (text_[i] == '\n') line_start_.push_back(i + 1);
  }
}

toml::table TomlSource::parse() const {
  const TomlScan scan = scan_toml(text_);
  if (scan.deep_key)
    fail(position(*scan.deep_key), "a key has more than " + std::to_string(most_parts_of_a_key) +
                                       " parts: tables are not nested that deeply in any model");
  try {
    return toml::parse(scan.text, file_);
  } catch (const toml::parse_error& e) {
    fail_if_unquoted(e.source().begin, e.description());
    fail(e.source().begin, std::string(e.description()));
  }
}

std::size_t TomlSource::index(const toml::source_position& at) const {
  if (at.line == 0 || at.line > line_start_.size()) return text_.size();
  std::size_t i = line_start_[at.line - 1];
  if (!wide_lines_.contains(at.line)) return std::min(i + at.column - 1, text_.size());
  for (toml::source_index column = 1; column < at.column && i < text_.size(); ++column) {
    ++i;
    while (i < text_.size() && continues_code_point(text_[i])) ++i;
  }
  return i;
}

std::string TomlSource::place(const toml::source_position& at) const {
  return file_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void TomlSource::fail(const toml::source_position& at, const std::string& what) const {
  throw InputError(place(at) + ": " + what);
}

void TomlSource::fail(const toml::node& node, const std::string& what) const { fail(node.source().begin, what); }

void TomlSource::fail(const toml::node& string, std::size_t offset, const std::string& what) const {
  std::size_t i = index(string.source().begin);
  const bool triple = text_.compare(i, 3, "\"\"\"") == 0 || text_.compare(i, 3, "'''") == 0;
  const bool escapes = i < text_.size() && text_[i] == '"';
  i += triple ? 3 : 1;
  if (triple && text_.compare(i, 2, "\r\n") == 0)
    i += 2;
  else if (triple && i < text_.size() && text_[i] == '\n')
    ++i;
  // Walks through what is written, and counts the bytes that it stands for.
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  for (std::size_t value = 0; i < text_.size();) {
    if (escapes && text_[i] == '\\' && i + 1 < text_.size() && is_space(text_[i + 1])) {
      for (++i; i < text_.size() && is_space(text_[i]);) ++i;  // a joined line stands for nothing
      continue;
    }
    if (value >= offset) break;
    std::size_t written = 1, bytes = 1;
    if (text_.compare(i, 2, "\r\n") == 0) {
      written = 2;
    } else if (escapes && text_[i] == '\\' && i + 1 < text_.size()) {
      const std::size_t digits = text_[i + 1] == 'u' ? 4 : text_[i + 1] == 'U' ? 8 : 0;
      written = 2 + digits;
      if (digits > 0) {
        const unsigned long code = std::strtoul(text_.substr(i + 2, digits).c_str(), nullptr, 16);
        bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      }
    }
    i += written;
    value += bytes;
  }
  fail(position(i), what);
}

void TomlSource::fail_if_unquoted(const toml::source_position& at, std::string_view description) const {
  // What toml++ says where it has begun to read a value.
  const auto says = [&](std::string_view words) { return description.find(words) != std::string_view::npos; };
  const bool within = says("could not determine value type") || says("parsing decimal integer") ||
                      says("parsing floating-point") || says("parsing boolean");
  const bool behind = says("expected a comment or whitespace");
  if (at.line == 0 || at.line > line_start_.size() || (!within && !behind)) return;
  const std::size_t line = line_start_[at.line - 1], mistake = index(at);
  const std::size_t end_of_line = std::min(text_.find('\n', line), text_.size());
  // The value begins behind the last of these signs, outside of strings.
  std::size_t begin = behind ? std::string::npos : line;
  char quote = 0;
  for (std::size_t i = line; i < std::min(mistake + 1, end_of_line); ++i) {
    const char c = text_[i];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '=' || c == ',' || c == '[' || c == '{')
      begin = i + 1;
  }
  if (begin == std::string::npos || begin > mistake) return;
  begin = std::min(text_.find_first_not_of(" \t", begin), end_of_line);
  std::size_t end = begin;
  for (int depth = 0; end < end_of_line && text_[end] != '#' && text_[end] != '\r'; ++end) {
    const char c = text_[end];
    if (c == '(' || c == '[') ++depth;
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) break;
    if (c == ')' || c == ']') --depth;
  }
  while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
  const std::string value = text_.substr(begin, end - begin);
  const auto in_formulas = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("*/^(+").find(c) != std::string_view::npos;
  };
  if (std::none_of(value.begin(), value.end(), in_formulas) || value.find_first_of("\"'=") != std::string::npos) return;
  constexpr std::size_t shown = 60;
  const std::string example = value.size() <= shown ? ": \"" + value + "\"" : std::string();
  fail(position(begin), "put formulas in quotes" + example + " (without them TOML knows only numbers, true and false)");
}

toml::source_position TomlSource::position(std::size_t i) const {
  const auto line = std::upper_bound(line_start_.begin(), line_start_.end(), i) - line_start_.begin();
  toml::source_position at;
  at.line = static_cast<toml::source_index>(line);
  at.column = 1;
  for (std::size_t k = line_start_[static_cast<std::size_t>(line) - 1]; k < i; ++k)
    at.column += !continues_code_point(text_[k]);
  return at;
}

std::string TomlSource::digits(const toml::node& number) const {
  const auto integer = number.value_exact<int64_t>();
  const std::size_t begin = index(number.source().begin);
  std::size_t end = begin;
  while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '.' ||
                                text_[end] == '+' || text_[end] == '-' || text_[end] == '_'))
    ++end;
  std::string digits = text_.substr(begin, end - begin);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  if (digits.find("nan") != std::string::npos || digits.find("inf") != std::string::npos)
    fail(number, "a finite number was expected, not " + digits);
  if (integer && digits.find_first_of("xob") != std::string::npos) return std::to_string(*integer);
  return digits;
}

std::vector<Entry> in_file_order(const toml::table& table) {
  std::vector<Entry> entries;
  for (const auto& [key, node] : table) entries.push_back({std::string(key.str()), &key, &node});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const auto &x = a.place->source().begin, &y = b.place->source().begin;
    return x.line != y.line ? x.line < y.line : x.column < y.column;
  });
  return entries;
}

}  // namespace holonom
