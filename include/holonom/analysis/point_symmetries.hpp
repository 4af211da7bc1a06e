// Affine symmetries of positions, q ↦ q + ε (A q + b), searched for by linear algebra. The momentum map of such a
// motion,
//   J = p·(A q + b),
// is conserved if H does not change along it, {J, H} = p·A H_p − H_q·(A q + b) = 0, and if it leads from positions with
// g = 0 to others, G (A q + b) = 0 where g = 0. Both conditions are linear in (A, b): each random state is a row of a
// matrix, whose null space are the symmetries. Nothing is guessed from names.
#pragma once

#include <vector>

#include "holonom/any_system.hpp"

namespace holonom {

// Coordinates that are moved alike: component c of item i is coordinate offset + i item_stride + c component_stride,
// and one matrix of size dim moves all items. All coordinates of a small system are one item; particles in space are
// many items of three components.
struct CoordinateBlock {
  int offset = 0, count = 1, dim = 0, item_stride = 0, component_stride = 1;

  int coordinate(int item, int component) const { return offset + item * item_stride + component * component_stride; }
  // Unknowns of the block: A by rows, then b.
  int unknowns() const { return dim * dim + dim; }
  int linear(int row, int column) const { return row * dim + column; }
  int constant(int row) const { return dim * dim + row; }
};

struct SymmetryFamily {
  std::vector<CoordinateBlock> blocks;  // which have no coordinates in common

  int unknowns() const {
    int sum = 0;
    for (const CoordinateBlock& block : blocks) sum += block.unknowns();
    return sum;
  }
};

// Families in which to look, one after the other: all affine motions as long as that is a small problem; of many
// coordinates those that move the items of each vector coordinate alike, or consecutive pairs and triples.
std::vector<SymmetryFamily> symmetry_families(const AnySystem<double>& sys);

// Coefficients by the unknowns of a family, block after block.
using PointSymmetry = std::vector<double>;

struct PointSymmetries {
  // A basis each, in reduced echelon form: the first coefficient of each is 1, and is 0 in the others. "Strong" ones
  // leave g as it is everywhere, {J, g} = 0; "weak" ones, beyond these, on the manifold only. Weak ones are looked for
  // where there is a single block of a single item.
  std::vector<PointSymmetry> strong, weak;
};
PointSymmetries point_symmetries(const AnySystem<double>& sys, const State<double>& x, const SymmetryFamily& family);

// Of strong symmetries: those that move all along directions in which a translation is a symmetry too, by amounts that
// depend on the position, J = Σ P_k (w_k·q). With bodies that attract each other, an example is the turning of their
// centre of mass alone: its momentum map follows from the momenta P, because the centre of mass goes straight on. None
// are given if all symmetries are of this kind, as those of a free particle are.
std::vector<PointSymmetry> carried_by_translations(const SymmetryFamily& family,
                                                   const std::vector<PointSymmetry>& strong);

// A q + b
void apply(const SymmetryFamily& family, const PointSymmetry& symmetry, const Vec<double>& q, Vec<double>& out);

// C in G (A q + b) = C g, by rows, from states off the manifold; the smallest if there are several.
std::vector<double> constraint_mixing(const AnySystem<double>& sys, const State<double>& x,
                                      const SymmetryFamily& family, const PointSymmetry& symmetry);

// The largest |{J, H}| and |G (A q + b)| at `count` random states on the manifold, relative to the size of their terms.
struct SymmetryDefect {
  int states = 0;
  double largest = 0;
};
SymmetryDefect point_symmetry_defect(const AnySystem<double>& sys, const State<double>& x, const SymmetryFamily& family,
                                     const PointSymmetry& symmetry, int count);

// The reduced echelon form of the span of `rows`, with leading coefficients in the order in which a reader would look:
// x p_y before p_x before y p_x.
std::vector<PointSymmetry> reduced(const SymmetryFamily& family, std::vector<PointSymmetry> rows);

}  // namespace holonom
