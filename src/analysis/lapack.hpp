// Dense linear algebra in double, by LAPACK. For matrices of analyses, which are made once: factorisations inside of a
// step are our own (holonom/dense.hpp), in every scalar and without allocation.
#pragma once

#include <vector>

namespace holonom {

// Column by column, as LAPACK has them.
class Columns {
 public:
  Columns() = default;
  Columns(int rows, int cols)
      : rows_(rows), cols_(cols), a_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)) {}
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  double& operator()(int i, int j) { return *(column(j) + i); }
  double operator()(int i, int j) const { return *(column(j) + i); }
  double* column(int j) { return a_.data() + static_cast<std::ptrdiff_t>(j) * rows_; }
  const double* column(int j) const { return a_.data() + static_cast<std::ptrdiff_t>(j) * rows_; }

 private:
  int rows_ = 0, cols_ = 0;
  std::vector<double> a_;
};

// |A| in the Euclidean norm, the largest singular value; infinite or NaN if an entry is.
double norm(Columns A);

// The upper triangle of A = QR is that of R in the first rows of A; the rest of A is not to be read. Only the first
// `rows` rows of A are looked at.
void triangularise(Columns& A, int rows);

// The same with columns exchanged, so that the diagonal of R falls: column k of it was column order[k] of A.
std::vector<int> triangularise_with_pivots(Columns& A);

// The x that minimise |A x − b|, and of these the smallest, for each column b of B.
Columns least_squares(Columns A, Columns B);

}  // namespace holonom
