// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace quoin::identification {

/// A change of parameters that the outputs hardly show.
struct WeakDirection {
  double relative_singular_value = 0;  ///< of the greatest
  Eigen::VectorXd components;          ///< every parameter's, in units of its scale; of length one
  std::string sentence;                ///< "not identifiable: m1, m2, k, b together (relative singular value 2.7e-16)"
};

/// The parameters that an experiment identifies: the singular values of the Jacobian of its outputs, with columns
/// scaled by a typical size of each parameter.
struct ParameterIdentifiability {
  Eigen::VectorXd singular_values = {};  ///< greatest first, one for each parameter that is not held
  Eigen::MatrixXd directions = {};  ///< parameters x singular values: the right singular vectors, scaled components
  std::vector<WeakDirection> weak = {};  ///< those below the threshold, weakest first
  /// Directions that are not weak.
  Eigen::Index rank() const { return singular_values.size() - static_cast<Eigen::Index>(weak.size()); }
  /// Whether none is weak.
  bool complete() const { return weak.empty(); }
};

/// jacobian: outputs x parameters, not scaled. held(j): parameter j is left out. A direction is weak if its singular
/// value is below threshold times the greatest; its sentence names the parameters whose component is at least a tenth
/// of its greatest. A parameter that the outputs do not show at all is a direction of its own. O(outputs parameters^2).
/// Throws std::invalid_argument for sizes that differ, scales that are not positive, a jacobian that is not finite, and
/// a threshold that is NaN or negative.
ParameterIdentifiability parameter_identifiability(const Eigen::Ref<const Eigen::MatrixXd>& jacobian,
                                                   const std::vector<std::string>& names, const Eigen::VectorXd& scales,
                                                   const std::vector<bool>& held = {}, double threshold = 1e-6);

}  // namespace quoin::identification
