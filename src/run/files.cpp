#include "holonom/run/files.hpp"

#include <filesystem>

#include "holonom/errors.hpp"

namespace holonom {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto full = [&error](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return !full(a).empty() && full(a) == full(b);
}

void protect_inputs(const std::string& field, const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty()) return;
  for (const std::string& input : inputs)
    if (same_file(output, input))
      throw InputError(field + " " + output + ": this is the file " + input +
                       ", which is read, and is never overwritten; give another name");
}

}  // namespace holonom
