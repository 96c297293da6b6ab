// SPDX-License-Identifier: BSD-3-Clause
#include "store_name.hpp"

#include "quoin/util/to_text.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace quoin::storage {

namespace {

// What SQLite keeps beside a file: its log, the log's index, and the journal of files that have no log.
constexpr std::array<const char*, 3> kept_beside{"-wal", "-shm", "-journal"};

// What the links lead to, also if it is not there yet.
std::string followed(std::filesystem::path path) {
  std::error_code ignored;  // then it cannot be opened either
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, ignored); ++links)
    path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
  return path.string();
}

void refuse_kept_beside(const std::string& path, const std::string& name) {
  for (const std::string_view end : kept_beside)
    if (name.ends_with(end))
      throw std::invalid_argument(
          path + ": a name that ends in " + std::string(end) +
          " is what SQLite makes beside another file, and deletes with it: give it another name" +
          (name == path ? "" : " than " + name));
}

bool is_database(const std::string& path) {
  constexpr std::string_view begins("SQLite format 3\0", 16);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  std::array<char, begins.size()> bytes{};
  const ssize_t count = pread(file, bytes.data(), bytes.size(), 0);
  close(file);
  return count == static_cast<ssize_t>(bytes.size()) && std::string_view(bytes.data(), bytes.size()) == begins;
}

}  // namespace

std::string fixed_name(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (name.empty()) throw std::invalid_argument("a file of samples: the name is empty");
  if (const std::size_t nul = name.find('\0'); nul != name.npos)
    throw std::invalid_argument("a file of samples: '" + name.substr(0, nul) + "' and a NUL, which no name has");
  return std::filesystem::absolute(path).string();
}

const std::string& require_usable_name(const std::string& path, Access access) {
  const auto longest = static_cast<std::size_t>(sqlite3_vfs_find(nullptr)->mxPathname) - 8;  // with -journal
  constexpr std::size_t longest_name = 255 - 8;
  if (const std::size_t size = path.size() - (path.rfind('/') + 1); size > longest_name)
    refuse_file(path, "a name of " + to_text(size) + " characters, with what lies beside it " + to_text(longest_name) +
                          " are allowed");
  if (path.size() > longest)
    refuse_file(path, "a path of " + to_text(path.size()) + " characters, SQLite takes " + to_text(longest));
  const std::string file = followed(path);
  if (access == Access::write) {
    refuse_kept_beside(path, path);
    refuse_kept_beside(path, file);
  }
  // The index is not opened while there is a log: to close it would drop the locks that this process has on it.
  const bool has_log = FileIdentity::of(file + "-wal") != FileIdentity{};
  for (const std::string end : kept_beside)
    if ((end != "-shm" || !has_log) && is_database(file + end))
      refuse_file(path, file + end +
                            " beside it is a database of its own, which SQLite would take for a part of this file and "
                            "delete: give that one another name first");
  return path;
}

}  // namespace quoin::storage
