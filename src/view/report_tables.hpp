// Tables in the description of a page. Private to src/view.
#pragma once

#include "holonom/json.hpp"
#include "holonom/view/report.hpp"

namespace holonom {

void write_tables(Json& json, const std::vector<Report::Table>& tables);

}  // namespace holonom
