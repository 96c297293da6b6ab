// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/plan.hpp"

#include "quoin/robots/dynamics/runge_kutta_steps.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

using Vector = Eigen::VectorXd;

int nodes_apart(const CollocationPlan& plan) {
  return plan.scheme == CollocationScheme::hermite_simpson && plan.rates.size() > 0 ? 2 : 1;
}

struct Place {
  Eigen::Index interval;
  double s, h;
};

Place find(const CollocationPlan& plan, double time) {
  const int apart = nodes_apart(plan);
  const double* begin = plan.times.data();
  const Eigen::Index after = std::upper_bound(begin, begin + plan.times.size(), time) - begin;
  const Eigen::Index i =
      std::clamp<Eigen::Index>((after - 1) / apart, 0, std::max<Eigen::Index>(plan.intervals(), 1) - 1);
  const double h = plan.times[apart * (i + 1)] - plan.times[apart * i];
  return {i, std::clamp((time - plan.times[apart * i]) / h, 0., 1.), h};
}

/// Runge-Kutta steps through the intervals of a plan.
class IntervalSteps {
 public:
  IntervalSteps(const NodeDynamics& dynamics, const CollocationPlan& plan) : dynamics_(dynamics), plan_(plan) {}

  /// From part j to part j + 1 of `count` of interval i, which has the length h.
  StepStatus step(Eigen::Index i, int j, int count, double h, Vector& x) {
    return steps_.advance(
        [&](int, double part, const Vector& at, Vector& k) {
          plan_.control_in(i, (j + part) / count, u_);
          const StepStatus status = dynamics_.solve(at, u_, w_, room_);
          k.resize(at.size());
          if (status == StepStatus::ok) dynamics_.rate(at, w_, k);
          return status;
        },
        h / count, 1, x);
  }

 private:
  const NodeDynamics& dynamics_;
  const CollocationPlan& plan_;
  RungeKuttaSteps steps_;
  Vector u_, w_;
  NodeEquation room_;
};

void check(const NodeDynamics& dynamics, const CollocationPlan& plan, const std::string& caller) {
  const Eigen::Index count = plan.times.size();
  if (count < 2 || plan.states.rows() != dynamics.state_size || plan.states.cols() != count ||
      plan.controls.rows() != dynamics.control_size || plan.controls.cols() != count) {
    throw std::invalid_argument(caller + ": a plan of " + to_text(count) + " nodes with states " +
                                shape_text(plan.states) + " and controls " + shape_text(plan.controls) +
                                ", for dynamics of " + to_text(dynamics.state_size) + " states and " +
                                to_text(dynamics.control_size) + " controls");
  }
}

}  // namespace

Eigen::Index CollocationPlan::intervals() const { return (times.size() - 1) / nodes_apart(*this); }

Eigen::VectorXd CollocationPlan::mesh() const {
  const int apart = nodes_apart(*this);
  Vector points(intervals() + 1);
  for (Eigen::Index i = 0; i < points.size(); ++i) points[i] = times[apart * i];
  return points;
}

Eigen::VectorXd CollocationPlan::state(double time) const {
  const auto [i, s, h] = find(*this, time);
  const int apart = nodes_apart(*this);
  const auto x0 = states.col(apart * i), x1 = states.col(apart * (i + 1));
  if (rates.size() == 0 || scheme == CollocationScheme::euler) return (1 - s) * x0 + s * x1;
  const Eigen::Index known = states.rows() - rates.rows();
  Vector f0(states.rows()), f1(states.rows());
  f0 << x0.tail(known), rates.col(apart * i);
  f1 << x1.tail(known), rates.col(apart * (i + 1));
  const double r = 1 - s;
  return r * r * (1 + 2 * s) * x0 + s * s * (1 + 2 * r) * x1 + h * s * r * (r * f0 - s * f1);
}

Eigen::VectorXd CollocationPlan::control(double time) const {
  const Place place = find(*this, time);
  Vector u;
  control_in(place.interval, place.s, u);
  return u;
}

void CollocationPlan::control_in(Eigen::Index i, double s, Eigen::VectorXd& u) const {
  if (nodes_apart(*this) == 2) {
    u = (1 - s) * (1 - 2 * s) * controls.col(2 * i) + 4 * s * (1 - s) * controls.col(2 * i + 1) +
        s * (2 * s - 1) * controls.col(2 * i + 2);
  } else if (scheme == CollocationScheme::euler && rates.size() > 0) {
    u = controls.col(i);
  } else {
    u = (1 - s) * controls.col(i) + s * controls.col(i + 1);
  }
}

CollocationReplay replay(const NodeDynamics& dynamics, const CollocationPlan& plan, double step,
                         const Eigen::VectorXd& initial_state) {
  check(dynamics, plan, "replay");
  if (!(step > 0)) throw std::invalid_argument("replay: step = " + to_text(step) + ", must be positive");
  if (initial_state.size() > 0 && initial_state.size() != dynamics.state_size) {
    throw std::invalid_argument("replay: initial state has " + to_text(initial_state.size()) + " entries, must have " +
                                to_text(dynamics.state_size));
  }
  const Vector mesh = plan.mesh();
  const auto steps = [&](Eigen::Index i) {
    return std::max(1, static_cast<int>(std::ceil((mesh[i + 1] - mesh[i]) / step * (1 - 1e-9))));
  };
  Eigen::Index total = 1;
  for (Eigen::Index i = 0; i + 1 < mesh.size(); ++i) total += steps(i);

  CollocationReplay result{.times = Vector(total), .states = Eigen::MatrixXd(dynamics.state_size, total)};
  Vector x = initial_state.size() > 0 ? initial_state : Vector(plan.states.col(0));
  IntervalSteps integrator(dynamics, plan);
  Eigen::Index at = 0;
  result.times[0] = mesh[0];
  result.states.col(0) = x;
  for (Eigen::Index i = 0; i + 1 < mesh.size(); ++i) {
    const double h = mesh[i + 1] - mesh[i];
    const int count = steps(i);
    for (int j = 0; j < count; ++j) {
      result.status = integrator.step(i, j, count, h, x);
      if (result.status != StepStatus::ok) {
        result.times.conservativeResize(at + 1);
        result.states.conservativeResize(Eigen::NoChange, at + 1);
        return result;
      }
      ++at;
      result.times[at] = mesh[i] + h * (j + 1) / count;
      result.states.col(at) = x;
    }
  }
  return result;
}

void measure_defects(const NodeDynamics& dynamics, CollocationPlan& plan, int substeps) {
  check(dynamics, plan, "measure_defects");
  if (substeps < 1) {
    throw std::invalid_argument("measure_defects: " + to_text(substeps) + " substeps, must be positive");
  }
  IntervalSteps integrator(dynamics, plan);
  const int apart = nodes_apart(plan);
  plan.interval_defects.resize(plan.intervals());
  Vector x;
  for (Eigen::Index i = 0; i < plan.intervals(); ++i) {
    x = plan.states.col(apart * i);
    const double h = plan.times[apart * (i + 1)] - plan.times[apart * i];
    StepStatus status = StepStatus::ok;
    for (int j = 0; j < substeps && status == StepStatus::ok; ++j) status = integrator.step(i, j, substeps, h, x);
    plan.interval_defects[i] = status == StepStatus::ok ? (x - plan.states.col(apart * (i + 1))).cwiseAbs().maxCoeff()
                                                        : std::numeric_limits<double>::infinity();
  }
  plan.largest_defect = plan.interval_defects.maxCoeff();
}

}  // namespace quoin::planning
