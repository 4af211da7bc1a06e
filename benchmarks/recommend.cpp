// Recommendations against a full search: all methods of the registry, and all compositions of all bases, each with the
// longest step that is right, on models with other parameters and units than those of models/, and on generated ones.
// Printed: work of the recommended method and step as a multiple of the least that the search finds, and the error that
// it makes of the accuracy, by a finer reference. bench_recommend [NUMBER...]: these cases only.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "holonom/analysis/model_recommendation.hpp"
#include "holonom/analysis/numerical_map.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"

namespace holonom {

namespace {

struct Case {
  std::string name, file;
  std::vector<std::pair<std::string, std::string>> set;
  std::string until;
  double accuracy;
  std::string quantity;
};

std::string model(const std::string& name) { return std::string(BENCH_MODELS) + "/" + name + ".toml"; }

// A chain of links of random lengths and masses, hung up at one end, in the plane; with springs across its joints if
// asked for.
std::string random_chain(unsigned seed, int links, bool springs) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto number = [](double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.6f", x);
    return std::string(buffer);
  };
  std::string names, mass, potential, constraints, q;
  double x = 0, y = 0;
  std::vector<double> xs{0}, ys{0};
  for (int i = 1; i <= links; ++i) {
    const std::string k = std::to_string(i), j = std::to_string(i - 1);
    const double length = 0.3 + uniform(random), m = 0.2 + 2 * uniform(random), angle = 3 * uniform(random) - 1.5;
    x += length * std::sin(angle);
    y -= length * std::cos(angle);
    xs.push_back(x);
    ys.push_back(y);
    names += (i > 1 ? ", " : "") + ("\"x" + k + "\", \"y" + k + "\"");
    mass += (i > 1 ? ", " : "") + number(m) + ", " + number(m);
    potential += (i > 1 ? " + " : "") + number(9.81 * m) + "*y" + k;
    const std::string dx = i > 1 ? "(x" + k + " - x" + j + ")" : "x1", dy = i > 1 ? "(y" + k + " - y" + j + ")" : "y1";
    constraints += "link" + k + " = \"" + dx + "^2 + " + dy + "^2 - " + number(length) + "^2\"\n";
    if (springs && i > 1) {
      const std::string two = std::to_string(i - 2), ax = i > 2 ? "(x" + k + " - x" + two + ")" : "x" + k,
                        ay = i > 2 ? "(y" + k + " - y" + two + ")" : "y" + k;
      potential += " + " + number(50 * uniform(random)) + "*(" + ax + "^2 + " + ay + "^2)";
    }
    q += (i > 1 ? ", " : "") + ("x" + k + " = " + number(x) + ", y" + k + " = " + number(y));
  }
  const auto path = std::filesystem::temp_directory_path() / ("holonom-bench-chain-" + std::to_string(seed) + ".toml");
  std::ofstream(path) << "format = 1\nname = \"random chain " << seed << "\"\n[coordinates]\nnames = [" << names
                      << "]\n[energy]\nmass = [" << mass << "]\npotential = \"" << potential << "\"\n[constraints]\n"
                      << constraints << "[initial]\nproject = true\nq = { " << q << " }\n";
  return path;
}

std::vector<Case> cases() {
  return {
      {"double pendulum", model("double-pendulum"), {}, "60", 1e-6, "position"},
      {"double pendulum in other units",
       model("double-pendulum"),
       {{"m1", "1e-20"}, {"m2", "1e-20"}, {"l1", "1e-10"}, {"l2", "1e-10"}, {"g", "1e-10/(1e-13)^2"}},
       "60*1e-13",
       1e-6,
       "position"},
      {"double pendulum, other masses", model("double-pendulum"), {{"m1", "3"}, {"l2", "0.4"}}, "200", 1e-8, "energy"},
      {"pendulum", model("pendulum"), {}, "40", 1e-3, "position"},
      {"charged particle, omega = 3", model("charged-particle"), {{"omega", "3"}}, "20", 1e-8, "position"},
      {"Kepler, e = 0.8", model("kepler"), {{"e", "0.8"}}, "30", 1e-5, "position"},
      {"Kepler, e = 0.2", model("kepler"), {{"e", "0.2"}}, "100", 1e-10, "energy"},
      {"Henon-Heiles, E = 1/12", model("henon-heiles"), {{"E", "1/12"}}, "200", 1e-6, "position"},
      {"spherical pendulum, L = 0.3", model("spherical-pendulum"), {{"L", "0.3"}}, "20", 1e-7, "position"},
      {"heavy rigid body, weight 5", model("rigid-body-heavy"), {{"weight", "5"}}, "5", 1e-6, "position"},
      {"slider-crank, r = 0.05", model("slider-crank"), {{"r", "0.05"}}, "2", 1e-4, "position"},
      {"hanging chain, N = 12", model("hanging-chain"), {{"N", "12"}}, "2", 1e-6, "position"},
      {"elastic pendulum, eps = 0.03", model("elastic-double-pendulum"), {{"eps", "0.03"}}, "10", 1e-6, "position"},
      {"stiff chain, eps = 0.01", model("stiff-pendulum-chain"), {{"eps", "0.01"}}, "5", 1e-5, "position"},
      {"random chain of 4", random_chain(4, 4, false), {}, "3", 1e-6, "position"},
      {"random chain of 3 with springs", random_chain(3, 3, true), {}, "5", 1e-7, "energy"},
  };
}

// All that could be recommended
std::vector<MethodEntry> everything(const AnySystem<double>& sys) {
  std::vector<MethodEntry> list = recommendable(sys);
  std::set<std::string> keys, schemes, bases;
  for (const MethodEntry& e : list) keys.insert(e.info.key);
  for (const MethodEntry& e : methods().all())
    if (e.info.family == "composition") schemes.insert(e.info.scheme);
  for (const MethodEntry& e : list)
    if (e.info.family == "base" && e.info.symmetric) bases.insert(e.info.key);
  for (const std::string& scheme : schemes)
    for (const std::string& base : bases) try {
        if (auto e = methods().parse(scheme + "/" + base); e && suits(*e, sys) && keys.insert(e->info.key).second)
          list.push_back(std::move(*e));
      } catch (const InputError&) {  // a scheme for other bases
      }
  return list;
}

struct Best {
  std::string method;
  long steps = 0;
  double work = std::numeric_limits<double>::infinity();
};

// The longest step of each method that is right, as long as it may be the cheapest
Best search(ErrorMeter& meter, const std::vector<MethodEntry>& list, double accuracy) {
  Best best;
  for (const MethodEntry& entry : list) {
    const auto right = [&](long steps) {
      const Trial t = meter.run(entry, steps, best.work);
      const bool good = t.outcome == Trial::Outcome::done && t.error <= accuracy;
      if (good && t.work < best.work) best = {entry.info.key, steps, t.work};
      return t.outcome == Trial::Outcome::too_expensive ? -1 : good ? 1 : 0;
    };
    long wrong = 1, steps = 2;
    for (;; steps = std::max(steps + 1, steps + steps / 4)) {
      const int answer = right(steps);
      if (answer != 0) break;
      wrong = steps;
      if (steps > 20000000) break;
    }
    for (int k = 0; k < 6 && steps - wrong > std::max(1L, steps / 100); ++k)
      if (const long middle = (wrong + steps) / 2; right(middle) == 0)
        wrong = middle;
      else
        steps = middle;
  }
  return best;
}

int run(const std::vector<int>& chosen) {
  std::printf("%-2s %-31s %-8s %8s  %-30s %8s %9s %6s  %-30s %8s %9s  %5s\n", "", "model", "quantity", "accuracy",
              "recommended", "steps", "work", "error", "best of all", "steps", "work", "ratio");
  const std::vector<Case> all = cases();
  int bad = 0;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), i + 1) == chosen.end()) continue;
    const Case& c = all[static_cast<std::size_t>(i)];
    RunSpec spec;
    spec.model = c.file;
    spec.set = c.set;
    spec.until = c.until;
    spec.accuracy = c.accuracy;
    spec.quantity = c.quantity;
    const ModelRecommendation r = recommend_for_model(spec);
    Model source = load_model(spec.model, ModelChanges(spec.set));
    source.until = source.constant(c.until, "until");
    const ModelSystem<double> sys(compile(std::move(source)),
                                  native_available() ? Engine::native : Engine::interpreter);
    const Start<double> start = initial_state(sys);
    const WantedQuantity wanted{c.quantity == "energy" ? WantedQuantity::Kind::energy : WantedQuantity::Kind::position,
                                0};
    ErrorMeter meter(sys, start.state, r.until, c.accuracy / 10, wanted, work_weights(sys), 1e10);
    std::vector<MethodEntry> list = everything(sys);
    // The recommended one first: what is more expensive is then not run to its end.
    if (!r.made.methods.empty())
      std::stable_partition(list.begin(), list.end(),
                            [&](const MethodEntry& e) { return e.info.key == r.made.methods.front().method.info.key; });
    const Best best = search(meter, list, c.accuracy);
    std::printf("%-2d %-31s %-8s %8.0e  ", i + 1, c.name.c_str(), c.quantity.c_str(), c.accuracy);
    if (r.made.methods.empty()) {
      std::printf("none: %s\n", r.why_none().c_str());
      ++bad;
      continue;
    }
    const RecommendedMethod& m = r.made.methods.front();
    const Trial t = meter.run(m.method, m.steps, std::numeric_limits<double>::infinity());
    const double ratio = t.work / best.work;
    const bool fails = t.outcome != Trial::Outcome::done || t.error > c.accuracy || ratio > 1.5;
    std::printf("%-30s %8ld %9.2e %6.2f  %-30s %8ld %9.2e  %5.2f%s\n", m.method.info.key.c_str(), m.steps, t.work,
                t.error / c.accuracy, best.method.c_str(), best.steps, best.work, ratio, fails ? "  FAILS" : "");
    std::fflush(stdout);
    bad += fails;
  }
  return bad;
}

}  // namespace

}  // namespace holonom

int main(int argc, char** argv) {
  std::vector<int> chosen;
  for (int i = 1; i < argc; ++i) chosen.push_back(std::atoi(argv[i]));
  return holonom::run(chosen) == 0 ? 0 : 1;
}
