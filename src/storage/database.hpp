// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "store_lock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace quoin::storage {

/// What SQLite says, in its words.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(const std::string& what, int code) : std::runtime_error(what), code_(code) {}
  int code() const noexcept { return code_; }
  /// Another process holds the file.
  bool busy() const noexcept;
  /// The process may not write to the file, or to what lies beside it.
  bool of_rights() const noexcept;
  /// The disk is full or broken, or the memory is full; the file may be whole.
  bool of_the_disk() const noexcept;

 private:
  int code_;
};

/// One connection to an SQLite database, of one thread at a time.
class Database {
 public:
  using Access = quoin::storage::Access;
  /// Opens the file of this absolute path; `known`: that file, or none. Others wait until opened() is called. To read,
  /// a folder where nobody may write will do. Waits 10 s for other programs, here and later, or as long as go_on, if
  /// there is one, has it.
  Database(const std::string& path, Access access, const FileIdentity& known = {}, GoOn go_on = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// To be called when it has been made or checked: others may open, write and close from now on.
  void opened();
  /// The end of the connection leaves the log as it is, and waits for nobody.
  void leave_log() noexcept;
  /// Opened where nobody may write, and somebody did: what it reads may be old or torn.
  bool outdated() const { return alone_ && stamp() != *alone_; }
  /// That there was a log, where nobody can write; empty if there was none.
  const std::string& note() const { return note_; }
  bool complete() const { return complete_; }  ///< that log could be read
  FileIdentity identity() const { return lock_.identity(); }
  /// That the log is in its place, and has all that was written; throws std::runtime_error.
  void require_log();
  /// Names of the file; with several, a log may lie beside another of them.
  std::size_t names() const { return lock_.names(); }
  std::string log_elsewhere() const;

  void execute(const std::string& sql);
  /// Readers that do not wait for writers, nor writers for readers.
  void write_ahead();
  [[noreturn]] void fail(const std::string& doing) const;
  sqlite3* handle() const { return handle_.get(); }

  /// While a statement reads.
  class Reading {
   public:
    explicit Reading(Database& database) : lock_(database.lock_) { lock_.begin_reading(); }
    ~Reading() { lock_.end_reading(); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    StoreLock& lock_;
  };

 private:
  friend class Transaction;
  void open(Access access);
  void open_alone();
  void connect(const std::string& name, int mode, const char* system);
  void take_turn();
  bool wait_for_lock(int tries) noexcept;
  void require_in_place() const;
  /// Whether file and log are as long as SQLite left them, with each frame of the log from this one on (0: the last).
  bool whole(std::uint32_t first);
  std::uint32_t require_whole(std::uint32_t first);  ///< the number of the last frame
  void empty_log() noexcept;

  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  /// What a connection that takes no locks goes by: while this is the same, nobody has written.
  struct Stamp {
    FileIdentity log;
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0, log_bytes = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;

  GoOn go_on_;
  std::string name_, path_, note_;  // as it was given, where SQLite finds it, see note()
  StoreLock lock_;
  FileIdentity log_;
  std::optional<Stamp> alone_;  // when it was opened
  std::chrono::steady_clock::time_point waiting_since_;
  mutable std::exception_ptr stopped_;  // of go_on, behind SQLite's back
  int log_pages_ = 0;
  std::uintmax_t bytes_ = 0;  // of the file when it was last looked at
  bool cut_ = false, opening_ = true, left_ = false, complete_ = true;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A statement with its parameters, numbered from 1, and the columns of its present row, numbered from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);         ///< not copied: to live until reset()
  Statement& bind(int parameter, std::span<const double> value);  ///< as a blob; not copied either

  /// True if there is a row.
  bool step();
  void reset() noexcept;
  void run() {
    step();
    reset();
  }

  double number(int column) const;
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> bytes(int column) const;

 private:
  void check(int code) const;

  struct Finish {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finish> handle_;
};

/// A write transaction, undone unless it is committed. Begins when no other writes, or throws. One outside of the
/// connection's opening throws std::runtime_error if the file is not where it was, another in its place, or cut short.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  void undo() noexcept;
  Database& database_;
  std::uint32_t frames_ = 0;  // in the log before
  bool open_ = false;
};

}  // namespace quoin::storage
