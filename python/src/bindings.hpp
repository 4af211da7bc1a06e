// What the module is made of: a function for each subject.
#pragma once

#include <pybind11/pybind11.h>

namespace holonom {

void bind_errors(pybind11::module_& m);
void bind_expressions(pybind11::module_& m);
void bind_model(pybind11::module_& m);
void bind_system(pybind11::module_& m);
void bind_run(pybind11::module_& m);
void bind_trajectory(pybind11::module_& m);
void bind_ensemble(pybind11::module_& m);
void bind_analysis(pybind11::module_& m);

}  // namespace holonom
