// The module holonom._core: the library as Python sees it. What is pleasant to use is made of it in python/holonom.
#include "bindings.hpp"
#include "holonom/version.hpp"
#include "unlocked.hpp"

namespace {

// pybind11 gives a method of an object whose __init__ was never called memory with nothing in it. Here it is refused.
void refuse_unmade_objects(const pybind11::module_& m) {
  for (const auto& [name, value] : pybind11::cast<pybind11::dict>(m.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    if (auto* type = pybind11::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())))
      type->operator_new = [](std::size_t) -> void* {
        throw pybind11::type_error("this object was never made: __init__ has not been called");
      };
  }
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "Holonom's library; see the package holonom.";
  m.attr("__version__") = holonom::version;
  holonom::bind_errors(m);
  holonom::bind_expressions(m);
  holonom::bind_model(m);
  holonom::bind_system(m);
  holonom::bind_run(m);
  holonom::bind_analysis(m);
  refuse_unmade_objects(m);
  holonom::Leaving::prepare();
}
