#include "lapack.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "holonom/analysis/eigenvalues.hpp"

extern "C" {
void dgeev_(const char* left, const char* right, const int* n, double* a, const int* lda, double* real, double* imag,
            double* vl, const int* ldvl, double* vr, const int* ldvr, double* work, const int* lwork, int* info);
void dgesvd_(const char* u, const char* vt, const int* m, const int* n, double* a, const int* lda, double* s, double* U,
             const int* ldu, double* VT, const int* ldvt, double* work, const int* lwork, int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dgeqp3_(const int* m, const int* n, double* a, const int* lda, int* pivots, double* tau, double* work,
             const int* lwork, int* info);
void dgelsy_(const int* m, const int* n, const int* nrhs, double* a, const int* lda, double* b, const int* ldb,
             int* pivots, const double* rcond, int* rank, double* work, const int* lwork, int* info);
}

namespace holonom {

namespace {

// Calls f(work, lwork, info) twice: for the size of its workspace, and for its result. Returns info.
template <class F>
int with_workspace(F&& f) {
  int info = 0, size = -1;
  double best = 0;
  f(&best, &size, &info);
  if (info != 0) return info;
  size = std::max(1, static_cast<int>(best));
  std::vector<double> work(static_cast<std::size_t>(size));
  f(work.data(), &size, &info);
  return info;
}

bool is_finite(const Columns& A) {
  for (int j = 0; j < A.cols(); ++j)
    if (!std::all_of(A.column(j), A.column(j) + A.rows(), [](double a) { return std::isfinite(a); })) return false;
  return true;
}

double sum_of_squares(const Columns& A) {
  double sum = 0;
  for (int j = 0; j < A.cols(); ++j)
    for (int i = 0; i < A.rows(); ++i) sum += A(i, j) * A(i, j);
  return sum;
}

}  // namespace

std::vector<std::complex<double>> eigenvalues(const Square<double>& A) {
  const int n = A.size(), one = 1;
  if (n == 0) return {};
  Columns B(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) B(i, j) = A(i, j);
  if (!is_finite(B)) return {};
  std::vector<double> real(static_cast<std::size_t>(n)), imaginary(static_cast<std::size_t>(n));
  const int info = with_workspace([&](double* work, const int* size, int* result) {
    dgeev_("N", "N", &n, B.column(0), &n, real.data(), imaginary.data(), nullptr, &one, nullptr, &one, work, size,
           result);
  });
  if (info != 0) return {};
  std::vector<std::complex<double>> found;
  for (std::size_t k = 0; k < real.size(); ++k) found.emplace_back(real[k], imaginary[k]);
  return found;
}

double norm(Columns A) {
  if (A.rows() == 0 || A.cols() == 0) return 0;
  if (!is_finite(A)) return std::sqrt(sum_of_squares(A));
  const int m = A.rows(), n = A.cols(), one = 1;
  std::vector<double> s(static_cast<std::size_t>(std::min(m, n)));
  const int info = with_workspace([&](double* work, const int* size, int* result) {
    dgesvd_("N", "N", &m, &n, A.column(0), &m, s.data(), nullptr, &one, nullptr, &one, work, size, result);
  });
  return info == 0 ? s.front() : std::numeric_limits<double>::quiet_NaN();
}

void triangularise(Columns& A, int rows) {
  const int n = A.cols(), stride = A.rows();
  std::vector<double> tau(static_cast<std::size_t>(std::min(rows, n)));
  with_workspace([&](double* work, const int* size, int* result) {
    dgeqrf_(&rows, &n, A.column(0), &stride, tau.data(), work, size, result);
  });
}

std::vector<int> triangularise_with_pivots(Columns& A) {
  const int m = A.rows(), n = A.cols();
  std::vector<int> order(static_cast<std::size_t>(n), 0);
  if (m > 0) {
    std::vector<double> tau(static_cast<std::size_t>(std::min(m, n)));
    with_workspace([&](double* work, const int* size, int* result) {
      dgeqp3_(&m, &n, A.column(0), &m, order.data(), tau.data(), work, size, result);
    });
    for (int& j : order) --j;  // Fortran counts from 1
  } else {
    for (int j = 0; j < n; ++j) order[static_cast<std::size_t>(j)] = j;
  }
  return order;
}

Columns least_squares(Columns A, Columns B) {
  const int m = A.rows(), n = A.cols(), count = B.cols(), height = std::max(m, n);
  Columns X(n, count), both(height, count);
  for (int j = 0; j < count; ++j) std::copy(B.column(j), B.column(j) + m, both.column(j));
  std::vector<int> pivots(static_cast<std::size_t>(n), 0);
  const double negligible = std::numeric_limits<double>::epsilon() * height;
  int rank = 0;
  with_workspace([&](double* work, const int* size, int* result) {
    dgelsy_(&m, &n, &count, A.column(0), &m, both.column(0), &height, pivots.data(), &negligible, &rank, work, size,
            result);
  });
  for (int j = 0; j < count; ++j) std::copy(both.column(j), both.column(j) + n, X.column(j));
  return X;
}

}  // namespace holonom
