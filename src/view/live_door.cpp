#include "live_door.hpp"

#include <algorithm>
#include <cctype>
#include <random>

#include "holonom/expr/decimal.hpp"

namespace holonom {

namespace {

bool is_this_machine(std::string_view host) {
  const std::size_t colon = host.find(':');
  std::string name(host.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string_view port = colon == std::string_view::npos ? std::string_view() : host.substr(colon + 1);
  return (name == "127.0.0.1" || name == "localhost") && std::all_of(port.begin(), port.end(), is_digit);
}

bool is_from_here(const LiveRequest& request) {
  if (request.host.size() != 1 || !is_this_machine(request.host.front())) return false;
  const std::string here = "http://" + std::string(request.host.front());
  return std::all_of(request.origin.begin(), request.origin.end(), [&](auto origin) { return origin == here; }) &&
         std::all_of(request.fetch_site.begin(), request.fetch_site.end(),
                     [](auto site) { return site == "same-origin" || site == "none"; });
}

}  // namespace

bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differ |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return differ == 0;
}

LiveAnswer answer_to(const LiveRequest& request, std::string_view token) {
  if (request.method != "GET") return LiveAnswer::not_allowed;
  const std::string_view given = request.target.substr(std::min<std::size_t>(1, request.target.size()), token.size());
  const bool known = request.target.starts_with('/') && are_equal(given, token);
  if (!known || !is_from_here(request)) return LiveAnswer::forbidden;
  const std::string_view path = request.target.substr(1 + token.size());
  if (path == "/") return LiveAnswer::page;
  return path == "/rows" ? LiveAnswer::rows : LiveAnswer::not_found;
}

std::string random_token() {
  constexpr std::string_view hex = "0123456789abcdef";
  constexpr int words = 4, digits = 8;
  std::random_device system;
  std::string token;
  for (int k = 0; k < words; ++k) {
    const unsigned word = system();
    for (int d = 0; d < digits; ++d) token += hex[word >> 4 * d & 15U];
  }
  return token;
}

}  // namespace holonom
