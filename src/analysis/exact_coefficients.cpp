#include "exact_coefficients.hpp"

#include <cmath>
#include <numeric>

#include "holonom/model/constants.hpp"

namespace holonom {

namespace {

struct SmallFraction {
  long over = 0, under = 1;
  double value() const { return static_cast<double>(over) / static_cast<double>(under); }
};

// By continued fractions. There are about largest² fractions between 0 and 1: with large numbers almost everything is
// near one of them.
std::optional<SmallFraction> fraction(double x, long largest) {
  const double tolerance = 1e-5 / (static_cast<double>(largest) * static_cast<double>(largest));
  long p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  double rest = x;
  for (;;) {
    if (!(std::abs(rest) < 1e9)) return std::nullopt;
    const auto a = static_cast<long>(std::floor(rest));
    const long p2 = a * p1 + p0, q2 = a * q1 + q0;
    if (q2 > largest || std::abs(p2) > 1000 * largest) return std::nullopt;
    const SmallFraction now{p2, q2};
    if (std::abs(now.value() - x) <= tolerance * std::max(1.0, std::abs(x))) return now;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    rest = 1 / (rest - static_cast<double>(a));
  }
}

class Reader {
 public:
  explicit Reader(const Model& model) : graph_(*model.graph) {
    for (const auto& [name, node] : model.parameters) {
      names_.push_back(name);
      nodes_.push_back(node);
    }
    values_ = evaluate_constants<double>(model, nodes_);
  }

  std::optional<ExactCoefficients> as_fractions(const std::vector<double>& numbers, long largest, bool to_integers) {
    std::vector<SmallFraction> found;
    long common = 1;
    for (const double x : numbers) {
      const auto f = fraction(x, largest);
      if (!f) return std::nullopt;
      found.push_back(*f);
      common = std::lcm(common, f->under);
      if (common > most_common) common = 0;
      if (common == 0) break;
    }
    if (common == 0) {  // they stay fractions
      found.clear();
      for (const double x : numbers) found.push_back(*fraction(x, largest));
      common = 1;
    }
    if (!to_integers) common = 1;
    ExactCoefficients result;
    for (const SmallFraction& f : found) {
      const long factor = std::gcd(common, f.under);
      append(result, {f.over * (common / factor), f.under / factor}, no_parameter);
    }
    return result;
  }

  // Each one a small fraction, or one times a parameter, if all are multiplied by some parameter
  std::optional<ExactCoefficients> with_parameters(const std::vector<double>& numbers) {
    for (const double scale : values_) {
      if (!std::isfinite(scale) || scale == 0) continue;
      ExactCoefficients result;
      for (const double x : numbers)
        if (!append_number(result, x * scale)) break;
      if (result.values.size() == numbers.size()) return result;
    }
    return std::nullopt;
  }

 private:
  static constexpr long few = 12, most_common = 1000;
  static constexpr std::size_t no_parameter = static_cast<std::size_t>(-1);

  bool append_number(ExactCoefficients& to, double x) {
    if (x == 0) return append(to, {}, no_parameter);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (!std::isfinite(values_[k]) || values_[k] == 0) continue;
      if (const auto f = fraction(x / values_[k], few); f && std::abs(f->over) <= few && f->over != 0)
        return append(to, *f, k);
    }
    const auto f = fraction(x, few);
    return f && append(to, *f, no_parameter);
  }
  bool append(ExactCoefficients& to, const SmallFraction& f, std::size_t parameter) {
    const bool plain = parameter == no_parameter;
    NodeId node = graph_.number(static_cast<long long>(f.over));
    std::string text = std::to_string(f.over);
    if (f.under != 1) {
      node = graph_.div(node, graph_.number(static_cast<long long>(f.under)));
      text += "/" + std::to_string(f.under);
    }
    if (!plain) {
      node = graph_.mul(node, nodes_[parameter]);
      text = (text == "1" ? "" : text == "-1" ? "-" : text + "*") + names_[parameter];
    }
    to.nodes.push_back(node);
    to.texts.push_back(std::move(text));
    to.values.push_back(f.value() * (plain ? 1.0 : values_[parameter]));
    return true;
  }

  Graph& graph_;
  std::vector<std::string> names_;
  std::vector<NodeId> nodes_;
  std::vector<double> values_;
};

}  // namespace

std::optional<ExactCoefficients> exact_coefficients(const Model& model, const std::vector<double>& numbers,
                                                    bool may_scale) {
  constexpr long small = 32, large = 2000;
  Reader read(model);
  if (auto result = read.as_fractions(numbers, small, may_scale)) return result;
  if (may_scale)
    if (auto result = read.with_parameters(numbers)) return result;
  return read.as_fractions(numbers, large, may_scale);
}

}  // namespace holonom
