// Options that several commands have, and the choice of a precision.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

#include "holonom/model/toml.hpp"
#include "holonom/run/precision.hpp"

namespace holonom {

inline void add_set_option(CLI::App& cmd, std::vector<std::string>& set) {
  cmd.add_option("--set", set, "name=value: replace a parameter; may be repeated")->allow_extra_args(false);
}

inline Overrides overrides(const std::vector<std::string>& set) {
  Overrides result;
  for (const std::string& s : set) {
    const auto equals = s.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("--set " + s + ": write it as name=value");
    const std::string name = s.substr(0, equals);
    for (const auto& [before, value] : result)
      if (before == name) throw InputError("--set " + s + ": " + name + " is set already, to " + value);
    result.emplace_back(name, s.substr(equals + 1));
  }
  return result;
}

inline ModelChanges changes(const std::vector<std::string>& set) {
  ModelChanges result(overrides(set));
  result.prefix = "--";
  return result;
}

inline void add_precision_option(CLI::App& cmd, std::string& precision) {
  cmd.add_option("--precision", precision, "double, long, quad or 100 (digits)")
      ->check(CLI::IsMember({"double", "long", "quad", "100"}));
}

inline Precision precision_of(const std::string& word) {
  if (word == "long") return Precision::long_;
  if (word == "quad") return Precision::quad_;
  if (word == "100") return Precision::digits_100;
  return Precision::double_;
}

inline void add_tolerance_option(CLI::App& cmd, double& tolerance) {
  cmd.add_option("--tolerance", tolerance, "Stop Newton iterations at this relative residual (default: round-off)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double x = 0;
            return CLI::detail::lexical_cast(text, x) && x >= 0 && x < 1 ? std::string()
                                                                         : text + " is not a number from 0 to 1";
          },
          ">= 0"));
}

// Whole numbers from here on
inline CLI::Validator at_least(long least) {
  return CLI::Validator(
      [least](const std::string& text) {
        long x = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
        if (error == std::errc::result_out_of_range)
          return text + " is more than " + std::to_string(std::numeric_limits<long>::max());
        const bool whole = error == std::errc() && end == text.data() + text.size();
        return whole && x >= least ? std::string() : text + " is not a whole number, at least " + std::to_string(least);
      },
      ">= " + std::to_string(least));
}

inline void add_formulation_options(CLI::App& cmd, RunSpec& spec) {
  cmd.add_option("--formulation", spec.formulation,
                 "Run the method on the system without constraints: underlying, dirac, h-m, weak, linear, baumgarte, "
                 "baumgarte-twice, penalty, index-2 or state-space (default: direct)");
  cmd.add_option("--alpha", spec.alpha, "The number of the formulation: alpha, or eps of penalty");
  cmd.add_option("--chart", spec.chart,
                 "Of state-space: fixed, partition, every:K, tangent, or the model's own: own, own-velocity");
  cmd.add_option("--projection", spec.projection,
                 "jay: project an implicit Runge-Kutta method onto both constraints after each step; on a formulation: "
                 "orthogonal, stage or symplectic");
  cmd.add_option("--project-every", spec.project_every, "Project after every K-th step")->check(at_least(1));
}

inline void add_newton_option(CLI::App& cmd, std::string& newton) {
  cmd.add_option("--newton", newton,
                 "The matrix for the stages of an implicit Runge-Kutta method: that of the start (Jay's), of the "
                 "stages, the full one, or auto")
      ->check(CLI::IsMember({"auto", "start", "stages", "full"}));
}

inline StageMatrix stage_matrix(const std::string& word) {
  if (word == "start") return StageMatrix::start;
  if (word == "stages") return StageMatrix::stages;
  if (word == "full") return StageMatrix::full;
  return StageMatrix::automatic;
}

inline void add_accuracy_options(CLI::App& cmd, RunSpec& spec) {
  cmd.add_option("--accuracy", spec.accuracy, "The relative error that is allowed, such as 1e-6");
  cmd.add_option(
      "--quantity", spec.quantity,
      "What is to be that accurate: energy, position (default), or the name of a coordinate, an invariant or "
      "an observable");
}

inline EngineChoice engine_of(const std::string& word) {
  if (word == "interp") return EngineChoice::interpreter;
  if (word == "llvm") return EngineChoice::native;
  return EngineChoice::automatic;
}

// A spec as far as all commands have its options
inline RunSpec completed(RunSpec spec, const std::vector<std::string>& set, const std::string& precision = "double",
                         const std::string& engine = "auto") {
  spec.prefix = "--";
  spec.set = overrides(set);
  spec.precision = precision_of(precision);
  spec.engine = engine_of(engine);
  return spec;
}

inline void add_engine_option(CLI::App& cmd, std::string& engine) {
  cmd.add_option("--engine", engine, "interp, llvm or auto")->check(CLI::IsMember({"interp", "llvm", "auto"}));
}

}  // namespace holonom
