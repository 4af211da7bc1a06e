#include "holonom/expr/formula_text.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <stdexcept>

namespace holonom {

namespace {

namespace mp = boost::multiprecision;
using Rational = mp::cpp_rational;

// How tightly the last operation of a text binds; a minus in front is one of a product: -a*b is -(a*b).
enum class Binding { comparison, sum, product, power, value };

struct Text {
  std::string words;
  Binding binding = Binding::value;
  bool negative = false;  // no sum, and begins with a minus, which a sum can take over
  bool divides = false;   // 1/x^2 and the like: with another number in front instead of 1 it is a multiple
  int depth = 0;          // of brackets
};

// Deeper than this, it is better to give a name to what is within. (The parser ends at 500.)
constexpr int deepest = 100;

std::string enclosed(const Text& x, Binding least) {
  return x.binding < least || (x.negative && least > Binding::sum) ? "(" + x.words + ")" : x.words;
}

class Writer {
 public:
  Writer(const Graph& graph, const InputNames& names, const FormulaStyle& style)
      : g_(graph), names_(names), style_(style) {}

  FormulaTexts operator()(std::span<const NodeId> roots) {
    const std::vector<NodeId> nodes = g_.reachable(roots);
    for (const NodeId i : nodes) {
      const Node& n = g_[i];
      const int k = arity(n.op);
      if (k > 0) ++uses_[n.a];
      if (k > 1) ++uses_[n.b];
      if (k > 2) ++uses_[n.c];
    }
    for (const NodeId r : roots) ++uses_[r];
    FormulaTexts result;
    for (const NodeId i : nodes) {  // arguments first
      Text text = write(i);
      const bool repeated = uses_[i] > 1 && text.words.size() > style_.longest_repeated;
      if (style_.longest_repeated > 0 && (repeated || text.depth > deepest)) {
        const std::string name = style_.abbreviation + std::to_string(result.let.size() + 1);
        result.let.emplace_back(name, std::move(text.words));
        text = {name};
      }
      known_.emplace(i, std::move(text));
    }
    for (const NodeId r : roots) result.formulas.push_back(known_.at(r).words);
    return result;
  }

 private:
  const Text& at(NodeId i) const { return known_.at(i); }
  int depth_of(NodeId i) const {
    const Node& n = g_[i];
    const int k = arity(n.op);
    int depth = k > 0 ? at(n.a).depth : 0;
    if (k > 1) depth = std::max(depth, at(n.b).depth);
    if (k > 2) depth = std::max(depth, at(n.c).depth);
    return depth + 1;
  }

  Text write(NodeId i) const {
    Text text = of_node(i);
    text.depth = arity(g_[i].op) > 0 ? depth_of(i) : 0;
    return text;
  }

  Text of_node(NodeId i) const {
    const Node& n = g_[i];
    switch (n.op) {
      case Op::constant: return number(Rational(g_.number_text(i)));
      case Op::pi: return {"pi"};
      case Op::input: {
        const auto name = names_.find(i);
        if (name == names_.end()) throw std::invalid_argument("an input of the formula has no name");
        return {name->second};
      }
      case Op::add: return sum(n.a, n.b);
      case Op::sub: return difference(n.a, n.b);
      case Op::mul: return product(n.a, n.b);
      case Op::div:
        return {enclosed(at(n.a), Binding::product) + "/" + enclosed(at(n.b), Binding::power), Binding::product};
      case Op::neg: return {"-" + enclosed(at(n.a), Binding::product), Binding::product, true};
      case Op::powi:
        if (n.exponent() < 0) return {"1/" + power(n.a, -n.exponent()), Binding::product, false, true};
        return {power(n.a, n.exponent()), Binding::power};
      case Op::pow:
        return {enclosed(at(n.a), Binding::value) + "^" + enclosed(at(n.b), Binding::value), Binding::power};
      case Op::less: return comparison(n, " < ");
      case Op::less_equal: return comparison(n, " <= ");
      case Op::equal: return comparison(n, " == ");
      case Op::select: return call("if", {n.a, n.b, n.c});
      case Op::sign: {  // no function of the language
        const std::string x = enclosed(at(n.a), Binding::sum);
        return {"if(" + x + " > 0, 1, if(" + x + " < 0, -1, 0))"};
      }
      case Op::sqrt: return call("sqrt", {n.a});
      case Op::exp: return call("exp", {n.a});
      case Op::log: return call("log", {n.a});
      case Op::sin: return call("sin", {n.a});
      case Op::cos: return call("cos", {n.a});
      case Op::tan: return call("tan", {n.a});
      case Op::asin: return call("asin", {n.a});
      case Op::acos: return call("acos", {n.a});
      case Op::atan: return call("atan", {n.a});
      case Op::sinh: return call("sinh", {n.a});
      case Op::cosh: return call("cosh", {n.a});
      case Op::tanh: return call("tanh", {n.a});
      case Op::abs: return call("abs", {n.a});
      case Op::floor: return call("floor", {n.a});
      case Op::atan2: return call("atan2", {n.a, n.b});
      case Op::min: return call("min", {n.a, n.b});
      case Op::max: return call("max", {n.a, n.b});
    }
    throw std::logic_error("an operation without a text");
  }

