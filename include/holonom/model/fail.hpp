// How code that knows no places tells of a mistake.
#pragma once

#include <functional>
#include <string>

namespace holonom {

// Throws an InputError that says where, and what.
using Fail = std::function<void(const std::string& what)>;

}  // namespace holonom
