// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/util/options_of.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace quoin {

/// Of a step's difference from one of third order, relative to the scale and size of each entry of the state.
inline constexpr double default_step_tolerance = 1e-5;

/// Whether a classical Runge-Kutta step of length h and the rates k1 to k4, which led to x, resolves its motion: the
/// embedded scheme with h (k2 + 2 k3) / 3, of the same rates, ends no further from x than the step began. They differ
/// by (h eigenvalue)^4 / 24 of each mode.
///
/// Steps are stable while |h eigenvalue| of df/dx is below 2.8. Of modes alone all of more than 2.0 are unresolved
/// where they decay, of more than 2.5 where they swing; beside other motion, once they are most of what moves.
template <class X, class K>
bool resolves_motion(double h, const K& k1, const K& k2, const K& k3, const K& k4, const X& x) {
  const double moved = (k1 + 2 * k2 + 2 * k3 + k4).cwiseAbs().maxCoeff();
  const double apart = (k1 - 2 * k3 + k4).cwiseAbs().maxCoeff();
  return h / 6 * (apart - moved) <= 1e-9 * (1 + x.cwiseAbs().maxCoeff());  // what is at rest moves by rounding
}

/// Classical Runge-Kutta steps whose length follows their error. A step's difference from an embedded one of third
/// order,
///
///     e = h (k4 - k5) / 10,    k5 = f(x'),
///
/// costs one rate, or nothing where k5 is the next step's k1. Where an entry of e exceeds the tolerance times s + |x|,
/// s the entry's scale, the step is halved, up to 12 times; where all are far below, the next one is twice as long, up
/// to the longest. Scales are 1 unless they are given: give them where a state's unit is far from its size. Where
/// all entries, and what they move by in the step, are below 0.03 of their scales, s is 33 times the largest part
/// instead, down to 1e-9 of the scale, which counts as rest: what is small all over has to be resolved too, to 3e-4 of
/// itself a step. The step itself is of fourth order, so that its error is a part of e. A step past the stability limit
/// soon has an e beyond any tolerance: no mode is too fast but one that 4096 times shorter steps do not resolve. How
/// errors add up is the motion's, and not seen.
///
/// Rates that follow a signal in time see it at three times of a step, and two periods a step look like none. Where the
/// signal is not what these three foretell at two times between, the rates there count as k5 does (advance).
///
/// With an infinite tolerance the steps have one length, and those that do not resolve their motion are
/// `not_converged` (resolves_motion, in units of the scales).
class RungeKuttaSteps {
 public:
  static constexpr int most_halvings = 12;  ///< a step is halved at most so often: 4096 times shorter
  /// Of classical Runge-Kutta: where in the step each stage stands, and its weight.
  static constexpr std::array<double, 4> reach{0, 0.5, 0.5, 1}, weight{1. / 6, 1. / 3, 1. / 3, 1. / 6};
  /// Where in the step a signal is looked at besides: 1 less the golden section and the root of 1/2, far from all
  /// fractions of a step and of each other.
  static constexpr std::array<double, 2> between{0.38196601125010515, 0.70710678118654752};

  /// tolerance: of a step's difference from one of third order; infinite: steps of one length. scales: of the states,
  /// as many as these and positive; none: ones. Throws std::invalid_argument for a tolerance that is not positive.
  explicit RungeKuttaSteps(double tolerance = default_step_tolerance, Eigen::VectorXd scales = {})
      : tolerance_(tolerance), scales_(std::move(scales)) {
    OptionsOf{"RungeKuttaSteps"}.positive("tolerance", tolerance);
  }

  /// Moves x through `duration` in `steps` equal steps or shorter ones. rate(stage, part, x, k) -> StepStatus gives the
  /// rate at x after `part` of the duration, 0 to 1; stages are 0 to 3, 4 for k5, and 5 for a look between. Unless the
  /// status is ok, x is unspecified. Throws std::invalid_argument for less than one step.
  template <class Rate>
  StepStatus advance(const Rate& rate, double duration, int steps, Eigen::VectorXd& x) {
    return advance(rate, duration, steps, x, nullptr);
  }

  /// The same; accepted(h) follows each step of length h whose stages 0 to 3 were asked for last.
  template <class Rate, class Accepted>
  StepStatus advance(const Rate& rate, double duration, int steps, Eigen::VectorXd& x, const Accepted& accepted) {
    return advance(rate, duration, steps, x, accepted, nullptr);
  }

