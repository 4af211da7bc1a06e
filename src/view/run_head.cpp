#include "run_head.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "holonom/model/constants.hpp"
#include "holonom/run/preparation.hpp"

namespace holonom {

namespace {

// Beyond these, names of points are left out.
constexpr std::size_t most_point_names = 500;

std::string shortened(const std::string& digits) { return shorten(std::strtod(digits.c_str(), nullptr)); }

}  // namespace

// With the parameters of the run where the text has other ones; another model may have others beside them.
ModelAndView read_source(const RunDescription& run, const StageSource& from) {
  const Model text = parse_model(from.text, from.file);
  ModelChanges changes;
  for (const auto& [name, value] : run.parameters) {
    const auto own = text.parameters.find(name);
    if (own == text.parameters.end()) continue;
    if (evaluate_constants<double>(text, {own->second})[0] != std::strtod(value.c_str(), nullptr))
      changes.set.emplace_back(name, value);
  }
  ModelAndView source = parse_model_and_view(from.text, from.file, changes);
  std::size_t items = 0;
  for (const VectorCoordinate& v : source.model.vectors) items += static_cast<std::size_t>(v.size());
  const std::vector<std::string>& names = source.model.coordinates;
  if (names.size() + items != run.coordinates.size() ||
      !std::equal(names.begin(), names.end(), run.coordinates.begin()))
    throw InputError(from.file + ": its coordinates are not those of " +
                     (from.instead_of.empty() ? "the run" : from.instead_of));
  return source;
}

double SeriesColumn::of(const HeardState& state) const {
  // (A damaged file may have fewer columns than names.)
  const auto entry = [this](std::span<const double> x) {
    return index < x.size() ? x[index] : std::numeric_limits<double>::quiet_NaN();
  };
  switch (from) {
    case From::time: return state.t;
    case From::energy: return state.energy;
    case From::position_residual: return state.position_residual;
    case From::hidden_residual: return state.hidden_residual;
    case From::invariants: return entry(state.invariants);
    case From::observables: return entry(state.observables);
    case From::q: return entry(state.q);
    case From::p: return entry(state.p);
    case From::lambda: return entry(state.lambda);
  }
  return 0;
}

StagedRun::StagedRun(const RunDescription& run, const StageSource& source, const Stage::States& known)
    : StagedRun(run, read_source(run, source), known) {}

StagedRun::StagedRun(const RunDescription& run, const ModelAndView& source, const Stage::States& known)
    : stage(source, run.coordinates, known), has_energy(!source.model.field || source.model.field->energy) {
  list_columns(run);
}

StagedRun::StagedRun(const RunDescription& run) : stage(run.coordinates) { list_columns(run); }

void StagedRun::list_columns(const RunDescription& run) {
  using From = SeriesColumn::From;
  std::string too_many;
  const auto all = [&](const char* kind, const std::string& prefix, const std::vector<std::string>& names,
                       const std::vector<std::string>& units, From from) {
    for (std::size_t j = 0; j < std::min(names.size(), most_columns); ++j)
      columns.push_back({kind, prefix + names[j], j < units.size() ? units[j] : "", from, j});
    if (names.size() > most_columns)
      too_many += (too_many.empty() ? "" : ", ") + std::to_string(names.size()) + " " + kind;
  };
  columns.push_back({"time", "t", run.time_unit, From::time});
  if (has_energy) columns.push_back({"energy", "energy", run.energy_unit, From::energy});
  if (!run.constraints.empty()) {
    columns.push_back({"residuals", "|g|", "", From::position_residual});
    columns.push_back({"residuals", "|G H_p|", "", From::hidden_residual});
  }
  all("invariants", "", run.invariants, run.invariant_units, From::invariants);
  all("observables", "", run.observables, run.observable_units, From::observables);
  all("coordinates", "", run.coordinates, run.coordinate_units, From::q);
  all(run.is_field ? "variables" : "momenta", "", run.momenta, run.momentum_units, From::p);
  all("multipliers", "lambda_", run.constraints, run.multiplier_units, From::lambda);
  if (!too_many.empty())
    notes.push_back("Of " + too_many + " the first " + std::to_string(most_columns) + " each can be plotted.");
}

void write_about(Json& json, const RunDescription& run, std::optional<std::size_t> rows) {
  json.begin_list("about");
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) json.begin_list().text("", what).text("", value).end_list();
  };
  line("method", run.method);
  if (run.formulation != "direct") line("formulation", run.formulation);
  line("step", shortened(run.step));
  line("precision", run.precision);
  line("engine", run.engine);
  line("chosen", run.chosen);
  line("sampled every", run.sample.empty() ? "" : shortened(run.sample));
  if (rows) line("rows", std::to_string(*rows));
  line("made by", "holonom " + run.creator_version);
  json.end_list().begin("parameters");
  for (const auto& [name, value] : run.parameters) json.text(name, shortened(value));
  json.end();
}

void write_stage(Json& json, PageData& data, const Stage& stage) {
  const std::size_t points = stage.point_names.size();
  json.begin("stage").integer("dimension", stage.dimension).integer("points", static_cast<long long>(points));
  json.begin_list("groups");
  for (const Stage::Group& group : stage.groups) {
    json.begin().text("name", group.name).integer("first", static_cast<long long>(group.first));
    json.integer("count", static_cast<long long>(group.count)).boolean("fixed", group.fixed);
    if (!group.colour.empty()) json.text("colour", group.colour);
    json.end();
  }
  json.end_list().begin_list("names");
  if (points <= most_point_names)
    for (const std::string& name : stage.point_names) json.text("", name);
  json.end_list().begin_list("bodies");
  for (const Stage::Body& body : stage.bodies) {
    json.begin().text("name", body.name).begin_list("size");
    for (const double edge : body.size) json.number("", edge);
    json.end_list();
    if (!body.colour.empty()) json.text("colour", body.colour);
    json.end();
  }
  json.end_list().begin_list("surfaces");
  for (std::size_t k = 0; k < stage.surfaces.size(); ++k) {
    json.text("", stage.surfaces[k].name);
    data.add("surface " + std::to_string(k), stage.surfaces[k].mesh.vertices, 3);
    data.add("triangles " + std::to_string(k), stage.surfaces[k].mesh.triangles, 3);
  }
  json.end_list();
  if (stage.size) json.number("size", *stage.size);
  if (stage.trails) json.boolean("trails", *stage.trails);
  json.end();
  std::vector<std::uint32_t> ends;
  for (const auto& link : stage.links) ends.insert(ends.end(), link.begin(), link.end());
  data.add("links", ends, 2);
}

void write_columns(Json& json, const StagedRun& staged) {
  json.begin_list("series");
  for (const SeriesColumn& column : staged.columns) {
    json.begin().text("kind", column.kind).text("name", column.name);
    if (!column.unit.empty()) json.text("unit", column.unit);
    json.end();
  }
  json.end_list().begin_list("plot");
  for (const std::string& name : staged.stage.plot) json.text("", name);
  json.end_list();
}

void write_notes(Json& json, const std::vector<std::string>& notes) {
  json.begin_list("notes");
  for (const std::string& note : notes) json.text("", note);
  json.end_list();
}

}  // namespace holonom
