// [field] of a model file: a first-order system instead of an energy, and what other sections mean by its variables.
#pragma once

#include "formula_reader.hpp"

namespace holonom {

class FieldReader {
 public:
  explicit FieldReader(FormulaReader& reader) : r_(reader) {}

  // Makes the variables known to formulas. Refuses what a field cannot have beside it.
  void declare(const toml::table& root, const toml::table& field);
  // Their rates, and the energy
  void read(const toml::table& field);
  // [initial]: a value for every variable, by its name
  void read_initial(const toml::table& initial);
  // flip = ["v", ...]; without it, all of the second part
  void read_reversal(const toml::table* reversal);

 private:
  struct Variable {
    Entry entry;
    bool in_p;
    Expr x;
  };
  std::vector<std::string> names() const;
  // What is given for each variable, by part; the shorter part is filled up with `rest`.
  template <class T, class Of>
  void distribute(std::vector<T>& q, std::vector<T>& p, const T& rest, Of&& of) const;

  FormulaReader& r_;
  std::vector<Variable> variables_;
};

}  // namespace holonom
