// SPDX-License-Identifier: BSD-3-Clause
#include "write_ahead_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace quoin::storage {

namespace {

// The places of SQLite's formats (sqlite.org/walformat.html).
constexpr off_t log_header = 32, frame_header = 24;
constexpr off_t salt_of_log = 16, salt_of_frame = 8;

using Salt = std::array<char, 8>;

// The index's header, of which there are two: the first is changed last.
struct Index {
  std::uint32_t last = 0;   // frame
  std::uint32_t pages = 0;  // of the database
  off_t page_bytes = 0;
  Salt salt{};  // of the log and each of its frames, until it begins anew
  bool operator==(const Index&) const = default;
};

Index read_index(int descriptor) {
  std::array<char, 48> bytes{};
  Index index;
  if (descriptor < 0 || pread(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return index;
  const auto get = [&bytes]<class Number>(std::size_t place, Number& number) {
    std::memcpy(&number, bytes.data() + place, sizeof number);
  };
  std::uint16_t page_bytes = 0;
  get(14, page_bytes);
  get(16, index.last);
  get(20, index.pages);
  get(32, index.salt);
  index.page_bytes = page_bytes == 1 ? 65536 : page_bytes;
  return index;
}

bool has_salt(int log, off_t place, const Salt& wanted) {
  Salt there{};
  return pread(log, there.data(), there.size(), place) == static_cast<ssize_t>(there.size()) && there == wanted;
}

bool has_frames(int log, const Index& index, std::uint32_t first) {
  const auto frame = [&](std::uint32_t number) {
    return log_header + (static_cast<off_t>(number) - 1) * (frame_header + index.page_bytes);
  };
  struct stat status {};
  if (fstat(log, &status) != 0 || status.st_size < frame(index.last + 1)) return false;
  if (!has_salt(log, salt_of_log, index.salt)) return false;
  for (std::uint32_t number = first == 0 ? index.last : std::min(first, index.last); number <= index.last; ++number)
    if (!has_salt(log, frame(number) + salt_of_frame, index.salt)) return false;
  return true;
}

}  // namespace

std::uint32_t frames_in_log(int index) { return read_index(index).last; }

bool is_whole(const OpenLog& log, std::uintmax_t& bytes) {
  for (int tries = 0; tries < 10; ++tries) {
    const Index index = read_index(log.index);
    if (index.page_bytes == 0) return true;
    struct stat status {};
    if (fstat(log.file, &status) != 0) return true;
    const auto now = static_cast<std::uintmax_t>(status.st_size);
    const bool file_is_whole = now >= std::min(bytes, static_cast<std::uintmax_t>(index.pages) *
                                                          static_cast<std::uintmax_t>(index.page_bytes));
    bool log_is_whole = true;
    if (index.last > 0) {
      const int descriptor = ::open(log.log.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
      if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
          FileIdentity{status.st_dev, status.st_ino} == log.identity)
        log_is_whole = has_frames(descriptor, index, log.first);
      if (descriptor >= 0) close(descriptor);
    }
    if (file_is_whole && log_is_whole) {
      bytes = now;
      return true;
    }
    if (read_index(log.index) == index) return false;  // nobody has written, or begun the log anew, meanwhile
  }
  return true;
}

}  // namespace quoin::storage
