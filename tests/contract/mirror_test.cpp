// Bodies made of constraints, triangles and tetrahedra of rods, rotation matrices, have a mirror image that obeys the
// same constraints. No motion leads there: along any path with g = 0 an area, a volume, a determinant would have to
// vanish first. So with any method and any step they keep their sign, or the step fails.
#include <gtest/gtest.h>

#include <random>

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

double determinant(const std::vector<std::vector<double>>& a) {
  if (a.size() == 2) return a[0][0] * a[1][1] - a[0][1] * a[1][0];
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k)
    sum += a[0][k] * (a[1][(k + 1) % 3] * a[2][(k + 2) % 3] - a[1][(k + 2) % 3] * a[2][(k + 1) % 3]);
  return sum;
}

// Simplices of rods in the plane or in space, each hinged to a corner of the one before.
struct Linkage {
  std::size_t dim = 2;
  std::vector<std::vector<double>> point;
  std::vector<std::vector<std::size_t>> simplex;
  std::string text;

  std::vector<double> orientations(const Vec<double>& q) const {
    std::vector<double> result;
    for (const auto& corners : simplex) {
      std::vector<std::vector<double>> edges;
      for (std::size_t c = 1; c <= dim; ++c) {
        edges.emplace_back();
        for (std::size_t k = 0; k < dim; ++k)
          edges.back().push_back(q[static_cast<int>(corners[c] * dim + k)] - q[static_cast<int>(corners[0] * dim + k)]);
      }
      result.push_back(determinant(edges));
    }
    return result;
  }
};

Linkage random_linkage(std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> decades(-2, 2);
  Linkage l;
  l.dim = random() % 3 == 0 ? 3 : 2;
  const std::size_t bodies = 1 + random() % 3;
  std::vector<std::pair<std::size_t, std::size_t>> rods;
  for (std::size_t b = 0; b < bodies; ++b) {
    std::vector<std::size_t> corners;
    if (b > 0) corners.push_back(l.simplex.back()[random() % l.simplex.back().size()]);
    const std::vector<double> base = b > 0 ? l.point[corners[0]] : std::vector<double>(l.dim, 0);
    while (corners.size() <= l.dim) {
      std::vector<double> x = base;
      for (double& a : x) a += std::round(100 * normal(random)) / 100;  // as formulas will say
      corners.push_back(l.point.size());
      l.point.push_back(x);
    }
    for (std::size_t i = 0; i <= l.dim; ++i)
      for (std::size_t j = 0; j < i; ++j) rods.emplace_back(corners[j], corners[i]);
    l.simplex.push_back(corners);
  }
  const bool unequal = random() % 3 == 0;
  const auto name = [](std::size_t i, std::size_t k) { return std::string(1, "xyz"[k]) + std::to_string(i); };
  const auto add = [](std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; };
  std::string names, mass, q, v, constraints;
  for (std::size_t i = 0; i < l.point.size(); ++i) {
    const double m = unequal ? std::pow(10, decades(random)) : 1;
    for (std::size_t k = 0; k < l.dim; ++k) {
      add(names, '"' + name(i, k) + '"');
      add(mass, std::to_string(m));
      add(q, name(i, k) + " = " + std::to_string(l.point[i][k]));
      add(v, name(i, k) + " = " + std::to_string(1.5 * normal(random)));
    }
  }
  for (const auto& [i, j] : rods) {
    std::string sum;
    for (std::size_t k = 0; k < l.dim; ++k) {
      const auto number = [&](std::size_t point) { return "(" + std::to_string(l.point[point][k]) + ")"; };
      sum += " + (" + name(i, k) + " - " + name(j, k) + ")^2 - (" + number(i) + " - " + number(j) + ")^2";
    }
    constraints += "rod" + std::to_string(i) + "_" + std::to_string(j) + " = \"" + sum.substr(3) + "\"\n";
  }
  l.text = "format = 1\nname = \"linkage\"\n[coordinates]\nnames = [" + names + "]\n[energy]\nmass = [" + mass +
           "]\npotential = \"0\"\n[constraints]\n" + constraints + "[initial]\nq = { " + q + " }\nv = { " + v +
           " }\nproject = true\n";
  return l;
}

const std::vector<std::string>& keys() {
  static const std::vector<std::string> list{"rattle",
                                             "position-verlet",
                                             "symplectic-euler",
                                             "geodesic-3",
                                             "midpoint",
                                             "yoshida-4",
                                             "suzuki-4",
                                             "kahan-li-6",
                                             "kahan-li-8",
                                             "lobatto-2",
                                             "lobatto-3",
                                             "lobatto-5",
                                             "gauss-2+jay",
                                             "radau-2a-2+jay",
                                             "variational-trapezoidal",
                                             "variational-midpoint",
                                             "shake"};
  return list;
}

TEST(MirrorImages, OfLinkagesAreNoContinuation) {
  std::mt19937 random(20261118);
  std::uniform_real_distribution<double> decades(-1.3, 0.5);
  long steps = 0;
  for (int trial = 0; trial < 250; ++trial) {
    const Linkage linkage = random_linkage(random);
    const std::string& key = keys()[random() % keys().size()];
    const double h = std::pow(10, decades(random));
    const ModelSystem<double> sys(compile(parse_model(linkage.text, "linkage.toml")));
    State<double> x = initial_state(sys).state;
    const std::vector<double> start = linkage.orientations(x.q);
    const auto method = methods().find(key).make<double>(sys);
    if (!method->begin(x, h).ok()) continue;
    for (int step = 1; step <= 60 && method->step(x, h).ok(); ++step, ++steps) {
      const std::vector<double> now = linkage.orientations(x.q);
      bool same = true;
      for (std::size_t k = 0; k < start.size(); ++k) same = same && now[k] * start[k] > 0;
      ASSERT_TRUE(same) << key << ", h = " << h << ", step " << step << ", of\n" << linkage.text;
    }
  }
  EXPECT_GT(steps, 5000);
}

TEST(MirrorImages, OfRotationsAreNoContinuation) {
  long steps = 0;
  for (const char* model : {"rigid-body-free", "rigid-body-heavy"})
    for (const char* key : {"rattle", "kahan-li-8", "lobatto-3", "lobatto-5", "lobatto-7", "gauss-2+jay"})
      for (const double h : {0.8, 0.9, 1.3}) {
        const ModelSystem<double> sys(load(model));
        State<double> x = initial_state(sys).state;
        const auto method = methods().find(key).make<double>(sys);
        if (!method->begin(x, h).ok()) continue;
        for (int step = 1; step <= 120 && method->step(x, h).ok(); ++step, ++steps) {
          std::vector<std::vector<double>> Q(3);
          for (int i = 0; i < 9; ++i) Q[static_cast<std::size_t>(i / 3)].push_back(x.q[i]);
          ASSERT_NEAR(determinant(Q), 1, 1e-12) << model << ' ' << key << ", h = " << h << ", step " << step;
        }
      }
  EXPECT_GT(steps, 2000);
}

}  // namespace
}  // namespace holonom::contract
