// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"

#include <Eigen/Core>

#include <concepts>
#include <exception>

namespace quoin {

/// A map from Dim to N dimensions with its Jacobian. Exact functions, grids, views, functionals and compositions are
/// all of this kind, so that dynamics written over a map take the exact model and its surrogate alike.
///
/// Outputs are resized as needed. `evaluate` throws if it cannot answer.
template <class M, int Dim>
concept DifferentiableMap = requires(const M& m, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
  { m.output_size() } -> std::convertible_to<Eigen::Index>;  // N
  { m.evaluate(x, y) } -> std::same_as<Answer>;              // y: N
  { m.evaluate(x, y, J) } -> std::same_as<Answer>;           // J: N x Dim, J(i, j) = dy_i/dx_j
};

/// A map that can also answer without throwing: `outside` and `failed` are returned as Trust, outputs untouched.
template <class M, int Dim>
concept TryableMap =
    DifferentiableMap<M, Dim> && requires(const M& m, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
      { m.try_evaluate(x, y, J) } -> std::same_as<Answer>;
    };

/// A map that also gives its second derivatives: H(i, k) = d^2 y_i/dx_a dx_b at k = second_derivative_index(Dim, a, b),
/// N x Dim (Dim + 1)/2, as the columns of a jet. y and J are those of evaluate(x, y, J). Where the Jacobian jumps, as
/// between the cells of a grid, H is that of one side.
template <class M, int Dim>
concept TwiceDifferentiableMap =
    DifferentiableMap<M, Dim> && requires(const M& m, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
      { m.evaluate(x, y, J, J) } -> std::same_as<Answer>;
      { m.try_evaluate(x, y, J, J) } -> std::same_as<Answer>;
    };

/// Evaluates any map and returns failures as Trust instead of throwing; only Interrupted is passed on. For solvers that
/// shorten their step and go on.
template <int Dim, class M>
  requires DifferentiableMap<M, Dim>
Answer try_evaluate(const M& map, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
  if constexpr (TryableMap<M, Dim>) {
    return map.try_evaluate(x, y, J);
  } else {
    try {
      return map.evaluate(x, y, J);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception&) {
      return {.trust = Trust::failed};
    }
  }
}

}  // namespace quoin
