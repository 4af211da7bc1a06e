// The words of TOML: strings and keys with their escapes, numbers, and lists over several lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holonom {

std::string toml_string(std::string_view text);
// As it is, or in quotes.
std::string toml_key(std::string_view name);
// A formula as a value: numbers as they are, all else in quotes.
std::string toml_value(const std::string& formula);
// A number as a CSV file may have it (".5", "007", "+1e3"), as TOML has it.
std::string toml_number(std::string_view cell);
// [a, b, c], in lines that are not too long; `indent` is how far it stands from the left.
std::string toml_list(const std::vector<std::string>& values, std::size_t indent = 0);

}  // namespace holonom
