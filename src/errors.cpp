#include "holonom/errors.hpp"

#include <algorithm>
#include <string_view>

namespace holonom {

namespace {

// The first `head` and the last `tail` bytes of a text that is longer than both, at the borders of code points.
std::string cut(std::string_view text, std::size_t head, std::size_t tail) {
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t end = head, begin = text.size() - tail;
  while (end > 0 && continues(end)) --end;
  while (continues(begin)) ++begin;
  return std::string(text.substr(0, end)) + " ... " + std::string(text.substr(begin));
}

}  // namespace

std::string readable(const std::string& message) {
  constexpr std::size_t longest_word = 400, longest = 3000;
  std::string text;
  for (std::size_t i = 0; i < message.size();) {
    const std::size_t end = std::min(message.find_first_of(" \n", i), message.size());
    const std::string_view word = std::string_view(message).substr(i, end - i);
    text += word.size() > longest_word ? cut(word, longest_word / 2, longest_word / 4) : std::string(word);
    if (end < message.size()) text += message[end];
    i = end + 1;
  }
  if (text.size() > longest) text = cut(text, longest / 2, longest / 4);
  std::string spelt;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view hex = "0123456789ABCDEF";
    if ((byte < 0x20 && c != '\n') || byte == 0x7F)
      spelt += {'\\', 'x', hex[byte >> 4U], hex[byte & 15U]};
    else
      spelt += c;
  }
  return spelt;
}

std::string quoted_list(const std::vector<std::string>& names, const std::vector<int>& which) {
  constexpr std::size_t most = 8;
  const std::size_t shown = which.size() > most + 1 ? most : which.size();
  std::string list;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) list += i + 1 == which.size() ? " and " : ", ";
    list += "'" + names[static_cast<std::size_t>(which[i])] + "'";
  }
  return shown < which.size() ? list + " and " + std::to_string(which.size() - shown) + " more" : list;
}

}  // namespace holonom
