// Who may look at a live page: only who knows the token, by a name of this machine, from the page itself. Private to
// src/view.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holonom {

// What a request says of itself. Headers that are there twice are two entries.
struct LiveRequest {
  std::string_view method, target;
  std::vector<std::string_view> host, origin, fetch_site;
};

enum class LiveAnswer {
  page,
  rows,
  forbidden,
  not_found,
  not_allowed  // the method
};

// Targets are /TOKEN/ and /TOKEN/rows.
//   Host is 127.0.0.1 or localhost, with any port (ports can be forwarded): a name of somebody else that was made to
//   point here is none of these.
//   Origin and Sec-Fetch-Site, if they are there, say that it is this page that asks, or a person.
LiveAnswer answer_to(const LiveRequest& request, std::string_view token);

// 128 bits from the system, as hexadecimal digits
std::string random_token();

// In a time that does not depend on where they differ
bool are_equal(std::string_view a, std::string_view b);

}  // namespace holonom
