// SPDX-License-Identifier: BSD-3-Clause
#include "sample_table.hpp"

#include "quoin/map/fingerprint.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace quoin::storage {

namespace {

constexpr int newest_format = 1, most_dim = 64;
constexpr std::int64_t most_outputs = 2'147'483'647;

// Over all fields of a row.
std::int64_t checksum(const StoredSample& sample) {
  Hash64 hash;
  hash.add(std::span<const double>(sample.x));
  hash.add(static_cast<double>(sample.jet.cols()));
  hash.add(static_cast<double>(sample.branch));
  hash.add(std::string_view(sample.reason));
  hash.add(sample.seconds);
  hash.add(std::span<const double>(sample.jet.data(), static_cast<std::size_t>(sample.jet.size())));
  return static_cast<std::int64_t>(hash.value());
}

// pattern(i) for each axis, with something between.
template <class Pattern>
std::string axes(int dim, const std::string& between, Pattern&& pattern) {
  std::string text;
  for (int i = 0; i < dim; ++i) text += (i > 0 ? between : "") + pattern(i);
  return text;
}
std::string x(int axis) { return "x" + to_text(axis); }
std::string parameter(int number) { return "?" + to_text(number); }
std::string coordinates(int dim) { return axes(dim, ", ", x); }

constexpr const char* fields = "derivatives, branch, reason, seconds, jet, checksum";

// As SQLite keeps it in the file.
constexpr const char* create_header = "CREATE TABLE header (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID";
std::string create_samples(int dim) {
  return "CREATE TABLE samples (id INTEGER PRIMARY KEY, " +
         axes(dim, ", ", [](int i) { return x(i) + " REAL NOT NULL"; }) +
         ", derivatives INTEGER NOT NULL, branch INTEGER NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL,"
         " jet BLOB NOT NULL, checksum INTEGER NOT NULL)";
}
std::string create_points(int dim) { return "CREATE UNIQUE INDEX points ON samples (" + coordinates(dim) + ")"; }

std::string insert_sample(int dim) {
  return "INSERT INTO samples (" + coordinates(dim) + ", " + fields + ") VALUES (" +
         axes(dim + 6, ", ", [](int i) { return parameter(i + 1); }) + ") ON CONFLICT (" + coordinates(dim) +
         ") DO UPDATE SET derivatives = excluded.derivatives, branch = excluded.branch, reason = excluded.reason,"
         " seconds = excluded.seconds, jet = excluded.jet, checksum = excluded.checksum"
         " WHERE excluded.derivatives > derivatives";
}

std::string select_near(int dim) {
  return "SELECT id, " + coordinates(dim) + ", " + fields + " FROM samples WHERE " + axes(dim, " AND ", [](int i) {
           return x(i) + " BETWEEN " + parameter(2 * i + 1) + " AND " + parameter(2 * i + 2);
         });
}

std::string select_after(int dim) {
  return "SELECT id, " + coordinates(dim) + ", " + fields + " FROM samples WHERE id > ?1 ORDER BY id LIMIT ?2";
}

}  // namespace

