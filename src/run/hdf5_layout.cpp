#include "hdf5_layout.hpp"

#include <algorithm>
#include <set>

#include "holonom/run/run_description.hpp"
#include "holonom/version.hpp"

namespace holonom::hdf5 {

namespace {

constexpr const char* format = "holonom trajectory";
constexpr int format_version = 1;

// Names and units of a million columns do not fit into attributes, hence datasets.
void write_texts(hid_t file, const std::string& path, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& s : texts) length = std::max(length, s.size());
  std::string packed(length * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(packed.data() + i * length, length);
  const Handle type = text_type(length), extent = space({texts.size()});
  const Handle create = plist(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, false);
  const Handle dataset(H5Dcreate2(file, path.c_str(), type, extent, H5P_DEFAULT, create, H5P_DEFAULT), H5Dclose,
                       "make a dataset of names");
  if (!texts.empty()) check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "write names");
}

std::string listing(const std::map<std::string, std::string>& values) {
  std::string text;
  for (const auto& [name, value] : values) text.append(name).append(" = ").append(value).append("\n");
  return text;
}

void explain(hid_t file, const char* table, const char* what, const std::string& units) {
  const Handle dataset = open_dataset(file, table);
  write_attribute(dataset, "description", what);
  write_attribute(dataset, "units", units);
}
void explain_columns(hid_t file, const char* table, const char* what, const char* names, const char* units) {
  const Handle dataset = open_dataset(file, table);
  write_attribute(dataset, "description", what);
  write_attribute(dataset, "columns", names);  // where their names are
  write_attribute(dataset, "column_units", units);
}

}  // namespace

std::vector<std::string> read_texts(hid_t file, const std::string& path) {
  const Handle dataset = open_dataset(file, path);
  const Handle type(H5Dget_type(dataset), H5Tclose, "read a type"),
      extent(H5Dget_space(dataset), H5Sclose, "read an extent");
  const std::size_t length = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) throw Failed("read names");
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(extent)));
  // A damaged extent may ask for any amount of memory.
  if (count > 0 && (length == 0 || H5Dget_storage_size(dataset) / length < count)) throw Failed("find all of " + path);
  std::vector<std::string> texts(count);
  std::string packed(length * texts.size(), '\0');
  if (!texts.empty()) check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "read names");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = packed.substr(i * length, length);
    texts[i].resize(std::min(texts[i].find('\0'), length));
  }
  return texts;
}

namespace {

int version_of(hid_t root) {
  int found = 0;
  const Handle a(H5Aopen(root, "format_version", H5P_DEFAULT), H5Aclose, "read the version of the format");
  check(H5Aread(a, H5T_NATIVE_INT, &found), "read the version of the format");
  return found;
}

}  // namespace

void require_this_version(hid_t file, const std::string& path) {
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open the root");
  if (const int found = version_of(root); found != format_version)
    throw InputError(path + ": the file has version " + std::to_string(found) +
                     " of the format, and this holonom reads version " + std::to_string(format_version) +
                     "; read it with the holonom that made it");
}

bool is_trajectory(hid_t root) { return H5Aexists(root, "format") > 0 && read_attribute(root, "format") == format; }

