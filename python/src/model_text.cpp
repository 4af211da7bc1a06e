#include "model_text.hpp"

#include <cinttypes>
#include <cstdio>

#include "holonom/errors.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/model/model_memory.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/model/toml_text.hpp"
#include "sealed.hpp"

namespace holonom {

namespace {

constexpr long most_rows = 100000;  // half a second

std::string fingerprint(const Model& model) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, hash_of(to_bytes(model)));
  return digits;
}

std::string text_of(const Model& model) {
  long rows = 0;
  for (const MappedTerm& term : model.terms) rows += term.rows;
  std::string why = "its tables are long";
  if (rows <= most_rows) {
    try {
      return toml_text(model);
    } catch (const InputError& e) {
      why = e.what();
    }
  }
  return "# A model that is not written as text: " + why + "\n# fingerprint " + fingerprint(model) + "\n";
}

}  // namespace

Model with_text(const Model& model) {
  Model copy = own_copy(model);
  if (copy.text.empty()) copy.text = text_of(model);
  return copy;
}

std::string source_of(const Model& model) {
  if (model.text.empty()) return "";
  try {
    const Model again = parse_model(model.text, model.files.empty() ? model.name : model.files.front());
    return toml_text(again) == toml_text(model) ? model.text : "";
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace holonom
