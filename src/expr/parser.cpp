#include "holonom/expr/parser.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "holonom/expr/decimal.hpp"
#include "holonom/expr/derivative.hpp"

namespace holonom {

namespace {

struct Function {
  std::string_view name;
  Op op;
  int arguments;
};
constexpr std::array functions{
    Function{"sqrt", Op::sqrt, 1}, Function{"exp", Op::exp, 1},     Function{"log", Op::log, 1},
    Function{"sin", Op::sin, 1},   Function{"cos", Op::cos, 1},     Function{"tan", Op::tan, 1},
    Function{"asin", Op::asin, 1}, Function{"acos", Op::acos, 1},   Function{"atan", Op::atan, 1},
    Function{"sinh", Op::sinh, 1}, Function{"cosh", Op::cosh, 1},   Function{"tanh", Op::tanh, 1},
    Function{"abs", Op::abs, 1},   Function{"floor", Op::floor, 1}, Function{"atan2", Op::atan2, 2},
    Function{"min", Op::min, 2},   Function{"max", Op::max, 2},     Function{"pow", Op::pow, 2},
};
// Functions that are not one operation of the graph.
constexpr std::array<std::pair<std::string_view, int>, 5> special_functions{
    {{"if", 3}, {"dot", 2}, {"norm", 1}, {"cross", 2}, {"rate", 1}}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// What stands at place i, for messages: a whole code point, and what to type instead of a symbol from
// a word processor.
std::string quoted_symbol(std::string_view text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
  const std::string_view symbol = text.substr(i, length);
  const bool whole = std::all_of(symbol.begin() + 1, symbol.end(),
                                 [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
  if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && (byte < 0xC0 || symbol.size() < length || !whole))) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    return std::string("the byte 0x") + hex[byte >> 4U] + hex[byte & 15U];
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> typed{{{"−", "-"},
                                                                                 {"–", "-"},
                                                                                 {"·", "*"},
                                                                                 {"×", "*"},
                                                                                 {"⋅", "*"},
                                                                                 {"÷", "/"},
                                                                                 {"²", "^2"},
                                                                                 {"³", "^3"},
                                                                                 {"π", "pi"},
                                                                                 {"√", "sqrt(...)"}}};
  std::string quoted = std::string("'").append(symbol).append("'");
  for (const auto& [seen, meant] : typed)
    if (symbol == seen) return quoted + " (write " + std::string(meant) + ")";
  if (text.substr(i, 1) == "*" && i > 0 && text[i - 1] == '*') return "'*' (a power is written with ^)";
  if (symbol == "=")
    return "'=' (an equation a = b is written as a - b, which is zero; a comparison is written with ==)";
  return quoted;
}

// Nested deeper than this, a formula would exhaust the stack.
constexpr int max_depth = 500;

class Parser {
 public:
  Parser(std::string_view text, const Scope& scope) : text_(text), scope_(scope), g_(*scope.graph) {}

  FormulaValue all() {
    skip_space();
    if (at_end()) fail(i_, "the formula is empty");
    FormulaValue value = comparison();
    if (!at_end()) {
      if (text_[i_] == ')' || text_[i_] == ']')
        fail(i_, std::string("'") + text_[i_] + "' without a matching opening bracket");
      fail(i_, "an operator was expected before " + quoted_symbol(text_, i_));
    }
    return value;
  }

 private:
  [[noreturn]] static void fail(std::size_t place, const std::string& what) { throw FormulaError(place, what); }

  bool at_end() const { return i_ >= text_.size(); }
  void skip_space() {
    while (!at_end() && (text_[i_] == ' ' || text_[i_] == '\t' || text_[i_] == '\n' || text_[i_] == '\r')) ++i_;
  }
  bool accept(std::string_view token) {
    if (text_.substr(i_, token.size()) != token) return false;
    i_ += token.size();
    skip_space();
    return true;
  }
  bool next_is(char c) const { return !at_end() && text_[i_] == c; }

  struct Nesting {
    explicit Nesting(Parser& p) : parser(p) {
      if (++parser.depth_ > max_depth) fail(parser.i_, "the formula is nested too deeply");
    }
    ~Nesting() { --parser.depth_; }
    Parser& parser;
  };

  Expr scalar(const FormulaValue& value, std::size_t place, std::string_view where) {
    if (const Expr* x = std::get_if<Expr>(&value)) return *x;
    fail(place, "a number was expected " + std::string(where) + ", not a vector");
  }
  const ExprVector& vector(const FormulaValue& value, std::size_t place, std::string_view where) {
    if (const ExprVector* x = std::get_if<ExprVector>(&value)) return *x;
    fail(place, "a vector was expected " + std::string(where) + ", not a number");
  }

  FormulaValue comparison() {
    const Nesting nesting(*this);
    const std::size_t place = i_;
    FormulaValue left = sum();
    for (const auto& [token, op, swapped, negated] :
         {Comparison{"<=", Op::less_equal, false, false}, Comparison{">=", Op::less_equal, true, false},
          Comparison{"==", Op::equal, false, false}, Comparison{"!=", Op::equal, false, true},
          Comparison{"<", Op::less, false, false}, Comparison{">", Op::less, true, false}}) {
      if (!accept(token)) continue;
      const std::size_t right_place = i_;
      Expr a = scalar(left, place, "in a comparison"), b = scalar(sum(), right_place, "in a comparison");
      if (swapped) std::swap(a, b);
      const NodeId truth = g_.apply(op, a.node, b.node);
      return Expr{&g_, negated ? g_.sub(Graph::one, truth) : truth};
    }
    return left;
  }
  struct Comparison {
    std::string_view token;
    Op op;
    bool swapped, negated;
  };

  FormulaValue sum() {
    FormulaValue left = product();
    for (;;) {
      const std::size_t place = i_;
      if (accept("+"))
        left = add(left, product(), place, Op::add);
      else if (accept("-"))
        left = add(left, product(), place, Op::sub);
      else
        return left;
    }
  }
  FormulaValue add(const FormulaValue& a, const FormulaValue& b, std::size_t place, Op op) {
    if (a.index() != b.index()) fail(place, "a vector and a number cannot be added");
    if (const Expr* x = std::get_if<Expr>(&a)) return detail::binary(op, *x, std::get<Expr>(b));
    const auto &u = std::get<ExprVector>(a), &v = std::get<ExprVector>(b);
    if (u.size() != v.size())
      fail(place, "vectors of " + std::to_string(u.size()) + " and " + std::to_string(v.size()) +
                      " components cannot be added");
    ExprVector w;
    for (std::size_t i = 0; i < u.size(); ++i) w.push_back(detail::binary(op, u[i], v[i]));
    return w;
  }

  FormulaValue product() {
    FormulaValue left = unary();
    for (;;) {
      const std::size_t place = i_;
      if (accept("*"))
        left = multiply(left, unary(), place);
      else if (accept("/"))
        left = divide(left, unary(), place);
      else
        return left;
    }
  }
  FormulaValue multiply(const FormulaValue& a, const FormulaValue& b, std::size_t place) {
    const bool va = std::holds_alternative<ExprVector>(a), vb = std::holds_alternative<ExprVector>(b);
    if (va && vb) fail(place, "two vectors cannot be multiplied with '*': use dot(u, v) or cross(u, v)");
    if (!va && !vb) return std::get<Expr>(a) * std::get<Expr>(b);
    ExprVector w = std::get<ExprVector>(va ? a : b);
    for (Expr& x : w) x = std::get<Expr>(va ? b : a) * x;
    return w;
  }
  FormulaValue divide(const FormulaValue& a, const FormulaValue& b, std::size_t place) {
    const Expr d = scalar(b, place, "after '/'");
    if (const Expr* x = std::get_if<Expr>(&a)) return *x / d;
    ExprVector w = std::get<ExprVector>(a);
    for (Expr& x : w) x = x / d;
    return w;
  }

  FormulaValue unary() {
    const Nesting nesting(*this);
    if (accept("-")) {
      FormulaValue x = unary();
      if (Expr* e = std::get_if<Expr>(&x)) return -*e;
      for (Expr& e : std::get<ExprVector>(x)) e = -e;
      return x;
    }
    if (accept("+")) return unary();
    return power();
  }
  FormulaValue power() {
    const std::size_t place = i_;
    FormulaValue base = postfix();
    if (!accept("^")) return base;
    const std::size_t exponent_place = i_;
    const Expr b = scalar(base, place, "before '^'"), e = scalar(unary(), exponent_place, "after '^'");
    return pow(b, e);
  }
  FormulaValue postfix() {
    FormulaValue value = primary();
    while (next_is('.')) {
      const std::size_t place = i_++;
      const char c = at_end() ? ' ' : text_[i_];
      const std::size_t k = c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : 3;
      if (k == 3 || (i_ + 1 < text_.size() && (is_letter(text_[i_ + 1]) || is_digit(text_[i_ + 1]))))
        fail(place, "a component is .x, .y or .z");
      ++i_;
      skip_space();
      const ExprVector& u = vector(value, place, "before a component");
      if (k >= u.size()) fail(place, "this vector has only " + std::to_string(u.size()) + " components");
      value = Expr(u[k]);
    }
    return value;
  }

  FormulaValue primary() {
    const std::size_t place = i_;
    if (at_end()) fail(place, "the formula ends where a value was expected");
    const char c = text_[i_];
    if (is_digit(c) || (c == '.' && i_ + 1 < text_.size() && is_digit(text_[i_ + 1]))) return number();
    if (is_letter(c)) return name();
    if (accept("(")) {
      FormulaValue value = comparison();
      close(')', place);
      return value;
    }
    if (accept("[")) {
      ExprVector u;
      do {
        const std::size_t component = i_;
        u.push_back(scalar(comparison(), component, "as a component"));
      } while (accept(","));
      close(']', place);
      return u;
    }
    fail(place, "a value was expected, not " + quoted_symbol(text_, place));
  }
  void close(char bracket, std::size_t opened_at) {
    if (next_is(bracket)) {
      ++i_;
      skip_space();
      return;
    }
    const char opening = bracket == ')' ? '(' : '[';
    fail(at_end() ? opened_at : i_,
         at_end() ? std::string("this '") + opening + "' is never closed"
                  : std::string("'") + bracket + "' or ',' was expected, not " + quoted_symbol(text_, i_));
  }

  FormulaValue number() {
    const std::size_t start = i_;
    while (!at_end() && (is_digit(text_[i_]) || text_[i_] == '.')) ++i_;
    if (!at_end() && (text_[i_] == 'e' || text_[i_] == 'E')) {
      std::size_t j = i_ + 1;
      if (j < text_.size() && (text_[j] == '+' || text_[j] == '-')) ++j;
      if (j < text_.size() && is_digit(text_[j])) {
        while (j < text_.size() && is_digit(text_[j])) ++j;
        i_ = j;
      }
    }
    const std::string_view digits = text_.substr(start, i_ - start);
    if (!at_end() && is_letter(text_[i_])) fail(i_, "an operator was expected after " + std::string(digits));
    try {
      const Expr x{&g_, g_.number(digits)};
      skip_space();
      return x;
    } catch (const std::out_of_range&) {
      fail(start, "this number is out of range: at most 5000 digits, and exponents from -5000 to 5000");
    } catch (const std::exception&) {
      fail(start, "'" + std::string(digits) + "' is not a number");
    }
  }

  FormulaValue name() {
    const std::size_t place = i_;
    while (!at_end() && (is_letter(text_[i_]) || is_digit(text_[i_]))) ++i_;
    const std::string_view word = text_.substr(place, i_ - place);
    skip_space();
    if (next_is('(')) return call(word, place);
    if (std::find(scope_.vectors.begin(), scope_.vectors.end(), word) != scope_.vectors.end()) return item(word, place);
    if (word == "pi") return Expr{&g_, g_.pi()};
    if (const auto it = scope_.names.find(word); it != scope_.names.end()) return it->second;
    if (word == "t")
      fail(place,
           "'t' is reserved: formulas must not depend on time. A drive is written with a clock coordinate, tau, and "
           "p_tau added to "
           "the hamiltonian: docs/time-dependent.md");
    if (is_function_name(word))
      fail(place, "'" + std::string(word) + "' is a function: write " + std::string(word) + "(...)");
    std::vector<std::string> known{"pi"};
    for (const auto& [n, value] : scope_.names) known.push_back(n);
    known.insert(known.end(), scope_.vectors.begin(), scope_.vectors.end());
    fail(place, "unknown name '" + std::string(word) + "'." + suggestion(word, known, "Known names"));
  }

  // r[i]: the components of one item of a vector coordinate
  FormulaValue item(std::string_view word, std::size_t place) {
    if (!next_is('[')) fail(place, "'" + std::string(word) + "' has many items: write " + std::string(word) + "[i]");
    const std::size_t opened_at = i_;
    accept("[");
    const std::size_t index_place = i_;
    const Expr index = scalar(comparison(), index_place, "as an index");
    close(']', opened_at);
    try {
      return scope_.gather(word, index.node);
    } catch (const std::invalid_argument& e) {
      fail(index_place, e.what());
    }
  }

  FormulaValue call(std::string_view word, std::size_t place) {
    if (!is_function_name(word)) {
      std::vector<std::string> known;
      for (const Function& f : functions) known.emplace_back(f.name);
      for (const auto& [n, k] : special_functions) known.emplace_back(n);
      if (scope_.names.contains(word))
        fail(place,
             "'" + std::string(word) + "' is not a function: write " + std::string(word) + "*(...) for a product");
      fail(place, "unknown function '" + std::string(word) + "'." + suggestion(word, known, "Functions"));
    }
    const std::size_t opened_at = i_;
    accept("(");
    std::vector<FormulaValue> arguments;
    std::vector<std::size_t> places;
    if (!next_is(')')) {
      do {
        places.push_back(i_);
        arguments.push_back(comparison());
      } while (accept(","));
    }
    close(')', opened_at);
    const auto check = [&](int wanted) {
      if (static_cast<int>(arguments.size()) == wanted) return;
      fail(place, std::string(word) + " takes " + std::to_string(wanted) +
                      (wanted == 1 ? " argument, " : " arguments, ") + std::to_string(arguments.size()) +
                      (arguments.size() == 1 ? " was given" : " were given"));
    };
    const auto number = [&](std::size_t k) { return scalar(arguments[k], places[k], "in " + std::string(word)); };
    const auto list = [&](std::size_t k) -> const ExprVector& {
      return vector(arguments[k], places[k], "in " + std::string(word));
    };
    for (const Function& f : functions) {
      if (f.name != word) continue;
      check(f.arguments);
      return f.arguments == 1 ? apply(f.op, number(0)) : detail::binary(f.op, number(0), number(1));
    }
    try {
      if (word == "if") {
        check(3);
        return select(number(0), number(1), number(2));
      }
      if (word == "dot") return check(2), FormulaValue(dot(list(0), list(1)));
      if (word == "norm") return check(1), FormulaValue(norm(list(0)));
      if (word == "cross") return check(2), FormulaValue(cross(list(0), list(1)));
    } catch (const std::invalid_argument& e) {
      fail(place, e.what());
    }
    check(1);  // rate
    const NodeId f = number(0).node;
    std::vector<NodeId> q = scope_.q, v = scope_.v;
    if (scope_.item_rates) scope_.item_rates(f, q, v);
    if (v.empty())
      fail(place,
           "rate(f) needs velocities: it may be used in the kinetic energy, in observables, and in what they use");
    return Expr{&g_, along(g_, std::span(&f, 1), q, v)[0]};
  }

  std::string_view text_;
  const Scope& scope_;
  Graph& g_;
  std::size_t i_ = 0;
  int depth_ = 0;
};

// Letters changed, added, lost, or exchanged with a neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

FormulaValue parse_formula(std::string_view text, const Scope& scope) { return Parser(text, scope).all(); }

bool is_function_name(std::string_view name) {
  return std::any_of(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; }) ||
         std::any_of(special_functions.begin(), special_functions.end(),
                     [&](const auto& f) { return f.first == name; });
}

bool is_valid_name(std::string_view name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const auto lower = [](std::string_view word) {
    std::string result(word);
    for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
  };
  const std::string wanted = lower(name);
  std::string best;
  constexpr std::size_t longest = 100;  // nobody writes longer names by mistake
  if (name.size() > longest) return best;
  // At least one letter must be right, whatever its case.
  std::size_t best_distance = std::min(std::max<std::size_t>(1, name.size() / 3) + 1, name.size());
  for (const std::string& c : candidates) {
    if (c.size() > 2 * longest) continue;
    const std::size_t d = edit_distance(wanted, lower(c));
    if (d < best_distance) {
      best_distance = d;
      best = c;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? std::string() : " Did you mean '" + near + "'?";
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates, const std::string& heading) {
  if (std::string near = did_you_mean(name, candidates); !near.empty()) return near;
  if (candidates.empty()) return {};
  constexpr std::size_t shown = 24;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, candidates.size()); ++i) list += (i > 0 ? ", " : "") + candidates[i];
  return " " + heading + ": " + list + (candidates.size() > shown ? ", ..." : ".");
}

}  // namespace holonom
