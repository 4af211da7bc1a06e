// Results as people and programs read them: tables as text, as JSON, and as CSV. The program prints them, and other
// languages show the same.
#pragma once

#include "holonom/analysis/method_list.hpp"
#include "holonom/analysis/model_certificate.hpp"
#include "holonom/analysis/model_comparison.hpp"
#include "holonom/analysis/model_recommendation.hpp"
#include "holonom/analysis/model_report.hpp"
#include "holonom/analysis/model_stability.hpp"
#include "holonom/json.hpp"

namespace holonom {

// What is known before the start is looked at; the rest of it. Together they are the report.
std::string outline_text(const ModelReport& report);
std::string findings_text(const ModelReport& report);
std::string json_of(const ModelReport& report);

std::string text_of(const ModelCertificate& made);
std::string json_of(const ModelCertificate& made);
std::string csv_of(const ModelCertificate& made);
// How a verdict is called
const char* verdict_word(const Claim& claim);

std::string text_of(const ModelComparison& of, const Comparison& made);
std::string json_of(const ModelComparison& of, const Comparison& made);
std::string csv_of(const ModelComparison& of, const Comparison& made);

std::string text_of(const ModelRecommendation& made);
std::string json_of(const ModelRecommendation& made);
// The keys of an object: the k-th method, and what is known about it
void write(Json& json, const ModelRecommendation& made, std::size_t k);

std::string text_of(const ModelStability& made);
std::string json_of(const ModelStability& made);

std::string text_of(const MethodList& list);
std::string json_of(const MethodList& list);

}  // namespace holonom
