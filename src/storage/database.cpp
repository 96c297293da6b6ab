// SPDX-License-Identifier: BSD-3-Clause
#include "database.hpp"

#include <sqlite3.h>

#include <chrono>
#include <thread>

namespace quoin::storage {

namespace {
constexpr std::chrono::milliseconds patience{10'000};  // that another process may hold the file
}

bool DatabaseError::busy() const noexcept { return (code_ & 0xff) == SQLITE_BUSY; }

bool DatabaseError::of_the_disk() const noexcept {
  const int code = code_ & 0xff;
  return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_NOMEM;
}

Database::Database(const std::filesystem::path& path, Access access) : name_(path.string()) {
  const int mode = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name_.c_str(), &handle, mode | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK)
    throw DatabaseError(name_ + ": cannot be opened: " + (handle ? sqlite3_errmsg(handle) : "out of memory"), code);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  // The file may have been made by anyone: nothing in its schema runs functions, and pages are looked at before use.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  execute("PRAGMA cell_size_check = ON");
}

void Database::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql.substr(0, 40));
}

void Database::write_ahead() {
  // SQLite does not wait where two change the journal at once (each could wait for the other): it refuses one of them.
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (;;) {
    try {
      return execute("PRAGMA journal_mode = WAL");
    } catch (const DatabaseError& error) {
      if (!error.busy() || std::chrono::steady_clock::now() > give_up) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Database::fail(const std::string& doing) const {
  throw DatabaseError(name_ + ": " + sqlite3_errmsg(handle()) + " (" + doing + ")", sqlite3_errcode(handle()));
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

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace quoin::storage
