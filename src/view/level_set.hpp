// A constraint as a function of few variables: its value and its gradient, and what kind of set g = 0 is. Private to
// src/view.
#pragma once

#include <array>
#include <optional>

#include "holonom/expr/interpreter.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

class LevelSet {
 public:
  // g of `x`, at most 6 of them; other inputs have values that are set.
  LevelSet(Graph& graph, NodeId g, std::vector<NodeId> x, const std::vector<NodeId>& others = {},
           std::vector<double> values = {});

  std::size_t size() const { return size_; }
  void set_others(std::vector<double> values) { values_ = std::move(values); }
  double operator()(const double* x, double* gradient) const;

  // Whether it says how far two points are apart, x being both of them: g = f(|A - B|). Found by what it does, not by
  // how it is written: its gradients are opposite, and along the line between the points.
  bool is_distance_between_points(double scale) const;
  // The point from which it says how far x is, if there is one: all its normals meet there.
  std::optional<std::vector<double>> centre(double scale) const;

 private:
  std::size_t size_;
  std::vector<double> values_;
  mutable Interpreter<double> evaluate_;
};

}  // namespace holonom
