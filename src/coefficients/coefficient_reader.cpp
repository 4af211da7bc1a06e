#include "coefficient_reader.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <filesystem>

#include "holonom/model/constants_impl.hpp"

namespace holonom {

template <>
Guard exact_number<Guard>(std::string_view text) {
  const boost::multiprecision::cpp_rational r{std::string(text)};
  return Guard(numerator(r)) / Guard(denominator(r));
}

std::string CoefficientReader::text(const toml::table& root, const std::string& key,
                                    const std::string& otherwise) const {
  const toml::node* node = root.get(key);
  if (!node) return otherwise;
  if (!node->is_string()) source.fail(*node, "the " + key + " must be a string");
  return *node->value<std::string>();
}

std::string CoefficientReader::name(const toml::table& root) const {
  return text(root, "name", std::filesystem::path(source.file()).stem().string());
}

const toml::array& CoefficientReader::list(const toml::table& root, const std::string& key,
                                           const std::string& what) const {
  const toml::node* node = root.get(key);
  if (!node) throw InputError(source.file() + ":1:1: '" + key + "' is missing: add " + key + " = [...], " + what);
  if (!node->is_array() || node->as_array()->empty())
    source.fail(*node, key + " must be " + what + ", " + key + " = [...]");
  return *node->as_array();
}

std::vector<Guard> CoefficientReader::numbers(const toml::array& entries, const std::string& what) const {
  std::vector<NodeId> nodes;
  for (const toml::node& entry : entries) nodes.push_back(constant(entry, "an entry of " + what));
  std::vector<Guard> values = evaluate_constants<Guard>(model, nodes);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_finite(values[i]))
      source.fail(entries[i],
                  "entry " + std::to_string(i + 1) + " of " + what + " is not a finite number; correct its formula");
  return values;
}

}  // namespace holonom
