#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rattleback/io/result_file.hpp"

namespace rattleback {

/// What FILE.checkpoint holds: where the run is, how far its rows are, and which run it is.
struct StoredCheckpoint {
  RunDescription description;
  Checkpoint checkpoint;
  std::int64_t row_bytes = 0;
  std::uint64_t row_checksum = 0;
};

/// Text with a checksum: a damaged file is recognised.
std::string checkpoint_text(const StoredCheckpoint& stored);
/// The last step of that: a document with the first line that belongs to it.
std::string with_checksum(std::string_view body);
/// Throws FileError, naming the path, if the text is not what checkpoint_text has written.
StoredCheckpoint read_checkpoint(const std::string& text, const std::string& path);

/// The first difference between two runs in words, "its method was rk4, now it is reference"; empty if none.
std::string difference(const RunDescription& then, const RunDescription& now);

}  // namespace rattleback
