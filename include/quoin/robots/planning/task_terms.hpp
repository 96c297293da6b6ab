// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/task_maps/limit_margins.hpp"
#include "quoin/robots/task_maps/task_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cmath>
#include <concepts>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// What a robot shall do, in words that every planner takes: `TaskSum` makes them the task of `aico`, `TaskResiduals`
/// those of `ilqr` and `collocation`.
namespace quoin::planning {

/// Residuals e (N) of a state and their derivative J by its leading entries, N x d or N x n. False:
/// they cannot be computed.
using TaskResidual = std::function<bool(int t, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J)>;

/// One term of a trajectory's cost: 1/2 rho_t |e_t(x_t)|^2.
struct TaskTerm {
  std::string name = {};           ///< for reports
  TaskResidual residual = {};      ///< unweighted
  Eigen::VectorXd precision = {};  ///< rho_t, t = 0..T, not negative; 0: inactive at t, and not evaluated
};

/// Throws std::invalid_argument, with a message that begins with `caller`, for no terms, a missing residual, a
/// precision that is empty, negative or not finite, and terms whose precisions differ in length.
inline void require_terms(const std::vector<TaskTerm>& terms, const std::string& caller) {
  if (terms.empty()) throw std::invalid_argument(caller + ": no terms");
  for (const TaskTerm& term : terms) {
    const std::string who = caller + ": term '" + term.name + "' ";
    if (!term.residual) throw std::invalid_argument(who + "has no residual");
    if (term.precision.size() == 0 || term.precision.size() != terms.front().precision.size())
      throw std::invalid_argument(who + "has " + to_text(term.precision.size()) + " precisions, the first has " +
                                  to_text(terms.front().precision.size()));
    for (Eigen::Index t = 0; t < term.precision.size(); ++t)
      if (!(term.precision[t] >= 0) || !std::isfinite(term.precision[t]))
        throw std::invalid_argument(who + "has precision " + to_text(term.precision[t]) + " at time " + to_text(t));
  }
}

/// Rho at all t = 0..T. Throws std::invalid_argument for a negative T, as at_end does.
inline Eigen::VectorXd throughout(int horizon, double precision) {
  if (horizon < 0) throw std::invalid_argument("throughout: a horizon of " + to_text(horizon));
  return Eigen::VectorXd::Constant(horizon + 1, precision);
}

/// Rho at T alone, 0 before.
inline Eigen::VectorXd at_end(int horizon, double precision) {
  Eigen::VectorXd precisions = throughout(horizon, 0);
  precisions[horizon] = precision;
  return precisions;
}

namespace detail {

// An expression of Eigen's refers to its operands: what is kept is its value.
template <class Value>
auto kept(Value value) {
  if constexpr (std::derived_from<Value, Eigen::EigenBase<Value>>)
    return typename Value::PlainObject(value);
  else
    return value;
}

}  // namespace detail

/// phi(q, environment) of a TaskMap, q being the first half of x: for maps that should vanish, such as margins. The
/// environment is one that the map takes, or a function of the time t that returns such a one.
template <class Map, class Environment>
TaskResidual map_residual(Map map, Environment environment) {
  return [map = std::move(map), environment = detail::kept(std::move(environment))](
             int t, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    if constexpr (TaskMap<Map, Environment>)
      map.evaluate(x.head(x.size() / 2), environment, e, J);
    else
      map.evaluate(x.head(x.size() / 2), environment(t), e, J);
    return true;
  };
}

/// phi(q, environment) - target, target being as long as phi: a vector, or a function of t that returns one.
template <class Map, class Environment, class Target>
TaskResidual map_residual(Map map, Environment environment, Target target) {
  return [phi = map_residual(std::move(map), std::move(environment)), target = detail::kept(std::move(target))](
             int t, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    if (!phi(t, x, e, J)) return false;
    const auto subtract = [&e](const Eigen::Ref<const Eigen::VectorXd>& wanted) {
      if (wanted.size() != e.size())
        throw std::invalid_argument("map_residual: a target of " + to_text(wanted.size()) + " numbers for a map of " +
                                    to_text(e.size()));
      e -= wanted;
    };
    // Vectors can be called too: for an entry
    if constexpr (std::convertible_to<const Target&, Eigen::VectorXd>)
      subtract(target);
    else
      subtract(target(t));
    return true;
  };
}

/// LimitMargins of q, the first half of x: the signed lengths (d) by which it is within `margin` of its limits or
/// beyond them. Throws std::invalid_argument for limits that LimitMargins refuses.
inline TaskResidual limit_residual(Eigen::VectorXd lower, Eigen::VectorXd upper, double margin) {
  return map_residual(LimitMargins(std::move(lower), std::move(upper), margin), Eigen::Matrix3Xd());
}

/// The velocities, the second half of x, which should vanish.
inline TaskResidual rest_residual() {
  return [](int, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    const Eigen::Index d = x.size() / 2;
    e = x.tail(d);
    J.setZero(d, x.size());
    J.rightCols(d).setIdentity();
    return true;
  };
}

}  // namespace quoin::planning
