// Large systems from text models: a chain of 10² to 10⁶ links, the same with the consistent mass matrix of finite
// elements, a net, and a ring. For each the set-up, the cost of a step for each link, the constraints at the end, and
// the memory.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "chains.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/solve/manifold.hpp"
#include "measure.hpp"

using namespace holonom;

namespace {

// N x N points in space, joined to their neighbours, held at one corner. Not redundant: the rank is full.
const char* net_model = R"toml(
format = 1
name = "net"
[parameters]
N = 100
[coordinates]
r = { count = "N^2", dim = 3 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { i = "0..N^2-1" }
term = "r[i].z"
[[constraints.stack]]
name = "along"
over = { a = "0..N-1", b = "0..N-2" }
zero = "(dot(r[N*a + b + 1] - r[N*a + b], r[N*a + b + 1] - r[N*a + b]) - 1)/2"
[[constraints.stack]]
name = "across"
over = { a = "0..N-2", b = "0..N-1" }
zero = "(dot(r[N*(a + 1) + b] - r[N*a + b], r[N*(a + 1) + b] - r[N*a + b]) - 1)/2"
[constraints]
corner_x = "r[0].x"
corner_y = "r[0].y"
corner_z = "r[0].z"
[initial]
q.r = ["0.6*(i - N*floor(i/N)) + 0.6*floor(i/N)", "0.8*(i - N*floor(i/N)) - 0.8*floor(i/N)", "0"]
)toml";

// N beads on a closed loop: a zigzag bent into a ring, closed by the last link.
const char* ring_model = R"toml(
format = 1
name = "ring"
[parameters]
N = 10000
R = "1/(2*sin(pi/N))"
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].y + r[i].x*r[i].y/R"
[[constraints.stack]]
name = "link"
over = { i = "0..N-1" }
zero = "(dot(r[i + 1 - N*floor((i + 1)/N)] - r[i], r[i + 1 - N*floor((i + 1)/N)] - r[i]) - 1)/2"
[initial]
project = true
q.r = ["R*cos(2*pi*i/N)", "R*sin(2*pi*i/N)"]
)toml";

// Links with their mass spread along them: 1/6 [2 1; 1 2] for each link and component.
void write_consistent_mass(const std::filesystem::path& file, long links) {
  std::ofstream csv(file);
  csv << "i,j,m\n";
  for (long i = 0; i < links; ++i)
    for (int c = 0; c < 2; ++c) {
      csv << 2 * i + c << ',' << 2 * i + c
          << (i + 1 < links ? ",0.66666666666666666667\n" : ",0.33333333333333333333\n");
      if (i + 1 < links) csv << 2 * i + 2 + c << ',' << 2 * i + c << ",0.16666666666666666667\n";
    }
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run_model(const std::string& text, const Overrides& set, double h, int steps,
               const std::string& file = "benchmark") {
  const double before = cpu_seconds();
  const ModelSystem<double> sys(compile(parse_model(text, file, set)));
  State<double> x = initial_state(sys).state;
  const auto method = methods().find("rattle").make<double>(sys);
  if (!method->begin(x, h).ok()) std::abort();
  const double set_up = cpu_seconds() - before;
  std::vector<Contestant> one{{"",
                               [&] {
                                 for (int i = 0; i < steps; ++i)
                                   if (!method->step(x, h).ok()) std::abort();
                               },
                               {}}};
  measure(one, 7);
  Manifold<double> manifold(sys);
  const auto position = manifold.position(x.q), hidden = manifold.hidden(x.q, x.p);
  const Counters& c = method->counters();
  std::printf(
      "  %-14s %8d constraints: set-up %7.3f s, %7.1f ns a constraint and step, %.2f Newton, |g| %.1e, |G v| %.1e, "
      "peak %6.0f MB\n",
      sys.labels().model.c_str(), sys.m(), set_up, 1e9 * one[0].median() / steps / sys.m(),
      static_cast<double>(c.newton_iterations) / static_cast<double>(c.newton_solves), position.absolute,
      hidden.absolute, peak_megabytes());
}

}  // namespace

int main() {
  std::printf("Large systems, RATTLE on text models, interpreted kernels\n");
  for (const long N : {100L, 1000L, 10000L, 100000L, 1000000L})
    run_model(chains::hanging, {{"N", std::to_string(N)}}, 1e-3, static_cast<int>(std::max(1L, 200000 / N)));
  const auto folder = std::filesystem::temp_directory_path() / ("holonom_large_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string consistent = chains::hanging;
  consistent.replace(consistent.find("{ r = 1 }"), 9, "{ file = \"mass.csv\" }");
  consistent.replace(consistent.find("hanging chain"), 13, "spread masses");
  for (const long N : {1000L, 10000L, 100000L}) {
    write_consistent_mass(folder / "mass.csv", N);
    run_model(consistent, {{"N", std::to_string(N)}}, 1e-3, static_cast<int>(std::max(1L, 200000 / N)),
              (folder / "chain.toml").string());
  }
  std::filesystem::remove_all(folder);
  run_model(net_model, {}, 1e-3, 10);
  run_model(ring_model, {}, 1e-3, 20);
  std::printf("\n");
}
