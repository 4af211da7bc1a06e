// What files of coefficients share: a name, and lists of numbers and formulas, evaluated with guard digits.
#pragma once

#include "../model/formula_reader.hpp"
#include "guard.hpp"

namespace holonom {

class CoefficientReader : public FormulaReader {
 public:
  using FormulaReader::FormulaReader;

  // A text, or what it is without the key.
  std::string text(const toml::table& root, const std::string& key, const std::string& otherwise) const;
  // Its name, or that of the file.
  std::string name(const toml::table& root) const;
  const toml::array& list(const toml::table& root, const std::string& key, const std::string& what) const;
  std::vector<Guard> numbers(const toml::array& entries, const std::string& what) const;
};

}  // namespace holonom