  /// The same of rates that follow a signal in time: surprises(start, span), parts of the duration, says whether the
  /// signal is somewhere `between` other than its parabola through start, middle and end of the span.
  template <class Rate, class Accepted, class Surprises>
  StepStatus advance(const Rate& rate, double duration, int steps, Eigen::VectorXd& x, const Accepted& accepted,
                     const Surprises& surprises) {
    constexpr bool tells = !std::is_null_pointer_v<Accepted>;
    constexpr bool follows = !std::is_null_pointer_v<Surprises>;
    OptionsOf{"RungeKuttaSteps"}.one_or_more("steps", steps);
    const bool fixed = std::isinf(tolerance_);
    // Time is counted in the shortest steps.
    constexpr long longest = 1L << most_halvings;
    const long end = steps * longest;
    int halvings = 0;
    bool begun = false;  // k_[0] is the rate at x
    for (long at = 0; at < end;) {
      const long span = longest >> halvings;
      const auto part = [&](double of_step) {
        return (static_cast<double>(at) + of_step * static_cast<double>(span)) / static_cast<double>(end);
      };
      const double h = duration * static_cast<double>(span) / static_cast<double>(end);
      if (!begun)
        if (const StepStatus s = rate(0, part(0), x, k_[0]); s != StepStatus::ok) return s;
      begun = true;
      double excess = 0;
      StepStatus status = attempt(rate, part, h, x);
      if (status == StepStatus::ok && fixed && !resolved(h)) status = StepStatus::not_converged;
      bool knows_next = false;
      if (status == StepStatus::ok && !fixed) {
        const double rest = part_of_scales(h, x);
        // An embedded step of second order costs nothing, and is more than enough where little moves.
        excess = excess_of(h / 6 * (k_[0] - 2 * k_[2] + k_[3]), rest);
        if (!(excess <= 1)) {
          status = rate(4, part(1), next_, k_[4]);
          knows_next = status == StepStatus::ok;
          if (knows_next) excess = excess_of(h / 10 * (k_[3] - k_[4]), rest);
        }
        if constexpr (follows) {
          const double all_of_it = part(1) - part(0);
          if (status == StepStatus::ok && excess <= 1 && surprises(part(0), all_of_it))
            for (const double t : between) {
              status = look(rate, part(t), t, h, x);
              if (status == StepStatus::ok) excess = std::max(excess, excess_of(h / 10 * (k_[5] - foretold(t)), rest));
              if (status != StepStatus::ok || !(excess <= 1)) break;
            }
        }
      }
      if (status != StepStatus::ok || !(excess <= 1)) {
        if (fixed) return status;
        if (halvings == most_halvings) return status == StepStatus::ok ? StepStatus::not_converged : status;
        // The error is of fourth order.
        const double wanted = status == StepStatus::ok && std::isfinite(excess) ? std::ceil(std::log2(excess) / 4) : 1;
        halvings = static_cast<int>(std::clamp(halvings + wanted, halvings + 1., double{most_halvings}));
        continue;
      }
      if constexpr (tells) accepted(h);
      x.swap(next_);
      at += span;
      // Who follows the steps asks for their stages itself.
      begun = knows_next && !tells;
      if (begun) k_[0].swap(k_[4]);
      if (halvings > 0 && excess < 1. / 32 && at % (2 * span) == 0) --halvings;
    }
    return StepStatus::ok;
  }

 private:
  template <class Rate, class Part>
  StepStatus attempt(const Rate& rate, const Part& part, double h, const Eigen::VectorXd& x) {
    for (std::size_t j = 1; j < 4; ++j) {
      stage_ = x + reach[j] * h * k_[j - 1];
      if (const StepStatus s = rate(static_cast<int>(j), part(reach[j]), stage_, k_[j]); s != StepStatus::ok) return s;
    }
    next_ = x + h / 6 * (k_[0] + 2 * k_[1] + 2 * k_[2] + k_[3]);
    return next_.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }

  bool resolved(double h) const {
    if (scales_.size() == 0) return resolves_motion(h, k_[0], k_[1], k_[2], k_[3], next_);
    const auto in_scales = [&](const Eigen::VectorXd& v) { return Eigen::VectorXd(v.cwiseQuotient(scales_)); };
    return resolves_motion(h, in_scales(k_[0]), in_scales(k_[1]), in_scales(k_[2]), in_scales(k_[3]), in_scales(next_));
  }

  /// Of the scales, what counts in the error beside |x| in a step of length h from x.
  static constexpr double small = 0.03;
  double part_of_scales(double h, const Eigen::VectorXd& x) const {
    double most = largest_part(x);
    if (most < small) most = std::max({most, largest_part(next_), h * largest_part(k_[0])});
    return std::clamp(most / small, 1e-9, 1.);
  }
  double largest_part(const Eigen::VectorXd& x) const {
    return scales_.size() == 0 ? x.cwiseAbs().maxCoeff() : (x.array().abs() / scales_.array()).maxCoeff();
  }
  template <class Error>
  double excess_of(const Error& e, double rest) const {
    if (scales_.size() == 0) return (e.array().abs() / (rest + next_.array().abs())).maxCoeff() / tolerance_;
    return (e.array().abs() / (rest * scales_.array() + next_.array().abs())).maxCoeff() / tolerance_;
  }

  // The parabola of the rates at the start, in the middle and at the end; and where it leads to.
  auto foretold(double t) const {
    return (1 - t) * (1 - 2 * t) * k_[0] + 2 * t * (1 - t) * (k_[1] + k_[2]) + t * (2 * t - 1) * k_[3];
  }
  template <class Rate>
  StepStatus look(const Rate& rate, double part, double t, double h, const Eigen::VectorXd& x) {
    stage_ =
        x +
        h * t * ((1 - t * (1.5 - t / 1.5)) * k_[0] + t * (1 - t / 1.5) * (k_[1] + k_[2]) + t * (t / 1.5 - 0.5) * k_[3]);
    return rate(5, part, stage_, k_[5]);
  }

  double tolerance_;
  Eigen::VectorXd scales_;
  std::array<Eigen::VectorXd, 6> k_;
  Eigen::VectorXd stage_, next_;
};

}  // namespace quoin
