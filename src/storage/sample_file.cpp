// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/storage/sample_file.hpp"

#include "sample_table.hpp"

#include "quoin/core/at_fork.hpp"
#include "quoin/core/options_of.hpp"
#include "quoin/core/request.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace quoin::storage {

namespace {

// The file that the name means now, whatever the process's folder is later.
std::string fixed(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (name.empty()) throw std::invalid_argument("a file of samples: the name is empty");
  if (const std::size_t nul = name.find('\0'); nul != name.npos)
    throw std::invalid_argument("a file of samples: '" + name.substr(0, nul) + "' and a NUL, which no name has");
  return std::filesystem::absolute(path).string();
}

// By the Watch of who asks, also where another thread calls f for it.
void throw_if_stopped() {
  const Request* const request = Request::current();
  if (const Watch* const watch = request ? request->watch() : Watch::current()) watch->throw_if_stopped();
}

}  // namespace

// Two connections, and a thread that writes; made when they are needed. None of them outlives a fork: SQLite forbids it
// for connections. Parent and child open the file anew with their next call, and what is not written yet, the parent
// writes.
struct SampleFile::Impl {
  Impl(const std::filesystem::path& at, const FileOptions& chosen) : path(fixed(at)), options(chosen) {}
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    work_to_do.notify_all();
    if (thread.joinable()) thread.join();
    const std::scoped_lock lock(reading, saving);  // no fork meanwhile
    // Behind a fork it is opened anew, unless others are at it, and so closed as any other; or who opens it next finds
    // the log.
    try {
      if (log_left && !writer) writer.emplace(path, nullptr, options, identity, [] { return false; });
    } catch (const std::exception&) {
    }
    writer.reset();
    reader.reset();
  }

  // Behind the constructor, so that a fork finds all that it must close.
  void open(const FileHeader* wanted) {
    const std::scoped_lock lock(reading, saving);
    reader.emplace(path, wanted, options, FileIdentity{}, go_on());
    if (!options.read_only) writer.emplace(path, wanted, options, reader->database().identity(), go_on());
    header = reader->header();
    identity = reader->database().identity();
    note = reader->database().note();
    if (!reader->database().complete()) error = note;
  }

  // Who waits for other programs asks whether the user has had enough, which throws, and makes way for a fork, which
  // waits for the mutexes below.
  GoOn go_on() {
    return [this] {
      throw_if_stopped();
      return !forking;
    };
  }

  // The connections, for who holds their mutex.
  SampleTable& to_read() {
    if (reader && reader->database().outdated()) reader.reset();
    if (reader) return *reader;
    // One that waits for it in vain, ten seconds, is enough for the next ten.
    if (std::chrono::steady_clock::now() < unread_until.load())
      throw std::runtime_error(path + ": cannot be opened now");
    try {
      return reader.emplace(path, nullptr, options, identity, go_on());
    } catch (const DatabaseError& refusal) {
      if (refusal.busy() && !forking) unread_until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      throw;
    }
  }
  SampleTable& to_write() { return writer ? *writer : writer.emplace(path, nullptr, options, identity, go_on()); }

  void before_fork() noexcept {
    forking = true;
    reading.lock();
    saving.lock();
    std::unique_lock lock(mutex);
    // A thread that has just been made may hold its allocator's lock, which not every allocator frees in the child.
    written.wait(lock, [this] { return begun || !thread.joinable(); });
    lock.release();
    for (std::optional<SampleTable>* connection : {&reader, &writer}) {
      if (*connection) (*connection)->database().leave_log();
      connection->reset();
      log_left = !options.read_only;
    }
  }
  void after_fork_in_parent() noexcept {
    forking = false;
    mutex.unlock();
    saving.unlock();
    reading.unlock();
  }
  void after_fork_in_child() noexcept {
    new (&thread) std::thread;                  // the parent's is not here
    new (&work_to_do) std::condition_variable;  // nobody waits
    new (&written) std::condition_variable;
    for (std::vector<StoredSample>* parents : {&queue, &writing}) parents->clear();
    damaged_ids.clear();
    error.clear();
    urgent = begun = log_left = false;
    at_once = true;  // children end by _exit, behind which nobody writes
    after_fork_in_parent();
  }

  bool idle() const { return queue.empty() && writing.empty() && damaged_ids.empty(); }

  // For who holds the mutex: starts the thread that writes, if there is none. What it cannot start for waits.
  void start() {
    try {
      if (!thread.joinable()) thread = std::thread([this] { work(); });
    } catch (const std::exception& problem) {
      error = path + ": no thread to write with: " + problem.what();
    }
  }

  // The thread that writes: what has come since the last time, in one transaction. What could not be written stays.
  void work() {
    std::unique_lock lock(mutex);
    begun = true;
    written.notify_all();
    for (;;) {
      work_to_do.wait(lock, [this] { return stop || !queue.empty() || !damaged_ids.empty(); });
      if (!stop && !urgent) {
        const auto pause =
            std::chrono::duration<double>(error.empty() ? std::min(options.write_every, a_day) : retry_every);
        work_to_do.wait_for(lock, pause, [this] { return stop || urgent; });
      }
      if (idle()) {
        if (stop) return;
        continue;
      }
      urgent = false;
      writing.swap(queue);
      const std::vector<std::int64_t> to_drop(damaged_ids);
      lock.unlock();
      std::string failure;
      bool made_way = false;
      {
        const std::lock_guard one(saving);  // also for what an exception allocates, so that no fork falls into it
        try {
          to_write().write(to_drop, writing);
          unread_until = std::chrono::steady_clock::time_point{};
        } catch (const std::exception& problem) {
          failure = problem.what();
          // One that has made way for a fork is no failure. The fork's mutexes are taken behind it.
          made_way = forking;
        }
      }
      if (made_way) const std::lock_guard behind_the_fork(reading);
      lock.lock();
      if (!made_way) error = failure;
      if (failure.empty()) {
        damaged_ids.erase(damaged_ids.begin(), damaged_ids.begin() + std::ssize(to_drop));
        writing.clear();
      } else {
        std::move(queue.begin(), queue.end(), std::back_inserter(writing));
        queue.clear();
        writing.swap(queue);
      }
      if (made_way) {
        urgent = true;
        continue;
      }
      ++attempts;
      written.notify_all();
      if (stop && !failure.empty()) return;
    }
  }

  void wait_until_written(std::unique_lock<std::mutex>& lock) {
    while (!idle()) {
      start();
      if (!thread.joinable()) return;
      const long before = attempts;
      urgent = true;
      work_to_do.notify_all();
      const auto tried = [&] { return attempts > before; };
      while (!written.wait_for(lock, std::chrono::milliseconds(50), tried)) {
        lock.unlock();
        throw_if_stopped();
        lock.lock();
      }
      if (!error.empty()) return;
    }
  }

  static constexpr double retry_every = 1;    // seconds, after a failure
  static constexpr double a_day = 24 * 3600;  // an infinite pause is none that a clock can count

  const std::string path;
  const FileOptions options;
  FileHeader header;  // of the file as it was opened
  FileIdentity identity;
  std::string note;

  std::atomic<bool> forking = false;
  std::atomic<std::chrono::steady_clock::time_point> unread_until{};

  // Of one mutex nobody waits for another, but who opens, closes and forks, in this order.
  std::mutex reading;
  std::optional<SampleTable> reader;
  std::mutex saving;
  std::optional<SampleTable> writer;
  bool log_left = false;  // a fork has closed the connections of this process

  mutable std::mutex mutex;  // of all below
  std::condition_variable work_to_do, written;
  std::vector<StoredSample> queue, writing;  // given to keep(); in the writer's hands
  std::vector<std::int64_t> damaged_ids;     // rows to be dropped
  std::size_t damaged = 0;
  std::string error;
  long attempts = 0;
  bool begun = false, urgent = false, stop = false;   // begun: the thread
  bool at_once = options.durable || options.at_once;  // keep() returns when it is written
  std::thread thread;

  AtFork<Impl> at_fork{*this};
};

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
