// SPDX-License-Identifier: BSD-3-Clause
#include "store_lock.hpp"

#include "quoin/util/to_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace quoin::storage {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Where SQLite locks: the file, while it is open with a log; the index of the log, while it is mapped.
constexpr off_t sqlite_shared = 0x40000002, sqlite_shared_bytes = 510, sqlite_mapped = 128;
// Where SQLite does not: no file has as many bytes.
constexpr off_t turn_byte = off_t{1} << 62, reading_byte = turn_byte + 1, trial_byte = turn_byte + 2;

constexpr const char* elsewhere =
    "; keep the file on a disk of this machine, and copy it when it is closed, or merge it (quoin-store)";

struct flock range(short kind, off_t first, off_t bytes) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = first;
  lock.l_len = bytes;
  return lock;
}

FileIdentity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// Calls until it is true, sleeping a little longer each time. False if that takes longer than `patience`, or than
// go_on, if there is one, has it.
template <class Try>
bool within(milliseconds patience, Try&& attempt, const GoOn& go_on = {}) {
  const auto give_up = Clock::now() + patience;
  for (std::chrono::microseconds nap(20);; nap = std::min(2 * nap, std::chrono::microseconds(1000))) {
    if (attempt()) return true;
    if (Clock::now() > give_up || (go_on && !go_on())) return false;
    std::this_thread::sleep_for(nap);
  }
}

}  // namespace

void refuse_file(const std::string& path, const std::string& why) { throw std::runtime_error(path + ": " + why); }

FileIdentity FileIdentity::of(const std::string& path) noexcept {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? identity_of(status) : FileIdentity{};
}

StoreLock::StoreLock(const std::string& path, Access access, bool make, bool needed) : path_(path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    refuse_file(path, S_ISDIR(status.st_mode) ? "a folder, and no file" : "a device, pipe or socket, and no file");
  // A name that has become a pipe's meanwhile does not block.
  const int always = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  file_ = ::open(path.c_str(), O_RDWR | always | (make ? O_CREAT : 0), 0644);
  writable_ = file_ >= 0;
  const int why_not = errno;
  if (!writable_ && access == Access::read) file_ = ::open(path.c_str(), O_RDONLY | always);
  if (file_ < 0) {
    const bool only_read = access == Access::write && faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0;
    refuse_file(path, std::string("cannot be opened") + (only_read ? " for writing: " : ": ") +
                          std::strerror(writable_ || access == Access::read ? errno : why_not) +
                          (only_read ? ", but for reading alone (read_only = true)" : ""));
  }
  try {
    if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) refuse_file(path, "no file");
    identity_ = identity_of(status);
    names_ = status.st_nlink;
    if (access == Access::write && status.st_nlink > 1)
      refuse_file(path,
                  "it has " + to_text(status.st_nlink) +
                      " names (hard links), of which each would have a log of its own; copy it, or read it alone");
    try {
      require_working_locks();
    } catch (const std::runtime_error&) {
      if (needed) throw;
      supported_ = false;
    }
  } catch (...) {
    close(file_);
    throw;
  }
}

StoreLock::~StoreLock() {
  leave();
  if (index_ >= 0) close(index_);
  end_turn();
  close(file_);
}

// SQLite tries a lock that fails again and again, for minutes in all, and takes dozens to open a file: told before.
void StoreLock::require_working_locks() const {
  constexpr milliseconds quick(40), enough(1000);
  const auto start = Clock::now();
  for (bool ours = false;; ours = !ours) {
    const auto before = Clock::now();
    struct flock trial = range(F_RDLCK, trial_byte, 1);
    if (ours)
      lock(file_, F_RDLCK, trial_byte, 1);
    else if (fcntl(file_, F_SETLK, &trial) != 0 && errno != EAGAIN && errno != EACCES && errno != EINTR)
      refuse_without_locks(errno);
    const auto now = Clock::now();
    if (ours && now - before < quick) return;
    if (now - start > enough)
      refuse_file(path_, "a lock of its file system takes " +
                             to_text(std::chrono::duration<double>(now - before).count()) + " s" + elsewhere);
  }
}

void StoreLock::refuse_without_locks(int error) const {
  refuse_file(path_, std::string("its file system has no locks (") + std::strerror(error) + ")" + elsewhere);
}

bool StoreLock::lock(int descriptor, short kind, off_t first, off_t bytes) const {
  if (!supported_) return true;
  struct flock wanted = range(kind, first, bytes);
  while (fcntl(descriptor, F_OFD_SETLK, &wanted) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINVAL) refuse_without_locks(errno);
    supported_ = false;
    break;
  }
  return true;
}

bool StoreLock::is_open_elsewhere() const noexcept {
  struct flock other = range(F_WRLCK, sqlite_shared, sqlite_shared_bytes);
  return supported_ && fcntl(file_, F_OFD_GETLK, &other) == 0 && other.l_type != F_UNLCK;
}

void StoreLock::stay(const std::string& index) {
  const auto hold = [&](int descriptor, off_t first, off_t bytes) {
    // Others hold it for a moment, while they try whether they are alone.
    if (!within(milliseconds(1000), [&] { return lock(descriptor, F_RDLCK, first, bytes); }))
      refuse_file(path_, "another program has locked all of it");
  };
  hold(file_, sqlite_shared, sqlite_shared_bytes);
  index_ = ::open(index.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (index_ >= 0) hold(index_, sqlite_mapped, 1);
}

void StoreLock::leave() noexcept {
  struct flock all = range(F_UNLCK, sqlite_shared, sqlite_shared_bytes);
  fcntl(file_, F_OFD_SETLK, &all);
  if (index_ < 0) return;
  all = range(F_UNLCK, sqlite_mapped, 1);
  fcntl(index_, F_OFD_SETLK, &all);
}

bool StoreLock::take_turn(milliseconds patience, const GoOn& go_on) {
  // Who may not write can hold no more than this: that nobody else writes.
  return within(
      patience, [&] { return lock(file_, writable_ ? F_WRLCK : F_RDLCK, turn_byte, 1); }, go_on);
}

void StoreLock::end_turn() noexcept {
  struct flock free = range(F_UNLCK, turn_byte, 1);
  fcntl(file_, F_OFD_SETLK, &free);
}

void StoreLock::let_readers_end() {
  if (within(milliseconds(1000), [&] { return lock(file_, F_WRLCK, reading_byte, 1); })) end_reading();
}

void StoreLock::begin_reading() {
  within(milliseconds(1000), [&] { return lock(file_, F_RDLCK, reading_byte, 1); });
}

void StoreLock::end_reading() noexcept {
  struct flock free = range(F_UNLCK, reading_byte, 1);
  fcntl(file_, F_OFD_SETLK, &free);
}

}  // namespace quoin::storage
