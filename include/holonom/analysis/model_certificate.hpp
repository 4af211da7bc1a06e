// certify of a model by its spec: what the program and other languages call.
#pragma once

#include "holonom/analysis/advice.hpp"
#include "holonom/analysis/certificate.hpp"
#include "holonom/model/model.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

// A certificate, and what it is one of.
struct ModelCertificate {
  std::string model, precision, engine;
  MethodInfo method;
  std::string step;  // all of its digits
  Certificate certificate;
  std::vector<Advice> advice;  // measured in double
  std::vector<std::string> warnings;
};

struct CertificateParts {
  bool advice = true, order = true;
};

// Of a spec: model, set, method, formulation, projection, step, precision, engine and tolerance. Throws InputError or
// Unsuitable.
ModelCertificate certify_model(const RunSpec& spec, const CertificateParts& parts = {});
// Of a model that was made here, by C++ expressions.
ModelCertificate certify_model(Model model, const RunSpec& spec, const CertificateParts& parts = {});

}  // namespace holonom
