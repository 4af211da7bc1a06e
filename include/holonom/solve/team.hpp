// A few threads that wait for work which comes in equal parts, often: the stages of a step. Which thread does which
// part is fixed, and parts share nothing, so results do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace holonom {

class Team {
 public:
  // Where the machine has no more threads to give, it is a smaller one.
  explicit Team(int threads) {
    threads_.reserve(static_cast<std::size_t>(threads));
    try {
      for (int k = 1; k < threads; ++k) threads_.emplace_back([this, k] { wait_for_work(k); });
    } catch (const std::exception&) {
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    part_ = nullptr;
    announce();
    for (std::thread& t : threads_) t.join();
  }

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // f(part, worker) for part = 0, ..., parts − 1; worker < size() is the thread. Returns when all are done.
  template <class F>
  void share(int parts, F&& f) {
    parts_ = parts;
    context_ = &f;
    part_ = [](void* context, int part, int worker) {
      (*static_cast<std::remove_reference_t<F>*>(context))(part, worker);
    };
    busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    announce();
    work(0);
    for (int left = busy_.load(std::memory_order_acquire); left > 0; left = busy_.load(std::memory_order_acquire))
      busy_.wait(left, std::memory_order_acquire);
  }

 private:
  void announce() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  void work(int worker) {
    for (int part = worker; part < parts_; part += size()) part_(context_, part, worker);
  }
  void wait_for_work(int worker) {
    for (std::uint32_t seen = 0;;) {
      round_.wait(seen, std::memory_order_acquire);
      seen = round_.load(std::memory_order_acquire);
      if (!part_) return;
      work(worker);
      if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_one();
    }
  }

  void (*part_)(void*, int, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<int> busy_{0};
  std::vector<std::thread> threads_;
};

}  // namespace holonom
