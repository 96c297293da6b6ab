// SPDX-License-Identifier: BSD-3-Clause
#include "database.hpp"

#include "store_name.hpp"
#include "write_ahead_log.hpp"

#include "quoin/util/to_text.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

namespace quoin::storage {

namespace {
constexpr std::chrono::milliseconds lock_patience{10'000};  // that another process may hold the file
constexpr const char* moved =
    "it was renamed, deleted or replaced while it was open: put it back in its place, or open what is there now";

// With the rights that the process has now.
bool may(const std::string& path, int mode) { return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0; }

// Where SQLite makes what it needs beside the file.
std::string folder_of(const std::string& path) {
  std::error_code ignored;  // then it cannot be opened either
  return std::filesystem::canonical(path, ignored).parent_path().string();
}

// For a URI.
std::string encoded(const std::string& path) {
  std::string text;
  for (const char c : path) {
    constexpr const char* digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '/' || c == '.' || c == '-' || c == '_')
      text += c;
    else
      (text += '%').append({digits[byte >> 4], digits[byte & 15]});
  }
  return text;
}
}  // namespace

bool DatabaseError::busy() const noexcept { return (code_ & 0xff) == SQLITE_BUSY; }

bool DatabaseError::of_rights() const noexcept {
  const int code = code_ & 0xff;
  return code == SQLITE_READONLY || code == SQLITE_PERM;
}

bool DatabaseError::of_the_disk() const noexcept {
  const int code = code_ & 0xff;
  return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_NOMEM;
}

Database::Database(const std::string& path, Access access, const FileIdentity& known, GoOn go_on)
    : go_on_(std::move(go_on)),
      name_(path),
      lock_(require_usable_name(path, access), access, access == Access::write && known == FileIdentity{},
            access == Access::write || may(folder_of(path), W_OK)) {
  if (known != FileIdentity{} && known != lock_.identity()) refuse_file(name_, moved);
  take_turn();
  open(access);
}

Database::~Database() {
  // The last that closes the file empties its log and deletes it, in its turn.
  if (handle_ && !opening_ && !left_) {
    try {
      if (!lock_.take_turn(lock_patience, {}) || cut_ || !whole(1)) leave_log();
    } catch (const std::exception&) {
      leave_log();
    }
  }
  lock_.leave();
  handle_.reset();  // before the locks
}

void Database::open(Access access) {
  path_ = std::filesystem::canonical(name_).string();
  const std::string folder = folder_of(path_);
  const bool writable = may(folder, W_OK);
  // What a reader made beside a closed file would be the reader's, and keep its owner out.
  const bool closed = FileIdentity::of(path_ + "-wal") == FileIdentity{};
  if (access == Access::read && (closed || !writable)) {
    open_alone();
  } else {
    if (!writable)
      refuse_file(name_, "the folder " + folder + " cannot be written to (" + std::strerror(errno) +
                             "), as SQLite must beside an open file; read_only = true reads it");
    connect(path_, access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, nullptr);
  }
  const auto wait = [](void* database, int tries) noexcept {
    return static_cast<int>(static_cast<Database*>(database)->wait_for_lock(tries));
  };
  sqlite3_busy_handler(handle(), wait, this);
  // The file may have been made by anyone: nothing in its schema runs functions, and pages are looked at before use.
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  execute("PRAGMA cell_size_check = ON");
  // In place of SQLite's own way to empty the log, which knows nothing of readers whose locks are gone.
  const auto count = [](void* pages, sqlite3*, const char*, int in_log) {
    *static_cast<int*>(pages) = in_log;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(handle(), count, &log_pages_);
}

// Reads, and makes nothing beside the file. Without a log the file alone is all. With one, as a process leaves
// it that was killed, the index of the log is read if it is there, and made in memory if not.
void Database::open_alone() {
  const std::string log = path_ + "-wal", index = path_ + "-shm";
  const Stamp now = stamp();
  const bool left = now.log_bytes > 0;
  if (!left && lock_.names() > 1) {
    if (lock_.is_open_elsewhere()) refuse_file(name_, log_elsewhere());
    note_ = name_ + ": " + log_elsewhere();
  }
  complete_ = !left || may(log, R_OK);
  if (left)
    note_ = name_ + ": it was not closed, or a program has it open; its log " + log + " " +
            (complete_ ? "is read with it" : "cannot be read, so what was written last is missing");
  if (left && complete_ && may(index, R_OK) && lock_.works()) {
    connect(path_, SQLITE_OPEN_READONLY, nullptr);
    return;
  }
  alone_ = now;
  if (left && complete_) {
    connect(path_, SQLITE_OPEN_READONLY, "unix-none");
    execute("PRAGMA locking_mode = EXCLUSIVE");
  } else {
    connect("file:" + encoded(path_) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  }
}

void Database::connect(const std::string& name, int mode, const char* system) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, mode | SQLITE_OPEN_NOMUTEX, system);
  handle_.reset(handle);
  if (code != SQLITE_OK)
    throw DatabaseError(name_ + ": cannot be opened: " + (handle ? sqlite3_errmsg(handle) : "out of memory"), code);
}

Database::Stamp Database::stamp() const {
  Stamp stamp{.log = FileIdentity::of(path_ + "-wal"), .written = {}};
  std::error_code ignored;  // then it is another stamp than before
  stamp.written = std::filesystem::last_write_time(path_, ignored);
  stamp.bytes = std::filesystem::file_size(path_, ignored);
  if (stamp.log != FileIdentity{}) stamp.log_bytes = std::filesystem::file_size(path_ + "-wal", ignored);
  return stamp;
}

void Database::opened() {
  log_ = FileIdentity::of(path_ + "-wal");
  std::error_code ignored;  // then it is none that could be cut
  bytes_ = std::filesystem::file_size(path_, ignored);
  if (ignored) bytes_ = 0;
  if (!alone_ && log_ != FileIdentity{}) lock_.stay(path_ + "-shm");
  lock_.end_turn();
  opening_ = false;
}

void Database::leave_log() noexcept {
  left_ = true;
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void Database::take_turn() {
  const auto start = std::chrono::steady_clock::now();
  if (lock_.take_turn(lock_patience, go_on_)) return;
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  throw DatabaseError(name_ + ": another program has been opening it or writing to it for " +
                          to_text(std::round(10 * waited.count()) / 10) + " s; wait for its end, or close it there",
                      SQLITE_BUSY);
}

// Where SQLite finds a lock of a program that knows none of ours: whether to try again.
bool Database::wait_for_lock(int tries) noexcept {
  const auto now = std::chrono::steady_clock::now();
  if (tries == 0) waiting_since_ = now;
  if (now - waiting_since_ > lock_patience) return false;
  try {
    if (go_on_ && !go_on_()) return false;
  } catch (const std::exception&) {
    stopped_ = std::current_exception();
    return false;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(tries < 10 ? 1 : 20));
  return true;
}

void Database::require_in_place() const {
  if (FileIdentity::of(name_) != lock_.identity()) refuse_file(name_, moved);
  if (FileIdentity::of(path_ + "-wal") != log_)
    refuse_file(name_, "its log " + path_ +
                           "-wal was deleted or replaced while it was open, and would be lost: close the file, and "
                           "open it again");
}

void Database::require_log() {
  if (FileIdentity::of(name_) != lock_.identity()) return;  // told by the next write, with what it is about
  require_in_place();
  require_whole(1);
}

bool Database::whole(std::uint32_t first) {
  if (alone_ || log_ == FileIdentity{}) return true;
  return is_whole(
      {.file = lock_.file(), .index = lock_.index(), .log = path_ + "-wal", .identity = log_, .first = first}, bytes_);
}

std::uint32_t Database::require_whole(std::uint32_t first) {
  cut_ = cut_ || !whole(first);  // what is then written behind the cut looks like more
  if (cut_)
    refuse_file(name_, "it, or its log " + path_ +
                           "-wal, was cut short while it was open: what was written since the log was last emptied is "
                           "lost, but for what waits here; close the file, and open it again");
  return frames_in_log(lock_.index());
}

std::string Database::log_elsewhere() const {
  return "it has " + to_text(lock_.names()) +
         " names (hard links), and a log of it, which has what was written last, may lie beside another of them: open "
         "it by that name, or when nobody has it open";
}

void Database::empty_log() noexcept {
  constexpr int large = 1000;  // pages
  if (log_pages_ < large) return;
  try {
    lock_.let_readers_end();
    sqlite3_wal_checkpoint_v2(handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);  // if not now, later
  } catch (const std::exception&) {
  }
}

void Database::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql.substr(0, 40));
}

