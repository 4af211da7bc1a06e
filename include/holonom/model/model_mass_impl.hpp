// The mass of ModelSystem: constant, as a diagonal, a full or a sparse matrix, or M(q), factored at each position.
#pragma once

#include <cstdio>
#include <map>

#include "holonom/expr/decimal.hpp"
#include "holonom/model/model_system.hpp"

namespace holonom {

// ---- constant

template <class S>
void ModelSystem<S>::make_mass() {
  if (compiled_->mass_pattern()) return make_sparse_mass();
  const int n = this->n();
  Interpreter<S> evaluate(compiled_->mass_program());
  const Model& source = compiled_->model();
  const auto fail = [&](const std::string& part, const std::string& what) {
    throw InputError(source.place(part) + what);
  };
  const std::string part = source.hamiltonian ? "energy.hamiltonian"
                           : source.kinetic   ? "energy.kinetic"
                                              : "energy.mass";
  if (compiled_->mass_is_diagonal()) {
    Vec<S> mass(n);
    evaluate({}, {mass.data()});
    for (const VectorCoordinate& v : source.vectors) {
      const Vec<S> masses = evaluate_items(v, {v.mass});
      for (int i = 0; i < v.size(); ++i) mass[v.offset + i] = masses[i / v.dim];
    }
    for (int i = 0; i < n; ++i) {
      const std::string& name = this->labels().coordinates[static_cast<std::size_t>(i)];
      if (!(value(mass[i]) > 0) || !is_finite(mass[i])) {
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", to_double(mass[i]));
        const std::string size = mass[i] == mass[i] ? number : "not a number";
        if (compiled_->mass_is_inverse())
          fail(part, "the hamiltonian gives coordinate '" + name + "' the inverse mass " + size +
                         "; it needs a positive term in p_" + name + "^2");
        if (source.kinetic)
          fail(part, "the kinetic energy gives coordinate '" + name + "' the mass " + size +
                         "; it needs a positive term in v_" + name + "^2");
        fail(part + "." + name,
             "the mass of coordinate '" + name + "' is " + size + "; a mass must be a positive number");
      }
      if (compiled_->mass_is_inverse()) mass[i] = S(1) / mass[i];
    }
    mass_ = AnyMass<S>(DiagonalMass<S, Dynamic>(mass));
    return;
  }
  Vec<S> entries(n * n);
  evaluate({}, {entries.data()});
  Square<S> matrix(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      matrix(i, j) = entries[i * n + j];
      const S asymmetry = entries[i * n + j] - entries[j * n + i];
      if (!(magnitude(asymmetry) <= epsilon<S>() * 16 * magnitude(entries[i * n + j])))
        fail(part, "the mass matrix is not symmetric: entries (" + std::to_string(i + 1) + ", " +
                       std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) +
                       ") differ");
    }
  auto mass = compiled_->mass_is_inverse() ? DenseMass<S>::of_inverse(matrix) : DenseMass<S>::of(matrix);
  if (!mass) fail(part, "the mass matrix is not positive definite: every motion must have a positive kinetic energy");
  mass_ = AnyMass<S>(std::move(*mass));
}

template <class S>
void ModelSystem<S>::make_sparse_mass() {
  const Pattern& rows = *compiled_->mass_pattern();
  const Model& source = compiled_->model();
  const auto& table = source.mass_table;
  // Where a mistake is: in the line of the file that has the diagonal entry, or in the model.
  const auto place = [&](int coordinate) {
    if (!table) return source.place(source.kinetic ? "energy.kinetic" : "energy.mass");
    for (std::size_t e = 0; e < table->row.size(); ++e)
      if (table->row[e] == coordinate && table->column[e] == coordinate)
        return table->file + ":" + std::to_string(table->line[e]) + ":" + std::to_string(table->at[e]) + ": ";
    return table->file + ": ";
  };
  Vec<S> values(rows.nonzeros());
  if (table) {
    Vec<S> entries(static_cast<int>(table->text.size()));
    for (int e = 0; e < entries.size(); ++e) entries[e] = decimal_number<S>(table->text[static_cast<std::size_t>(e)]);
    for (int z = 0; z < values.size(); ++z) values[z] = entries[compiled_->mass_source()[static_cast<std::size_t>(z)]];
  } else {
    Interpreter<S>(compiled_->mass_program())({}, {values.data()});
    std::map<std::pair<int, int>, S> above;  // entries right of the diagonal, until their partners come
    for (int i = 0; i < rows.n; ++i)
      for (int z = rows.row_start[static_cast<std::size_t>(i)]; z < rows.row_start[static_cast<std::size_t>(i) + 1];
           ++z) {
        const int j = rows.column[static_cast<std::size_t>(z)];
        if (j > i) above.emplace(std::pair{i, j}, values[z]);
        if (j >= i) continue;
        const S asymmetry = values[z] - above.at({j, i});
        if (!(magnitude(asymmetry) <= epsilon<S>() * 16 * magnitude(values[z])))
          throw InputError(place(i) + "the mass matrix is not symmetric: entries (" + std::to_string(i + 1) + ", " +
                           std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) +
                           ") differ");
      }
  }
  int bad = -1;
  auto mass = SparseMass<S>::of(rows, values, &bad);
  if (!mass)
    throw InputError(
        place(bad) +
        "the mass matrix is not positive definite: every motion must have a positive kinetic energy. It fails at '" +
        this->labels().coordinates[static_cast<std::size_t>(bad)] + "', coordinate " + std::to_string(bad));
  if (rows.nonzeros() == rows.n)
    mass_ = AnyMass<S>(DiagonalMass<S, Dynamic>(values));
  else
    mass_ = AnyMass<S>(std::move(*mass));
}

// ---- M(q)

template <class S>
void ModelSystem<S>::solve_mass(const Vec<S>& q, Vec<S>& x) const {
  // In dual numbers equal values need not have equal tangents: compare both.
  bool same = mass_known_;
  for (int i = 0; same && i < q.size(); ++i) same = magnitude(S(q[i] - mass_position_[i])) == Real<S>(0);
  if (!same) {
    call(Formula::M, {q.data()}, {mass_entries_.data()});
    for (int i = 0, z = 0; i < q.size(); ++i)
      for (int j = 0; j <= i; ++j) mass_factor_(i, j) = mass_entries_[z++];
    mass_positive_ = factor_ldl(mass_factor_, Real<S>(0)) < 0;
    mass_position_ = q;
    mass_known_ = true;
  }
  if (mass_positive_)
    solve_ldl(mass_factor_, x);
  else
    fill(x, S(std::numeric_limits<Real<S>>::quiet_NaN()));
}

}  // namespace holonom
