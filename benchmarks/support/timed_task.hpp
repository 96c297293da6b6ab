// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"

#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

/// Work whose time is measured beside that of other work.
struct TimedTask {
  std::string name;
  std::function<void()> work;
  std::vector<double> seconds = {};  ///< of each round
  std::vector<double> ratios = {};   ///< to the reference, run just before
};

/// All tasks in turns, each after the reference: a machine that is busy with other things slows both, and the ratios
/// hold. The first two rounds do not count.
inline void time_in_turns(std::vector<TimedTask>& tasks, const std::function<void()>& reference, int rounds) {
  for (int round = -2; round < rounds; ++round) {
    for (TimedTask& task : tasks) {
      const double beside = seconds_of(reference), seconds = seconds_of(task.work);
      if (round < 0) continue;
      task.seconds.push_back(seconds);
      task.ratios.push_back(seconds / beside);
    }
  }
}

}  // namespace benchmarks
