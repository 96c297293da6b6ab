// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/planning/ilqr.hpp"

#include <Eigen/Core>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// The common parts of the studies in this folder: a plan, and how it was made.
namespace studies {

/// One iteration of a planner.
struct PlanIteration {
  int round = 0;  ///< of interleave
  int iteration = 0;
  double cost = 0;
  double seconds = 0;           ///< since the planning began
  long evaluations = 0;         ///< exact evaluations so far
  Eigen::MatrixXd points = {};  ///< Dim x (K + 1), where the iterate queries the map; empty if there is none
};

/// Returns false to stop the planner: time is up, or the user wants it.
using PlanObserver = std::function<bool(const PlanIteration&)>;

struct Plan {
  std::string name = {};
  Eigen::MatrixXd controls = {};  ///< m x K
  Eigen::MatrixXd points = {};    ///< Dim x (K + 1), where the plan queries the map
  double cost = std::numeric_limits<double>::quiet_NaN();
  std::string stop = {};
  bool finished = false;  ///< converged; false if the observer stopped it, or it failed
  double seconds = 0;     ///< wall time, end to end
  long evaluations = 0;   ///< exact evaluations
  long steps = 0;         ///< of dynamics in the last solve, with derivatives or without
  std::vector<PlanIteration> log = {};
};

/// Records the log of an iLQR plan, in one solve or several, and passes it to an observer.
class PlanRecorder {
 public:
  /// points: number of rows of a state that are the point at which the map is queried; evaluations: their number so
  /// far; seconds: already spent.
  PlanRecorder(Plan& plan, Eigen::Index points, std::function<long()> evaluations, PlanObserver observer,
               double seconds = 0)
      : plan_(plan),
        points_(points),
        evaluations_(std::move(evaluations)),
        observer_(std::move(observer)),
        before_(seconds) {}

  bool stopped() const { return stopped_; }

  planning::IlqrObserver observe(int round) {
    return [this, round](const planning::IlqrIteration& it, const planning::Trajectory& trajectory) {
      plan_.log.push_back(
          {round, it.iteration, it.cost, seconds(), evaluations_(), trajectory.states.topRows(points_)});
      stopped_ = stopped_ || (observer_ && !observer_(plan_.log.back()));
      return !stopped_;
    };
  }

  /// Fills in the final results.
  void finish(const planning::IlqrResult& last, bool finished, const std::string& message = {}) {
    plan_.seconds = seconds();
    plan_.evaluations = evaluations_();
    plan_.steps = last.dynamics_calls + last.derivative_calls;
    plan_.controls = last.trajectory.controls;
    plan_.points = last.trajectory.states.topRows(points_);
    plan_.cost = last.trajectory.cost;
    plan_.finished = finished;
    plan_.stop = message.empty() ? to_string(last.stop) : message;
  }

 private:
  double seconds() const { return before_ + watch_.seconds(); }

  Plan& plan_;
  Eigen::Index points_;
  std::function<long()> evaluations_;
  PlanObserver observer_;
  double before_;
  Stopwatch watch_;
  bool stopped_ = false;
};

}  // namespace studies
