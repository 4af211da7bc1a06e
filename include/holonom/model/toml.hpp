// Reads a model from TOML text (the format is described in docs/model-file.md). Every mistake is an
// InputError with file, line and column, what was expected, and the nearest valid name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "holonom/model/model.hpp"

namespace holonom {

// Values that replace parameters of the file: --set name=value.
using Overrides = std::vector<std::pair<std::string, std::string>>;

// `events`, `observables`: further ones, as --event and --observe have them, "formula" or "name=formula".
Model load_model(const std::string& path, const Overrides& overrides = {}, const std::vector<std::string>& events = {},
                 const std::vector<std::string>& observables = {});
Model parse_model(std::string text, const std::string& file_name, const Overrides& overrides = {},
                  const std::vector<std::string>& events = {}, const std::vector<std::string>& observables = {});

}  // namespace holonom
