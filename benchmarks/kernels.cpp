// Mapped kernels of a chain of 50 beads with a Lennard-Jones potential between all pairs: hand-written
// scalar code, native code, and the interpreter. All do the same work from arrays to arrays.
#include <array>
#include <cmath>
#include <cstdlib>

#include "chains.hpp"
#include "hand_written_chain.hpp"
#include "holonom/expr/map_interpreter.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "measure.hpp"

using namespace holonom;
namespace chain = hand::chain;

namespace {

using Numbers = std::vector<double>;
using Outputs = std::array<Numbers, 2>;  // V_q, V_qq u; g and G; g_qq

struct Row {
  std::string name;
  MappedTerm::Role role;
  Formula formula;
  int calls;                                  // a round
  std::function<void(Outputs& out)> by_hand;  // a round
};

template <class F>
Row make_row(const char* name, MappedTerm::Role role, Formula formula, F by_hand) {
  const int calls = role == MappedTerm::Role::energy ? 40 : 2000;
  return {name, role, formula, calls, [=](Outputs& out) {
            for (int i = 0; i < calls; ++i) by_hand(out);
          }};
}

// A formula of the model: its kernel, and the term with the table that it is applied to.
struct Kernel {
  const MappedTerm* term;
  MapProgram map;
  NativeMap native;
};

// From the text to code that can be called, in one batch.
struct Built {
  std::shared_ptr<const CompiledModel> model;
  std::vector<Kernel> kernels;  // one for each row
  double seconds;

  explicit Built(const std::vector<Row>& rows) {
    const double begin = cpu_seconds();
    model = compile(parse_model(chains::beads, "benchmark"));
    std::vector<MapKernel> list;
    for (const Row& row : rows)
      for (const MappedTerm& term : model->model().terms)
        if (term.role == row.role) {
          const Kernel& k = kernels.emplace_back(Kernel{&term, model->map_program(term, row.formula), {}});
          list.push_back({k.map.kernel.get(), k.map.signature, term.rows});
        }
    if (native_available()) {
      const std::vector<NativeMap> code = compile_native_map(list);
      for (std::size_t k = 0; k < code.size(); ++k) kernels[k].native = code[k];
    }
    seconds = cpu_seconds() - begin;
  }
};

struct Inputs {
  Numbers q = Numbers(chain::n), u = q, v = q;
};

// A kernel with its arrays. Forces are added up from zero, in one array.
class Call {
 public:
  Call(const Kernel& kernel, const Inputs& x, Outputs& result) : rows_(kernel.term->rows), forces_(result[0]) {
    using Source = MapProgram::Source;
    for (const Source source : kernel.map.sources)
      in_.push_back((source == Source::q ? x.q : source == Source::u ? x.u : x.v).data());
    for (const auto& gather : kernel.term->gathers) index_.push_back(gather.first.data());
    for (const MapOutput& output : kernel.map.signature.outputs) {
      adds_ = output.kind == MapOutput::Kind::scattered;
      out_.push_back(result[adds_ ? 0 : out_.size()].data());
    }
  }
  void operator()(auto&& apply) {
    if (adds_) std::fill(forces_.begin(), forces_.end(), 0.0);
    apply(0, rows_, in_.data(), index_.data(), out_.data());
  }

 private:
  long rows_;
  Numbers& forces_;
  bool adds_ = false;
  std::vector<const double*> in_;
  std::vector<const std::int32_t*> index_;
  std::vector<double*> out_;
};

void must_agree(const std::string& what, const Outputs& a, const Outputs& b, double tolerance) {
  double size = 0, apart = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      size = std::max(size, std::abs(b[k][i]));
      if (const double d = std::abs(a[k][i] - b[k][i]); !(d <= apart)) apart = d;
    }
  if (size > 0 && apart <= tolerance * size) return;
  std::printf("%s: results of size %.1e differ by %.1e\n", what.c_str(), size, apart);
  std::abort();
}

void compare(const Row& row, const Kernel& kernel, const Inputs& x) {
  constexpr int rounds = 301;
  const Outputs zero = row.role == MappedTerm::Role::energy ? Outputs{Numbers(chain::n)}
                                                            : Outputs{Numbers(chain::m), Numbers(6 * chain::m)};
  Outputs hand = zero, native = zero, interpreted = zero;
  Call call_native(kernel, x, native), call_interpreter(kernel, x, interpreted);
  MapInterpreter<double> interpreter(kernel.map.kernel, kernel.map.signature);
  std::vector<Contestant> contestants{{"hand-written", [&] { row.by_hand(hand); }, {}},
                                      {"interpreted",
                                       [&] {
                                         for (int i = 0; i < row.calls; ++i) call_interpreter(interpreter);
                                       },
                                       {}}};
  if (kernel.native)
    contestants.push_back({"native",
                           [&] {
                             for (int i = 0; i < row.calls; ++i) call_native(kernel.native.function());
                           },
                           {}});
  measure(contestants, rounds);
  must_agree(row.name + ", interpreted and hand-written", interpreted, hand, 1e-13);
  if (kernel.native) must_agree(row.name + ", native and interpreted", native, interpreted, 0);

  const double base = contestants[0].median();
  std::printf("  %-12s %5d rows %12.1f ns", row.name.c_str(), kernel.term->rows, 1e9 * base / row.calls);
  std::printf(" %12.2f", contestants[1].median() / base);
  if (kernel.native) std::printf(" %12.2f", contestants[2].median() / base);
  std::printf("\n");
}

}  // namespace

int main() {
  Inputs x;
  using enum MappedTerm::Role;
  const std::vector<Row> rows{
      make_row("V_q", energy, Formula::V_q, [&](Outputs& out) { chain::V_q(x.q.data(), out[0].data()); }),
      make_row("V_qq u", energy, Formula::V_qq,
               [&](Outputs& out) { chain::V_qq(x.q.data(), x.u.data(), out[0].data()); }),
      make_row("g and G", constraint, Formula::g_and_G,
               [&](Outputs& out) { chain::g_and_G(x.q.data(), out[0].data(), out[1].data()); }),
      make_row("g_qq(u, v)", constraint, Formula::g_qq,
               [&](Outputs& out) { chain::g_qq(x.u.data(), x.v.data(), out[0].data()); }),
      make_row("g_qq(u, u)", constraint, Formula::g_uu, [&](Outputs& out) { chain::g_uu(x.u.data(), out[0].data()); })};

  const Built built(rows);  // the first one also initialises LLVM
  Numbers again;
  for (int i = 0; i < 11; ++i) again.push_back(Built(rows).seconds);
  std::nth_element(again.begin(), again.begin() + 5, again.end());

  // Near the start, but not on it: there g is nothing but rounding errors.
  const State<double> start = initial_state(ModelSystem<double>(built.model)).state;
  for (int i = 0; i < chain::n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    x.q[k] = start.q[i] + 0.01 * std::sin(2.1 * i);
    x.u[k] = std::sin(1.3 * i);
    x.v[k] = std::cos(0.7 * i);
  }
  std::printf("Kernels of 50 beads, Lennard-Jones between all %d pairs: hand-written scalar code, and ratios to it\n",
              built.kernels[0].term->rows);
  std::printf("  %-12s %10s %15s %12s %12s\n", "", "", "hand-written", "interpreted",
              native_available() ? "native" : "");
  for (std::size_t k = 0; k < rows.size(); ++k) compare(rows[k], built.kernels[k], x);
  std::printf("  set-up, from the text of the model to code for all rows: %.1f ms, again %.1f ms\n\n",
              1e3 * built.seconds, 1e3 * again[5]);
}
