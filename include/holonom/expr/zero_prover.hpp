// Whether an expression is zero wherever it is defined, by algebra: a polynomial normal form with exact rational
// coefficients over atoms. Inputs, π and functions such as exp(..) are atoms about which nothing is known; besides,
//   √P √P = P,   cos²P = 1 − sin²P,   cosh²P = 1 + sinh²P,
// even and odd functions lose the sign of their argument, 1/P is an atom 1/D until at the end the whole is multiplied
// by D = P, and of if(c, a, b) both cases are tried. So "yes" is a proof, and "no" only means that none was found:
// there are other relations, such as eˣe⁻ˣ = 1, and there is a limit on the work.
#pragma once

#include <memory>

#include "holonom/expr/graph.hpp"

namespace holonom {

class ZeroProver {
 public:
  // `work`: about the number of products of two terms that may be formed, in all calls together.
  explicit ZeroProver(Graph& graph, long work = 200'000);
  ~ZeroProver();
  ZeroProver(const ZeroProver&) = delete;
  ZeroProver& operator=(const ZeroProver&) = delete;

  // Whether y is zero wherever it is defined, and that was proved.
  bool is_zero(NodeId y);
  // y, or its normal form where that is shorter: a sum of products of powers of inputs, functions and denominators.
  NodeId simplified(NodeId y);
  // Whether the limit was met.
  bool gave_up() const;

 private:
  class Algebra;
  bool is_zero(NodeId y, int conditions);

  Graph& graph_;
  std::unique_ptr<Algebra> algebra_;
};

}  // namespace holonom
