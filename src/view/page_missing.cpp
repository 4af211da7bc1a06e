// In a build without npm: there is no page.
#include "page_template.hpp"

namespace holonom {

std::string_view page_template() { return {}; }

}  // namespace holonom
