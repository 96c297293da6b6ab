// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace studies::branches {

/// A stable equilibrium of a body under two loads.
struct Equilibrium {
  Eigen::VectorXd y = {};  ///< N
  Eigen::MatrixXd J = {};  ///< N x 2, by the implicit function theorem
  double energy = 0;       ///< of the body and its loads
  int branch = 0;          ///< which of its stable states this is
};

/// A body with several stable states under the same loads.
template <class B>
concept Multistable = requires(const B& body, const Eigen::VectorXd& start, const Point<2>& x) {
  { body.output_size() } -> std::convertible_to<Eigen::Index>;
  { body.settle(start, x) } -> std::same_as<std::optional<Equilibrium>>;   // the minimum that a start leads to
  { body.starts() } -> std::convertible_to<std::vector<Eigen::VectorXd>>;  // one in each way to rest
};

/// The equilibria that the body's starts lead to, in their order: under some loads all lead to the same. Throws
/// std::runtime_error if a start leads to none.
template <Multistable Body>
std::vector<Equilibrium> equilibria(const Body& body, const Point<2>& x) {
  std::vector<Equilibrium> found;
  for (const Eigen::VectorXd& start : body.starts()) {
    auto equilibrium = body.settle(start, x);
    if (!equilibrium)
      throw std::runtime_error("no stable equilibrium at (" + to_text(x[0]) + ", " + to_text(x[1]) + ")");
    found.push_back(std::move(*equilibrium));
  }
  return found;
}

/// The equilibrium of least energy among those that the body's starts lead to: a pure function of the loads, which
/// jumps where two of them have the same energy (Maxwell's line). It comes with the label of its branch.
template <Multistable Body>
Equilibrium lowest_equilibrium(const Body& body, const Point<2>& x) {
  const std::vector<Equilibrium> found = equilibria(body, x);
  return *std::min_element(found.begin(), found.end(),
                           [](const Equilibrium& a, const Equilibrium& b) { return a.energy < b.energy; });
}

/// The equilibrium reached from a known one when the loads move straight from one point to another, in steps of at most
/// `step`. The branch is kept up to its fold; beyond it the body snaps to another.
template <Multistable Body>
std::optional<Equilibrium> follow(const Body& body, const Point<2>& from, const Eigen::VectorXd& start,
                                  const Point<2>& to, double step) {
  const int steps = std::max(1, static_cast<int>(std::ceil((to - from).template lpNorm<Eigen::Infinity>() / step)));
  std::optional<Equilibrium> at;
  for (int i = 1; i <= steps; ++i) {
    const double part = static_cast<double>(i) / steps;
    at = body.settle(at ? at->y : start, i == steps ? to : Point<2>((1 - part) * from + part * to));
    if (!at) return at;
  }
  return at;
}

/// The fraction of the straight line from one point of loads to another at which the branch of `start` folds, by
/// bisection to `tolerance`; 1 if there is no fold.
template <Multistable Body>
double fold(const Body& body, const Point<2>& from, const Equilibrium& start, const Point<2>& to, double step,
            double tolerance) {
  Equilibrium last = start;
  double known = 0;
  while (known < 1) {
    const double next = std::min(1.0, known + step);
    const auto ahead = body.settle(last.y, (1 - next) * from + next * to);
    if (ahead && ahead->branch == start.branch) {
      last = *ahead;
      known = next;
    } else if (step < tolerance) {
      return known;
    } else {
      step /= 2;
    }
  }
  return 1;
}

/// lowest_equilibrium as the function under a grid, with its labels.
template <Multistable Body>
auto labelled(Body body) {
  const Eigen::Index size = body.output_size();
  return exact_function<2>(
      size,
      [body = std::move(body)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
        const Equilibrium lowest = lowest_equilibrium(body, x);
        y = lowest.y;
        J = lowest.J;
        return lowest.branch;
      });
}

/// The body with hysteresis: it follows the loads from the nearest known corner (from its first start if none
/// is known) in steps of at most `step`, so that its branch depends on earlier calls. On one branch, two
/// calls agree to `repeatable_to`.
template <Multistable Body>
auto following(Body body, double step, double repeatable_to) {
  const Eigen::Index size = body.output_size();
  return exact_function<2>(
      size,
      [body = std::move(body), step](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J,
                                     const SolvedCorner<2>* start) -> int {
        const auto found = start ? follow(body, start->x, Eigen::VectorXd(start->jet.col(0)), x, step)
                                 : body.settle(body.starts().front(), x);
        if (!found) throw std::runtime_error("no stable equilibrium at (" + to_text(x[0]) + ", " + to_text(x[1]) + ")");
        y = found->y;
        J = found->J;
        return found->branch;
      },
      {.repeatable_to = repeatable_to});
}

}  // namespace studies::branches
