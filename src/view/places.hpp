// Where the things of a stage are, as functions of a state. Private to src/view.
#pragma once

#include "holonom/expr/interpreter.hpp"
#include "holonom/view/stage.hpp"

namespace holonom {

struct Stage::Places {
  // A point by columns of q; -1: a number instead.
  struct Direct {
    std::array<int, 3> column{-1, -1, -1};
    std::array<double, 3> number{};
  };
  // A body by columns of q that are a matrix by rows or a quaternion; its own axes are those of the matrix times
  // `axes`, by rows.
  struct Turned {
    std::vector<int> column;
    std::array<double, 9> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};
    int point = -1;  // at which it is, or -1
    std::array<double, 3> at{};
  };

  std::size_t formula_points = 0, formula_dimension = 0;  // the first points are formulas
  std::vector<Direct> points;                             // those after them
  std::vector<std::size_t> formula_bodies;                // numbers of each: 7 or 12, position and orientation
  std::vector<Turned> bodies;                             // those after them
  // All formulas, of q and p of the model
  std::size_t q_size = 0, p_size = 0;    // what the program reads
  std::size_t known_q = 0, known_p = 0;  // what a state has
  mutable Interpreter<double> formulas;
  mutable std::vector<double> q, p, values;  // room for them

  void evaluate(const double* state_q, const double* state_p) const;
};

}  // namespace holonom