void Database::write_ahead() {
  // SQLite does not wait where two change the journal at once (each could wait for the other): it refuses one of them.
  const auto give_up = std::chrono::steady_clock::now() + lock_patience;
  for (;;) {
    try {
      return execute("PRAGMA journal_mode = WAL");
    } catch (const DatabaseError& error) {
      if (!error.busy() || std::chrono::steady_clock::now() > give_up || (go_on_ && !go_on_())) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Database::fail(const std::string& doing) const {
  if (stopped_) std::rethrow_exception(std::exchange(stopped_, nullptr));
  const int code = sqlite3_errcode(handle());
  const std::string who = (code & 0xff) == SQLITE_BUSY
                              ? "another program has it open for writing and does not let go of it (a transaction in "
                                "sqlite3, a viewer, a backup?): end that, or close it there; SQLite says: "
                              : "";
  throw DatabaseError(name_ + ": " + who + sqlite3_errmsg(handle()) + " (" + doing + ")", code);
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &handle, nullptr);
  handle_.reset(handle);
  check(code);
}

void Statement::Finish::operator()(sqlite3_stmt* handle) const noexcept { sqlite3_finalize(handle); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(handle_ ? sqlite3_sql(handle_.get()) : "a statement");
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(handle_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  check(sqlite3_bind_text64(handle_.get(), parameter, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const double> value) {
  static constexpr double nothing = 0;  // a null pointer would bind NULL
  check(sqlite3_bind_blob64(handle_.get(), parameter, value.empty() ? &nothing : value.data(), value.size_bytes(),
                            SQLITE_STATIC));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    try {
      database_.fail("reading or writing");
    } catch (...) {
      reset();  // after SQLite's words have been taken
      throw;
    }
  }
  return code == SQLITE_ROW;
}

void Statement::reset() noexcept {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

double Statement::number(int column) const { return sqlite3_column_double(handle_.get(), column); }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::string_view Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return {text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  return {data, data ? static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)) : 0};
}

Transaction::Transaction(Database& database) : database_(database) {
  if (!database_.opening_) {
    database_.require_in_place();
    database_.take_turn();
  }
  try {
    database_.lock_.let_readers_end();
    database_.execute("BEGIN IMMEDIATE");
    open_ = true;
    if (!database_.opening_) frames_ = database_.require_whole(0);
  } catch (...) {
    undo();
    throw;
  }
}

Transaction::~Transaction() { undo(); }

void Transaction::undo() noexcept {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  if (!database_.opening_) database_.lock_.end_turn();
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
  if (!database_.opening_) database_.require_whole(std::max(frames_, std::uint32_t{1}));
  database_.empty_log();
}

}  // namespace quoin::storage
