// A symplectic pair given by its method (A, b, c) in a TOML file; the partner is the dual.
//   name = "Lobatto IIIA, 3 stages"
//   A = [["0", "0", "0"], ["5/24", "1/3", "-1/24"], ["1/6", "2/3", "1/6"]]
//   b = ["1/6", "2/3", "1/6"]
//   c = ["0", "1/2", "1"]     # optional: the row sums of A
// Entries are numbers, or formulas in quotes such as "1/2 - sqrt(15)/10"; they keep their value in every scalar.
// Whether the pair may be used is another question: see pair_report.hpp, in the scalar of the run.
#pragma once

#include <memory>
#include <string>

#include "holonom/coefficients/tableau.hpp"

namespace holonom {

struct ExactTableau;  // in more digits than any scalar of a run

class PairFile {
 public:
  PairFile(std::string name, std::shared_ptr<const ExactTableau> exact);

  const std::string& name() const { return name_; }
  int stages() const;

  // (A, b, c) in double, long double, quad, mp100, or Dual over double and quad: every coefficient rounded once.
  template <class S>
  Tableau<S> tableau() const;
  // (Â, b, c). Throws std::invalid_argument if some b_i is 0.
  template <class S>
  Tableau<S> dual() const;

 private:
  std::string name_;
  std::shared_ptr<const ExactTableau> exact_;
};

// Throw InputError (model/model.hpp) with file, line and column.
PairFile load_pair(const std::string& path);
PairFile parse_pair(std::string text, const std::string& file_name);

}  // namespace holonom
