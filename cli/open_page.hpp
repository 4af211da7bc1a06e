// A page in the browser of this desktop.
#pragma once

#include <string>

namespace holonom {

// A file or an address. Says so if there is no browser to be found.
void open_page(const std::string& address);
// The same, without waiting for it: what opens pages may become the browser itself.
void open_page_meanwhile(const std::string& address);

}  // namespace holonom
