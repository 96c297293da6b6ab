// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/dynamics/linear_system.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"

#include <Eigen/Core>

namespace quoin::identification {

/// What kind of system is sought.
struct LinearSystemFitOptions {
  Eigen::Index order = 2;              ///< n, states
  bool direct = false;                 ///< whether the output depends on the input of the same sample: D != 0
  bool estimate_initial_state = true;  ///< false: it is zero, the recording begins at rest
  int max_iterations = 200;            ///< of the output error's least squares
};

/// The system found, and how well it follows the recording.
struct LinearSystemFit {
  LinearSystem system;            ///< discrete, in observer form: C = (1, 0, ...)
  Eigen::VectorXd initial_state;  ///< of the recording
  double fit = 0;                 ///< percentage on the recording itself
  LinearSystem arx;               ///< the start of the fit: the equation error's least squares, at rest
  double arx_fit = 0;             ///< percentage on the recording itself
  /// Why the output error's least squares ended.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;  ///< of the output error's least squares

  /// Whether the output error's least squares met its tolerances.
  bool converged() const { return stop == Stop::converged; }
};

/// Identifies a linear system of one input and one output from recordings of both, such as the drive cylinders of
/// Marchese, Tedrake, Rus 2015, section 4.2, which have two states:
///
///     auto fit = fit_linear_system(u, y, 0.01);                            // one trial
///     double valid = fit_percentage(y2, simulate(fit.system, u2));         // the others judge
///     auto drive = continuous_of(fit.system);                              // for another step of time
///
/// First y_k = -a_1 y_{k-1} - ... + b_1 u_{k-1} + ... (ARX) is fitted by linear least squares, which output noise
/// biases; its poles are pulled inside the unit circle. From there box_least_squares minimizes the output error, with
/// exact sensitivities, where |a_i| is at most what a stable system can have. u and y are deviations from an operating
/// point: no offset is fitted. O(T n^2) per iteration.
///
/// u, y: 1 x T, equal steps of time. Throws std::invalid_argument for shapes that differ, fewer than 4 n + 4 samples,
/// numbers that are not finite, a y that is always zero, and order < 1.
LinearSystemFit fit_linear_system(const Eigen::Ref<const Eigen::MatrixXd>& inputs,
                                  const Eigen::Ref<const Eigen::MatrixXd>& outputs, double time_step,
                                  const LinearSystemFitOptions& options = {});

/// 100 (1 - |y - yhat| / |y - mean of y|), mean row by row: 100 is exact, 0 no better than the mean. Both p x T.
/// Minus infinity if y does not change. Throws std::invalid_argument for shapes that differ.
double fit_percentage(const Eigen::Ref<const Eigen::MatrixXd>& measured,
                      const Eigen::Ref<const Eigen::MatrixXd>& predicted);

}  // namespace quoin::identification