void describe(hid_t file, const Labels& labels, const Provenance& about, const std::string& precision) {
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open the root");
  write_attribute(root, "format", format);
  write_attribute(root, "format_version", format_version);
  write_attribute(root, "creator", "holonom");
  write_attribute(root, "creator_version", version);
  write_attribute(root, "model", labels.model);
  write_attribute(root, "model_text", about.model_text);
  write_attribute(root, "parameters_text", listing(about.parameters));
  write_attribute(root, "method", about.method);
  write_attribute(root, "formulation", about.formulation);
  write_attribute(root, "step", std::strtod(about.step.c_str(), nullptr));
  write_attribute(root, "step_text", about.step);
  write_attribute(root, "engine", about.engine);
  if (!about.chosen.empty()) write_attribute(root, "chosen", about.chosen);
  write_attribute(root, "precision", precision);
  if (!about.sample.empty()) {
    write_attribute(root, "sample_interval", std::strtod(about.sample.c_str(), nullptr));
    write_attribute(root, "sample_interval_text", about.sample);
    write_attribute(root, "interpolation",
                    "polynomials of degree 5 in (q, p) between steps (Hermite, with two slopes inside), projected onto "
                    "the constraints; rows marked in /interpolated are no states of the symplectic map");
  }

  const Handle parameters = make_group(file, "/parameters");
  for (const auto& [name, value] : about.parameters)
    write_attribute(parameters, name, std::strtod(value.c_str(), nullptr));

  const Handle names = make_group(file, "/names"), units = make_group(file, "/units");
  write_texts(file, "/names/coordinates", labels.coordinates);
  write_texts(file, "/names/constraints", labels.constraints);
  write_texts(file, "/names/invariants", labels.invariants);
  write_texts(file, "/names/observables", labels.observables);
  write_texts(file, "/units/coordinates", units_of(about.units, "", labels.coordinates));
  if (labels.variables_in_p) write_texts(file, "/names/momenta", *labels.variables_in_p);
  write_texts(file, "/units/momenta",
              labels.variables_in_p ? units_of(about.units, "", *labels.variables_in_p)
                                    : units_of(about.units, "p_", labels.coordinates));
  write_texts(file, "/units/multipliers", units_of(about.units, "lambda_", labels.constraints));
  write_texts(file, "/units/invariants", units_of(about.units, "", labels.invariants));
  write_texts(file, "/units/observables", units_of(about.units, "", labels.observables));

  explain(file, "/step", "completed steps at the time of the row", "1");
  explain(file, "/t", "time", unit_of(about.units, "t"));
  const bool field = labels.variables_in_p.has_value();
  explain(file, "/energy", field ? "the energy that the field gives, else 0" : "the Hamiltonian",
          unit_of(about.units, "energy"));
  explain(file, "/position_residual", "largest |g(q)|", "");
  explain(file, "/hidden_residual", "largest |G(q) H_p|", "");
  explain_columns(file, "/q", field ? "variables, the first part" : "positions", "/names/coordinates",
                  "/units/coordinates");
  explain_columns(file, "/p", field ? "variables, the second part" : "momenta",
                  field ? "/names/momenta" : "/names/coordinates", "/units/momenta");
  explain_columns(file, "/lambda", "multipliers, p' = -H_q - G^T lambda", "/names/constraints", "/units/multipliers");
  explain_columns(file, "/invariants", "invariants of the model", "/names/invariants", "/units/invariants");
  explain_columns(file, "/observed", "observables of the model", "/names/observables", "/units/observables");
  if (!about.sample.empty())
    explain(file, "/interpolated", "1: interpolated between two steps; 0: a state of the step map", "1");
  if (H5Lexists(file, "/exact", H5P_DEFAULT) > 0) {
    const Handle exact(H5Gopen2(file, "/exact", H5P_DEFAULT), H5Gclose, "open a group");
    write_attribute(exact, "precision", precision);
    write_attribute(exact, "description",
                    "decimal text with all digits; the datasets of the same names in / are these, rounded to double");
  }
}

void require_same_run(hid_t file, const std::string& path, const Labels& labels, const Provenance& about,
                      const std::string& precision) {
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open the root");
  const auto refuse = [&](const std::string& why) {
    throw InputError(path + ": the file cannot be continued: " + why);
  };
  if (!is_trajectory(root)) refuse("it is not a trajectory of holonom");
  if (const int found = version_of(root); found != format_version)
    refuse("its format has version " + std::to_string(found) + ", this holonom writes version " +
           std::to_string(format_version));

  const auto same = [&](const char* attribute, const std::string& word, const std::string& now) {
    const std::string then = read_attribute(root, attribute);
    if (then != now) refuse("it was made with " + word + " '" + then + "', this run has '" + now + "'");
  };
  same("model", "the model", labels.model);
  if (read_attribute(root, "model_text") != about.model_text)
    refuse("the text of the model has changed since it was made");
  same("precision", "the precision", precision);
  same("method", "the method", about.method);
  same("formulation", "the formulation", about.formulation);
  same("step_text", "the step", about.step);
  same("engine", "the engine", about.engine);
  same("sample_interval_text", "the sampling interval", about.sample);
  if (read_attribute(root, "parameters_text") != listing(about.parameters))
    refuse("it was made with other parameters:\n" + read_attribute(root, "parameters_text"));
  if (read_texts(file, "/names/coordinates") != labels.coordinates ||
      (labels.variables_in_p && read_texts(file, "/names/momenta") != *labels.variables_in_p) ||
      read_texts(file, "/names/constraints") != labels.constraints ||
      read_texts(file, "/names/invariants") != labels.invariants ||
      read_texts(file, "/names/observables") != labels.observables)
    refuse("its coordinates, constraints, invariants or observables are others");
}

