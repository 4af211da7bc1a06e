// Checkpoints: the memory of a run in a file, with what the run was. A file is replaced by rename, so that there is a
// whole one at every moment, and carries a checksum, so that a damaged one is not taken for a run.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holonom {

// What must be the same for a run to go on: model, parameters, method, step, ... in words that messages use.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

// The entry that may change when a run is extended.
inline constexpr const char* run_end = "end";

struct Checkpoint {
  RunIdentity identity;
  long done = 0;  // steps
  std::string memory;
};

// Where a checkpoint is written before it gets its name.
inline std::string unfinished(const std::string& path) { return path + ".new"; }

// Whether nothing else is lost where a checkpoint is written to this path: there is no file, or a checkpoint, or the
// first bytes of one.
bool may_be_checkpoint(const std::string& path);

// Throws OutputError if it cannot be written; what was there before is then still there.
void write_checkpoint(const std::string& path, const RunIdentity& identity, long done, std::string_view memory);

// Throws InputError if there is none, or it is damaged, or was written by something else.
Checkpoint read_checkpoint(const std::string& path);

// The first difference, in words; empty if there is none.
std::string difference(const RunIdentity& then, const RunIdentity& now);

// Of the type of machine on which bits are the same.
std::string machine_name();

// A text that changes with every byte of a file, and is as good as its content to tell whether it was changed.
std::string fingerprint(const std::string& content);

}  // namespace holonom
