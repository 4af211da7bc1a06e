#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "event_table.hpp"
#include "holonom/analysis/model_certificate.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/version.hpp"
#include "holonom/view/page.hpp"
#include "page_template.hpp"
#include "report_tables.hpp"
#include "run_head.hpp"

namespace holonom {

namespace {

// Beyond these, points are rounded to 16 bits.
constexpr std::size_t exact_points = 2000000;

class PageOfRun {
 public:
  explicit PageOfRun(const PageSpec& spec) : spec_(spec), run_(read_run_file(spec.file, spec.limits)) {}

  RunPage make() {
    const StagedRun staged = make_stage();
    json_.begin().text("kind", "run").text("title", run_.model).text("file", file_name(spec_.file));
    json_.text("version", version);
    write_about(json_, run_, run_.file_rows);
    json_.text("model_text", run_.model_text);
    write_stage(json_, data_, staged.stage);
    write_columns(json_, staged);
    add_rows(staged);
    if (!spec_.events.empty()) write_events();
    if (spec_.certify) write_verdicts();
    look_at_rows(staged);
    notes_.insert(notes_.end(), staged.notes.begin(), staged.notes.end());
    notes_.insert(notes_.end(), warnings_.begin(), warnings_.end());
    write_notes(json_, notes_);
    data_.describe(json_);
    json_.end();
    return {fill_page(run_.model, json_.str(), data_.base64()), std::move(warnings_)};
  }

 private:
  std::size_t rows() const { return run_.rows.size(); }
  static std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

  // From the text in the file, or from another model with the same coordinates
  StagedRun make_stage() {
    const Stage::States known{rows(), run_.q.x.data(), run_.p.x.data(), run_.q.columns, run_.p.columns};
    if (!spec_.model.empty()) {
      std::ifstream file(spec_.model, std::ios::binary);
      if (!file) throw InputError(spec_.model + ": the file cannot be read");
      const std::string text(std::istreambuf_iterator<char>(file), {});
      return {run_, {text, spec_.model, spec_.file}, known};
    }
    try {
      return {run_, {run_.model_text, spec_.file, ""}, known};
    } catch (const InputError& e) {
      warnings_.push_back(std::string(e.what()) + ". Points are guessed from names of coordinates; give " +
                          spec_.prefix + "model FILE");
      return StagedRun(run_);
    }
  }

  // Of the method and the step of the run, on its own model
  void write_verdicts() {
    try {
      RunSpec spec;
      spec.method = run_.method;
      spec.step = run_.step;
      for (const Precision p : {Precision::double_, Precision::long_, Precision::quad_, Precision::digits_100})
        if (in_precision(p, []<class S> { return precision_name<S>(); }) == run_.precision) spec.precision = p;
      const Model model = read_source(run_, {run_.model_text, spec_.file, ""}).model;
      const ModelCertificate made = certify_model(model, spec, {.advice = false});
      write_tables(json_, {verdict_table(made.certificate)});
      if (!made.certificate.failure.empty()) notes_.push_back(made.certificate.failure);
    } catch (const std::runtime_error& e) {
      warnings_.push_back(std::string("there are no verdicts: ") + e.what());
    }
  }

  HeardState state(std::size_t i) const {
    const auto row = [i](const NumberTable& table) { return std::span(table.row(i), table.columns); };
    return {run_.t.at(i, 0),
            run_.energy.at(i, 0),
            run_.position_residual.at(i, 0),
            run_.hidden_residual.at(i, 0),
            row(run_.q),
            row(run_.p),
            row(run_.lambda),
            row(run_.invariant),
            row(run_.observable)};
  }

  // Columns as they are in the file, one after the other; places row by row.
  void add_rows(const StagedRun& staged) {
    const Stage& stage = staged.stage;
    const std::size_t points = stage.point_names.size(), bodies = stage.bodies.size();
    std::vector<double> series(staged.columns.size() * rows());
    std::vector<float> places(rows() * points * 3), poses(rows() * bodies * 7);
    for (std::size_t i = 0; i < rows(); ++i) {
      const HeardState now = state(i);
      for (std::size_t k = 0; k < staged.columns.size(); ++k) series[k * rows() + i] = staged.columns[k].of(now);
      stage.place_points(now.q.data(), now.p.data(), places.data() + i * points * 3);
      if (bodies > 0) stage.place_bodies(now.q.data(), now.p.data(), poses.data() + i * bodies * 7);
    }
    if (places.size() > exact_points)
      data_.add_rounded("points", places, points * 3);
    else
      data_.add("points", places, points * 3);
    data_.add("bodies", poses, bodies * 7);
    data_.add("series", series);
    json_.integer("rows", static_cast<long long>(rows()));
    look_for_gaps(staged, series, places, poses);
  }

