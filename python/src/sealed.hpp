// Bytes for pickle with a seal: what was spoiled on its way is refused, before anything is made of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "holonom/errors.hpp"

namespace holonom {

// Fowler, Noll, Vo: h <- (h xor byte) 0x100000001b3
inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

inline std::string sealed(std::string bytes) {
  const std::uint64_t hash = hash_of(bytes);
  const std::size_t size = bytes.size();
  bytes.resize(size + sizeof hash);
  std::memcpy(bytes.data() + size, &hash, sizeof hash);
  return bytes;
}

// The bytes without their seal. Throws InputError if it does not fit them; what: "a model", for its message.
inline std::string_view unsealed(std::string_view bytes, const std::string& what) {
  std::uint64_t hash = 0;
  const std::size_t size = bytes.size() < sizeof hash ? 0 : bytes.size() - sizeof hash;
  if (bytes.size() >= sizeof hash) std::memcpy(&hash, bytes.data() + size, sizeof hash);
  if (bytes.size() < sizeof hash || hash != hash_of(bytes.substr(0, size)))
    throw InputError("these bytes are not " + what + ", or they were spoiled");
  return bytes.substr(0, size);
}

}  // namespace holonom
