// The files of a run, by their names.
#pragma once

#include <string>
#include <vector>

namespace holonom {

// Whether two names stand for one file, be it there yet or not.
bool same_file(const std::string& a, const std::string& b);

// Throws InputError if an output, named by a field, is one of the files that are read, also under another name.
void protect_inputs(const std::string& field, const std::string& output, const std::vector<std::string>& inputs);

}  // namespace holonom
