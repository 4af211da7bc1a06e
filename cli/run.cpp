// holonom run: integrates a model and reports what was kept.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "commands.hpp"
#include "counters.hpp"
#include "events.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/methods/substeps.hpp"
#include "holonom/model/constants.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/csv.hpp"
#include "holonom/run/hdf5.hpp"
#include "holonom/run/sampling.hpp"
#include "holonom/run/thinning.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "prepare.hpp"

namespace holonom {

namespace {

struct Options {
  std::string model, out, events_out, precision = "double", engine = "auto", watch = "all";
  std::optional<std::string> method, step, until, sample;
  std::vector<std::string> set, event, observe, stop_at;
  long steps = -1, every = 0;
  double tolerance = 0;
  std::string newton = "auto", projection, multipliers = "exact";
  int threads = 1;
  std::optional<std::string> compensated;
  bool force = false, json = false;
};

void show_progress(long done, long steps) {
  constexpr int width = 40;
  const int filled = static_cast<int>(width * static_cast<double>(done) / static_cast<double>(steps));
  std::fprintf(stderr, "\r  [%s%s] %5.1f %%", std::string(static_cast<std::size_t>(filled), '#').c_str(),
               std::string(static_cast<std::size_t>(width - filled), ' ').c_str(),
               100.0 * static_cast<double>(done) / static_cast<double>(steps));
}
void clear_progress() { std::fprintf(stderr, "\r%60s\r", ""); }

// By coordinate name; vector coordinates as arrays of arrays.
template <class S>
void write_coordinates(Json& json, std::string_view key, const Labels& labels, const Vec<S>& x) {
  json.begin(key);
  const int named = labels.vectors.empty() ? x.size() : labels.vectors.front().offset;
  for (int i = 0; i < named; ++i) json.number(labels.coordinates[static_cast<std::size_t>(i)], x[i]);
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
std::string to_json(const AnySystem<S>& sys, const Options& o, const std::string& method, bool native, const S& h,
                    const RunResult<S>& r, const Events<S>& events) {
  const Labels& labels = sys.labels();
  constexpr const char* words[] = {"done", "failed", "interrupted"};
  Json json;
  json.begin().text("status", words[static_cast<int>(r.status)]);
  if (!r.message.empty()) json.text("message", r.message);
  json.text("model", labels.model)
      .text("method", method)
      .text("formulation", "direct")
      .text("precision", o.precision)
      .text("engine", native ? "llvm" : "interp");
  json.number("step", h).integer("steps", r.steps).number("t", r.state.t);
  write_coordinates(json, "q", labels, r.state.q);
  write_coordinates(json, "p", labels, r.state.p);
  write_multipliers(json, labels, r.state.lambda);
  json.begin("energy")
      .number("initial", r.energy_initial)
      .number("final", r.energy_final)
      .number("max_error", r.energy_error)
      .end();
  json.begin("constraint").number("position_max", r.position).number("hidden_max", r.hidden);
  json.number("position_relative_max", r.position_relative).number("hidden_relative_max", r.hidden_relative).end();
  json.begin("invariants");
  for (int k = 0; k < r.invariant_initial.size(); ++k)
    json.begin(labels.invariants[static_cast<std::size_t>(k)])
        .number("initial", r.invariant_initial[k])
        .number("max_error", r.invariant_error[k])
        .end();
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
void print_table(const AnySystem<S>& sys, const Options& o, const std::string& method, const S& h,
                 const RunResult<S>& r, const Events<S>& events) {
  const Labels& labels = sys.labels();
  const Counters& c = r.counters;
  const auto number = [](const auto& x) { return to_double(x) + 0.0; };  // no -0
  std::printf("%s: %s, h = %s, %ld steps to t = %s (%s)\n\n", labels.model.c_str(), method.c_str(), shorten(h).c_str(),
              r.steps, shorten(r.state.t).c_str(), o.precision.c_str());
  std::printf("  energy             %.10g at the start, largest error %.2e\n", number(r.energy_initial),
              number(r.energy_error));
  if (sys.m() > 0) {
    std::printf("  constraints g      largest residual %.1e (%.1e of its terms)\n", number(r.position),
                number(r.position_relative));
    std::printf("  hidden, G H_p      largest residual %.1e (%.1e of its terms)\n", number(r.hidden),
                number(r.hidden_relative));
  }
  for (int k = 0; k < r.invariant_initial.size(); ++k)
    std::printf("  %-18s %.10g at the start, largest error %.2e\n",
                labels.invariants[static_cast<std::size_t>(k)].c_str(), number(r.invariant_initial[k]),
                number(r.invariant_error[k]));
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
    for (int i = 0; i < sys.n(); ++i)
      std::printf("    %-16s %22.15g   p %22.15g\n", labels.coordinates[static_cast<std::size_t>(i)].c_str(),
                  number(r.state.q[i]), number(r.state.p[i]));
  }
  if (!o.out.empty()) std::printf("  output             %s\n", o.out.c_str());
  if (!o.events_out.empty()) std::printf("  events             %s\n", o.events_out.c_str());
}

bool is_hdf5(const std::string& name) {
  return name.ends_with(".h5") || name.ends_with(".hdf5") || name.ends_with(".h5md");
}

StageMatrix stage_matrix(const std::string& word) {
  if (word == "start") return StageMatrix::start;
  if (word == "stages") return StageMatrix::stages;
  if (word == "full") return StageMatrix::full;
  return StageMatrix::automatic;
}

template <class S>
int run_in(const Options& o, const std::shared_ptr<const CompiledModel>& compiled, std::optional<NodeId> sample) {
  const Model& model = compiled->model();
  std::optional<GraphSystem<S>> evaluated(std::in_place, compiled, Engine::interpreter);
  Start<S> start = initial_state(*evaluated);
  if (!start.step) throw InputError("no step size: give --step, or step in [integrate] of the model");
  const S h = *start.step;
  check_step(h, model.place("integrate.step"));
  long steps = o.steps;
  if (steps < 0) {
    if (!start.until)
      throw InputError("no end of the run: give --until or --steps, or until in [integrate] of the model");
    const StepCount count = count_steps(*start.until, h, model.place("integrate.until"));
    steps = count.steps;
    if (!count.exact)
      warn("until = " + shorten(*start.until) +
           " is no multiple of the step: the run ends at t = " + shorten(S(S(steps) * h)));
  }

  const MethodEntry entry =
      method_entry(o.method.value_or(model.method), model.place("integrate.method"), o.projection);
  const bool native = use_native(o.engine, o.precision, model, static_cast<double>(steps) * substeps(entry.info).count);
  if (native) evaluated.emplace(compiled, Engine::native);
  const GraphSystem<S>& sys = *evaluated;
  const auto of_no_use = [&](bool asked, const char* option, const char* what) {
    if (asked) warn(std::string(option) + ": " + entry.info.key + " has " + what + " and makes no use of it");
  };
  of_no_use(o.newton != "auto" && entry.info.stages == 0, "--newton", "no implicit stages");
  of_no_use(o.threads > 1 && entry.info.stages < 2, "--threads", "no stages to share");
  of_no_use(o.multipliers != "exact" && !entry.info.stage_multipliers, "--multipliers stage",
            "no multipliers of stages");
  if (!entry.info.constrained && sys.m() > 0)
    warn(entry.info.key +
         " is for systems without constraints: with constraints it diverges in general. Try --projection jay, or a "
         "lobatto method");
  MethodOptions options{
      .newton = {.tolerance = o.tolerance, .matrix = stage_matrix(o.newton)}, .threads = o.threads, .compensated = {}};
  if (o.compensated) options.compensated = *o.compensated == "on";
  const auto method = entry.make<S>(sys, options);
  const bool keeps = !model.keep_q.empty() || !model.keep_v.empty();
  if (start.moved > 0 && !keeps)
    warn("project = true moved the initial position onto the constraints, by " + shorten(start.moved) + " at most");
  if (start.energy_lost > 0)
    warn("project = true made the initial motion tangent to the constraints, which took " + shorten(start.energy_lost) +
         " of its energy");

  report_rank(sys, start.state);

  long every = o.every > 0 ? o.every : model.every;
  std::optional<S> interval;
  if (sample) {
    interval = evaluate_constants<S>(model, {*sample}).front();
    if (!is_finite(*interval) || !(*interval > S(0)))
      throw InputError("--sample " + *o.sample + ": the interval must be a positive number");
    constexpr double most_rows = 1e9;
    if (const double rows = std::abs(to_double(S(S(steps) * h / *interval))); rows > most_rows)
      throw InputError("--sample " + *o.sample + ": these are " + shorten(rows) +
                       " rows, more than anyone can keep; take a longer interval");
    if (!is_hdf5(o.out)) warn("rows between steps are interpolated; only .h5 files mark them");
  }
  std::unique_ptr<Recorder<S>> file;
  if (is_hdf5(o.out)) {
    Provenance about = provenance(model, entry.info.key, h);
    const double rows =
        interval ? to_double(S(S(steps) * h / *interval)) : static_cast<double>(steps) / static_cast<double>(every);
    about.expected_rows = static_cast<long>(std::min(std::abs(rows), 1e9)) + 2;
    about.engine = native ? "llvm" : "interp";
    if (interval) about.sample = to_text(*interval);
    file =
        std::make_unique<Hdf5Recorder<S>>(o.out, sys.labels(), about, o.force ? OpenMode::overwrite : OpenMode::create);
  } else if (!o.out.empty()) {
    file = std::make_unique<CsvRecorder<S>>(o.out, sys.labels(), o.force);
  }
  std::vector<Recorder<S>*> recorders;
  if (file) recorders.push_back(file.get());
  const Kept kept{entry.info.keeps_position, entry.info.keeps_hidden};
  std::unique_ptr<Sampler<S>> sampler;
  if (interval) {
    sampler = std::make_unique<Sampler<S>>(sys, *interval, recorders, kept);
    sampler->interrupt_by(interrupt_after_a_step());
    recorders = {sampler.get()};
    every = 1;
  }
  EventWatch<S> watch(sys, kept, o.events_out, o.force);
  std::optional<Thinning<S>> thinning;
  if (watch.finder) {  // which must see every step
    if (file && every > 1) recorders = {&thinning.emplace(*file, every)};
    recorders.push_back(&*watch.finder);
    every = 1;
  }
  RunPlan plan{.steps = steps,
               .every = every,
               .watch_all = o.watch == "all" || !entry.info.one_step,
               .retry = entry.info.one_step,
               .stage_multipliers = o.multipliers == "stage",
               .interrupt = &interrupt_after_a_step(),
               .stop = watch.stop(),
               .progress = {}};
  if (!entry.info.constrained && sys.m() > 0) plan.advice = advice_without_constraints(entry.info);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) plan.progress = show_progress;
  const RunResult<S> result = run(sys, *method, start.state, h, plan, recorders);
  if (terminal) clear_progress();

  const Events<S> events = watch.events();
  for (std::size_t k = 0; k < events.formulas.size(); ++k)
    if (const std::string trouble = complaint(events.counts[k]); !trouble.empty())
      warn(model.place("events." + events.formulas[k].name) + "event '" + events.formulas[k].name + "' " + trouble);
  for (std::size_t k = 0; k < result.invariant_undefined.size(); ++k)
    if (const long step = result.invariant_undefined[k]; step >= 0) {
      const std::string& name = sys.labels().invariants[k];
      warn(model.place("invariants." + name) + "invariant '" + name + "' is not finite after step " +
           std::to_string(step) + " (t = " + shorten(S(S(step) * h)) +
           "), and maybe later: whether it is kept is not known");
    }
  if (events.may_stop() && !events.stopped && result.status == RunStatus::done)
    warn("the run was to stop at an event that did not happen: it went to its end");
  if (o.json)
    std::printf("%s\n", to_json(sys, o, entry.info.key, native, h, result, events).c_str());
  else
    print_table(sys, o, entry.info.key, h, result, events);
  switch (result.status) {
    case RunStatus::done: return exit_done;
    case RunStatus::failed:
      std::fprintf(stderr, "holonom: %s The last good state, t = %s, is kept.\n", result.message.c_str(),
                   shorten(result.state.t).c_str());
      return exit_numerical_failure;
    case RunStatus::interrupted:
      std::fprintf(stderr, "holonom: %s; the state is kept.\n", result.message.c_str());
      return exit_interrupted;
  }
  return exit_done;
}

int run_command(const Options& o) {
  if (!o.out.empty() && !o.out.ends_with(".csv") && !is_hdf5(o.out))
    throw InputError("--out " + o.out + ": the file name must end in .csv or .h5");
  if (o.sample && o.out.empty()) throw InputError("--sample: there is no --out to write the samples to");
  if (!o.out.empty() && !o.events_out.empty() && same_file(o.out, o.events_out))
    throw InputError("--events-out " + o.events_out + ": this is the file of --out; give another name");
  if (!o.events_out.empty() && !o.events_out.ends_with(".csv"))
    throw InputError("--events-out " + o.events_out + ": the file name must end in .csv");
  Model model = load_model(o.model, overrides(o.set), o.event, o.observe);
  std::vector<std::string> inputs = model.files;
  for (std::string& file : files_of_method(o.method.value_or(model.method))) inputs.push_back(std::move(file));
  protect_inputs("--out", o.out, inputs);
  protect_inputs("--events-out", o.events_out, inputs);
  for (const std::string& name : o.stop_at) {
    std::vector<std::string> names;
    for (EventFormula& e : model.events) {
      names.push_back(e.name);
      e.stop |= e.name == name;
    }
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError("--stop-at " + name + ": there is no event of this name." +
                       (names.empty() ? " Give one: --event \"" + name + "=formula\", or [events] in the model"
                                      : suggestion(name, names, "Events")));
  }
  if (!o.events_out.empty() && model.events.empty())
    throw InputError("--events-out: there are no events; give --event, or [events] in the model");
  const auto replace = [&](const std::optional<std::string>& by, std::optional<NodeId>& value,
                           const std::string& part) {
    if (!by) return;
    value = model.constant(*by, "--" + part);
    model.places["integrate." + part] = "--" + part + " " + *by;
  };
  replace(o.step, model.step, "step");
  replace(o.until, model.until, "until");
  if (o.method) model.places["integrate.method"] = "--method " + *o.method;
  std::optional<NodeId> sample;
  if (o.sample) sample = model.constant(*o.sample, "--sample");
  const auto compiled = compile(std::move(model));
  return in_precision(o.precision, [&]<class S> { return run_in<S>(o, compiled, sample); });
}

CLI::Validator at_least(long least) {
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

}  // namespace

void add_run(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("run", "Integrate a model");
  cmd->add_option("MODEL", o->model, "A model file (TOML)")->required();
  cmd->add_option("--method", o->method, "The method; see 'holonom methods'");
  cmd->add_option("--step", o->step, "The step size, a number or a formula of the model's parameters");
  auto* until = cmd->add_option("--until", o->until, "The end of the run, a number or a formula");
  cmd->add_option("--steps", o->steps, "The number of steps")->excludes(until)->check(at_least(0));
  auto* every = cmd->add_option("--every", o->every, "Record every K-th step")->check(at_least(1));
  cmd->add_option("--sample", o->sample, "Record at multiples of this time, interpolated between steps")
      ->excludes(every);
  cmd->add_option("--out", o->out, "Write the recorded states to this .h5 or .csv file")->check(file_name());
  cmd->add_option("--event", o->event,
                  "formula or name=formula in coordinates and momenta: find where it crosses zero; may be repeated")
      ->allow_extra_args(false);
  cmd->add_option("--stop-at", o->stop_at,
                  "name of an event: end the run with the step in which it happens; may be repeated")
      ->allow_extra_args(false);
  cmd->add_option("--observe", o->observe,
                  "formula or name=formula in coordinates, momenta, velocities and multipliers: record it, and its "
                  "mean; may be repeated")
      ->allow_extra_args(false);
  cmd->add_option("--events-out", o->events_out, "Write the events to this .csv file")->check(file_name());
  cmd->add_flag("--force", o->force, "Overwrite an existing output file");
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  add_set_option(*cmd, o->set);
  add_precision_option(*cmd, o->precision);
  add_tolerance_option(*cmd, o->tolerance);
  cmd->add_option("--compensated", o->compensated,
                  "Compensated summation of the state (default: see 'holonom methods KEY')")
      ->check(CLI::IsMember({"on", "off"}));
  cmd->add_option("--projection", o->projection,
                  "jay: project an implicit Runge-Kutta method onto both constraints after each step")
      ->check(CLI::IsMember({"jay"}));
  cmd->add_option("--newton", o->newton,
                  "The matrix for the stages of an implicit Runge-Kutta method: that of the start (Jay's), of the "
                  "stages, the full one, or auto")
      ->check(CLI::IsMember({"auto", "start", "stages", "full"}));
  cmd->add_option(
         "--multipliers", o->multipliers,
         "exact, or those of the last stage of an implicit Runge-Kutta method, which cost nothing and are of low order")
      ->check(CLI::IsMember({"exact", "stage"}));
  cmd->add_option("--threads", o->threads,
                  "Threads for the stages of an implicit Runge-Kutta method; results do not depend on it")
      ->check(CLI::Range(1, 64));
  cmd->add_option("--watch", o->watch, "Check energy and constraints after all steps, or after the recorded ones")
      ->check(CLI::IsMember({"all", "recorded"}));
  add_engine_option(*cmd, o->engine);
  cmd->callback([o, &chosen] { chosen = [o] { return run_command(*o); }; });
}

}  // namespace holonom
