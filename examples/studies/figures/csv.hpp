// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/values.hpp"
#include "quoin/util/files.hpp"

#include <Eigen/Core>

#include <filesystem>
#include <string>
#include <vector>

namespace studies::figures {

/// Writes a header and rows of doubles, each with the fewest digits that read back to the same bits.
///
///     CsvWriter csv("out/path.csv", {"time", "x", "y"});
///     csv.row({0.0, 0.1, 0.2});
///
/// NaN and infinities are written as nan, inf, -inf. A row of another length than the header throws
/// std::invalid_argument. A row that cannot be written throws std::runtime_error, and the file ends with the row
/// before. A row that did not throw has been passed to the system, so that the file can be read while it grows and the
/// destructor has nothing to lose. `close` throws errors that network file systems may report only then.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& file, const std::vector<std::string>& header);

  void row(const Values& values);
  /// Call it after the last row.
  void close() { out_.close(); }

 private:
  CsvWriter(const std::filesystem::path& file, std::size_t columns, const std::string& header);

  std::string name_;
  quoin::GrowingFile out_;
  Eigen::Index columns_;
};

}  // namespace studies::figures
