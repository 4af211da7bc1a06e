// The page without its contents, as viewer/ makes it, and its contents put in. Private to src/view.
#pragma once

#include <string>
#include <string_view>

namespace holonom {

// With a place each for title, description (JSON) and numbers (base64). Empty in a build without npm.
std::string_view page_template();

// Text of others becomes text of the page, never HTML or script.
std::string fill_page(const std::string& title, const std::string& description, const std::string& numbers);

// What the page allows itself, for the header of those who serve it
std::string page_policy();

}  // namespace holonom
