#include <algorithm>
#include <chrono>
#include <thread>

#include "holonom/errors.hpp"
#include "holonom/version.hpp"
#include "holonom/view/live.hpp"
#include "holonom/view/page.hpp"
#include "live_server.hpp"
#include "page_template.hpp"
#include "run_head.hpp"

namespace holonom {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Of a run of any length
constexpr std::size_t most_frames = 20000, least_frames = 16, most_bytes = 64U << 20U;

}  // namespace

struct LiveView::Impl {
  explicit Impl(std::string file) : model_file(std::move(file)) {}

  std::string model_file;
  std::optional<StagedRun> staged;
  std::shared_ptr<LiveStore> store;
  LiveServer server;

  void stage_it(const RunDescription& about, const Stage::States& start, std::vector<std::string>& notes) {
    try {
      staged.emplace(about, StageSource{about.model_text, model_file, ""}, start);
    } catch (const InputError& e) {
      notes.push_back(std::string(e.what()) + ". Points are guessed from names of coordinates.");
      staged.emplace(about);
    }
    if (staged->stage.dimension == 0) notes.emplace_back(no_points_note);
    notes.insert(notes.end(), staged->notes.begin(), staged->notes.end());
  }

  std::string page(const RunDescription& about, long expected, const std::vector<std::string>& notes) const {
    Json json;
    PageData data;
    json.begin().text("kind", "run").text("title", about.model).text("version", version);
    json.begin("live").integer("expected", expected).end();
    write_about(json, about, std::nullopt);
    json.text("model_text", about.model_text);
    write_stage(json, data, staged->stage);
    write_columns(json, *staged);
    json.integer("rows", 0);
    write_notes(json, notes);
    data.describe(json);
    json.end();
    return fill_page(about.model, json.str(), data.base64());
  }

  std::size_t points() const { return 3 * staged->stage.point_names.size(); }
  std::size_t bodies() const { return 7 * staged->stage.bodies.size(); }
};

LiveView::LiveView(std::string model_file) {
  require_view();
  impl_ = std::make_unique<Impl>(std::move(model_file));
}
LiveView::~LiveView() = default;

const std::string& LiveView::address() const { return impl_->server.address(); }

void LiveView::begin(const RunDescription& about, long expected, std::span<const double> q, std::span<const double> p) {
  std::vector<std::string> notes;
  impl_->stage_it(about, {1, q.data(), p.data(), q.size(), p.size()}, notes);
  const LiveFrame size{0, std::vector<double>(impl_->staged->columns.size()),
                       std::vector<float>(impl_->points() + impl_->bodies())};
  impl_->store = std::make_shared<LiveStore>(std::clamp(most_bytes / size.bytes(), least_frames, most_frames));
  impl_->server.serve(impl_->page(about, expected, notes), page_policy(), impl_->store);
}

bool LiveView::wants(long row) const { return impl_->store->wants(row); }

void LiveView::hear(long row, const HeardState& state) {
  auto frame = std::make_shared<LiveFrame>();
  frame->row = row;
  for (const SeriesColumn& column : impl_->staged->columns) frame->series.push_back(column.of(state));
  frame->places.resize(impl_->points() + impl_->bodies());
  impl_->staged->stage.place_points(state.q.data(), state.p.data(), frame->places.data());
  if (impl_->bodies() > 0)
    impl_->staged->stage.place_bodies(state.q.data(), state.p.data(), frame->places.data() + impl_->points());
  impl_->store->add(std::move(frame));
}

void LiveView::end(const End& how, const std::atomic<bool>& interrupted) {
  Json json;
  json.begin().text("status", how.status).text("message", how.message).end();
  impl_->store->end(json.str());
  const bool by_force = how.status == "interrupted";
  const auto begin = Clock::now();
  auto moved = begin;  // when something happened last
  long messages = -1, streams = -1;
  // A page asks for its rows when it has been read; streams look for news some times a second.
  constexpr std::chrono::milliseconds first_page = 10s, page_to_rows = 5s, stuck = 1s, at_force = 300ms;
  while (by_force || !interrupted.load(std::memory_order_relaxed)) {
    const LiveServer::Seen now = impl_->server.seen();
    const auto clock = Clock::now();
    if (now.messages != messages || now.streams != streams) moved = clock;
    messages = now.messages;
    streams = now.streams;
    const bool has_nobody = how.until_seen && now.pages == 0 && clock - begin < first_page;
    const bool is_coming = now.pages > now.streams && clock - now.last_page < page_to_rows;
    const bool is_taking = now.open > 0 && clock - moved < stuck;
    if (by_force ? now.open == 0 || clock - begin > at_force : !has_nobody && !is_coming && !is_taking) break;
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace holonom
