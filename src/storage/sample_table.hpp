// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "database.hpp"

#include "quoin/storage/sample_file.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quoin::storage {

/// The tables of a file of samples, as one connection sees them; of one thread at a time. Throws DatabaseError.
class SampleTable {
 public:
  /// Opens the file of this absolute path; `wanted`: makes it if it is not there. `known`: that file, or none. go_on:
  /// see Database.
  SampleTable(const std::string& path, const FileHeader* wanted, const FileOptions& options,
              const FileIdentity& known = {}, GoOn go_on = {});

  const FileHeader& header() const { return header_; }
  std::size_t size();
  /// The connection itself.
  Database& database() { return database_; }

  /// A row that was read: the sample, or where the damaged row is.
  struct Row {
    std::int64_t id = 0;
    bool damaged = false;
    StoredSample sample = {};
  };

  /// The rows around x, damaged ones included.
  std::vector<Row> near(std::span<const double> x, std::span<const double> within);
  /// The rows after this one in the order in which they came, at most so many.
  std::vector<Row> after(std::int64_t id, int most);

  /// All or none: drops rows, and writes samples where the file has none with as many derivatives.
  void write(std::span<const std::int64_t> damaged, std::span<const StoredSample> samples);

 private:
  void make_or_check(const std::string& path, const FileHeader& wanted);
  void read_header(const std::string& path);
  /// That a table or index is the one of the format, and no view or table of something else.
  void require_created_by(const std::string& path, std::string_view name, std::string_view sql);
  Row read(Statement& statement) const;

  Database database_;
  FileHeader header_;
  std::optional<Statement> near_, after_, insert_, drop_;  // of the tables, so prepared when these are there
};

}  // namespace quoin::storage