// ---- H5MD

namespace {

void hard_link(hid_t file, const std::string& from, const std::string& to) {
  check(H5Lcreate_hard(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link a dataset");
}
void add_time(hid_t file, const std::string& group) {
  hard_link(file, "/step", group + "/step");
  hard_link(file, "/t", group + "/time");
}

// Blocks of a table with one row of n numbers a state, one after the other, as [states, particles, components]. A plane
// block is shown with a third component 0, which is stored nowhere: MDAnalysis reads three dimensions only.
void view_blocks(hid_t file, const std::string& name, const char* table, hsize_t n,
                 const std::vector<VectorBlock>& blocks, const std::string& unit) {
  hsize_t particles = 0, shown = 3;
  for (const VectorBlock& block : blocks) {
    particles += static_cast<hsize_t>(block.count);
    shown = std::max(shown, static_cast<hsize_t>(block.dim));
  }
  const hsize_t any = H5S_UNLIMITED;
  const Handle create = plist(H5P_DATASET_CREATE);
  const double zero = 0;
  H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &zero);
  hsize_t first = 0;
  for (const VectorBlock& block : blocks) {
    const auto count = static_cast<hsize_t>(block.count), dim = static_cast<hsize_t>(block.dim);
    const Handle from = space({0, n}, {any, n}), to = space({0, particles, shown}, {any, particles, shown});
    const hsize_t from_start[] = {0, static_cast<hsize_t>(block.offset)}, from_count[] = {any, 1},
                  from_block[] = {1, count * dim};
    const hsize_t to_start[] = {0, first, 0}, to_count[] = {any, 1, 1}, to_block[] = {1, count, dim};
    check(H5Sselect_hyperslab(from, H5S_SELECT_SET, from_start, nullptr, from_count, from_block), "select a block");
    check(H5Sselect_hyperslab(to, H5S_SELECT_SET, to_start, nullptr, to_count, to_block), "select a block");
    check(H5Pset_virtual(create, to, ".", table, from), "map a view");
    first += count;
  }
  const Handle group = make_group(file, name), extent = space({0, particles, shown}, {any, particles, shown});
  const Handle type(H5Dget_type(open_dataset(file, table)), H5Tclose, "read a type");
  const Handle value(H5Dcreate2(group, "value", type, extent, H5P_DEFAULT, create, H5P_DEFAULT), H5Dclose,
                     "make a view");
  if (!unit.empty()) write_attribute(value, "unit", unit);
  add_time(file, name);
}

// A group of particles: the blocks one after the other.
void add_particles(hid_t file, const std::string& group, hsize_t n, const std::vector<VectorBlock>& blocks,
                   const std::string& unit) {
  view_blocks(file, group + "/position", "/q", n, blocks, unit);
  view_blocks(file, group + "/momentum", "/p", n, blocks, "");
  const Handle box = make_group(file, group + "/box");
  int dimension = 3;
  for (const VectorBlock& block : blocks) dimension = std::max(dimension, block.dim);
  write_attribute(box, "dimension", dimension);
  std::string none;
  for (int c = 0; c < dimension; ++c) none += "none";
  write_attribute(box, "boundary", text_type(4), space({static_cast<hsize_t>(dimension)}), none.data());
}

// To which block each particle belongs, as an enumeration with the names of the blocks.
void add_species(hid_t file, const std::string& group, const std::vector<VectorBlock>& blocks) {
  const Handle type(H5Tenum_create(H5T_NATIVE_INT), H5Tclose, "make an enumeration");
  std::vector<int> species;
  for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
    const VectorBlock& block = blocks[static_cast<std::size_t>(k)];
    check(H5Tenum_insert(type, block.name.c_str(), &k), "make an enumeration");
    species.insert(species.end(), static_cast<std::size_t>(block.count), k);
  }
  const Handle extent = space({species.size()});
  const Handle dataset(
      H5Dcreate2(file, (group + "/species").c_str(), type, extent, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
      "make the species");
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, species.data()), "write the species");
}

