#include "holonom/coefficients/scheme_file.hpp"

#include "coefficient_reader.hpp"
#include "holonom/coefficients/composition_order.hpp"

namespace holonom {

namespace {

constexpr int file_decimals = 120;  // of the coefficients: 20 more than the widest scalar of a run
constexpr double rounding = 64;     // in ε: decimals that were rounded, and perhaps computed with rounding

class SchemeReader : private CoefficientReader {
 public:
  explicit SchemeReader(const TomlSource& toml_source) : CoefficientReader(toml_source) {}

  CompositionScheme read() {
    const toml::table file = source.parse();
    check_keys(file, {"name", "citation", "order", "adjoint", "coefficients", "half"}, "the file of a composition");
    CompositionScheme scheme;
    scheme.key = "scheme:" + source.file();
    scheme.title = name(file);
    scheme.citation = text(file, "citation", "");
    if (const toml::node* node = file.get("adjoint")) {
      if (!node->is_boolean()) source.fail(*node, "adjoint must be true or false");
      scheme.with_adjoint = *node->value<bool>();
    }
    if (const toml::node* node = file.get("order")) {
      const auto order = node->value<std::int64_t>();
      if (!node->is_integer() || *order < 1 || *order > most_order)
        source.fail(*node, "order must be one of 1 to " + std::to_string(most_order));
      scheme.order = static_cast<int>(*order);
    }
    if (file.get("half") && file.get("coefficients"))
      source.fail(*file.get("half"), "give coefficients = [...], all of them, or half = [...], not both");
    const bool half = file.get("half") != nullptr;
    const std::string key = half ? "half" : "coefficients";
    const toml::array& entries = list(file, key, half ? "the first half of a palindrome" : "the list of the substeps");
    std::vector<Guard> c = numbers(entries, key);
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c[i] == 0)
        source.fail(entries[i],
                    "entry " + std::to_string(i + 1) + " of " + key + " is 0: a substep must have a length");
    if (half)
      for (std::size_t i = c.size() - (scheme.with_adjoint ? 0 : 1); i-- > 0;) c.push_back(Guard(c[i]));
    if (c.size() > most_substeps)
      source.fail(entries, "a composition has at most " + std::to_string(most_substeps) + " substeps, not " +
                               std::to_string(c.size()));
    for (const Guard& x : c) scheme.coefficients.push_back(x.str(file_decimals, std::ios_base::scientific));
    return scheme;
  }
};

std::vector<Guard> exact(const CompositionScheme& scheme) {
  std::vector<Guard> c;
  for (const std::string& decimal : scheme.coefficients) c.emplace_back(decimal);
  return c;
}

// "Y1 Y1 Y3": letters are the differences of the weights of the beginnings of a word.
std::string letters(const std::vector<CompositionWords::Word>& words, std::size_t i) {
  const auto& [weight, length, prefix] = words[i];
  if (length == 0) return "";
  const auto before = static_cast<std::size_t>(prefix);
  return letters(words, before) + (prefix > 0 ? " " : "") + "Y" + std::to_string(weight - words[before].weight);
}

std::string condition(const std::vector<CompositionWords::Word>& words, std::size_t i, bool with_adjoint) {
  const auto& [weight, length, prefix] = words[i];
  if (weight == 1) return "the sum of the coefficients must be 1";
  const std::string power = weight == 2 ? "squares" : weight == 3 ? "cubes" : std::to_string(weight) + "th powers";
  if (length == 1 && with_adjoint && weight % 2 == 0)
    return "the sum of the " + power + " of the coefficients, those of the adjoint with a minus, must be 0";
  if (length == 1) return "the sum of the " + power + " of the coefficients must be 0";
  return "the word " + letters(words, i) + " must have the coefficient " +
         (weight == length ? "1/" + std::to_string(weight) + "!" : "0") + " in the product of the exponentials";
}

// The conditions of one weight: the first that does not hold, shortest words first.
OrderCondition first_failing(const std::vector<Guard>& c, bool with_adjoint, int weight, double epsilon) {
  const auto words = CompositionWords(weight, with_adjoint).words;
  std::vector<Guard> sizes;
  for (const Guard& x : c) sizes.push_back(abs(x));
  const std::vector<Guard> product = composition_product(c, with_adjoint, words);
  // A relative error ε of all coefficients changes that of a word of weight w by at most ε w times its value for |c_i|.
  const std::vector<Guard> sensitivity = composition_product(sizes, false, words);
  OrderCondition found;
  int shortest = weight + 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].weight != weight || words[i].length >= shortest) continue;
    const Guard defect = product[i] - exact_coefficient<Guard>(words[i]);
    const Guard allowed = std::min<Guard>(rounding * epsilon * weight * sensitivity[i], sqrt(Guard(epsilon)));
    if (abs(defect) <= allowed) continue;
    shortest = words[i].length;
    found = {weight, condition(words, i, with_adjoint), static_cast<double>(defect)};
  }
  return found;
}

}  // namespace

SchemeOrder scheme_order(const CompositionScheme& scheme, bool symmetric_base, double epsilon) {
  const std::vector<Guard> c = exact(scheme);
  SchemeOrder found;
  for (int weight = 1; weight <= most_order; ++weight) {
    found.failing = first_failing(c, scheme.with_adjoint && !symmetric_base, weight, epsilon);
    if (found.failing.weight > 0) break;
    found.order = weight;
  }
  return found;
}

bool is_palindrome(const CompositionScheme& scheme, double epsilon) {
  const std::vector<Guard> c = exact(scheme);
  for (std::size_t i = 0; i < c.size(); ++i)
    if (abs(Guard(c[i] - c[c.size() - 1 - i])) > rounding * epsilon * abs(c[i])) return false;
  return true;
}

CompositionScheme parse_scheme(std::string text, const std::string& file_name) {
  const TomlSource source(file_name, std::move(text));
  return SchemeReader(source).read();
}

CompositionScheme load_scheme(const std::string& path) { return parse_scheme(read_text(path), path); }

}  // namespace holonom
