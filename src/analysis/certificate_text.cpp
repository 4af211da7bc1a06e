#include "holonom/analysis/result_text.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/row_file.hpp"
#include "print.hpp"

namespace holonom {

const char* verdict_word(const Claim& c) {
  switch (c.verdict) {
    case Claim::Verdict::holds: return "holds";
    case Claim::Verdict::fails: return "FAILS";
    case Claim::Verdict::not_claimed: return c.within() ? "not claimed, holds here" : "not claimed, not kept";
    case Claim::Verdict::not_measured: break;
  }
  return "not measured";
}

namespace {

void print_claims(std::string& out, const ModelCertificate& made) {
  const Certificate& result = made.certificate;
  print(out, "%s: %s, h = %s (%s)\n\n", made.model.c_str(), made.method.key.c_str(),
        shorten(std::stod(made.step)).c_str(), made.precision.c_str());
  if (result.claims.empty()) return;  // no step succeeded
  int width = 20;
  for (const Claim& c : result.claims) width = std::max(width, static_cast<int>(c.property.size()));
  print(out, "  %-*s  %9s    %8s  %-23s  %s\n", width, "property", "measured", "bound", "verdict", "how");
  for (const Claim& c : result.claims) {
    if (c.verdict == Claim::Verdict::not_measured) {
      print(out, "  %-*s  %9s    %8s  %-23s  %s\n", width, c.property.c_str(), "-", "-", verdict_word(c),
            c.remark.c_str());
      continue;
    }
    const char* format = c.at_least ? "  %-*s  %9.3f >= %8.2f  %-23s  %s\n" : "  %-*s  %9.1e <= %8.1e  %-23s  %s\n";
    print(out, format, width, c.property.c_str(), c.measured, c.bound, verdict_word(c), c.remark.c_str());
  }
}

// A line each, broken between words
void print_advice(std::string& out, const std::vector<Advice>& advice) {
  if (advice.empty()) return;
  print(out, "\nadvice\n");
  constexpr std::size_t width = 110;
  for (const Advice& a : advice) {
    std::string left = a.text;
    std::string head = (a.flagged ? "! " : "  ") + a.topic;
    while (!left.empty()) {
      std::size_t end = left.size() <= width ? left.size() : left.rfind(' ', width);
      if (end == std::string::npos) end = left.size();
      print(out, "%-14s %s\n", head.c_str(), left.substr(0, end).c_str());
      left = end < left.size() ? left.substr(end + 1) : "";
      head.clear();
    }
  }
}

}  // namespace

std::string text_of(const ModelCertificate& made) {
  std::string out;
  print_claims(out, made);
  print_advice(out, made.advice);
  return out;
}

std::string json_of(const ModelCertificate& made) {
  const Certificate& result = made.certificate;
  constexpr const char* words[] = {"holds", "fails", "not claimed", "not measured"};
  Json json;
  json.begin()
      .text("model", made.model)
      .text("method", made.method.key)
      .text("precision", made.precision)
      .text("engine", made.engine);
  json.digits("step", made.step, made.precision == "double")
      .boolean("all_claims_hold", result.all_hold() && result.failure.empty());
  if (!result.failure.empty()) json.text("message", result.failure);
  json.begin_list("claims");
  for (const Claim& c : result.claims) {
    json.begin()
        .text("property", c.property)
        .boolean("claimed", c.claimed)
        .text("verdict", words[static_cast<int>(c.verdict)]);
    if (c.verdict != Claim::Verdict::not_measured)
      json.number("measured", c.measured)
          .number(c.at_least ? "at_least" : "at_most", c.bound)
          .boolean("within_bound", c.within());
    json.text("remark", c.remark).end();
  }
  json.end_list().begin_list("advice");
  for (const Advice& a : made.advice) {
    json.begin().text("topic", a.topic).boolean("flagged", a.flagged).text("text", a.text);
    for (const auto& [name, value] : a.numbers) json.number(name, value);
    json.end();
  }
  json.end_list().end();
  return json.str();
}

std::string csv_of(const ModelCertificate& made) {
  std::string out = "property,claimed,verdict,measured,bound,remark\n";
  for (const Claim& c : made.certificate.claims) {
    const bool measured = c.verdict != Claim::Verdict::not_measured;
    const auto number = [&](double x) { out += measured && is_finite(x) ? "," + to_text(x) : ","; };
    out += csv_cell(c.property) + (c.claimed ? ",yes," : ",no,") + csv_cell(verdict_word(c));
    number(c.measured);
    number(c.bound);
    out += "," + csv_cell(c.remark) + "\n";
  }
  return out;
}

}  // namespace holonom
