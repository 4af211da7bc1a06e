// Explicit Runge-Kutta tableaux with rational coefficients, exact in every scalar.
#pragma once

#include <vector>

namespace holonom {

struct Fraction {
  long numerator = 0, denominator = 1;
};

struct ExplicitTableau {
  int order = 0;
  std::vector<std::vector<Fraction>> A;  // row i has i entries
  std::vector<Fraction> b;
};

// Runge's explicit midpoint rule.
inline ExplicitTableau midpoint_tableau() { return {2, {{}, {{1, 2}}}, {{0}, {1}}}; }

// Kutta's classical method of order 4.
inline ExplicitTableau classical_tableau() {
  return {4, {{}, {{1, 2}}, {{0}, {1, 2}}, {{0}, {0}, {1}}}, {{1, 6}, {1, 3}, {1, 3}, {1, 6}}};
}

// The order 8 method of Fehlberg's pair 7(8), 13 stages (NASA TR R-287, 1968).
inline ExplicitTableau fehlberg_tableau() {
  return {8,
          {{},
           {{2, 27}},
           {{1, 36}, {1, 12}},
           {{1, 24}, {0}, {1, 8}},
           {{5, 12}, {0}, {-25, 16}, {25, 16}},
           {{1, 20}, {0}, {0}, {1, 4}, {1, 5}},
           {{-25, 108}, {0}, {0}, {125, 108}, {-65, 27}, {125, 54}},
           {{31, 300}, {0}, {0}, {0}, {61, 225}, {-2, 9}, {13, 900}},
           {{2}, {0}, {0}, {-53, 6}, {704, 45}, {-107, 9}, {67, 90}, {3}},
           {{-91, 108}, {0}, {0}, {23, 108}, {-976, 135}, {311, 54}, {-19, 60}, {17, 6}, {-1, 12}},
           {{2383, 4100}, {0}, {0}, {-341, 164}, {4496, 1025}, {-301, 82}, {2133, 4100}, {45, 82}, {45, 164}, {18, 41}},
           {{3, 205}, {0}, {0}, {0}, {0}, {-6, 41}, {-3, 205}, {-3, 41}, {3, 41}, {6, 41}, {0}},
           {{-1777, 4100},
            {0},
            {0},
            {-341, 164},
            {4496, 1025},
            {-289, 82},
            {2193, 4100},
            {51, 82},
            {33, 164},
            {12, 41},
            {0},
            {1}}},
          {{0}, {0}, {0}, {0}, {0}, {34, 105}, {9, 35}, {9, 35}, {9, 280}, {9, 280}, {0}, {41, 840}, {41, 840}}};
}

}  // namespace holonom