  Text call(const char* name, std::initializer_list<NodeId> arguments) const {
    std::string words = std::string(name) + "(";
    for (const NodeId x : arguments) words += (words.back() == '(' ? "" : ", ") + at(x).words;
    return {words + ")"};
  }
  Text comparison(const Node& n, const char* sign) const {
    return {enclosed(at(n.a), Binding::sum) + sign + enclosed(at(n.b), Binding::sum), Binding::comparison};
  }
  std::string power(NodeId base, int exponent) const {
    return exponent == 1 ? enclosed(at(base), Binding::power)
                         : enclosed(at(base), Binding::value) + "^" + std::to_string(exponent);
  }

  // The graph sorts the terms of a sum. What is a sum itself stands first, where it needs no brackets; else what has no
  // minus.
  Text sum(NodeId a, NodeId b) const {
    const Text *first = &at(a), *second = &at(b);
    const bool swap = first->binding == Binding::sum || second->binding == Binding::sum
                          ? first->binding != Binding::sum
                          : first->negative && !second->negative;
    if (swap) std::swap(first, second);
    if (second->negative && have_equal_factors(a, b))
      return {enclosed(*first, Binding::sum) + " + " + second->words, Binding::sum};
    if (second->negative) return minus(*first, second->words.substr(1), second->binding);
    return {enclosed(*first, Binding::sum) + " + " + enclosed(*second, Binding::product), Binding::sum};
  }
  // a − (−b) is a + b, to the last bit.
  Text difference(NodeId i, NodeId j) const {
    const Text &a = at(i), &b = at(j);
    if (b.negative && have_equal_factors(i, j)) return {enclosed(a, Binding::sum) + " - " + b.words, Binding::sum};
    if (b.negative) return {enclosed(a, Binding::sum) + " + " + b.words.substr(1), Binding::sum};
    return minus(a, b.words, b.binding);
  }
  // 3*x + -3*y: as 3*x - 3*y it would be read as 3*(x - y), which is rounded otherwise. (Where numbers are rounded,
  // that is no matter.)
  bool have_equal_factors(NodeId i, NodeId j) const {
    const Node &a = g_[i], &b = g_[j];
    if (style_.digits > 0 || a.op != Op::mul || b.op != Op::mul || !g_.is_number(a.a) || !g_.is_number(b.a))
      return false;
    return mp::abs(Rational(g_.number_text(a.a))) == mp::abs(Rational(g_.number_text(b.a)));
  }
  static Text minus(const Text& a, const std::string& b, Binding binding) {
    return {enclosed(a, Binding::sum) + " - " + (binding < Binding::product ? "(" + b + ")" : b), Binding::sum};
  }

  // Factors are sorted as well. A number is in front, and its denominator at the end; a power below zero is divided by.
  Text product(NodeId a, NodeId b) const {
    if (g_.is_number(a)) return multiple(Rational(g_.number_text(a)), at(b));
    const auto is_below = [&](NodeId i) { return g_[i].op == Op::powi && g_[i].exponent() < 0; };
    if (is_below(a) && !is_below(b)) std::swap(a, b);
    if (is_below(b) && is_inline(b))
      return {enclosed(at(a), Binding::product) + "/" + power(g_[b].a, -g_[b].exponent()), Binding::product, false,
              at(a).divides};
    if (at(a).binding != Binding::product && at(b).binding == Binding::product) std::swap(a, b);
    return {enclosed(at(a), Binding::product) + "*" + enclosed(at(b), Binding::power), Binding::product};
  }
  bool is_inline(NodeId i) const { return at(i).binding != Binding::value; }  // not the name of an abbreviation

