#include "holonom/run/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "holonom/errors.hpp"
#include "holonom/memory.hpp"

namespace holonom {

namespace {

// The file: these words, then what the run was and its memory, each as its length, its bytes and their checksum.
constexpr std::string_view magic = "holonom checkpoint 1\n";
// Those of all versions begin so.
constexpr std::string_view name_of_format = magic.substr(0, magic.find_last_of(' '));

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;  // Fowler, Noll, Vo, eight bytes at a time
  const auto add = [&](std::uint64_t x) {
    hash = (hash ^ x) * 0x100000001b3;
    hash ^= hash >> 29U;
  };
  for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    add(word);
  }
  for (const char c : bytes) add(static_cast<unsigned char>(c));
  return hash;
}

std::string raw(std::uint64_t x) {
  std::string bytes(sizeof x, '\0');
  std::memcpy(bytes.data(), &x, sizeof x);
  return bytes;
}
std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t x = 0;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}

// A file that is gone with this object, unless it was given its name.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), temporary_(unfinished(path)) {
    constexpr mode_t permissions = 0666;
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions);
    if (fd_ < 0) fail();
  }
  ~NewFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!named_) ::unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written == 0) errno = ENOSPC;
      if (written <= 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  // On the disk first, then under its name; and then the name is on the disk.
  void name() {
    if (fsync(fd_) != 0) fail();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
    named_ = true;
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    if (const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC); fd >= 0) {
      (void)!fsync(fd);  // some file systems cannot
      ::close(fd);
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw OutputError(path_ + ": the checkpoint cannot be written (" + std::strerror(errno) + ")");
  }
  std::string path_, temporary_;
  int fd_ = -1;
  bool named_ = false;
};

// The first line in which two texts differ, counted from 1.
long first_difference(std::string_view a, std::string_view b) {
  long line = 1;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) line += a[i] == '\n';
  return line;
}

}  // namespace

std::string machine_name() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "other, " + std::to_string(sizeof(void*)) + " bytes an address";
#endif
}

std::string fingerprint(const std::string& content) {
  char text[64];
  std::snprintf(text, sizeof text, "%zu bytes, %016llx", content.size(),
                static_cast<unsigned long long>(checksum(content)));
  return text;
}

void write_checkpoint(const std::string& path, const RunIdentity& identity, long done, std::string_view memory) {
  MemoryWriter about;
  std::vector<std::string> names, values;
  for (const auto& [name, value] : identity) {
    names.push_back(name);
    values.push_back(value);
  }
  about("names", names);
  about("values", values);
  about("done", done);
  NewFile file(path);
  file.write(magic);
  for (const std::string_view part : {std::string_view(about.bytes()), memory}) {
    file.write(raw(part.size()));
    file.write(part);
    file.write(raw(checksum(part)));
  }
  file.name();
}

bool may_be_checkpoint(const std::string& path) {
  std::error_code ignored;  // of a name that is too long
  if (!std::filesystem::is_regular_file(path, ignored)) return true;
  std::ifstream file(path, std::ios::binary);
  std::string begin(name_of_format.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return name_of_format.starts_with(begin);
}

Checkpoint read_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": there is no checkpoint to go on from");
  std::ostringstream read;
  read << file.rdbuf();  // nothing from a folder
  const std::string bytes = std::move(read).str();
  const auto refuse = [&](const std::string& why) { throw InputError(path + ": " + why); };
  if (!bytes.starts_with(magic))
    refuse(bytes.starts_with(name_of_format) ? "the checkpoint has another format"
                                             : "this is no checkpoint of holonom");
  std::string_view left = std::string_view(bytes).substr(magic.size());
  const auto part = [&] {
    constexpr std::size_t number = sizeof(std::uint64_t);
    const std::uint64_t size = left.size() < 2 * number ? left.size() : number_at(left, 0);
    if (left.size() < 2 * number || size > left.size() - 2 * number ||
        number_at(left, number + size) != checksum(left.substr(number, size)))
      refuse("the checkpoint is damaged: its end is missing, or bytes of it have changed");
    const std::string_view found = left.substr(number, size);
    left.remove_prefix(size + 2 * number);
    return found;
  };
  Checkpoint checkpoint;
  const std::string_view about = part();
  checkpoint.memory = part();
  if (!left.empty()) refuse("the checkpoint is damaged: something follows its end");
  try {
    MemoryReader in(about);
    std::vector<std::string> names, values;
    in("names", names);
    in("values", values);
    in("done", checkpoint.done);
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
      checkpoint.identity.emplace_back(names[i], values[i]);
  } catch (const MemoryError& e) {
    refuse(std::string("the checkpoint cannot be read (") + e.what() + ")");
  }
  return checkpoint;
}

std::string difference(const RunIdentity& then, const RunIdentity& now) {
  const auto find = [](const RunIdentity& list, const std::string& name) -> const std::string* {
    for (const auto& [key, value] : list)
      if (key == name) return &value;
    return nullptr;
  };
  const auto shown = [](const std::string& text) { return text.empty() ? "none" : "'" + text + "'"; };
  for (const auto& [name, value] : now) {
    const std::string* before = find(then, name);
    if (!before) return "it has no " + name + ", this run has " + shown(value);
    if (*before == value) continue;
    if (value.find('\n') != std::string::npos || before->find('\n') != std::string::npos)
      return "the " + name + " has changed, from line " + std::to_string(first_difference(*before, value)) + " on";
    return "its " + name + " was " + shown(*before) + ", this run has " + shown(value);
  }
  for (const auto& [name, value] : then)
    if (!find(now, name)) return "its " + name + " was " + shown(value) + ", this run has none";
  return {};
}

}  // namespace holonom
