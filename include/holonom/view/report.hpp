// Pages of results: tables, and diagrams of curves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "holonom/analysis/model_certificate.hpp"
#include "holonom/analysis/model_comparison.hpp"

namespace holonom {

struct Report {
  struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
  };
  struct Curve {
    std::string name;
    std::vector<double> x, y;
  };
  struct Diagram {
    std::string title, x, y;  // of the axes
    bool log_x = false, log_y = false;
    std::vector<Curve> curves;
  };

  std::string title, subtitle, model_text;
  std::vector<std::pair<std::string, std::string>> about;
  std::vector<std::string> notes;
  std::vector<Table> tables;
  std::vector<Diagram> diagrams;
};

// Throws InputError in a build without pages.
std::string report_page(const Report& report);
Report::Table verdict_table(const Certificate& certificate);

// The verdicts, and what energy, constraints and invariants do in a run of the same spec.
std::string certificate_page(const ModelCertificate& made, const RunSpec& spec);
std::string certificate_page(const ModelCertificate& made, Model model, const RunSpec& spec);
// Work and precision of all methods and steps.
std::string comparison_page(const ModelComparison& of, const Comparison& made, const std::string& model_text);

}  // namespace holonom