SampleTable::SampleTable(const std::string& path, const FileHeader* wanted, const FileOptions& options,
                         const FileIdentity& known, GoOn go_on)
    : database_(path, options.read_only ? Access::read : Access::write, known, std::move(go_on)) {
  try {
    if (!options.read_only) {
      // Large pages for large jets; set before the first table is made.
      database_.execute("PRAGMA page_size = 16384");
      database_.write_ahead();
      database_.execute(options.durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    }
    if (wanted != nullptr && !options.read_only) make_or_check(path, *wanted);
    read_header(path);
    const int dim = header_.dim;
    near_.emplace(database_, select_near(dim));
    after_.emplace(database_, select_after(dim));
    if (!options.read_only) {
      insert_.emplace(database_, insert_sample(dim));
      drop_.emplace(database_, "DELETE FROM samples WHERE id = ?1");
    }
    database_.opened();
  } catch (const DatabaseError& error) {
    if (error.busy() || error.of_the_disk()) throw;
    if (error.of_rights())
      throw std::runtime_error(std::string(error.what()) +
                               ": no right to write to it or to what lies beside it (-wal, -shm); whose are they?");
    throw std::runtime_error(std::string(error.what()) + ": this is no file of samples, or it is damaged");
  }
}

void SampleTable::make_or_check(const std::string& path, const FileHeader& wanted) {
  Transaction transaction(database_);
  Statement tables(database_, "SELECT count(*), count(CASE name WHEN 'header' THEN 1 END) FROM sqlite_master");
  tables.step();
  const std::int64_t all = tables.integer(0), headers = tables.integer(1);
  tables.reset();
  if (headers == 1) return;
  if (all > 0) throw std::runtime_error(path + ": an SQLite database of something else, without the table `header`");
  for (const std::string& sql : {std::string(create_header), create_samples(wanted.dim), create_points(wanted.dim)})
    database_.execute(sql);
  Statement insert(database_, "INSERT INTO header VALUES (?1, ?2)");
  const auto put = [&insert](std::string_view name, auto value) { insert.bind(1, name).bind(2, value).run(); };
  put("format", std::int64_t{newest_format});
  put("dim", std::int64_t{wanted.dim});
  put("outputs", static_cast<std::int64_t>(wanted.output_size));
  put("fingerprint", std::string_view(wanted.fingerprint));
  put("instruction_set", std::string_view(wanted.instruction_set));
  transaction.commit();
}

void SampleTable::require_created_by(const std::string& path, std::string_view name, std::string_view sql) {
  Statement select(database_, "SELECT sql FROM sqlite_master WHERE name = ?1");
  select.bind(1, name);
  const bool there = select.step();
  if (!there && database_.names() > 1) throw std::runtime_error(path + ": " + database_.log_elsewhere());
  if (!there || select.text(0) != sql)
    throw std::runtime_error(path + ": '" + std::string(name) + "' is " +
                             (there ? "made by '" + std::string(select.text(0).substr(0, 200)) + "'" : "missing") +
                             ", wanted '" + std::string(sql) + "'");
}

void SampleTable::read_header(const std::string& path) {
  require_created_by(path, "header", create_header);
  Statement select(database_, "SELECT value FROM header WHERE name = ?1");
  const auto get = [&](std::string_view name, auto&& read) {
    select.bind(1, name);
    if (!select.step()) throw std::runtime_error(path + ": the header has no '" + std::string(name) + "'");
    read();
    select.reset();
  };
  const auto number_up_to = [&](std::string_view name, std::int64_t most) {
    std::int64_t value = 0;
    get(name, [&] { value = select.integer(0); });
    if (value < 1 || value > most)
      throw std::runtime_error(path + ": the header says '" + std::string(name) + "' " + to_text(value) +
                               ", wanted 1 to " + to_text(most));
    return value;
  };
  std::int64_t format = 0;
  get("format", [&] { format = select.integer(0); });
  if (format < 1 || format > newest_format)
    throw std::runtime_error(path + ": written in format " + to_text(format) + ", this library reads 1 to " +
                             to_text(newest_format));
  header_.format = static_cast<int>(format);
  header_.dim = static_cast<int>(number_up_to("dim", most_dim));
  header_.output_size = number_up_to("outputs", most_outputs);
  get("fingerprint", [&] { header_.fingerprint = select.text(0); });
  get("instruction_set", [&] { header_.instruction_set = select.text(0); });
  require_created_by(path, "samples", create_samples(header_.dim));
  require_created_by(path, "points", create_points(header_.dim));
}

std::size_t SampleTable::size() {
  const Database::Reading reading(database_);
  Statement count(database_, "SELECT count(*) FROM samples");
  count.step();
  return static_cast<std::size_t>(count.integer(0));
}

SampleTable::Row SampleTable::read(Statement& statement) const {
  Row row{.id = statement.integer(0)};
  StoredSample& sample = row.sample;
  int column = 1;
  for (int i = 0; i < header_.dim; ++i) sample.x.push_back(statement.number(column++));
  const std::int64_t derivatives = statement.integer(column++);
  const std::int64_t branch = statement.integer(column++);
  sample.branch = static_cast<int>(branch);
  sample.reason = statement.text(column++);
  sample.seconds = statement.number(column++);
  const std::span<const std::byte> jet = statement.bytes(column++);
  row.damaged = true;
  const std::int64_t doubles = static_cast<std::int64_t>(jet.size() / sizeof(double));
  if (branch != sample.branch || derivatives < 0 || derivatives > doubles || jet.size() % sizeof(double) != 0 ||
      doubles != derivatives * header_.output_size || (derivatives == 0) != !sample.reason.empty())
    return row;
  sample.jet.resize(derivatives == 0 ? 0 : header_.output_size, derivatives);
  if (!jet.empty()) std::memcpy(sample.jet.data(), jet.data(), jet.size());
  row.damaged = checksum(sample) != statement.integer(column);
  return row;
}

std::vector<SampleTable::Row> SampleTable::near(std::span<const double> x, std::span<const double> within) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int low = 2 * static_cast<int>(i) + 1;
    near_->bind(low, x[i] - within[i]).bind(low + 1, x[i] + within[i]);
  }
  const Database::Reading reading(database_);
  std::vector<Row> rows;
  while (near_->step()) rows.push_back(read(*near_));
  near_->reset();
  return rows;
}

std::vector<SampleTable::Row> SampleTable::after(std::int64_t id, int most) {
  after_->bind(1, id).bind(2, std::int64_t{most});
  const Database::Reading reading(database_);
  std::vector<Row> rows;
  while (after_->step()) rows.push_back(read(*after_));
  after_->reset();
  return rows;
}

void SampleTable::write(std::span<const std::int64_t> damaged, std::span<const StoredSample> samples) {
  Transaction transaction(database_);
  for (const std::int64_t id : damaged) drop_->bind(1, id).run();
  for (const StoredSample& sample : samples) {
    int parameter = 1;
    for (const double coordinate : sample.x) insert_->bind(parameter++, coordinate);
    insert_->bind(parameter++, static_cast<std::int64_t>(sample.jet.cols()));
    insert_->bind(parameter++, std::int64_t{sample.branch});
    insert_->bind(parameter++, std::string_view(sample.reason));
    insert_->bind(parameter++, sample.seconds);
    insert_->bind(parameter++, std::span<const double>(sample.jet.data(), static_cast<std::size_t>(sample.jet.size())));
    insert_->bind(parameter, checksum(sample)).run();
  }
  transaction.commit();
}

}  // namespace quoin::storage
