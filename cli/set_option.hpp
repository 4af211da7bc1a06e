// --set name=value, shared by the commands that read a model.
#pragma once

#include <CLI/CLI.hpp>

#include "holonom/model/toml.hpp"

namespace holonom {

inline void add_set_option(CLI::App& cmd, std::vector<std::string>& set) {
  cmd.add_option("--set", set, "name=value: replace a parameter; may be repeated")->allow_extra_args(false);
}

inline Overrides overrides(const std::vector<std::string>& set) {
  Overrides result;
  for (const std::string& s : set) {
    const auto equals = s.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("--set " + s + ": write it as name=value");
    result.emplace_back(s.substr(0, equals), s.substr(equals + 1));
  }
  return result;
}

}  // namespace holonom
