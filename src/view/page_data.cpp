#include "page_data.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace holonom {

namespace {

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  // (This fails only for want of memory or room, and there is enough of both.)
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6);
  out.resize(size);
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8U | (k < here ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= here ? digits[word >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

template <class Word>
void PageData::pack(Array array, std::vector<Word> words) {
  for (int k = 0; k < array.differences; ++k)
    for (std::size_t i = words.size(); array.stride > 0 && i-- > array.stride;)
      words[i] = static_cast<Word>(words[i] - words[i - array.stride]);
  std::string planes(words.size() * sizeof(Word), '\0');
  for (std::size_t b = 0; b < sizeof(Word); ++b)
    for (std::size_t i = 0; i < words.size(); ++i)
      planes[b * words.size() + i] = static_cast<char>(static_cast<unsigned char>(words[i] >> 8 * b));
  const std::string small = compressed(planes);
  array.bytes = small.size();
  bytes_ += small;
  arrays_.push_back(std::move(array));
}

void PageData::add(const std::string& name, std::span<const double> x) {
  std::vector<std::uint64_t> words(x.size());
  std::transform(x.begin(), x.end(), words.begin(), [](double a) { return std::bit_cast<std::uint64_t>(a); });
  pack({name, "f64", x.size(), 0, 0}, std::move(words));
}

void PageData::add(const std::string& name, std::span<const float> x, std::size_t stride) {
  std::vector<std::uint32_t> words(x.size());
  std::transform(x.begin(), x.end(), words.begin(), [](float a) { return std::bit_cast<std::uint32_t>(a); });
  pack({name, "f32", x.size(), stride, 0}, std::move(words));
}

void PageData::add(const std::string& name, std::span<const std::uint32_t> x, std::size_t stride) {
  pack({name, "u32", x.size(), stride, 0}, std::vector<std::uint32_t>(x.begin(), x.end()));
}

void PageData::add_rounded(const std::string& name, std::span<const float> x, std::size_t stride) {
  constexpr double most = 65534;
  float least = std::numeric_limits<float>::infinity(), largest = -least;
  for (const float a : x)
    if (std::isfinite(a)) least = std::min(least, a), largest = std::max(largest, a);
  if (!(least <= largest)) least = largest = 0;
  const double range = static_cast<double>(largest) - least, factor = range > 0 ? most / range : 0;
  std::vector<std::uint16_t> words(x.size());
  std::transform(x.begin(), x.end(), words.begin(), [&](float a) {
    return static_cast<std::uint16_t>(std::isfinite(a) ? std::lround((static_cast<double>(a) - least) * factor)
                                                       : 65535);
  });
  pack({name, "u16", x.size(), stride, 0, 2, least, largest}, std::move(words));
}

void PageData::describe(Json& json) const {
  json.begin_list("arrays");
  for (const Array& a : arrays_) {
    json.begin().text("name", a.name).text("type", a.type).integer("count", static_cast<long long>(a.count));
    json.integer("stride", static_cast<long long>(a.stride)).integer("differences", a.differences);
    json.integer("bytes", static_cast<long long>(a.bytes));
    if (a.type == "u16") json.number("least", a.least).number("largest", a.largest);
    json.end();
  }
  json.end_list();
}

std::string PageData::base64() const { return holonom::base64(bytes_); }

}  // namespace holonom
