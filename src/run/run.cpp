#include "holonom/run/run.hpp"

#include <algorithm>
#include <filesystem>

#include "holonom/expr/parser.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/files.hpp"
#include "holonom/run/outputs.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/run_of.hpp"

namespace holonom {

namespace {

bool is_plain_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

// Beside the output; empty: there is none. What is no file cannot be resumed.
std::string checkpoint_beside_output(const RunSpec& spec) {
  const std::string& output = spec.out.empty() ? spec.events_out : spec.out;
  return spec.checkpoint > 0 && !output.empty() && is_plain_file(output) ? output + ".checkpoint" : "";
}

// A checkpoint replaces one of this program, and what a run that was killed has left of one; another file only if it
// may.
void check_checkpoint(const RunSpec& spec, const std::vector<std::string>& inputs) {
  const std::string file = checkpoint_beside_output(spec);
  if (file.empty()) return;
  for (const std::string& path : {file, unfinished(file)}) {
    protect_inputs(spec.name_of("checkpoint"), path, inputs);
    const bool is_read = spec.resume && path == file;  // which says more of what it is
    if (!spec.force && !is_read && !may_be_checkpoint(path)) throw FileExists(path);
  }
}

void check_outputs(const RunSpec& spec, const Model& model, bool is_heard) {
  const auto refuse = [&](const std::string& field, const std::string& value, const std::string& why) {
    throw InputError(spec.name_of(field) + (value.empty() ? "" : " " + value) + ": " + why);
  };
  if (!spec.out.empty() && !output_format<double>(spec.out))
    refuse("out", spec.out, "the file name must end in .csv or .h5");
  if (spec.sample && spec.out.empty() && !is_heard)
    refuse("sample", "", "there is no " + spec.name_of("out") + " to write the samples to");
  if (!spec.out.empty() && !spec.events_out.empty() && same_file(spec.out, spec.events_out))
    refuse("events-out", spec.events_out, "this is the file of " + spec.name_of("out") + "; give another name");
  if (!spec.events_out.empty() && !spec.events_out.ends_with(".csv"))
    refuse("events-out", spec.events_out, "the file name must end in .csv");
  if (!spec.events_out.empty() && model.events.empty())
    refuse("events-out", "", "there are no events; give " + spec.name_of("event") + ", or [events] in the model");
  if (spec.resume && spec.out.empty() && spec.events_out.empty())
    refuse("resume", "", "a run is found by its output: give " + spec.name_of("out"));
  std::vector<std::string> inputs = model.files;
  if (const std::string file = find_method(spec, model).info.file; !file.empty()) inputs.push_back(file);
  protect_inputs(spec.name_of("out"), spec.out, inputs);
  protect_inputs(spec.name_of("events-out"), spec.events_out, inputs);
  check_checkpoint(spec, inputs);
}

void choose_stops(const RunSpec& spec, Model& model) {
  for (const std::string& name : spec.stop_at) {
    std::vector<std::string> names;
    for (EventFormula& e : model.events) {
      names.push_back(e.name);
      e.stop |= e.name == name;
    }
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(
          spec.name_of("stop-at") + " " + name + ": there is no event of this name." +
          (names.empty() ? " Give one: " + spec.name_of("event") + " \"" + name + "=formula\", or [events] in the model"
                         : suggestion(name, names, "Events")));
  }
}

const std::string* entry_of(const RunIdentity& identity, const std::string& name) {
  for (const auto& [key, value] : identity)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace

Run::Run(RunSpec spec, const std::atomic<bool>* interrupt, RunListener* listener) : spec_(std::move(spec)) {
  ModelChanges changes(spec_.set);
  changes.event = spec_.event;
  changes.observe = spec_.observe;
  changes.prefix = spec_.prefix;
  put_together(load_model(spec_.model, changes), interrupt, listener);
}

Run::Run(Model model, RunSpec spec, const std::atomic<bool>* interrupt, RunListener* listener)
    : spec_(std::move(spec)) {
  put_together(std::move(model), interrupt, listener);
}

Run::Run(std::shared_ptr<const CompiledModel> compiled, RunSpec spec, const std::atomic<bool>* interrupt)
    : spec_(std::move(spec)), compiled_(std::move(compiled)) {
  if (spec_.sample) throw InputError(spec_.name_of("sample") + ": a run of a compiled model has no files of samples");
  check_outputs(spec_, compiled_->model(), false);
  put_together(std::nullopt, interrupt, nullptr);
}

Run::~Run() = default;

std::string Run::engine() const { return engine_name(run_->native); }

void Run::put_together(Model model, const std::atomic<bool>* interrupt, RunListener* listener) {
  check_outputs(spec_, model, listener != nullptr);
  choose_stops(spec_, model);
  replace_formulas(spec_, model);
  std::optional<NodeId> sample;
  if (spec_.sample) sample = model.constant(*spec_.sample, spec_.name_of("sample"));
  compiled_ = compile(std::move(model));
  put_together(sample, interrupt, listener);
}

void Run::put_together(std::optional<NodeId> sample, const std::atomic<bool>* interrupt, RunListener* listener) {
  const std::string& output = spec_.out.empty() ? spec_.events_out : spec_.out;
  const std::string file = output + ".checkpoint";
  std::optional<Checkpoint> before;
  std::error_code ignored;  // of a name that is too long
  if (spec_.resume && (std::filesystem::exists(file, ignored) || std::filesystem::exists(output, ignored)))
    before = read_checkpoint(file);
  // Both engines give the same bits; which one was taken depended on the length of the run.
  if (before && spec_.engine == EngineChoice::automatic)
    if (const std::string* engine = entry_of(before->identity, "engine"))
      spec_.engine = *engine == "llvm" ? EngineChoice::native : EngineChoice::interpreter;
  const OpenMode mode = before ? OpenMode::append : spec_.force ? OpenMode::overwrite : OpenMode::create;
  in_precision(spec_.precision, [&]<class S> {
    auto run = std::make_unique<RunOf<S>>(spec_, compiled_, sample);
    if (before) require_same(*before, *run, file);  // before any file is touched
    if (spec_.resume && !before)
      run->warnings.push_back("there is no " + output + " to go on with: the run starts from the beginning");
    run->open(mode, interrupt, listener, [this](long done) { pause(done); });
    run_ = std::move(run);
  });
  if (before) take_memory(*before, file);
  checkpoint_ = checkpoint_beside_output(spec_);
}

// Only the end of a run may be another one, if that is asked for.
void Run::require_same(const Checkpoint& checkpoint, const AnyRun& now, const std::string& path) const {
  RunIdentity then = checkpoint.identity;
  if (spec_.extend)
    for (auto& [name, value] : then)
      if (name == run_end) value = *entry_of(now.identity, name);
  if (const std::string differs = difference(then, now.identity); !differs.empty()) {
    const bool only_end = differs.starts_with(std::string("its ") + run_end);
    throw InputError(path + ": the run cannot be continued: " + differs +
                     (only_end ? " (" + spec_.name_of("extend") + " moves the end)" : ""));
  }
  if (checkpoint.done > now.steps)
    throw InputError(path + ": the run has made " + std::to_string(checkpoint.done) +
                     " steps already, and is to end after " + std::to_string(now.steps));
}

void Run::take_memory(const Checkpoint& checkpoint, const std::string& place) {
  try {
    MemoryReader in(checkpoint.memory);
    run_->load(in);
    if (!in.at_end()) throw MemoryError("something is left over");
  } catch (const MemoryError& e) {
    throw InputError(place + ": the checkpoint cannot be read: " + e.what());
  }
  begun_ = true;
}

void Run::load(const Checkpoint& checkpoint, const std::string& place) {
  require_same(checkpoint, *run_, place);
  take_memory(checkpoint, place);
}

void Run::load(const std::string& path) { load(read_checkpoint(path), path); }

Checkpoint Run::checkpoint() {
  begin();
  MemoryWriter out;
  run_->save(out);
  return {run_->identity, run_->done(), out.bytes()};
}

void Run::save(const std::string& path) {
  const Checkpoint now = checkpoint();
  write_checkpoint(path, now.identity, now.done, now.memory);
}

// A checkpoint that cannot be written does not end a run: the one before is still there. Rows that cannot be written
// do, and the run says so itself.
void Run::keep_checkpoint() {
  saved_ = std::chrono::steady_clock::now();
  if (checkpoint_.empty() || run_->status() == RunStatus::failed) return;
  try {
    save(checkpoint_);
    trouble_.clear();
  } catch (const OutputError& e) {
    if (run_->status() == RunStatus::failed) return;
    trouble_ = std::string(e.what()) + "; the run can be resumed from an older one";
  } catch (const MemoryError& e) {
    trouble_ = checkpoint_ + ": there is no checkpoint: " + e.what();
  }
}

void Run::pause(long done) {
  if (progress_) progress_(done, run_->steps);
  if (std::chrono::duration<double>(std::chrono::steady_clock::now() - saved_).count() >= spec_.checkpoint)
    keep_checkpoint();
}

void Run::begin() {
  if (begun_) return;
  begun_ = true;
  run_->begin();
  keep_checkpoint();
}

RunStatus Run::step(long count) {
  begin();
  return run_->advance(count);
}

RunStatus Run::advance(double until) { return step(std::max(0L, run_->steps_until(until) - run_->done())); }

RunStatus Run::advance() { return step(run_->steps); }

void Run::finish() {
  begin();
  // Before the last state is recorded, if it is none of those that are due: a run that goes on does not have it.
  keep_checkpoint();
  run_->finish();
}

std::vector<std::string> Run::remarks() const {
  std::vector<std::string> list = run_->remarks();
  if (!trouble_.empty()) list.push_back(trouble_);
  return list;
}

}  // namespace holonom
