// Words of arguments, and what they stand for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

// What a word stands for. Throws InputError, with the nearest word.
template <class Choice>
Choice choice(const std::string& argument, const std::string& word,
              const std::vector<std::pair<std::string, Choice>>& known) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    names.push_back(name);
  }
  throw InputError(argument + " " + word + ": there is none of this name." + suggestion(word, names, "There are"));
}

inline Precision precision_of(const std::string& word) {
  return choice<Precision>("precision", word,
                           {{"double", Precision::double_},
                            {"long", Precision::long_},
                            {"quad", Precision::quad_},
                            {"100", Precision::digits_100}});
}
inline EngineChoice engine_of(const std::string& word) {
  return choice<EngineChoice>(
      "engine", word,
      {{"auto", EngineChoice::automatic}, {"interp", EngineChoice::interpreter}, {"llvm", EngineChoice::native}});
}
inline StageMatrix newton_of(const std::string& word) {
  return choice<StageMatrix>("newton", word,
                             {{"auto", StageMatrix::automatic},
                              {"start", StageMatrix::start},
                              {"stages", StageMatrix::stages},
                              {"full", StageMatrix::full}});
}

}  // namespace holonom
