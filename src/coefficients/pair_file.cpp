#include "holonom/coefficients/pair_file.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <filesystem>

#include "../model/formula_reader.hpp"
#include "guard.hpp"
#include "holonom/model/constants.hpp"

namespace holonom {

template <>
Guard exact_number<Guard>(std::string_view text) {
  const boost::multiprecision::cpp_rational r{std::string(text)};
  return Guard(numerator(r)) / Guard(denominator(r));
}

struct ExactTableau {
  Tableau<Guard> method;
};

namespace {

class PairReader : private FormulaReader {
 public:
  explicit PairReader(const TomlSource& toml_source) : FormulaReader(toml_source) {}

  PairFile read() {
    const toml::table root = source.parse();
    check_keys(root, {"name", "A", "b", "c"}, "the file of a pair");
    const toml::array& A = list(root, "A", "a list of rows");
    const std::size_t s = A.size();
    Tableau<Guard> t(static_cast<int>(s));
    for (std::size_t i = 0; i < s; ++i) {
      const std::string row = "row " + std::to_string(i + 1) + " of A";
      if (!A[i].is_array()) source.fail(A[i], row + " must be a list: A = [[\"0\", \"0\"], [\"1/2\", \"1/2\"]]");
      const Vec<Guard> entries = numbers(*A[i].as_array(), s, row);
      for (int j = 0; j < t.stages(); ++j) t.A(static_cast<int>(i), j) = entries[j];
    }
    t.b = numbers(list(root, "b", "the list of the weights"), s, "b");
    if (root.get("c")) {
      t.c = numbers(list(root, "c", "the list of the nodes"), s, "c");
    } else {
      for (int i = 0; i < t.stages(); ++i)
        for (int j = 0; j < t.stages(); ++j) t.c[i] += t.A(i, j);
    }
    return {name(root), std::make_shared<ExactTableau>(ExactTableau{std::move(t)})};
  }

 private:
  std::string name(const toml::table& root) const {
    const toml::node* node = root.get("name");
    if (!node) return std::filesystem::path(source.file()).stem().string();
    if (!node->is_string()) source.fail(*node, "the name must be a string");
    return *node->value<std::string>();
  }

  const toml::array& list(const toml::table& root, const std::string& key, const std::string& what) const {
    const toml::node* node = root.get(key);
    if (!node) throw InputError(source.file() + ":1:1: '" + key + "' is missing: add " + key + " = [...], " + what);
    if (!node->is_array() || node->as_array()->empty()) source.fail(*node, key + " must be " + what + ", " + key + " = [...]");
    return *node->as_array();
  }

  Vec<Guard> numbers(const toml::array& entries, std::size_t s, const std::string& what) const {
    if (entries.size() != s)
      source.fail(entries, what + " has " + std::to_string(entries.size()) + " entries, but A has " + std::to_string(s) +
                               " rows: it needs " + std::to_string(s));
    std::vector<NodeId> nodes;
    for (const toml::node& entry : entries) nodes.push_back(constant(entry, "an entry of " + what));
    const std::vector<Guard> values = evaluate_constants<Guard>(model, nodes);
    Vec<Guard> x(static_cast<int>(s));
    for (std::size_t i = 0; i < s; ++i) {
      if (!is_finite(values[i])) source.fail(entries[i], "entry " + std::to_string(i + 1) + " of " + what + " is not a finite number; correct its formula");
      x[static_cast<int>(i)] = values[i];
    }
    return x;
  }
};

}  // namespace

PairFile::PairFile(std::string name, std::shared_ptr<const ExactTableau> exact)
    : name_(std::move(name)), exact_(std::move(exact)) {}

int PairFile::stages() const { return exact_->method.stages(); }

template <class S>
Tableau<S> PairFile::tableau() const {
  return rounded<S>(exact_->method, Nearest<S>());
}
template <class S>
Tableau<S> PairFile::dual() const {
  return rounded<S>(symplectic_dual(exact_->method), Nearest<S>());
}

PairFile parse_pair(std::string text, const std::string& file_name) {
  const TomlSource source(file_name, std::move(text));
  return PairReader(source).read();
}

PairFile load_pair(const std::string& path) {
  return parse_pair(read_text(path), path);
}

#define HOLONOM_INSTANTIATE(S)                       \
  template Tableau<S> PairFile::tableau<S>() const; \
  template Tableau<S> PairFile::dual<S>() const;
HOLONOM_INSTANTIATE(double)
HOLONOM_INSTANTIATE(long double)
HOLONOM_INSTANTIATE(quad)
HOLONOM_INSTANTIATE(mp100)
HOLONOM_INSTANTIATE(Dual<double>)
HOLONOM_INSTANTIATE(Dual<quad>)
#undef HOLONOM_INSTANTIATE

}  // namespace holonom
