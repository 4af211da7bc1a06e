#include "page_template.hpp"

#include <array>

#include "holonom/errors.hpp"
#include "holonom/view/page.hpp"

namespace holonom {

namespace {

// JSON in a script element ends at "</script", and a comment there may swallow the rest of the page: no '<' is left.
std::string in_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string in_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace

bool has_view() { return !page_template().empty(); }

void require_view() {
  if (!has_view())
    throw InputError(
        "this holonom was built without its page: npm was not found, or could not fetch what the page is made of. "
        "Install nodejs and npm, and build again; all other commands work without it");
}

std::string fill_page(const std::string& title, const std::string& description, const std::string& numbers) {
  require_view();
  const std::array<std::pair<std::string_view, std::string>, 3> parts{
      {{"@TITLE@", in_html(title)}, {"@HEAD@", in_script(description)}, {"@DATA@", numbers}}};
  const std::string_view whole = page_template();
  std::string page;
  std::size_t done = 0;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = whole.find(mark, done);
    page.append(whole.substr(done, at - done)).append(text);
    done = at + mark.size();
  }
  return page.append(whole.substr(done));
}

std::string page_policy() {
  constexpr std::string_view mark = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  const std::string_view whole = page_template();
  const std::size_t begin = whole.find(mark) + mark.size();
  return std::string(whole.substr(begin, whole.find('"', begin) - begin));
}

}  // namespace holonom
