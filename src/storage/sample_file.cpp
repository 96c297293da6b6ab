// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sample_file.hpp"

#include "sample_file_impl.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace quoin::storage {

SampleFile::SampleFile(const std::filesystem::path& path, const FileHeader& wanted, const FileOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {
  OptionsOf{"SampleFile"}.not_negative("write_every", options.write_every);
  if (wanted.fingerprint.empty())
    throw std::invalid_argument(impl_->path + ": a fingerprint is needed, a text that tells the function from others");
  impl_->open(&wanted);
  const auto refuse = [&](const std::string& what, const std::string& there, const std::string& here) {
    throw std::invalid_argument(impl_->path + ": samples of " + what + " " + there + ", wanted " + here);
  };
  const FileHeader& there = header();
  if (there.fingerprint != wanted.fingerprint)
    refuse("the function", "'" + there.fingerprint + "'", "'" + wanted.fingerprint + "'");
  if (there.dim != wanted.dim) refuse("a function of", to_text(there.dim) + " variables", to_text(wanted.dim));
  if (there.output_size != wanted.output_size)
    refuse("a function of", to_text(there.output_size) + " outputs", to_text(wanted.output_size));
}

SampleFile::SampleFile(const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(path, FileOptions{.read_only = true})) {
  impl_->open(nullptr);
}

SampleFile::~SampleFile() = default;

void SampleFile::require_usable(const std::filesystem::path& path, const FileOptions& options) {
  require_usable_name(path.string(), options.read_only ? Access::read : Access::write);
}

const FileHeader& SampleFile::header() const { return impl_->header; }

bool SampleFile::find(std::span<const double> x, std::span<const double> within, Eigen::Index derivatives,
                      StoredSample& sample) {
  const auto serves = [&](const StoredSample& candidate) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(std::abs(candidate.x[i] - x[i]) <= within[i])) return false;
    return !candidate.reason.empty() || candidate.jet.cols() >= derivatives;
  };
  std::vector<std::int64_t> damaged;
  std::string error;
  bool found = false;
  try {
    {
      const std::lock_guard lock(impl_->mutex);
      for (const auto* given : {&impl_->queue, &impl_->writing})
        for (const StoredSample& candidate : *given)
          if (serves(candidate)) {
            sample = candidate;
            return true;
          }
    }
    const std::lock_guard lock(impl_->reading);
    for (SampleTable::Row& row : impl_->to_read().near(x, within)) {
      if (row.damaged)
        damaged.push_back(row.id);
      else if (!found && serves(row.sample)) {
        sample = std::move(row.sample);
        found = true;
      }
    }
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    error = problem.what();
  }
  if (damaged.empty() && error.empty()) return found;
  const std::lock_guard lock(impl_->mutex);
  if (!error.empty()) impl_->error = error;
  for (const std::int64_t id : damaged)
    if (std::find(impl_->damaged_ids.begin(), impl_->damaged_ids.end(), id) == impl_->damaged_ids.end()) {
      ++impl_->damaged;
      if (!impl_->options.read_only) impl_->damaged_ids.push_back(id);
    }
  return found;
}

void SampleFile::keep(StoredSample sample) {
  if (impl_->options.read_only) throw std::logic_error(impl_->path + ": opened for reading");
  require_fitting(sample);
  for (double& coordinate : sample.x) coordinate += 0.0;  // SQLite has no -0
  sample.seconds = std::isfinite(sample.seconds) ? sample.seconds + 0.0 : 0;
  std::unique_lock lock(impl_->mutex);
  impl_->queue.push_back(std::move(sample));
  impl_->start();
  impl_->work_to_do.notify_all();
  if (impl_->at_once) impl_->wait_until_written(lock);
}

void SampleFile::require_fitting(const StoredSample& sample) const {
  const auto refuse = [this](const std::string& what, const std::string& wanted) {
    throw std::invalid_argument(impl_->path + ": a sample " + what + ", wanted " + wanted);
  };
  if (std::ssize(sample.x) != header().dim)
    refuse("of " + to_text(sample.x.size()) + " variables", to_text(header().dim));
  for (const double coordinate : sample.x)
    if (!std::isfinite(coordinate)) refuse("at the coordinate " + to_text(coordinate), "a finite one");
  if ((sample.jet.size() == 0) == sample.reason.empty())
    refuse("with " + to_text(sample.jet.size()) + " numbers and the reason '" + sample.reason + "'", "one of the two");
  if (sample.jet.size() > longest_jet) refuse("of " + to_text(sample.jet.size()) + " numbers", to_text(longest_jet));
  if (sample.reason.empty() && sample.jet.rows() != header().output_size)
    refuse("of " + to_text(sample.jet.rows()) + " outputs", to_text(header().output_size));
}

void SampleFile::flush() {
  std::unique_lock lock(impl_->mutex);
  impl_->wait_until_written(lock);
  if (!impl_->idle())
    throw std::runtime_error(impl_->error + "; " + to_text(impl_->queue.size() + impl_->writing.size()) +
                             " samples are not written");
  lock.unlock();
  impl_->require_log();
}

void SampleFile::for_each(const std::function<void(const StoredSample&)>& call) {
  constexpr int at_a_time = 64;
  std::int64_t last = -1;
  for (;;) {
    std::vector<SampleTable::Row> rows;
    {
      const std::lock_guard lock(impl_->reading);
      rows = impl_->to_read().after(last, at_a_time);
    }
    const std::int64_t before = last;
    for (const SampleTable::Row& row : rows) {
      const bool in_order = row.id > last;  // but in a damaged file, of which a reader would come to no end
      last = std::max(last, row.id);
      if (!row.damaged && in_order) {
        call(row.sample);
      } else {
        const std::lock_guard lock(impl_->mutex);
        ++impl_->damaged;
      }
    }
    if (last == before) return;
  }
}

FileStatus SampleFile::status() const {
  FileStatus status;
  {
    const std::lock_guard lock(impl_->mutex);
    status.unwritten = impl_->queue.size() + impl_->writing.size();
    status.damaged = impl_->damaged;
    status.error = impl_->error;
    status.note = impl_->note;
  }
  const std::lock_guard lock(impl_->reading);
  try {
    status.samples = impl_->to_read().size();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    status.error = problem.what();
  }
  return status;
}

}  // namespace quoin::storage
