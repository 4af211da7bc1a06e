// What work costs: CPU time of this thread, whoever else is busy; and work shared out to threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <ctime>
#include <exception>
#include <thread>
#include <vector>

namespace holonom {

inline double thread_cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Clocks tell short times badly, and first times are those of cold caches: work is repeated for so long in all.
inline constexpr double enough_seconds = 0.05;

// The least time of f(), which returns the seconds that it took, over as many calls as are worth it; `first` is the
// time of one that was made already.
template <class F>
double least_seconds(double first, F&& f) {
  double least = first, all = first;
  for (int calls = 1; all < enough_seconds && calls < 1000; ++calls) {
    const double seconds = f();
    least = std::min(least, seconds);
    all += seconds;
  }
  return least;
}

// f(job, worker) for all jobs, on so many threads, each of which takes the next one when it is done with its last. Jobs
// share nothing, so results do not depend on who does which. If jobs throw, the exception of the first of them in this
// order is thrown again, after all are done.
template <class F>
void share_out(int threads, const std::vector<std::size_t>& jobs, F&& f) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> thrown(jobs.size());
  const auto work = [&](int worker) {
    for (std::size_t k = next++; k < jobs.size(); k = next++) try {
        f(jobs[k], worker);
      } catch (...) {
        thrown[k] = std::current_exception();
      }
  };
  std::vector<std::jthread> others;
  const int useful = static_cast<int>(std::min(jobs.size(), static_cast<std::size_t>(std::max(threads, 1))));
  for (int worker = 1; worker < useful; ++worker) others.emplace_back(work, worker);
  work(0);
  others.clear();
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
}

}  // namespace holonom