  Text multiple(const Rational& c, const Text& x) const {
    const bool negative = c < 0, whole = !is_long(c) && !(style_.decimals && mp::denominator(c) > 8 && ends(c));
    const mp::cpp_int top = mp::abs(mp::numerator(c)), bottom = whole ? mp::denominator(c) : mp::cpp_int(1);
    const std::string factor = whole ? top.str() : decimal(mp::abs(c));
    std::string words = enclosed(x, Binding::product);
    if (factor == "1") {
    } else if (x.divides) {
      words.replace(0, 1, factor);
    } else {  // 3*2/x would be 6/x, which is rounded once
      words = factor + "*" + (divides_a_number(words) ? "(" + words + ")" : words);
    }
    if (bottom != 1) words += "/" + bottom.str();
    return {(negative ? "-" : "") + words, Binding::product, negative};
  }

  // Whether a product begins with 2/x
  static bool divides_a_number(const std::string& words) {
    const std::size_t end = words.find_first_not_of("0123456789.");
    return end != 0 && end != std::string::npos && words[end] == '/';
  }

  Text number(const Rational& c) const {
    const bool negative = c < 0;
    const Rational size = mp::abs(c);
    const bool whole = mp::denominator(size) == 1, as_decimal = is_long(c) || (style_.decimals && ends(c));
    const std::string words = as_decimal ? decimal(size) : size.str();
    return {(negative ? "-" : "") + words, as_decimal || whole ? Binding::value : Binding::product, negative};
  }
  static bool ends(const Rational& c) { return decimals(mp::denominator(c)) >= 0; }
  // Whether a number is shown as a decimal: one that was written as such, with many digits, or one that is rounded.
  bool is_long(const Rational& c) const {
    constexpr std::size_t readable = 12;
    const bool many =
        std::max(mp::cpp_int(mp::abs(mp::numerator(c))).str().size(), mp::denominator(c).str().size()) > readable;
    return many && (style_.digits > 0 || decimals(mp::denominator(c)) >= 0);
  }
  // How many digits behind the point 1/d has; -1: without end
  static int decimals(mp::cpp_int d) {
    const auto twos = static_cast<int>(mp::lsb(d));
    d >>= twos;
    int fives = 0;
    for (int many = 1024; many > 0; many /= 2)  // of long numbers many at once
      for (const mp::cpp_int power = mp::pow(mp::cpp_int(5), static_cast<unsigned>(many)); d % power == 0; d /= power)
        fives += many;
    return d == 1 ? std::max(twos, fives) : -1;
  }
  std::string decimal(const Rational& c) const {
    if (style_.digits > 0) {
      const auto value = mp::cpp_bin_float_50(mp::numerator(c)) / mp::cpp_bin_float_50(mp::denominator(c));
      return value.str(style_.digits, std::ios_base::fmtflags(0));
    }
    const int places = decimals(mp::denominator(c));
    std::string digits =
        mp::cpp_int(mp::numerator(c) * mp::pow(mp::cpp_int(10), static_cast<unsigned>(places)) / mp::denominator(c))
            .str();
    const auto after = static_cast<std::size_t>(places);
    if (style_.decimals) {
      constexpr std::size_t most_zeros = 6;  // in front, or at the end
      const std::size_t end = digits.find_last_not_of('0') + 1;
      if (digits.size() + most_zeros < after || end + most_zeros < digits.size()) return with_exponent(digits, places);
    }
    if (places == 0) return digits;
    if (digits.size() <= after) digits.insert(0, after + 1 - digits.size(), '0');
    return digits.insert(digits.size() - after, ".");
  }

  // 1.5e-30 for 15 and 31 places. The parser knows exponents from -5000 to 5000.
  static std::string with_exponent(std::string digits, int places) {
    constexpr int most = 5000;
    const int size = static_cast<int>(digits.size()) - 1 - places, exponent = std::clamp(size, -most, most);
    digits.resize(digits.find_last_not_of('0') + 1);
    if (size < exponent) digits.insert(0, static_cast<std::size_t>(exponent - size), '0');
    const auto whole = static_cast<std::size_t>(1 + std::max(0, size - exponent));
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    if (digits.size() > whole) digits.insert(whole, ".");
    return digits + "e" + std::to_string(exponent);
  }

  const Graph& g_;
  const InputNames& names_;
  const FormulaStyle& style_;
  std::unordered_map<NodeId, int> uses_;
  std::unordered_map<NodeId, Text> known_;
};

}  // namespace

FormulaTexts formula_texts(const Graph& graph, std::span<const NodeId> roots, const InputNames& names,
                           const FormulaStyle& style) {
  return Writer(graph, names, style)(roots);
}

std::string formula_text(const Graph& graph, NodeId root, const InputNames& names) {
  FormulaStyle style;
  style.longest_repeated = 0;
  return formula_texts(graph, std::span(&root, 1), names, style).formulas.front();
}

}  // namespace holonom
