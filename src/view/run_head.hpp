// What a page says of a run beside its rows: how it was made, what is on the stage, which columns there are. Private to
// src/view.
#pragma once

#include <optional>

#include "holonom/run/run_description.hpp"
#include "holonom/run/run_listener.hpp"
#include "holonom/view/stage.hpp"
#include "page_data.hpp"

namespace holonom {

// Beyond these, columns of each kind are left out.
inline constexpr std::size_t most_columns = 200;

// A column of the plots, and which number of a recorded state it is
struct SeriesColumn {
  enum class From : std::uint8_t {
    time,
    energy,
    position_residual,
    hidden_residual,
    invariants,
    observables,
    q,
    p,
    lambda
  };
  std::string kind, name, unit;
  From from;
  std::size_t index = 0;

  double of(const HeardState& state) const;
};

// The text of a model, and where it is from, for messages and for tables beside it
struct StageSource {
  std::string text, file;
  std::string instead_of;  // another model than that of the run in this file; empty: its own
};

// The model of a text, with the parameters of the run. Throws InputError.
ModelAndView read_source(const RunDescription& run, const StageSource& from);

// The stage of a run by its model, with the parameters of the run.
struct StagedRun {
  // Throws InputError.
  StagedRun(const RunDescription& run, const StageSource& source, const Stage::States& known);
  // By the names of coordinates alone
  explicit StagedRun(const RunDescription& run);

  Stage stage;
  bool has_energy = true;
  std::vector<SeriesColumn> columns;
  std::vector<std::string> notes;  // what is left out

 private:
  StagedRun(const RunDescription& run, const ModelAndView& source, const Stage::States& known);
  void list_columns(const RunDescription& run);
};

inline constexpr const char* no_points_note =
    "Which coordinates are points cannot be told from their names: a [view] table in the model says it.";

// The entries of the page's description, and the arrays that do not depend on rows
void write_about(Json& json, const RunDescription& run, std::optional<std::size_t> rows);
void write_stage(Json& json, PageData& data, const Stage& stage);
void write_columns(Json& json, const StagedRun& staged);
void write_notes(Json& json, const std::vector<std::string>& notes);

}  // namespace holonom
