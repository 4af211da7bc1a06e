// The numbers of a page: arrays, packed one after the other, and what the page has to know to unpack them. Private to
// src/view.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "holonom/json.hpp"

namespace holonom {

// An array is stored as differences to the one `stride` numbers before (bit patterns, modulo 2^16 or 2^32; doubles as
// they are; of rounded numbers the differences of these), byte by byte of equal significance, and then compressed by
// zlib: smooth motion becomes small.
class PageData {
 public:
  void add(const std::string& name, std::span<const double> x);
  void add(const std::string& name, std::span<const float> x, std::size_t stride);
  void add(const std::string& name, std::span<const std::uint32_t> x, std::size_t stride);
  // Rounded to 16 bits between the least and the largest number, which is exact enough to be looked at; 65535 stands
  // for what is no number.
  void add_rounded(const std::string& name, std::span<const float> x, std::size_t stride);

  // The list of arrays as a part of the page's description, and all bytes in base64
  void describe(Json& json) const;
  std::string base64() const;

 private:
  struct Array {
    std::string name, type;
    std::size_t count, stride, bytes;
    int differences = 1;
    double least = 0, largest = 0;  // of rounded numbers
  };
  template <class Word>
  void pack(Array array, std::vector<Word> words);

  std::vector<Array> arrays_;
  std::string bytes_;
};

// Of any bytes
std::string base64(std::string_view bytes);

}  // namespace holonom
