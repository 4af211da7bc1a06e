// holonom run: integrates a model and reports what was kept.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "commands.hpp"
#include "holonom/analysis/counts.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/run_of.hpp"
#include "holonom/view/live.hpp"
#include "interrupt.hpp"
#include "open_page.hpp"
#include "options.hpp"
#include "output.hpp"

namespace holonom {

namespace {

// The words of the options that are no fields of a RunSpec as they stand.
struct RunOptions {
  RunSpec spec;
  std::vector<std::string> set;
  std::string precision = "double", engine = "auto", watch = "all", newton = "auto", multipliers = "exact";
  std::optional<std::string> compensated;
  std::optional<double> checkpoint;
  bool json = false, live = false, open = false;
};

void show_progress(long done, long steps) {
  constexpr int width = 40;
  const int filled = static_cast<int>(width * static_cast<double>(done) / static_cast<double>(steps));
  std::fprintf(stderr, "\r  [%s%s] %5.1f %%", std::string(static_cast<std::size_t>(filled), '#').c_str(),
               std::string(static_cast<std::size_t>(width - filled), ' ').c_str(),
               100.0 * static_cast<double>(done) / static_cast<double>(steps));
}
void clear_progress() { std::fprintf(stderr, "\r%60s\r", ""); }

// By coordinate name, or by that of a field's variable; vector coordinates as arrays of arrays.
template <class S>
void write_coordinates(Json& json, std::string_view key, const Labels& labels, const Vec<S>& x) {
  json.begin(key);
  const std::vector<std::string>& names =
      key == "p" && labels.variables_in_p ? *labels.variables_in_p : labels.coordinates;
  const std::size_t named =
      labels.vectors.empty() ? names.size() : static_cast<std::size_t>(labels.vectors.front().offset);
  for (std::size_t i = 0; i < named; ++i) json.number(names[i], x[static_cast<int>(i)]);
  for (const VectorBlock& v : labels.vectors) {
    json.begin_list(v.name);
    for (int i = 0; i < v.count; ++i) {
      json.begin_list();
      for (int c = 0; c < v.dim; ++c) json.number("", x[v.offset + i * v.dim + c]);
      json.end_list();
    }
    json.end_list();
  }
  json.end();
}

// By constraint name; stacks as arrays.
template <class S>
void write_multipliers(Json& json, const Labels& labels, const Vec<S>& lambda) {
  json.begin("lambda");
  const int named = labels.stacks.empty() ? lambda.size() : labels.stacks.front().first;
  for (int k = 0; k < named; ++k) json.number(labels.constraints[static_cast<std::size_t>(k)], lambda[k]);
  for (const StackBlock& stack : labels.stacks) {
    if (stack.rows == 0) {
      json.number(stack.name, lambda[stack.first]);
      continue;
    }
    json.begin_list(stack.name);
    for (int k = 0; k < stack.rows; ++k) json.number("", lambda[stack.first + k]);
    json.end_list();
  }
  json.end();
}

template <class S>
void write_event(Json& json, std::string_view key, const Labels& labels, const Events<S>& events, const Event<S>& e) {
  json.begin(key).text("name", events.name(e)).text("direction", e.up ? "up" : "down");
  json.number("t", e.state.t);
  write_coordinates(json, "q", labels, e.state.q);
  write_coordinates(json, "p", labels, e.state.p);
  json.number("energy", e.seen.energy).number("position_residual", e.seen.position.absolute);
  json.number("hidden_residual", e.seen.hidden.absolute).end();
}

// How many there were, by name; then the first ones, and the one that ended the run.
template <class S>
void write_events(Json& json, const Labels& labels, const Events<S>& events) {
  json.begin("event_counts");
  for (std::size_t k = 0; k < events.formulas.size(); ++k)
    json.integer(events.formulas[k].name, events.counts[k].total());
  json.end().begin_list("events");
  for (const Event<S>& e : events.first) write_event(json, "", labels, events, e);
  json.end_list();
  if (!events.may_stop()) return;
  if (events.stopped)
    write_event(json, "stopped", labels, events, *events.stopped);
  else
    json.null("stopped");
}

template <class S>
std::string to_json(const ModelRecommendation* chosen, const Run& whole, const RunOf<S>& run, const RunResult<S>& r) {
  const Events<S> events = run.events();
  const Labels& labels = run.labels();
  constexpr const char* words[] = {"done", "failed", "interrupted"};
  Json json;
  json.begin().text("status", words[static_cast<int>(r.status)]);
  if (!r.message.empty()) json.text("message", r.message);
  json.text("model", labels.model)
      .text("method", whole.method().key)
      .text("formulation", whole.method().formulation.empty() ? "direct" : whole.method().formulation)
      .text("precision", precision_name<S>())
      .text("engine", whole.engine());
  if (chosen) {
    json.begin("chosen").text("how", chosen->how_chosen()).number("accuracy", chosen->accuracy);
    json.text("quantity", chosen->quantity);
    write(json, *chosen, 0);
    json.end();
  }
  json.number("step", run.h()).integer("steps", r.steps).number("t", r.state.t);
  write_coordinates(json, "q", labels, r.state.q);
  write_coordinates(json, "p", labels, r.state.p);
  write_multipliers(json, labels, r.state.lambda);
  if (run.system().has_energy())
    json.begin("energy")
        .number("initial", r.energy_initial)
        .number("final", r.energy_final)
        .number("max_error", r.energy_error)
        .end();
  else
    json.null("energy");
  json.begin("constraint").number("position_max", r.position).number("hidden_max", r.hidden);
  json.number("position_relative_max", r.position_relative).number("hidden_relative_max", r.hidden_relative).end();
  json.begin("invariants");
  for (int k = 0; k < r.invariant_initial.size(); ++k) {
    json.begin(labels.invariants[static_cast<std::size_t>(k)])
        .number("initial", r.invariant_initial[k])
        .number("max_error", r.invariant_error[k]);
    const std::string& doubt = r.invariant_doubt[static_cast<std::size_t>(k)];
    if (const auto& trend = r.invariant_trend[static_cast<std::size_t>(k)])
      json.number("drift", trend->drift).number("rms", trend->rms).boolean("resolved", doubt.empty());
    if (!doubt.empty()) json.text("remark", doubt);
    json.end();
  }
  json.end().begin("observables");
  for (std::size_t k = 0; k < r.observables.size(); ++k) {
    const ObservableSummary<S>& seen = r.observables[k];
    json.begin(labels.observables[k])
        .number("initial", seen.initial)
        .number("final", seen.last)
        .number("mean", seen.mean);
    json.number("min", seen.least).number("max", seen.largest).end();
  }
  json.end();
  write_events(json, labels, events);
  write(json, r.counters);
  json.number("wall_seconds", r.wall_seconds).end();
  return json.str();
}

template <class S>
void print_table(const Run& whole, const RunOf<S>& run, const RunResult<S>& r) {
  const AnySystem<S>& sys = run.system();
  const Events<S> events = run.events();
  const Labels& labels = run.labels();
  const Counters& c = r.counters;
  const auto number = [](const auto& x) {  // no -0, no -nan
    const double value = to_double(x) + 0.0;
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  std::printf("%s: %s, h = %s, %ld steps to t = %s (%s)\n\n", labels.model.c_str(), whole.method().key.c_str(),
              shorten(run.h()).c_str(), r.steps, shorten(r.state.t).c_str(), precision_name<S>().c_str());
  if (sys.has_energy())
    std::printf("  energy             %.10g at the start, largest error %.2e\n", number(r.energy_initial),
                number(r.energy_error));
  if (sys.m() > 0) {
    std::printf("  constraints g      largest residual %.1e (%.1e of its terms)\n", number(r.position),
                number(r.position_relative));
    std::printf("  hidden, G H_p      largest residual %.1e (%.1e of its terms)\n", number(r.hidden),
                number(r.hidden_relative));
  }
  for (int k = 0; k < r.invariant_initial.size(); ++k) {
    std::printf("  %-18s %.10g at the start, largest error %.2e",
                labels.invariants[static_cast<std::size_t>(k)].c_str(), number(r.invariant_initial[k]),
                number(r.invariant_error[k]));
    if (const auto& trend = r.invariant_trend[static_cast<std::size_t>(k)])
      std::printf(", drift %.1e, rms %.1e", number(trend->drift), number(trend->rms));
    std::printf("\n");
    if (const std::string& doubt = r.invariant_doubt[static_cast<std::size_t>(k)]; !doubt.empty())
      std::printf("                     %s\n", doubt.c_str());
  }
  for (std::size_t k = 0; k < r.observables.size(); ++k)
    std::printf("  %-18s mean %.10g, from %.10g to %.10g\n", labels.observables[k].c_str(),
                number(r.observables[k].mean), number(r.observables[k].least), number(r.observables[k].largest));
  for (std::size_t k = 0; k < events.formulas.size(); ++k) {
    const EventCount<S>& count = events.counts[k];
    std::printf("  event %-12s %ld", events.formulas[k].name.c_str(), count.total());
    if (count.total() > 0)
      std::printf(" (%ld up, %ld down), from t = %s to %s", count.up, count.down, shorten(count.first).c_str(),
                  shorten(count.last).c_str());
    std::printf("\n");
  }
  if (events.stopped)
    std::printf("  stopped            at event %s (%s), t = %s\n", events.name(*events.stopped).c_str(),
                events.stopped->up ? "up" : "down", shorten(events.stopped->state.t).c_str());
  if (c.newton_solves > 0)
    std::printf("  Newton             %.2f iterations a step, at most %d\n", newton_mean(c), c.newton_max);
  if (r.steps > 0)
    std::printf("  cost               %.3g microseconds a step (with all checks), %.3g s in all\n",
                1e6 * r.wall_seconds / static_cast<double>(r.steps), r.wall_seconds);
  constexpr int few = 6;
  if (sys.n() <= few) {
    std::printf("  last state\n");
    const auto print = [&](const std::string& name, const S& x, const char* end) {
      std::printf("    %-16s %22.15g%s", name.c_str(), number(x), end);
    };
    if (sys.is_field()) {
      for (std::size_t i = 0; i < labels.coordinates.size(); ++i)
        print(labels.coordinates[i], r.state.q[static_cast<int>(i)], "\n");
      for (std::size_t i = 0; i < labels.momenta(); ++i)
        print(labels.momentum(i), r.state.p[static_cast<int>(i)], "\n");
    } else {
      for (int i = 0; i < sys.n(); ++i) {
        print(labels.coordinates[static_cast<std::size_t>(i)], r.state.q[i], "");
        std::printf("   p %22.15g\n", number(r.state.p[i]));
      }
    }
  }
  if (!whole.spec().chosen.empty()) std::printf("  chosen             %s\n", whole.spec().chosen.c_str());
  if (!whole.spec().out.empty()) std::printf("  output             %s\n", whole.spec().out.c_str());
  if (!whole.spec().events_out.empty()) std::printf("  events             %s\n", whole.spec().events_out.c_str());
}

RunSpec spec_of(const RunOptions& o) {
  RunSpec spec = completed(o.spec, o.set, o.precision, o.engine);
  spec.newton = stage_matrix(o.newton);
  spec.watch_all = o.watch == "all";
  spec.stage_multipliers = o.multipliers == "stage";
  if (o.compensated) spec.compensated = *o.compensated == "on";
  if (o.checkpoint.value_or(0) > 0 && spec.out.empty() && spec.events_out.empty())
    throw InputError("--checkpoint: there is no --out, nor --events-out, beside which checkpoints are kept");
  if (o.checkpoint) spec.checkpoint = *o.checkpoint;
  spec.resume = spec.resume || spec.extend;
  return spec;
}

template <class S>
int report(const RunOptions& o, const ModelRecommendation* chosen, const Run& whole, const RunOf<S>& run,
           const RunResult<S>& result) {
  if (o.json)
    std::printf("%s\n", to_json(chosen, whole, run, result).c_str());
  else
    print_table(whole, run, result);
  switch (result.status) {
    case RunStatus::done: return exit_done;
    case RunStatus::failed:
      std::fprintf(stderr, "holonom: %s The last good state, t = %s, is kept.\n", result.message.c_str(),
                   shorten(result.state.t).c_str());
      return exit_numerical_failure;
    case RunStatus::interrupted:
      std::fprintf(stderr, "holonom: %s; the state is kept.%s\n", result.message.c_str(),
                   whole.can_be_resumed() ? " The same command with --resume goes on." : "");
      return exit_interrupted;
  }
  return exit_done;
}

// With the method and the step for an accuracy, if these are to be chosen
std::optional<ModelRecommendation> choose(RunSpec& spec) {
  if (spec.method != "auto") {
    if (spec.accuracy || spec.quantity)
      throw InputError(std::string(spec.accuracy ? "--accuracy" : "--quantity") + ": this is for --method auto");
    return std::nullopt;
  }
  ChosenSpec chosen = choose_method(spec);
  spec = std::move(chosen.spec);
  for (const std::string& warning : chosen.recommendation.warnings) warn(warning);
  return std::move(chosen.recommendation);
}

// What has been printed is seen before viewers are waited for.
template <class S>
void end_live(LiveView& live, const RunResult<S>& result, bool is_expected) {
  constexpr const char* words[] = {"done", "failed", "interrupted"};
  std::fflush(stdout);
  live.end({words[static_cast<int>(result.status)], result.message, is_expected}, interrupted());
}

int run_command(const RunOptions& o) {
  std::optional<LiveView> live;
  if (o.live) live.emplace(o.spec.model);
  RunSpec spec = spec_of(o);
  const std::optional<ModelRecommendation> chosen = choose(spec);
  Run run(std::move(spec), &interrupted(), live ? &*live : nullptr);
  interrupt_after_a_step();
  for (const std::string& warning : run.warnings()) warn(warning);
  if (live) std::fprintf(stderr, "holonom: live at %s\n", live->address().c_str());
  if (live && o.open) open_page_meanwhile(live->address());
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) run.on_progress(show_progress);
  run.advance();
  run.finish();
  if (terminal) clear_progress();
  for (const std::string& remark : run.remarks()) warn(remark);
  return in_precision(run.spec().precision, [&]<class S> {
    const RunResult<S> result = run.as<S>().result();
    const int code = report(o, chosen ? &*chosen : nullptr, run, run.as<S>(), result);
    if (live) end_live(*live, result, o.open);
    return code;
  });
}

}  // namespace

void add_run(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* cmd = app.add_subcommand("run", "Integrate a model");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML)")->required();
  cmd->add_option("--method", o->spec.method,
                  "The method; see 'holonom methods'; auto: the cheapest one for --accuracy");
  add_accuracy_options(*cmd, o->spec);
  cmd->add_option("--step", o->spec.step, "The step size, a number or a formula of the model's parameters");
  auto* until = cmd->add_option("--until", o->spec.until, "The end of the run, a number or a formula");
  cmd->add_option("--steps", o->spec.steps, "The number of steps")->excludes(until)->check(at_least(0));
  auto* every = cmd->add_option("--every", o->spec.every, "Record every K-th step")->check(at_least(1));
  cmd->add_option("--sample", o->spec.sample, "Record at multiples of this time, interpolated between steps")
      ->excludes(every);
  cmd->add_option("--out", o->spec.out, "Write the recorded states to this .h5 or .csv file")->check(file_name());
  cmd->add_option("--event", o->spec.event,
                  "formula or name=formula in coordinates and momenta: find where it crosses zero; may be repeated")
      ->allow_extra_args(false);
  cmd->add_option("--stop-at", o->spec.stop_at,
                  "name of an event: end the run with the step in which it happens; may be repeated")
      ->allow_extra_args(false);
  cmd->add_option("--observe", o->spec.observe,
                  "formula or name=formula in coordinates, momenta, velocities and multipliers: record it, and its "
                  "mean; may be repeated")
      ->allow_extra_args(false);
  cmd->add_flag("--wedge", o->spec.wedge,
                "Carry two tangent vectors along, and record their wedge product like an invariant");
  cmd->add_option("--tangent", o->spec.tangent,
                  "A tangent vector for --wedge, such as x=1,p_y=0.5, made consistent with the constraints; give two");
  cmd->add_option("--shadow", o->spec.shadow,
                  "Record the shadow energy of a symplectic method, from windows of so many steps, like an invariant")
      ->check(CLI::Range(1, 32));
  cmd->add_option("--events-out", o->spec.events_out, "Write the events to this .csv file")->check(file_name());
  auto* force = cmd->add_flag("--force", o->spec.force, "Overwrite an existing output file");
  cmd->add_option("--checkpoint", o->checkpoint,
                  "Seconds between checkpoints, which are kept beside the output (default: 60; 0: none)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double x = 0;
            return CLI::detail::lexical_cast(text, x) && x >= 0 ? std::string()
                                                                : text + " is not a number of seconds, at least 0";
          },
          ">= 0"));
  cmd->add_flag("--resume", o->spec.resume, "Go on where the run with this output stopped, bit for bit")
      ->excludes(force);
  cmd->add_flag("--extend", o->spec.extend, "The same, to another end")->excludes(force);
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  auto* live = cmd->add_flag("--live", o->live, "Show the run in a browser of this machine while it goes on");
  cmd->add_flag("--open", o->open, "Open that page")->needs(live);
  add_set_option(*cmd, o->set);
  add_precision_option(*cmd, o->precision);
  add_tolerance_option(*cmd, o->spec.tolerance);
  cmd->add_option("--compensated", o->compensated,
                  "Compensated summation of the state (default: see 'holonom methods KEY')")
      ->check(CLI::IsMember({"on", "off"}));
  add_formulation_options(*cmd, o->spec);
  add_newton_option(*cmd, o->newton);
  cmd->add_option(
         "--multipliers", o->multipliers,
         "exact, or those of the last stage of an implicit Runge-Kutta method, which cost nothing and are of low order")
      ->check(CLI::IsMember({"exact", "stage"}));
  cmd->add_option("--threads", o->spec.threads,
                  "Threads for the stages of an implicit Runge-Kutta method; results do not depend on it")
      ->check(CLI::Range(1, 64));
  cmd->add_option("--watch", o->watch, "Check energy and constraints after all steps, or after the recorded ones")
      ->check(CLI::IsMember({"all", "recorded"}));
  add_engine_option(*cmd, o->engine);
  cmd->callback([o, &chosen] { chosen = [o] { return run_command(*o); }; });
}

}  // namespace holonom
