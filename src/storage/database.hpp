// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
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
  /// The disk is full or broken, or the memory is full; the file may be whole.
  bool of_the_disk() const noexcept;

 private:
  int code_;
};

/// One connection to an SQLite database, of one thread at a time.
class Database {
 public:
  enum class Access { read, write };
  Database(const std::filesystem::path& path, Access access);

  void execute(const std::string& sql);
  /// Readers that do not wait for writers, nor writers for readers.
  void write_ahead();
  [[noreturn]] void fail(const std::string& doing) const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::string name_;
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

/// A write transaction, undone unless it is committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.execute("COMMIT");
    open_ = false;
  }

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace quoin::storage
