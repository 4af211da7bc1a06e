// What is done to TOML text before toml++ reads it. Keys of so many parts that its recursion would exhaust the stack
// are found, and numbers that no double and no 64-bit integer holds are hidden from it: TomlSource::digits reads
// numbers from the text as it was written, so nothing is lost.
#pragma once

#include <optional>
#include <string>

namespace holonom {

struct TomlScan {
  std::string text;                     // of the same length, with harmless numbers instead of such ones
  std::optional<std::size_t> deep_key;  // where a key has more parts than can be read
};

constexpr int most_parts_of_a_key = 64;

TomlScan scan_toml(std::string text);

}  // namespace holonom
