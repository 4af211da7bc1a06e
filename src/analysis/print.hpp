// printf into a string that grows.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace holonom {

[[gnu::format(printf, 2, 3)]] inline void print(std::string& out, const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(size) + 1);
  std::vsnprintf(out.data() + before, static_cast<std::size_t>(size) + 1, format, again);
  va_end(again);
  out.pop_back();  // the zero at the end
}

}  // namespace holonom
