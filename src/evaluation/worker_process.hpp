// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/worker_pool.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace quoin::evaluation_detail {

/// A file descriptor that this process owns, and that no program which it starts inherits.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
    }
    return *this;
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void close();

 private:
  int number_;
};

/// One run of a worker's program, and the bytes that go to it and come from it. It ends with this process, however that
/// ends, and with it all that it has started in its process group.
class WorkerProcess {
 public:
  /// Starts it, as leader of a process group of its own. Throws std::runtime_error with the reason if it cannot be.
  WorkerProcess(const WorkerOptions& options, int number);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends a line. False if the process does not take it: it has ended, or closed its descriptor 3.
  bool send(std::string_view line);

  /// To be polled for what it says.
  int descriptor() const { return from_.number(); }
  /// Takes in what has come, until so many bytes are there. False at the end of what it says.
  bool receive(std::size_t most);
  /// What has come and was not taken.
  std::string_view received() const { return std::string_view(received_).substr(taken_); }
  void take(std::size_t bytes);

  /// Asks it to end, by the end of what it reads.
  void close_input() { to_.close(); }
  /// True if it has ended, within this time.
  bool has_ended(std::chrono::milliseconds within);
  /// The signal that has stopped it, for as long as it is; 0 if it runs or has ended.
  int stopped_by() const;
  /// Ends it, if it has not ended, and all that it has started.
  void kill();
  /// In the child of a fork, where it is the parent's: lets go of it.
  void leave_to_parent();

  /// Of a killed one: "process 123 was killed by signal 11 (Segmentation fault)", or "... has ended with status 1".
  std::string state() const;

 private:
  pid_t pid_ = -1;
  bool running_ = true;  // or has ended, and nobody has asked how
  bool given_up_ = false;
  int status_ = 0;
  Descriptor to_, from_, life_;  // the process group ends at the end of what is written to life_, which is nothing
  std::string received_;
  std::size_t taken_ = 0;
};

}  // namespace quoin::evaluation_detail
