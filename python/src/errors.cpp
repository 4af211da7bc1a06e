// The library's errors as exceptions of Python.
#include "holonom/errors.hpp"

#include <cstring>
#include <exception>

#include "bindings.hpp"
#include "holonom/any_system.hpp"

namespace holonom {

void bind_errors(pybind11::module_& m) {
  const auto input = pybind11::register_exception<InputError>(m, "InputError", PyExc_ValueError);
  const auto exists = pybind11::register_exception<FileExists>(m, "FileExists", input);
  const auto output = pybind11::register_exception<OutputError>(m, "OutputError", PyExc_OSError);
  input.doc() = "Bad input: what is wrong, where, and what to do.";
  exists.doc() = "An output that is there already, and may not be overwritten.";
  output.doc() = "A file that can no longer be written.";
  // In the order of registration the last one is asked first: messages may quote bytes that are no text.
  static pybind11::handle types[] = {input.inc_ref(), exists.inc_ref(), output.inc_ref()};
  pybind11::register_exception_translator([](std::exception_ptr p) {
    const auto raise = [](pybind11::handle type, const std::exception& e) {
      const auto text = pybind11::reinterpret_steal<pybind11::object>(
          PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "backslashreplace"));
      PyErr_SetObject(type.ptr(), text.ptr());
    };
    try {
      std::rethrow_exception(std::move(p));
    } catch (const FileExists& e) {
      raise(types[1], e);
    } catch (const InputError& e) {
      raise(types[0], e);
    } catch (const OutputError& e) {
      raise(types[2], e);
    } catch (const pybind11::cast_error&) {
      PyErr_SetString(PyExc_TypeError,
                      "a value has another type than expected, is beyond its range, or is text that is no Unicode");
    }
  });
  for (const pybind11::object& error : {pybind11::object(input), pybind11::object(exists), pybind11::object(output)})
    error.attr("__module__") = "holonom";  // where it is known to people
}

}  // namespace holonom
