#include "energy_reader.hpp"

#include <algorithm>

namespace holonom {

void EnergyReader::read(const toml::table& root) {
  const toml::table* energy = r_.table(root, "energy");
  const std::string forms = "[energy] needs exactly one of: hamiltonian; kinetic and potential; mass and potential";
  if (!energy) throw InputError(r_.source.file() + ": " + forms);
  r_.check_keys(*energy, {"hamiltonian", "kinetic", "mass", "potential", "sum"}, "[energy]");
  r_.mark("energy", *energy);
  for (const Entry& e : in_file_order(*energy)) r_.mark("energy." + e.key, *e.node);
  const toml::node *H = energy->get("hamiltonian"), *T = energy->get("kinetic"), *M = energy->get("mass"),
                   *V = energy->get("potential");
  if ((H != nullptr) + (T != nullptr) + (M != nullptr) != 1) r_.source.fail(*energy, forms);
  if (H && V) r_.source.fail(*V, "the hamiltonian contains the potential already: give one of them");
  if (H) {
    r_.model.hamiltonian = r_.formula(*H, "the hamiltonian");
    r_.refuse(r_.fail_at(*H), *r_.model.hamiltonian, "the hamiltonian", r_.model.v, "v_",
              "write it with momenta p_<name>");
    return;
  }
  if (!r_.model.vectors.empty() && !M)
    r_.source.fail(*energy, "vector coordinates need the energy as mass = { ... } and potential");
  const toml::node* sums = energy->get("sum");
  r_.model.potential = Graph::zero;
  if (!V && !sums) r_.source.fail(*energy, "the potential is missing (write potential = \"0\" for free motion)");
  if (V) read_potential(*V);
  if (sums)
    tables_.read_terms(
        *sums, MappedTerm::Role::energy,
        [&](const toml::node& node, NodeId x, const std::string&, bool fast) { add_to_potential(node, x, fast); });
  if (T) {
    r_.model.kinetic = r_.formula(*T, "the kinetic energy");
    r_.refuse(r_.fail_at(*T), *r_.model.kinetic, "the kinetic energy", r_.model.p, "p_",
              "write it with velocities v_<name>");
  }
  if (M) read_mass(*M);
}

void EnergyReader::read_potential(const toml::node& node) {
  // A part that uses single items of a vector becomes a term of its own.
  const auto part = [&](const toml::node& formula_node, const std::string& what, bool fast) {
    const NodeId V = r_.of_coordinates(formula_node, what);
    return tables_.take_single(r_.fail_at(formula_node), V, MappedTerm::Role::energy, "", fast) ? Graph::zero : V;
  };
  const toml::table* split = node.as_table();
  if (!split) {
    r_.model.potential = part(node, "the potential", false);
    return;
  }
  r_.check_keys(*split, {"slow", "fast"}, "energy.potential");
  const toml::node *slow = split->get("slow"), *fast = split->get("fast");
  if (!slow || !fast) r_.source.fail(node, "a split potential is { slow = \"...\", fast = \"...\" }");
  r_.model.fast_potential = part(*fast, "the fast potential", true);
  r_.model.slow_potential = part(*slow, "the slow potential", false);
  r_.model.potential = r_.model.graph->add(*r_.model.slow_potential, *r_.model.fast_potential);
}

// A sum without a table, and without items
void EnergyReader::add_to_potential(const toml::node& node, NodeId x, bool fast) {
  for (const auto& [inputs, prefix] : {std::pair{&r_.model.p, "p_"}, std::pair{&r_.model.v, "v_"}})
    r_.refuse(r_.fail_at(node), x, "a sum of the energy", *inputs, prefix,
              "it must be a formula of the coordinates alone");
  if (fast && !r_.model.fast_potential)
    r_.source.fail(node, "a fast part without items belongs into potential = { slow = \"...\", fast = \"...\" }");
  std::optional<NodeId>& part = fast ? r_.model.fast_potential : r_.model.slow_potential;
  if (part) part = r_.model.graph->add(*part, x);
  r_.model.potential = part ? r_.model.graph->add(*r_.model.slow_potential, *r_.model.fast_potential)
                            : r_.model.graph->add(*r_.model.potential, x);
}

void EnergyReader::read_mass(const toml::node& node) {
  const std::size_t n = r_.model.q.size();
  if (const toml::table* by_name = node.as_table()) {
    if (has_lists(*by_name)) return tables_.read_mass_matrix(read_lists(r_.source, *by_name));
    const toml::node* file = by_name->get("file");
    const bool named_file =
        std::find(r_.model.coordinates.begin(), r_.model.coordinates.end(), "file") != r_.model.coordinates.end() ||
        std::any_of(r_.model.vectors.begin(), r_.model.vectors.end(), [](const auto& v) { return v.name == "file"; });
    if (!file || named_file) return tables_.read_masses(*by_name);
    r_.check_keys(*by_name, {"file"}, "energy.mass");
    return tables_.read_mass_matrix(tables_.read(*file));
  }
  if (!r_.model.vectors.empty())
    r_.source.fail(node,
                   "vector coordinates need the masses by name, mass = { r = \"m\" }, or as a matrix, mass = { file = "
                   "\"mass.csv\" }");
  const std::string shape = "mass needs one number for each of the " + std::to_string(n) +
                            " coordinates, or a matrix of " + std::to_string(n) + " rows";
  if (!node.is_array() || node.as_array()->size() != n) r_.source.fail(node, shape);
  const bool matrix = node.as_array()->front().is_array();
  for (std::size_t i = 0; i < n; ++i) {
    const toml::node& row = (*node.as_array())[i];
    if (row.is_array() != matrix) r_.source.fail(row, shape);
    r_.mark("energy.mass." + r_.model.coordinates[i], row);
    if (!matrix) {
      r_.model.mass.push_back(r_.constant(row, "the mass of '" + r_.model.coordinates[i] + "'"));
      continue;
    }
    if (row.as_array()->size() != n)
      r_.source.fail(row, "this row of the mass matrix needs " + std::to_string(n) + " entries");
    for (const toml::node& entry : *row.as_array())
      r_.model.mass.push_back(r_.constant(entry, "an entry of the mass matrix"));
  }
}

}  // namespace holonom
