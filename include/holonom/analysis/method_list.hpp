// The methods, or one of them, and which of them suit a model.
#pragma once

#include <string>
#include <vector>

#include "holonom/methods/registry.hpp"
#include "holonom/model/model_system.hpp"

namespace holonom {

struct MethodList {
  struct Item {
    MethodInfo info;
    std::string obstacle;  // why it cannot run on the model, or nothing
  };
  std::vector<Item> items;
  bool single = false;  // one that was asked for
  // The model, if there is one
  bool has_model = false, is_field = false;
  std::string model;
  int constraints = 0;

  // What a method claims on the model; without one, what it claims at all
  MethodInfo claims(const MethodInfo& info) const { return has_model ? info.on(constraints, is_field) : info; }
};

// All, or one by its key. `model`: how the model is called, and the model; or nullptr. Throws InputError.
MethodList list_methods(const std::string& key = "", const ModelSystem<double>* model = nullptr,
                        const std::string& model_name = "");

}  // namespace holonom
