// RunSpec: what a run is to be, as plain data. The program makes one of its options; a C++ program fills in what it
// wants other than usual.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holonom/solve/convergence.hpp"

namespace holonom {

enum class Precision { double_, long_, quad_, digits_100 };
enum class EngineChoice { automatic, interpreter, native };

struct RunSpec {
  // The problem
  std::string model;                                     // a model file; empty where the model is handed over itself
  std::vector<std::pair<std::string, std::string>> set;  // parameters to replace
  std::vector<std::string> event, observe;               // "formula" or "name=formula", beside those of the model
  std::vector<std::string> stop_at;                      // names of events that end the run

  // How it is solved; without a value, as the model says
  std::optional<std::string> method, step, until;  // the last two are formulas of parameters
  long steps = -1;                                 // instead of until
  // For a method that is yet to be chosen (choose_method): the relative error that is allowed, and of what
  std::optional<double> accuracy;
  std::optional<std::string> quantity;
  std::string chosen;  // how it was chosen, for files that describe themselves
  Precision precision = Precision::double_;
  EngineChoice engine = EngineChoice::automatic;
  std::string formulation = "direct";  // or one of formulations(), without constraints
  std::optional<std::string> alpha;    // its number
  std::optional<std::string> chart;    // of state-space
  std::string projection;
  long project_every = 1;  // steps
  double tolerance = 0;
  StageMatrix newton = StageMatrix::automatic;
  std::optional<bool> compensated;
  int threads = 1;

  // What is looked at and recorded
  long every = 0;  // 0: as the model says
  std::optional<std::string> sample;
  bool stage_multipliers = false, watch_all = true;
  bool wedge = false;                // the wedge product of two tangent vectors, as one more invariant
  std::vector<std::string> tangent;  // these two, "x=1,p_y=0.5" each; none: as usual
  int shadow = 0;                    // the shadow energy of so many steps, as one more invariant; 0: not
  std::string out, events_out;       // .h5 or .csv, and .csv
  bool force = false;

  // Checkpoints beside the output, so many seconds apart (0: none); and whether to go on from one.
  double checkpoint = 60;
  bool resume = false, extend = false;  // extend: to another end

  // How the fields above are called in messages: the program says "--step".
  std::string prefix;
  std::string name_of(const std::string& field) const { return prefix + field; }
};

}  // namespace holonom
