// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/io/csv.hpp"

#include "quoin/core/files.hpp"
#include "quoin/core/parse_number.hpp"
#include "quoin/core/to_text.hpp"

#include <sstream>
#include <stdexcept>

namespace quoin::io {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) {
    return name;
  }
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') {
      text += c;
    }
  }
  return text + '"';
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool inside_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside_quotes && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      inside_quotes = !inside_quotes;
    } else if (c == ',' && !inside_quotes) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::string header_line(const std::string& file, const std::vector<std::string>& header) {
  if (header.empty()) {
    throw std::invalid_argument("CsvWriter::CsvWriter: '" + file + "' has no columns");
  }
  std::string line;
  for (const std::string& name : header) {
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw std::invalid_argument("CsvWriter::CsvWriter: the name of a column of '" + file + "' has a line break");
    }
    line += quoted(name) + ',';
  }
  line.back() = '\n';
  return line;
}

}  // namespace

CsvWriter::CsvWriter(const std::filesystem::path& file, const std::vector<std::string>& header)
    : CsvWriter(file, header.size(), header_line(file.string(), header)) {}

CsvWriter::CsvWriter(const std::filesystem::path& file, std::size_t columns, const std::string& header)
    : name_(file.string()), out_(file), columns_(static_cast<Eigen::Index>(columns)) {
  out_.write(header);
}

void CsvWriter::row(const Values& values) {
  if (values.size() != columns_) {
    throw std::invalid_argument("CsvWriter::row: '" + name_ + "' has " + to_text(columns_) + " columns, the row has " +
                                to_text(values.size()) + " values");
  }
  std::string line;
  for (Eigen::Index i = 0; i < columns_; ++i) {
    if (i > 0) {
      line += ',';
    }
    line += to_text(values[i]);
  }
  line += '\n';
  out_.write(line);
}

Eigen::VectorXd CsvTable::column(const std::string& name) const {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == name) {
      return rows.col(static_cast<Eigen::Index>(i));
    }
  }
  std::string known;
  for (const std::string& other : header) {
    known += (known.empty() ? "" : ", ") + other;
  }
  throw std::invalid_argument("CsvTable::column: no column '" + name + "' among " + known);
}

CsvTable read_csv(const std::filesystem::path& file) {
  std::istringstream in(read_file(file));
  CsvTable table;
  std::string line;
  if (!std::getline(in, line)) {
    throw std::runtime_error("read_csv: '" + file.string() + "' is empty");
  }
  table.header = split(line);
  std::vector<double> numbers;
  Eigen::Index rows = 0;
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty() || line == "\r") {
      continue;
    }
    const std::vector<std::string> fields = split(line);
    const std::string where = "read_csv: '" + file.string() + "', line " + to_text(number) + ": ";
    if (fields.size() != table.header.size()) {
      throw std::runtime_error(where + to_text(fields.size()) + " values under " + to_text(table.header.size()) +
                               " columns");
    }
    for (const std::string& field : fields) {
      double value = 0;
      if (!parse_number(field, value)) {
        throw std::runtime_error(where + "'" + field + "' is not a number");
      }
      numbers.push_back(value);
    }
    ++rows;
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  table.rows = Eigen::Map<const RowMajor>(numbers.data(), rows, static_cast<Eigen::Index>(table.header.size()));
  return table;
}

}  // namespace quoin::io
