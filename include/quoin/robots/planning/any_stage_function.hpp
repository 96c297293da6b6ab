// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/stage_functions.hpp"

#include <Eigen/Core>

#include <functional>
#include <utility>

namespace quoin::planning {

/// A function of a stage, r_i(x_i, u_i) or h_i(x_i, u_i), of any type. Called with matrices it gives its derivatives
/// too.
class AnyStageFunction {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  using Value = std::function<bool(int i, const Vector& x, const Vector& u, Vector& value)>;
  /// With dx: rows x n, du: rows x m.
  using Derivatives =
      std::function<bool(int i, const Vector& x, const Vector& u, Vector& value, Matrix& dx, Matrix& du)>;

  /// Without any, which is to be replaced before it is called.
  AnyStageFunction() = default;
  AnyStageFunction(Value value, Derivatives derivatives)
      : value_(std::move(value)), derivatives_(std::move(derivatives)) {}

  bool operator()(int i, const Vector& x, const Vector& u, Vector& value) const { return value_(i, x, u, value); }
  bool operator()(int i, const Vector& x, const Vector& u, Vector& value, Matrix& dx, Matrix& du) const {
    return derivatives_(i, x, u, value, dx, du);
  }

 private:
  Value value_;
  Derivatives derivatives_;
};

/// StageResiduals of any type.
struct AnyResiduals {
  AnyStageFunction residual;  ///< r
};

/// StageConstraints of any type.
struct AnyConstraints {
  AnyStageFunction constraint;  ///< h
};

static_assert(StageResiduals<AnyResiduals> && StageConstraints<AnyConstraints>);

}  // namespace quoin::planning
