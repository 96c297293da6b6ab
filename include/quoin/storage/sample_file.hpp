// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace quoin::storage {

/// What a file of samples says of itself.
struct FileHeader {
  int format = 1;                ///< of the file; every later version of the library reads format 1
  int dim = 0;                   ///< variables of the function
  Eigen::Index output_size = 0;  ///< N
  std::string fingerprint;       ///< of the function (Fingerprint::text)
  std::string instruction_set;   ///< of the program that made the file: answers of another may differ by rounding
};

/// One sample, as stored.
struct StoredSample {
  std::vector<double> x;    ///< dim
  Eigen::MatrixXd jet;      ///< N x derivatives; empty if the function failed
  int branch = 0;           ///< the function's label
  std::string reason = {};  ///< of a failure
  double seconds = 0;       ///< spent in the function
};

/// How a file is opened, and when samples reach the disk.
struct FileOptions {
  /// False: what is written survives the end of the process, however it ends. True: also that of the machine; keep()
  /// then returns when the sample is on the disk, which takes milliseconds.
  bool durable = false;
  /// True: keep() returns when the sample is in the file, as for a file that a forked child has from its parent: for a
  /// process that ends by _exit.
  bool at_once = false;
  /// Samples are written together, this often. Seconds.
  double write_every = 0.02;
  bool read_only = false;  ///< the file must exist, in a folder of any rights, and keep() throws std::logic_error
};

/// What has gone wrong, and what was met.
struct FileStatus {
  std::size_t samples = 0;    ///< in the file
  std::size_t unwritten = 0;  ///< given to it, and not yet in the file
  std::size_t damaged = 0;    ///< met with a wrong checksum, and not answered
  std::string error;          ///< the last; empty if there was none
  /// What was met as it was opened: that a program which was killed left a log, where nobody may write, and whether the
  /// log could be read (if not, `error` says so, too). Empty if there was nothing.
  std::string note;
};

/// A file of samples, an SQLite database: table `samples` with the coordinates x0, x1, ..., the jet as doubles column
/// by column, and a checksum over all fields of a row. Safe from many threads; several processes of one machine may
/// share a file. One thread of its own writes, many samples at a time. In a process that forks, parent and child go on
/// with it; what was not written yet, the parent writes.
class SampleFile {
 public:
  /// Numbers that the jet of one sample may have: a row of SQLite is at most a billion bytes long.
  static constexpr Eigen::Index longest_jet = 124'900'000;

  /// Opens the file that the path means now, or makes it. Throws std::invalid_argument, with both values, if it holds
  /// samples of another function, dimension or number of outputs, or if no file can have such a name, and
  /// std::runtime_error if it is no such file, cannot be opened, lies where locks fail, or if another program holds it,
  /// within 5 s.
  SampleFile(const std::filesystem::path& path, const FileHeader& wanted, const FileOptions& options = {});
  /// Opens a file for reading, whatever function it is of; also where nobody may write.
  explicit SampleFile(const std::filesystem::path& path);
  ~SampleFile();  ///< writes what is left
  /// Throws what opening this file would throw for its name (std::invalid_argument), or for what lies beside it
  /// (std::runtime_error); makes nothing.
  static void require_usable(const std::filesystem::path& path, const FileOptions& options = {});
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;

  /// Of the file as it was opened.
  const FileHeader& header() const;

  /// The sample within this distance of x on every axis, with at least this many derivatives, or a failure. False if
  /// there is none whose checksum holds. Throws Interrupted alone, where another program
  /// keeps it waiting and the thread's Watch says so; status() tells the rest.
  bool find(std::span<const double> x, std::span<const double> within, Eigen::Index derivatives, StoredSample& sample);

  /// One with more derivatives than what is stored there takes its place; others leave the file as it is. Throws
  /// std::invalid_argument, with the numbers, for one of other sizes than the file's or than longest_jet, at a point
  /// that is not finite, or with both a jet and a reason or neither. In a forked child, which may end without a word,
  /// it returns when the sample is in the file.
  void keep(StoredSample sample);

  /// Waits until all that was given to it is in the file. Throws std::runtime_error if it cannot be written, also
  /// because the file was renamed, deleted or replaced meanwhile: it is kept in memory, and the next flush() tries
  /// again; also if file or log was cut short, or the log deleted, with what was written before. Throws Interrupted,
  /// with nothing lost, where the thread's Watch says so.
  void flush();

  /// Calls back with every sample whose checksum holds, in the order in which they came.
  void for_each(const std::function<void(const StoredSample&)>& call);

  /// What has gone wrong so far, and what was met.
  FileStatus status() const;

 private:
  void require_fitting(const StoredSample& sample) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quoin::storage