// MDAnalysis refuses a file with a unit that it does not know (and converts those that it knows), even
// if it is asked not to convert.
bool known_to_mdanalysis(const std::string& time, const std::string& length) {
  static const std::set<std::string> times = {"ps", "fs", "ns", "second", "sec", "s", "AKMA"};
  static const std::set<std::string> lengths = {"Angstrom", "angstrom", "A", "nm", "pm", "fm"};
  return times.contains(time) && lengths.contains(length);
}

}  // namespace

void add_h5md(hid_t file, const Labels& labels, const Provenance& about) {
  std::vector<VectorBlock> blocks;
  for (const VectorBlock& block : labels.vectors)
    if (block.count > 0) blocks.push_back(block);
  if (blocks.empty()) return;
  const Handle h5md = make_group(file, "/h5md");
  const int h5md_version[] = {1, 1};
  write_attribute(h5md, "version", H5T_NATIVE_INT, space({2}), h5md_version);
  const Handle author = make_group(file, "/h5md/author"), creator = make_group(file, "/h5md/creator");
  write_attribute(author, "name", about.author);
  write_attribute(creator, "name", "holonom");
  write_attribute(creator, "version", version);

  const std::string time_unit = unit_of(about.units, "t");
  const bool units = std::ranges::all_of(
      blocks, [&](const VectorBlock& b) { return known_to_mdanalysis(time_unit, unit_of(about.units, b.name)); });
  if (units) write_attribute(open_dataset(file, "/t"), "unit", time_unit);
  const auto unit = [&](const VectorBlock& b) { return units ? unit_of(about.units, b.name) : ""; };
  const hsize_t n = labels.coordinates.size();

  // MDAnalysis reads the first group of all, and counts the atoms of the one named "trajectory". So that it sees every
  // block, this one comes first (h5py lists by creation where that is tracked) and holds them all; lengths in different
  // units cannot be one array.
  const Handle ordered = plist(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(ordered, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const Handle particles(H5Gcreate2(file, "/particles", H5P_DEFAULT, ordered, H5P_DEFAULT), H5Gclose, "make a group");
  std::string all = "trajectory";
  while (std::ranges::any_of(blocks, [&](const VectorBlock& b) { return b.name == all; })) all += "_all";
  all = "/particles/" + all;
  const bool one_unit =
      std::ranges::all_of(blocks, [&](const VectorBlock& b) { return unit(b) == unit(blocks.front()); });
  if (blocks.size() > 1 && one_unit) {
    add_particles(file, all, n, blocks, unit(blocks.front()));
    add_species(file, all, blocks);
  } else {
    check(H5Lcreate_soft(("/particles/" + blocks.front().name).c_str(), file, all.c_str(), H5P_DEFAULT, H5P_DEFAULT),
          "link a group");
  }
  for (const VectorBlock& block : blocks) add_particles(file, "/particles/" + block.name, n, {block}, unit(block));

  for (const std::string name : {"energy", "position_residual", "hidden_residual", "invariants", "observed"}) {
    if (name == "invariants" && labels.invariants.empty()) continue;
    if (name == "observed" && labels.observables.empty()) continue;
    const Handle group = make_group(file, "/observables/" + name);
    hard_link(file, "/" + name, "/observables/" + name + "/value");
    add_time(file, "/observables/" + name);
  }
}

}  // namespace holonom::hdf5
