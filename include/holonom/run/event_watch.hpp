// The events of a run: where they go, and which of them ends it.
#pragma once

#include "holonom/model/model_system.hpp"
#include "holonom/run/csv.hpp"

namespace holonom {

// The first events of a run, for JSON: no more than a reader wants, or memory has.
template <class S>
class FirstEvents final : public EventRecorder<S> {
 public:
  void event(const Event<S>& e) override {
    constexpr std::size_t most_events = 1000, most_numbers = 1000000;
    const auto numbers = 2 * static_cast<std::size_t>(e.state.q.size());
    if (list.size() < most_events && list.size() * numbers < most_numbers) list.push_back(e);
  }
  void save(MemoryWriter& out) override { out("events", list); }
  void load(MemoryReader& in) override { in("events", list); }

  std::vector<Event<S>> list;
};

// The first of the events that are to end the run.
template <class S>
class StopAtEvent final : public EventRecorder<S> {
 public:
  explicit StopAtEvent(const std::vector<EventFormula>& formulas) : formulas_(formulas) {}
  void event(const Event<S>& e) override {
    if (!at && formulas_[static_cast<std::size_t>(e.which)].stop) at = e;
  }
  bool has_ended() const override { return at.has_value(); }
  void save(MemoryWriter& out) override { out("stopped", at); }
  void load(MemoryReader& in) override { in("stopped", at); }

  std::optional<Event<S>> at;

 private:
  const std::vector<EventFormula>& formulas_;
};

// Tells somebody who comes and goes.
template <class S>
class EventRelay final : public EventRecorder<S> {
 public:
  void event(const Event<S>& e) override {
    if (to) to->event(e);
  }

  EventRecorder<S>* to = nullptr;
};

template <class S>
struct Events {
  const std::vector<EventFormula>& formulas;
  const std::vector<EventCount<S>>& counts;
  const std::vector<Event<S>>& first;
  const std::optional<Event<S>>& stopped;

  bool may_stop() const {
    return std::any_of(formulas.begin(), formulas.end(), [](const EventFormula& e) { return e.stop; });
  }
  const std::string& name(const Event<S>& e) const { return formulas[static_cast<std::size_t>(e.which)].name; }
};

// All that looks for events in a run; without a finder if none are wanted.
template <class S>
class EventWatch {
 public:
  EventWatch(const ModelSystem<S>& sys, Kept kept, const std::string& path, OpenMode mode)
      : formulas_(sys.compiled().model().events), stop_(formulas_) {
    if (formulas_.empty()) return;
    std::vector<EventRecorder<S>*> to{&first_, &stop_, &relay_};
    if (!path.empty()) to.push_back(&file_.emplace(path, sys.labels(), formulas_, mode));
    std::vector<Direction> directions;
    for (const EventFormula& e : formulas_) directions.push_back(e.direction);
    const auto functions = [&sys](const Vec<S>& q, const Vec<S>& p, Vec<S>& value, Vec<S>& scale) {
      sys.events(q, p, value, scale);
    };
    finder.emplace(sys, functions, std::move(directions), std::move(to), kept);
  }
  Events<S> events() const { return {formulas_, finder ? finder->counts() : none_, first_.list, stop_.at}; }

  // Who is told of events from now on; nullptr: nobody.
  void tell(EventRecorder<S>* listener) { relay_.to = listener; }
  // A run that an event has ended goes on, to the next one.
  void go_on() { stop_.at.reset(); }

  std::optional<EventFinder<S>> finder;

 private:
  const std::vector<EventFormula>& formulas_;
  const std::vector<EventCount<S>> none_;
  FirstEvents<S> first_;
  StopAtEvent<S> stop_;
  EventRelay<S> relay_;
  std::optional<EventCsv<S>> file_;
};

// Events that were asked for and cannot happen deserve a word.
template <class S>
std::string complaint(const EventCount<S>& count) {
  if (count.always_zero) return "is zero all along, as a constraint is: it has no crossings";
  if (!count.finite) return "is not finite at some states: crossings there were not found";
  return {};
}

}  // namespace holonom
