// SPDX-License-Identifier: BSD-3-Clause
// The values of a file of samples that SQLite finds in order: of any type and length in every field.
#include "fuzz.hpp"
#include "read_store.hpp"
#include "scratch_file.hpp"
#include "testing/small_store.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace {

/// The input, piece by piece; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}
  bool empty() const { return left_.empty(); }
  std::string_view bytes(std::size_t count) {
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(taken.size());
    return taken;
  }
  template <class Number>
  Number number() {
    Number value{};
    const std::string_view taken = bytes(sizeof value);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }

 private:
  std::string_view left_;
};

void bind_any(sqlite3_stmt* statement, int parameter, Input& input) {
  const auto type = input.number<std::uint8_t>() % 4;
  if (type == 0) sqlite3_bind_int64(statement, parameter, input.number<sqlite3_int64>());
  if (type == 1) sqlite3_bind_double(statement, parameter, input.number<double>());
  if (type < 2) return;
  const std::string_view bytes = input.bytes(input.number<std::uint8_t>());
  if (type == 2)
    sqlite3_bind_text(statement, parameter, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
  if (type == 3)
    sqlite3_bind_blob(statement, parameter, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
}

void change(sqlite3* database, Input& input) {
  static constexpr std::array header = {"format", "dim", "outputs", "fingerprint", "instruction_set"};
  static constexpr std::array fields = {"x0",      "x1",  "derivatives", "branch", "reason",
                                        "seconds", "jet", "checksum",    "id"};
  const auto which = input.number<std::uint8_t>() % (header.size() + fields.size());
  const auto row = std::to_string(input.number<std::uint8_t>() % 6);
  const std::string sql =
      which < header.size()
          ? "UPDATE header SET value = ?1 WHERE name = '" + std::string(header[which]) + "'"
          : "UPDATE samples SET " + std::string(fields[which - header.size()]) + " = ?1 WHERE id = " + row;
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  bind_any(statement, 1, input);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file;
  static const std::string good = [] {
    fill_small(file.path(), 6);
    const auto bytes = bytes_of(file.path());
    return std::string(bytes.begin(), bytes.end());
  }();
  file.write(good);
  {
    sqlite3* database = nullptr;
    sqlite3_open(file.path().c_str(), &database);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closed(database, sqlite3_close);
    for (Input input(data, size); !input.empty();) change(database, input);
  }
  read_store(file.path());
  return 0;
}
