// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace quoin::storage {

enum class Access { read, write };

/// Asked now and then by who waits for other programs: false, or what it throws, ends that.
using GoOn = std::function<bool()>;

/// Which file it is, whatever its name.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;  ///< 0: no file
  bool operator==(const FileIdentity&) const = default;
  /// Of the file that has this name now.
  static FileIdentity of(const std::string& path) noexcept;
};

/// A connection's own locks, beside SQLite's. The system drops SQLite's, those of POSIX, as soon as the process closes
/// any descriptor of the file: to copy or checksum an open file is enough, and other processes then take the log for
/// theirs. These here belong to a descriptor of their own (open file description locks), and last until they are given
/// back. What they hold, on bytes of the file far behind its end but for the first two, which are SQLite's own:
///
/// - that the file is open: others find it locked as by SQLite's lock, and neither delete nor clear its log;
/// - a turn: one at a time opens, closes, writes or empties the log;
/// - reading: who writes waits first until every read that has begun is at its end. What is written and what leaves the
///   log behind that moment, no later read needs.
///
/// So two that take these locks never need SQLite's; it goes on to take its own, for programs that know no others.
/// A system without such locks (EINVAL) leaves those alone.
class StoreLock {
 public:
  /// Opens the file of this absolute path, and makes it if it is not there and `make` is true. Throws
  /// std::runtime_error for what is no file, cannot be opened, or, if locks are `needed`, lies where they fail or take
  /// too long.
  StoreLock(const std::string& path, Access access, bool make, bool needed);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  FileIdentity identity() const { return identity_; }
  std::size_t names() const { return names_; }  ///< of the file, when it was opened
  int file() const { return file_; }            ///< a descriptor of the file
  int index() const { return index_; }          ///< one of the log's index, or -1
  bool is_open_elsewhere() const noexcept;      ///< for another connection, or for a program that knows SQLite alone
  bool works() const { return supported_; }     ///< else it holds nothing

  /// That it is open, until leave(); `index`: the file through which SQLite's connections share the log, if it exists.
  void stay(const std::string& index);
  void leave() noexcept;

  /// False if another has had it for so long, or if go_on says so. Given back by the next call, or by the end.
  bool take_turn(std::chrono::milliseconds patience, const GoOn& go_on);
  void end_turn() noexcept;

  /// Before a turn's first change: waits for those that read, a second at most. (One that is stopped in the middle of a
  /// read has SQLite's lock.)
  void let_readers_end();
  void begin_reading();
  void end_reading() noexcept;

 private:
  bool lock(int descriptor, short kind, off_t first, off_t bytes) const;
  void require_working_locks() const;
  [[noreturn]] void refuse_without_locks(int error) const;

  std::string path_;
  int file_ = -1, index_ = -1;
  std::size_t names_ = 1;
  bool writable_ = false;
  mutable bool supported_ = true;
  FileIdentity identity_;
};

/// The file cannot be used where it lies, or not in this way; not SQLite's words.
[[noreturn]] void refuse_file(const std::string& path, const std::string& why);

}  // namespace quoin::storage
