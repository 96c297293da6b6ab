// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace studies::figures {

/// null, a boolean, an integer, a number, a text, numbers, or texts.
using ResultValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>,
                                 std::vector<std::string>>;

/// A column of a Markdown table.
struct MarkdownColumn {
  std::string key = {};        ///< of the rows
  std::string title = {};      ///< empty: the key
  int significant_digits = 3;  ///< of numbers that are not integers
};

/// One row of results: keys with values, in the order in which they were set.
class ResultRow {
 public:
  /// Sets or replaces the key's value.
  ResultRow& set(const std::string& key, ResultValue value);
  ResultRow& set(const std::string& key, const char* value) { return set(key, ResultValue(std::string(value))); }
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  ResultRow& set(const std::string& key, Number value) {
    if constexpr (std::same_as<Number, bool>) {
      return set(key, ResultValue(value));
    } else if constexpr (std::integral<Number>) {
      return set(key, ResultValue(static_cast<std::int64_t>(value)));
    } else {
      return set(key, ResultValue(static_cast<double>(value)));
    }
  }

  /// The same for a column of the table that people see, its title, or the key where that is empty, and the significant
  /// digits of its numbers: one word for what is in the row and in the table.
  template <class Value>
  ResultRow& show(const std::string& key, const Value& value, const std::string& title = {},
                  int significant_digits = 3) {
    shown_.push_back({key, title, significant_digits});
    return set(key, value);
  }

  /// The key's value, or null (std::monostate) if the row does not have it.
  const ResultValue& at(const std::string& key) const;
  const std::vector<std::pair<std::string, ResultValue>>& entries() const { return entries_; }
  const std::vector<MarkdownColumn>& shown() const { return shown_; }

 private:
  std::vector<std::pair<std::string, ResultValue>> entries_;
  std::vector<MarkdownColumn> shown_;
};

/// Rows of results, to be written as JSON for programs and as a Markdown table for people.
///
///     JsonResults results;
///     results.add(ResultRow().set("example", "arm 3D").set("N", 1575).set("f_seconds", 0.0214));
///     results.write("out/table1.json");             // [{"example": "arm 3D", "N": 1575, "f_seconds": 0.0214}]
///     std::string table = results.markdown({{"example"}, {"N"}, {"f_seconds", "f [s]", 3}});
///
/// Numbers keep all their bits; NaN and infinities become null, since JSON cannot write them.
class JsonResults {
 public:
  JsonResults() = default;
  JsonResults(std::vector<ResultRow> rows) : rows_(std::move(rows)) {}

  void add(ResultRow row) { rows_.push_back(std::move(row)); }
  const std::vector<ResultRow>& rows() const { return rows_; }
  /// The rows that have the key.
  JsonResults with(const std::string& key) const;

  /// An array of objects, indented by two.
  std::string to_json() const;
  /// Throws std::runtime_error if the file cannot be written.
  void write(const std::filesystem::path& file) const;

  /// One line per row; missing values stay empty, numbers are aligned to the right. No columns: those that
  /// the rows show, or if they show none every key that occurs.
  std::string markdown(std::vector<MarkdownColumn> columns = {}) const;

 private:
  std::vector<ResultRow> rows_;
};

/// A number as text with this many significant digits: without an exponent from 1e-3 up to 1e6, otherwise
/// like "1.2e-05"; "-" for NaN.
std::string format_number(double value, int significant_digits = 3);

}  // namespace studies::figures
