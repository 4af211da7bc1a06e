// LiveStore: states of a run that goes on, for those who look at it. The run's thread adds, others read, and nobody
// holds the lock for longer than pointers are copied. Private to src/view.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace holonom {

struct LiveFrame {
  long row = 0;                // of all recorded states
  std::vector<double> series;  // a number for each column
  std::vector<float> places;   // three numbers a point, then seven a body

  std::size_t bytes() const { return 8 * (1 + series.size()) + 4 * (places.size() + places.size() % 2); }
};

// Of a run of any length there are at most so many frames, evenly spread: rows 0, k, 2k, ..., and the newest one. When
// there are too many, k becomes 2k.
class LiveStore {
 public:
  using Frames = std::vector<std::shared_ptr<const LiveFrame>>;

  explicit LiveStore(std::size_t most) : most_(most) {}

  // By the thread that adds
  bool wants(long row) const { return row % stride_ == 0; }
  void add(std::shared_ptr<const LiveFrame> frame);
  // No more are to come. `how`: for the page
  void end(std::string how);

  // What is behind a row: frames of so many bytes, one at least, and the end if it follows them.
  struct News {
    Frames frames;
    long stride = 1;
    std::optional<std::string> end;
  };
  News after(long row, std::size_t bytes) const;

 private:
  Frames thin();

  const std::size_t most_;
  mutable std::mutex mutex_;
  Frames frames_;
  long stride_ = 1;  // written by the thread that adds alone
  std::optional<std::string> end_;
};

// As the page reads them, in little-endian words. A message is its kind (1: frames, 2: the end) and its length in bytes
// (32 bits each), then for frames k and their number (doubles) and each frame: row and columns (doubles), places
// (floats, and a zero if these are odd); for the end its text.
std::string message_of(const LiveStore::Frames& frames, long stride);
std::string message_of_end(const std::string& how);

}  // namespace holonom
