// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>

namespace studies::figures {
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
    throw std::invalid_argument("CsvWriter::row: '" + name_ + "' has " + quoin::to_text(columns_) +
                                " columns, the row has " + quoin::to_text(values.size()) + " values");
  }
  std::string line;
  for (Eigen::Index i = 0; i < columns_; ++i) {
    if (i > 0) {
      line += ',';
    }
    line += quoin::to_text(values[i]);
  }
  line += '\n';
  out_.write(line);
}

}  // namespace studies::figures
