// Timing for noisy machines: CPU time (a longer round is preempted more often), all contestants in turn,
// many short rounds, the median of each.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

struct Contestant {
  std::string name;
  std::function<void()> round;  // a fixed amount of work
  std::vector<double> seconds;

  double median() {
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<long>(seconds.size() / 2), seconds.end());
    return seconds[seconds.size() / 2];
  }
};

inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline void measure(std::vector<Contestant>& contestants, int rounds) {
  for (Contestant& c : contestants) c.round();  // warm up
  for (int i = 0; i < rounds; ++i)
    for (Contestant& c : contestants) {
      const double begin = cpu_seconds();
      c.round();
      c.seconds.push_back(cpu_seconds() - begin);
    }
}

// A table of medians per unit of work and of ratios to the first contestant.
inline void report(const std::string& title, std::vector<Contestant>& contestants, double work,
                   const std::string& unit) {
  std::printf("%s\n", title.c_str());
  const double base = contestants.front().median();
  for (Contestant& c : contestants)
    std::printf("  %-44s %9.1f ns a %s   ratio %6.2f\n", c.name.c_str(), 1e9 * c.median() / work, unit.c_str(),
                c.median() / base);
  std::printf("\n");
}
