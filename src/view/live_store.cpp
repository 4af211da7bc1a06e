#include "live_store.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace holonom {

void LiveStore::add(std::shared_ptr<const LiveFrame> frame) {
  Frames dropped;  // and freed without the lock
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
  if (frames_.size() > most_) dropped = thin();
}

LiveStore::Frames LiveStore::thin() {
  Frames kept, dropped;
  stride_ *= 2;
  for (auto& frame : frames_) (frame->row % stride_ == 0 ? kept : dropped).push_back(std::move(frame));
  frames_ = std::move(kept);
  return dropped;
}

void LiveStore::end(std::string how) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(how);
}

LiveStore::News LiveStore::after(long row, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  News news{{}, stride_, {}};
  auto next =
      std::upper_bound(frames_.begin(), frames_.end(), row, [](long r, const auto& frame) { return r < frame->row; });
  for (std::size_t sum = 0; next != frames_.end() && (sum == 0 || sum + (*next)->bytes() <= bytes); ++next) {
    sum += (*next)->bytes();
    news.frames.push_back(*next);
  }
  if (next == frames_.end()) news.end = end_;
  return news;
}

namespace {

void put(std::string& out, std::uint64_t word, int bytes) {
  for (int b = 0; b < bytes; ++b) out += static_cast<char>(static_cast<unsigned char>(word >> 8 * b));
}
void put(std::string& out, double x) { put(out, std::bit_cast<std::uint64_t>(x), 8); }

std::string message(std::uint32_t kind, std::size_t bytes) {
  std::string out;
  out.reserve(8 + bytes);
  put(out, kind, 4);
  put(out, bytes, 4);
  return out;
}

}  // namespace

std::string message_of(const LiveStore::Frames& frames, long stride) {
  std::size_t bytes = 16;
  for (const auto& frame : frames) bytes += frame->bytes();
  std::string out = message(1, bytes);
  put(out, static_cast<double>(stride));
  put(out, static_cast<double>(frames.size()));
  for (const auto& frame : frames) {
    put(out, static_cast<double>(frame->row));
    for (const double x : frame->series) put(out, x);
    for (const float x : frame->places) put(out, std::bit_cast<std::uint32_t>(x), 4);
    if (frame->places.size() % 2 != 0) put(out, 0, 4);
  }
  return out;
}

std::string message_of_end(const std::string& how) { return message(2, how.size()) + how; }

}  // namespace holonom