  void write_events() {
    const EventTable events = read_events(spec_.events);
    json_.begin("events").integer("rows", static_cast<long long>(events.which.size())).begin_list("names");
    for (const std::string& name : events.names) json_.text("", name);
    json_.end_list().begin_list("columns");
    std::vector<double> all = events.which;
    for (std::size_t k = 0; k < std::min(events.columns.size(), most_columns); ++k) {
      json_.text("", events.columns[k]);
      all.insert(all.end(), events.numbers[k].begin(), events.numbers[k].end());
    }
    json_.end_list().end();
    data_.add("events", all);
  }

  void look_at_rows(const StagedRun& staged) {
    if (rows() == 0)
      notes_.emplace_back("The file has no rows: the run was stopped before its first state was written.");
    else if (rows() < run_.file_rows)
      notes_.push_back(std::to_string(rows()) + " of " + std::to_string(run_.file_rows) + " rows are on this page.");
    if (staged.stage.dimension == 0 && rows() > 0) notes_.emplace_back(no_points_note);
    for (std::size_t i = 0; i < rows(); ++i) {
      if (is_finite(i, staged)) continue;
      notes_.push_back(name_row(i) + " has numbers that are not finite: the run was cut off there, or failed.");
      break;
    }
    notes_.insert(notes_.end(), gaps_.begin(), gaps_.end());
  }

  std::string name_row(std::size_t i) const {
    return "Row " + std::to_string(run_.rows[i]) + " (t = " + shorten(run_.t.at(i, 0)) + ")";
  }
  // Whether a row is a state, whatever can be computed from it
  bool is_finite(std::size_t i, const StagedRun& staged) const {
    const auto finite = [](double x) { return std::isfinite(x); };
    const double *q = run_.q.row(i), *p = run_.p.row(i);
    return std::all_of(q, q + run_.q.columns, finite) && std::all_of(p, p + run_.p.columns, finite) &&
           finite(run_.t.at(i, 0)) && (!staged.has_energy || finite(run_.energy.at(i, 0)));
  }

  // Numbers that are none in rows that are states: of columns, and of places in the single precision of pictures.
  void look_for_gaps(const StagedRun& staged, const std::vector<double>& series, const std::vector<float>& places,
                     const std::vector<float>& poses) {
    Gaps columns, placed;
    for (std::size_t i = 0; i < rows(); ++i) {
      if (!is_finite(i, staged)) continue;
      for (std::size_t k = 0; k < staged.columns.size(); ++k)
        if (!std::isfinite(series[k * rows() + i])) columns.add(i, staged.columns[k].name);
      const auto look_at = [&](const std::vector<float>& numbers, std::size_t size, const auto& name, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) {
          const float* x = numbers.data() + (i * n + k) * size;
          if (!std::all_of(x, x + size, [](float a) { return std::isfinite(a); })) placed.add(i, name(k));
        }
      };
      const Stage& stage = staged.stage;
      look_at(
          places, 3, [&](std::size_t k) { return stage.point_names[k]; }, stage.point_names.size());
      look_at(
          poses, 7, [&](std::size_t k) { return stage.bodies[k].name; }, stage.bodies.size());
    }
    if (!columns.names.empty())
      gaps_.push_back(name_row(columns.first) + " is the first one with numbers that are not finite in " +
                      columns.listed() + ": plots have gaps there.");
    if (!placed.names.empty())
      gaps_.push_back(name_row(placed.first) + " is the first one in which " + placed.listed() +
                      " cannot be drawn: a place or an orientation is no number, or beyond single precision.");
  }

  // What has numbers that are none, and where first
  struct Gaps {
    std::size_t first = 0;
    std::vector<std::string> names;

    void add(std::size_t row, const std::string& name) {
      if (names.empty()) first = row;
      if (known_.insert(name).second) names.push_back(name);
    }
    std::string listed() const {
      constexpr std::size_t most = 3;
      std::string text;
      for (std::size_t k = 0; k < std::min(names.size(), most); ++k) text += (k > 0 ? ", " : "") + names[k];
      return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
    }

   private:
    std::set<std::string> known_;
  };

  const PageSpec& spec_;
  RunFile run_;
  Json json_;
  PageData data_;
  std::vector<std::string> notes_, gaps_, warnings_;
};

}  // namespace

RunPage run_page(const PageSpec& spec) {
  require_view();
  return PageOfRun(spec).make();
}

}  // namespace holonom
