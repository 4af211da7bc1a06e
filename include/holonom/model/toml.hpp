// Reads a model from TOML text (the format is described in docs/model-file.md). Every mistake is an
// InputError with file, line and column, what was expected, and the nearest valid name.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "holonom/model/model.hpp"

namespace holonom {

// Names and values
using Overrides = std::vector<std::pair<std::string, std::string>>;

// What is to be other than in the file.
struct ModelChanges {
  ModelChanges(Overrides parameters = {}) : set(std::move(parameters)) {}
  ModelChanges(std::initializer_list<std::pair<std::string, std::string>> parameters) : set(parameters) {}

  Overrides set;                            // values that replace parameters
  std::vector<std::string> event, observe;  // further ones: "formula" or "name=formula"
  std::string prefix;                       // how these are called in messages: the program says "--set"
};

Model load_model(const std::string& path, const ModelChanges& changes = {});
Model parse_model(std::string text, const std::string& file_name, const ModelChanges& changes = {});

}  // namespace holonom
