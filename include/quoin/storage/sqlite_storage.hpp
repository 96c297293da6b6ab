// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/storage/sample_file.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/instruction_set.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::storage {

/// A file in which grids keep what f answers, and find it again: after a stop or a crash, with another spacing, in
/// another process (docs/storage.md).
///
///   const auto fingerprint = quoin::Fingerprint("my arm").add("young", 1e5).text();
///   quoin::GridOptions<4> options;
///   options.storage = std::make_shared<quoin::storage::SqliteStorage<4>>("arm.quoin", fingerprint);
///   quoin::AdaptiveGrid<4> grid(f, options);
template <int Dim>
class SqliteStorage : public SampleStorage<Dim> {
 public:
  /// The file is opened, or made, with the first grid; a relative path is of the folder that the process is in now.
  /// fingerprint: of f (Fingerprint::text). Throws what SampleFile::require_usable throws.
  SqliteStorage(const std::filesystem::path& path, std::string fingerprint, const FileOptions& options = {})
      : path_(path.empty() ? path : std::filesystem::absolute(path)),
        fingerprint_(std::move(fingerprint)),
        options_(options) {
    if (!path_.empty()) SampleFile::require_usable(path_, options_);
  }

  /// Throws std::invalid_argument, with both values, if the file is of another function or a jet is longer than
  /// SampleFile::longest_jet, and std::runtime_error if it is no file of samples or cannot be opened.
  void open(Eigen::Index output_size, int jet_order) override {
    const Eigen::Index derivatives = jet_size(Dim, jet_order);
    if (output_size > SampleFile::longest_jet / derivatives)
      throw std::invalid_argument(path_.string() + ": " + to_text(output_size) + " outputs with " +
                                  to_text(derivatives) + " derivatives each, a row of the file takes " +
                                  to_text(SampleFile::longest_jet) + " numbers");
    auto made = is_open() ? nullptr : std::make_unique<SampleFile>(path_, wanted(output_size), options_);
    const std::lock_guard lock(opening_);
    if (file_ == nullptr) file_ = std::move(made);
    if (file_->header().output_size != output_size)
      throw std::invalid_argument(path_.string() + ": samples of a function of " +
                                  to_text(file_->header().output_size) + " outputs, wanted " + to_text(output_size));
  }

  bool find(CornerSample<Dim>& sample, const Point<Dim>& within, Eigen::Index derivatives) override {
    try {
      StoredSample stored;
      if (!file_->find({sample.x.data(), Dim}, {within.data(), Dim}, derivatives, stored)) return false;
      sample.branch = stored.branch;
      sample.reason = std::move(stored.reason);
      if (!sample.reason.empty())
        sample.reason += " (kept in " + path_.string() + "; if f is mended, give it another fingerprint)";
      sample.seconds = stored.seconds;
      if (sample.reason.empty()) sample.jet = stored.jet.leftCols(derivatives);
      return true;
    } catch (const std::bad_alloc&) {  // f will be called
      return false;
    }
  }

  bool keeps() const override { return !options_.read_only; }

  void keep(const CornerSample<Dim>& sample) override {
    if (!options_.read_only)
      file_->keep({.x = {sample.x.data(), sample.x.data() + Dim},
                   .jet = sample.jet,
                   .branch = sample.branch,
                   .reason = sample.reason,
                   .seconds = sample.seconds});
  }

  /// Of the file that is open; see SampleFile.
  void flush() { file().flush(); }
  /// What has gone wrong so far, and what was met.
  FileStatus status() const { return file().status(); }
  /// Of the file as it was opened.
  const FileHeader& header() const { return file().header(); }

 private:
  bool is_open() const {
    const std::lock_guard lock(opening_);
    return file_ != nullptr;
  }
  FileHeader wanted(Eigen::Index output_size) const {
    return {.dim = Dim,
            .output_size = output_size,
            .fingerprint = fingerprint_,
            .instruction_set = name_of(instruction_set())};
  }
  static std::string name_of(InstructionSet set) {
    return set == InstructionSet::avx512 ? "avx512" : set == InstructionSet::avx2 ? "avx2" : "baseline";
  }
  SampleFile& file() const {
    if (file_ == nullptr) throw std::logic_error(path_.string() + ": no grid has opened it");
    return *file_;
  }

  std::filesystem::path path_;
  std::string fingerprint_;
  FileOptions options_;
  mutable ForkSafeMutex opening_;  // not held while a file is opened, so that a fork need not wait for it
  std::unique_ptr<SampleFile> file_;
};

/// All samples of a file whose checksums hold, with the derivatives that all of them have. Throws std::runtime_error if
/// it is no file of samples, and std::invalid_argument if it is not one of Dim variables.
template <int Dim>
Samples<Dim> read_samples(const std::filesystem::path& path) {
  SampleFile file(path);
  if (file.header().dim != Dim)
    throw std::invalid_argument(path.string() + ": samples of a function of " + to_text(file.header().dim) +
                                " variables, wanted " + to_text(Dim));
  std::vector<StoredSample> stored;
  Eigen::Index derivatives = jet_size(Dim, 3);
  file.for_each([&](const StoredSample& sample) {
    stored.push_back(sample);
    if (sample.reason.empty()) derivatives = std::min(derivatives, sample.jet.cols());
  });
  Samples<Dim> samples;
  samples.jet_order = 0;
  while (samples.jet_order < 3 && jet_size(Dim, samples.jet_order + 1) <= derivatives) ++samples.jet_order;
  samples.resize(file.header().output_size, std::ssize(stored));
  for (std::size_t m = 0; m < stored.size(); ++m) {
    const auto column = static_cast<Eigen::Index>(m);
    samples.points.col(column) = Point<Dim>(stored[m].x.data());
    samples.branches[m] = stored[m].branch;
    samples.reasons[m] = stored[m].reason;
    samples.seconds[m] = stored[m].seconds;
    if (stored[m].reason.empty()) samples.jet(column) = stored[m].jet.leftCols(samples.derivatives());
  }
  return samples;
}

}  // namespace quoin::storage
