// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sample_table.hpp"
#include "store_name.hpp"

#include "quoin/storage/sample_file.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/request.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace quoin::storage {

/// By the Watch of who asks, also where another thread calls f for it.
inline void throw_if_stopped() {
  const Request* const request = Request::current();
  if (const Watch* const watch = request ? request->watch() : Watch::current()) watch->throw_if_stopped();
}

/// Two connections, and a thread that writes; made when they are needed. None of them outlives a fork: SQLite forbids
/// it for connections. Parent and child open the file anew with their next call, and what is not written yet, the
/// parent writes.
struct SampleFile::Impl {
  Impl(const std::filesystem::path& at, const FileOptions& chosen) : path(fixed_name(at)), options(chosen) {}
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    work_to_do.notify_all();
    if (thread.joinable()) thread.join();
    const std::scoped_lock lock(reading, saving);  // no fork meanwhile
    // Behind a fork it is opened anew, unless others are at it, and so closed as any other; or who opens it next finds
    // the log. So it is for what still waits, too: behind a log that was cut, a new one begins.
    const bool some_waits = !queue.empty();
    if (some_waits) close();
    try {
      if ((log_left || some_waits) && !writer) writer.emplace(path, &header, options, identity, [] { return false; });
      if (some_waits) writer->write({}, queue);
    } catch (const std::exception&) {
    }
    close();
  }

  void close() {
    writer.reset();
    reader.reset();
  }

  // Behind the constructor, so that a fork finds all that it must close.
  void open(const FileHeader* wanted) {
    const std::scoped_lock lock(reading, saving);
    opened_by = std::chrono::steady_clock::now() + std::chrono::seconds(4);
    reader.emplace(path, wanted, options, FileIdentity{}, go_on());
    if (!options.read_only) writer.emplace(path, wanted, options, reader->database().identity(), go_on());
    header = reader->header();
    identity = reader->database().identity();
    note = reader->database().note();
    if (!reader->database().complete()) error = note;
    opened_by = std::chrono::steady_clock::time_point::max();
  }

  // Who waits for other programs asks whether the user has had enough, which throws, and makes way for a fork, which
  // waits for the mutexes below; the first opening gives up in time.
  GoOn go_on() {
    return [this] {
      throw_if_stopped();
      return !forking && std::chrono::steady_clock::now() < opened_by.load();
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

  // That what was written is still where the next program finds it. Not asked where another thread writes, which asks.
  void require_log() {
    const std::unique_lock writes(saving, std::try_to_lock);
    if (!writes || !writer) return;
    try {
      writer->database().require_log();
    } catch (const std::exception& problem) {
      const std::lock_guard lock(mutex);
      error = problem.what();
      throw;
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
  std::atomic<std::chrono::steady_clock::time_point> unread_until{}, opened_by{};

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

}  // namespace quoin::storage
