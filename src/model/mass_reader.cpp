// Masses of many items: a formula for each coordinate, or a table with the entries of a matrix.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "table_reader.hpp"

namespace holonom {

void TableReader::read_masses(const toml::table& masses) {
  std::vector<std::string> known = model_.coordinates;
  for (const VectorCoordinate& v : model_.vectors) known.push_back(v.name);
  r_.check_keys(masses, known, "energy.mass");
  for (const std::string& name : known)
    if (!masses.get(name)) r_.source.fail(masses, "energy.mass has no entry for '" + name + "'");
  for (const std::string& name : model_.coordinates)
    model_.mass.push_back(r_.constant(*masses.get(name), "the mass of '" + name + "'"));
  for (VectorCoordinate& v : model_.vectors) v.mass = of_item(*masses.get(v.name), v, "the mass of '" + v.name + "'");
}

void TableReader::read_mass_matrix(const CsvTable& csv) {
  for (std::size_t k = 0; k < csv.names.size(); ++k)
    if (csv.names[k] != "i" && csv.names[k] != "j" && csv.names[k] != "m")
      throw InputError(csv.place_of_name(k) + "unknown column '" + csv.names[k] +
                       "'; a mass matrix has the columns i, j and m");
  const std::vector<std::string>*i = csv.column("i"), *j = csv.column("j"), *m = csv.column("m");
  for (const auto& [name, column] : {std::pair{"i", i}, std::pair{"j", j}, std::pair{"m", m}})
    if (!column)
      throw InputError(csv.place_of_name(0) + "the column '" + name +
                       "' is missing; a mass matrix has the columns i, j and m");
  const auto column_of = [&](const std::vector<std::string>* column) {
    return static_cast<std::size_t>(column - csv.columns.data());
  };
  const auto fail = [&](std::size_t row, const std::string& what, const std::vector<std::string>* column) {
    throw InputError(csv.place(row, column_of(column)) + what);
  };
  const int n = model_.n();
  struct MassEntry {
    std::int32_t row, column;  // column <= row
    bool upper;                // written the other way round
    std::size_t at;
  };
  std::vector<MassEntry> entries;
  bool has_lower = false, has_upper = false;
  for (std::size_t k = 0; k < m->size(); ++k) {
    const auto coordinate = [&](const std::vector<std::string>* column, const char* name) {
      const std::string& text = (*column)[k];
      const double x = as_double(text);
      if (!(x >= 0 && x < n) || x != std::floor(x))
        fail(k,
             std::string(name) + " = " + text + " is not a coordinate: they have the numbers 0 to " +
                 std::to_string(n - 1),
             column);
      return static_cast<std::int32_t>(x);
    };
    const std::int32_t a = coordinate(i, "i"), b = coordinate(j, "j");
    entries.push_back({std::max(a, b), std::min(a, b), a < b, k});
    has_lower |= a > b;
    has_upper |= a < b;
  }
  std::sort(entries.begin(), entries.end(), [](const MassEntry& a, const MassEntry& b) {
    return std::tie(a.row, a.column, a.upper, a.at) < std::tie(b.row, b.column, b.upper, b.at);
  });
  const auto name = [](const MassEntry& e) {
    return "(" + std::to_string(e.upper ? e.column : e.row) + ", " + std::to_string(e.upper ? e.row : e.column) + ")";
  };
  const auto line = [&](const MassEntry& e) { return std::to_string(csv.line_of(e.at, column_of(m))); };
  MassTable table{csv.path, {}, {}, {}, {}, {}};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const MassEntry& e = entries[k];
    const MassEntry* next = k + 1 < entries.size() && entries[k + 1].row == e.row && entries[k + 1].column == e.column
                                ? &entries[k + 1]
                                : nullptr;
    if (next && next->upper == e.upper)
      fail(next->at, "the entry " + name(e) + " is given twice; first in line " + line(e), i);
    if (e.row != e.column && has_lower && has_upper && !next) {
      const MassEntry mirrored{e.row, e.column, !e.upper, e.at};
      fail(e.at,
           "the mass matrix is not symmetric: the entry " + name(e) + " has no partner " + name(mirrored) +
               ". Give both triangles, or only one",
           i);
    }
    if (next) {
      if (exact_text((*m)[e.at]) != exact_text((*m)[next->at]))
        fail(std::max(e.at, next->at),
             "the mass matrix is not symmetric: the entry " + name(e) + " in line " + line(e) + " is " + (*m)[e.at] +
                 ", and " + name(*next) + " in line " + line(*next) + " is " + (*m)[next->at],
             m);
      if (k + 2 < entries.size() && entries[k + 2].row == e.row && entries[k + 2].column == e.column)
        fail(entries[k + 2].at, "the entry " + name(*next) + " is given twice; first in line " + line(*next), i);
      ++k;
    }
    table.row.push_back(e.row);
    table.column.push_back(e.column);
    table.text.push_back((*m)[e.at]);
    table.line.push_back(csv.line_of(e.at, column_of(m)));
    table.at.push_back(csv.at[column_of(m)][e.at]);
  }
  model_.mass_table = std::move(table);
}

}  // namespace holonom
