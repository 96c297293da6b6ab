// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/json_results.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace studies::figures {
namespace {

struct CellText {
  int significant_digits;

  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const { return quoin::to_text(value); }
  std::string operator()(double value) const { return format_number(value, significant_digits); }
  std::string operator()(const std::string& value) const { return value; }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text;
    for (const T& value : values) {
      text += (text.empty() ? "" : ", ") + (*this)(value);
    }
    return text;
  }
};

std::string escaped(std::string text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') {
      cell += "\\|";
    } else {
      cell += c == '\n' ? ' ' : c;
    }
  }
  return cell;
}

// A character may be several bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_number(const ResultValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

}  // namespace

std::string format_number(double value, int significant_digits) {
  if (std::isnan(value)) {
    return "-";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  if (value == 0) {
    return "0";
  }
  const int digits = std::clamp(significant_digits, 1, 50);  // no double has more than 17 significant ones
  char buffer[64];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1);
  const std::string_view scientific(buffer, end);
  // The exponent after rounding: 999.6 with three digits is 1.00e+03.
  double exponent_read = 0;  // read as a double, since an integer may not have a plus
  quoin::parse_number(scientific.substr(scientific.find('e') + 1), exponent_read);
  const int exponent = static_cast<int>(exponent_read);
  if (exponent < -3 || exponent >= 6) {
    return std::string(scientific);
  }
  double rounded = 0;
  quoin::parse_number(scientific, rounded);
  return quoin::to_fixed(exponent >= digits ? rounded : value, std::max(digits - 1 - exponent, 0));
}

std::string JsonResults::markdown(std::vector<MarkdownColumn> columns) const {
  const auto add = [&](const MarkdownColumn& column) {
    const auto same = [&](const MarkdownColumn& known) { return known.key == column.key; };
    if (std::none_of(columns.begin(), columns.end(), same)) columns.push_back(column);
  };
  if (columns.empty())
    for (const ResultRow& row : rows_) std::for_each(row.shown().begin(), row.shown().end(), add);
  if (columns.empty())
    for (const ResultRow& row : rows_)
      for (const auto& [key, value] : row.entries()) add({.key = key, .title = ""});
  struct Column {
    std::vector<std::string> cells;
    std::size_t width = 3;
    bool right = false;
  };
  std::vector<Column> table;
  for (const MarkdownColumn& column : columns) {
    Column made;
    made.cells.push_back(escaped(column.title.empty() ? column.key : column.title));
    bool texts = false;
    for (const ResultRow& row : rows_) {
      const ResultValue& value = row.at(column.key);
      made.cells.push_back(escaped(std::visit(CellText{column.significant_digits}, value)));
      made.right = made.right || is_number(value);
      texts = texts || std::holds_alternative<std::string>(value);
    }
    made.right = made.right && !texts;
    for (const std::string& cell : made.cells) {
      made.width = std::max(made.width, width(cell));
    }
    table.push_back(std::move(made));
  }
  std::string text;
  for (std::size_t line = 0; line <= rows_.size(); ++line) {
    text += '|';
    for (const Column& column : table) {
      const std::string padding(column.width - width(column.cells[line]), ' ');
      text += ' ' + (column.right ? padding + column.cells[line] : column.cells[line] + padding) + " |";
    }
    text += '\n';
    if (line == 0) {
      text += '|';
      for (const Column& column : table) {
        text += column.right ? ' ' + std::string(column.width - 1, '-') + ": |"
                             : ' ' + std::string(column.width, '-') + " |";
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace studies::figures
