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

namespace quoin {

/// How worker processes are started.
struct WorkerOptions {
  /// The program and its arguments. It talks on descriptors 3 and 4 (docs/evaluators.md); what it prints disturbs
  /// nobody.
  std::vector<std::string> command;
  int count = 1;  ///< of processes
  /// Put before the command: {"srun", "-n", "1"}, {"ssh", "node{worker}"}, {"mpirun", "-n", "1"}; {worker} becomes the
  /// worker's number, from 0. A launcher must pass its standard input and output on to the program.
  std::vector<std::string> launcher = {};
  /// Of one evaluation, and of the start. A worker that takes longer is killed, also one that is stopped or waits for
  /// ever: for an f of hours give more, or infinity. Seconds.
  double time_limit = 3600;
  int attempts = 3;  ///< how many workers a sample may cost before it has failed
  /// What workers print is appended here. Empty: what they print to the standard error goes to that of this process,
  /// the rest nowhere.
  std::filesystem::path log = {};
};

/// What a worker says of its function as it starts.
struct WorkerFunction {
  Eigen::Index output_size = 0;  ///< N
  int jet_order = 0;             ///< 0: values alone
  std::string fingerprint;       ///< for a storage: tells this function from others
  bool operator==(const WorkerFunction&) const = default;
};

/// What a worker answered at one point, or why none did.
struct WorkerAnswer {
  Eigen::MatrixXd jet;      ///< N x derivatives; empty if there is a reason
  int branch = 0;           ///< the label of the branch, 0 if the worker gives none
  std::string reason = {};  ///< why there is no jet; empty if there is one
  bool retry = false;       ///< the failure may pass
  double seconds = 0;       ///< between question and answer
};

/// Child processes that evaluate a function. Safe from many threads: each call takes the workers that are idle. They
/// end with this process, however it ends; a child that it forks has workers of its own, which start when they are
/// needed.
class WorkerPool {
 public:
  /// Starts the workers. Throws std::invalid_argument for options without sense and for workers that say different
  /// things of their functions, with both; std::runtime_error with the reason if one does not start.
  WorkerPool(int variables, WorkerOptions options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Of the function.
  int variables() const { return variables_; }
  /// What all workers said as they started.
  const WorkerFunction& function() const { return function_; }

  /// Evaluates at points (variables x M), each by the next worker that is free, and hands over the answers as they
  /// come. A worker that crashes, is silent for too long or talks nonsense is started again, and its sample goes to
  /// another. waiting(), if it is given, is called some ten times a second, with what there is to say of a worker that
  /// has been silent for a minute, or is stopped; what it throws passes on, as what `answered` throws does, and workers
  /// that are still busy are then started again.
  void evaluate(const Eigen::Ref<const Eigen::MatrixXd>& points,
                const std::function<void(Eigen::Index m, WorkerAnswer answer)>& answered,
                const std::function<void(const std::string& silence)>& waiting = {});

  std::size_t restarts() const;  ///< of workers that crashed, hung or talked nonsense, so far

 private:
  class Round;
  struct Shared;

  int variables_;
  WorkerFunction function_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace quoin
