#include "holonom/coefficients/pair_file.hpp"

#include "coefficient_reader.hpp"

namespace holonom {

struct ExactTableau {
  Tableau<Guard> method;
};

namespace {

class PairReader : private CoefficientReader {
 public:
  explicit PairReader(const TomlSource& toml_source) : CoefficientReader(toml_source) {}

  PairFile read() {
    const toml::table file = source.parse();
    check_keys(file, {"name", "A", "b", "c"}, "the file of a pair");
    const toml::array& A = list(file, "A", "a list of rows");
    const std::size_t s = A.size();
    Tableau<Guard> t(static_cast<int>(s));
    for (std::size_t i = 0; i < s; ++i) {
      const std::string row = "row " + std::to_string(i + 1) + " of A";
      if (!A[i].is_array()) source.fail(A[i], row + " must be a list: A = [[\"0\", \"0\"], [\"1/2\", \"1/2\"]]");
      const Vec<Guard> entries = vector(*A[i].as_array(), s, row);
      for (int j = 0; j < t.stages(); ++j) t.A(static_cast<int>(i), j) = entries[j];
    }
    t.b = vector(list(file, "b", "the list of the weights"), s, "b");
    if (file.get("c")) {
      t.c = vector(list(file, "c", "the list of the nodes"), s, "c");
    } else {
      for (int i = 0; i < t.stages(); ++i)
        for (int j = 0; j < t.stages(); ++j) t.c[i] += t.A(i, j);
    }
    return {name(file), std::make_shared<ExactTableau>(ExactTableau{std::move(t)})};
  }

 private:
  Vec<Guard> vector(const toml::array& entries, std::size_t s, const std::string& what) const {
    if (entries.size() != s)
      source.fail(entries, what + " has " + std::to_string(entries.size()) + " entries, but A has " +
                               std::to_string(s) + " rows: it needs " + std::to_string(s));
    const std::vector<Guard> values = numbers(entries, what);
    Vec<Guard> x(static_cast<int>(s));
    for (std::size_t i = 0; i < s; ++i) x[static_cast<int>(i)] = values[i];
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

PairFile load_pair(const std::string& path) { return parse_pair(read_text(path), path); }

#define HOLONOM_INSTANTIATE(S)                      \
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
