// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/identification/parameter_identifiability.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace quoin::identification {

/// A parameter of an output error fit: of a model, a delay, a coordinate of a trial's initial state.
struct OutputErrorParameter {
  std::string name;                                         ///< for reports
  double initial = 0;                                       ///< where the first start begins
  double lower = -std::numeric_limits<double>::infinity();  ///< -infinity for none
  double upper = std::numeric_limits<double>::infinity();   ///< equal to lower: held there, no part of the analysis
  double scale = 1;   ///< its typical size, by which it is divided to compare parameters
  double spread = 0;  ///< further starts are drawn from initial +- spread, inside the bounds
};

/// Y (rows x frames) predicted with parameters p: a column for every frame, its points stacked with block_size rows
/// each; several trials are further columns. If dY_dp is not null, it becomes (rows * frames) x parameters, with
/// row i + rows * frame: Y column by column. False, or numbers that are not finite: p cannot be simulated; a
/// shorter step is tried.
using OutputPrediction = std::function<bool(const Eigen::VectorXd& p, Eigen::MatrixXd& Y, Eigen::MatrixXd* dY_dp)>;

/// The cost of errors.
enum class OutputErrorCriterion {
  sum_of_norms,  ///< the sum over points of the distance to what was measured, not squared: outliers weigh little
  least_squares  ///< half the sum of squares
};

const char* to_string(OutputErrorCriterion criterion);

using OutputErrorStop [[deprecated("quoin::Stop")]] = Stop;

/// What is minimized, from where, and until when.
struct OutputErrorOptions {
  int block_size = 2;  ///< rows of a point: 2 or 3; 1 for least_squares only
  OutputErrorCriterion criterion = OutputErrorCriterion::sum_of_norms;  ///< the cost of errors
  int starts = 1;                    ///< the first is `initial`, the others are drawn by the seed
  std::uint64_t seed = 1;            ///< of the starts after the first
  int max_iterations = 100;          ///< of each start
  double relative_tolerance = 1e-9;  ///< stop when model or step promise less than this times the cost
  /// eps of sqrt(|e|^2 + eps^2), in units of the outputs; 0: 1e-4 of the measurements' deviation.
  double smoothing = 0;
  double initial_damping = 1e-3;  ///< relative to the diagonal of the scaled model
  double max_damping = 1e10;      ///< gives up where a step would need more
  double weak_threshold = 1e-6;   ///< relative singular values below it count as not identifiable
  /// Look for a lower cost before a point is called converged, and go on from it: at most 24 predictions, as a rule
  /// once.
  bool check_curvature = true;
  int resamples = 100;  ///< from which the deviations of a sum of norms come; 0: none, they are infinite
};

/// The result of one start.
struct OutputErrorStart {
  /// parameters: where it began, and where it ended.
  Eigen::VectorXd initial, p;
  double initial_norms = 0, norms = 0;      ///< sums of norms at both, in units of the outputs
  double initial_squares = 0, squares = 0;  ///< sums of squares
  /// converged: the model or the step promise less than the tolerance, and no lower cost was seen nearby along the four
  /// weakest directions of the model: a sample of values against saddles, no proof. stalled: no step lowers the cost,
  /// even at the greatest damping. initial_failed: the model cannot be simulated at the start; derivatives_failed: it
  /// can, but without derivatives. Else iteration_limit.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;       ///< accepted steps
  std::vector<double> log;  ///< the criterion after every iteration, smoothed; the first is the start's
};

/// The best of the starts, and what the measurements tell of it.
struct OutputErrorFit {
  Eigen::VectorXd p;                     ///< inside the bounds
  double initial_norms = 0, norms = 0;   ///< sum of norms from the first start's parameters to p: Algorithm 1's cost
  double squares = 0;                    ///< sum of squares at p
  Eigen::Index points = 0;               ///< measured ones
  double residual_deviation = 0;         ///< of one coordinate, by the degrees of freedom left
  Stop stop = Stop::iteration_limit;     ///< of the best start
  int iterations = 0;                    ///< of the best start
  std::size_t best_start = 0;            ///< index in starts
  std::vector<OutputErrorStart> starts;  ///< in the order in which they were made
  Eigen::MatrixXd predicted;             ///< Y at p
  ParameterIdentifiability identifiability = {};  ///< at p; empty if there are no derivatives
  Eigen::VectorXd deviations;  ///< of the estimate of each parameter; 0 if held, infinite if part of a weak direction
  /// p +- margins: intervals of 95 %. 0 if held, infinite where none can be given, as where nothing has converged.
  Eigen::VectorXd margins;
  /// Names of parameters that are not held and ended on a bound: nearer than 1e-12 of their scale or of the bounds'
  /// distance, whichever is smaller.
  std::vector<std::string> at_bounds;
  long predictions = 0, jacobians = 0;  ///< calls without and with derivatives, of all starts

  /// Whether the best start met its tolerance.
  bool converged() const { return stop == Stop::converged; }
};

/// Finds the parameters with which a simulation best follows measured points (Marchese, Tedrake,
/// Rus 2015, Algorithm 1):
///
///     minimize  sum_frames sum_points |Y(p) - E|   subject to  lower <= p <= upper
///
///     std::vector<OutputErrorParameter> parameters{{.name = "k", .initial = 0.12, .lower = 0.09, .upper = 0.15,
///                                                   .scale = 0.1, .spread = 0.02}, ...,
///                                                  {.name = "theta1(0)", .initial = 0.1, .scale = 0.1}};
///     auto fit = fit_output_error(parameters, simulate, measured, {.block_size = 2, .starts = 4});
///     for (const auto& weak : fit.identifiability.weak) report(weak.sentence);
///
/// measured: rows x frames as the prediction's Y; a point with a NaN coordinate was not seen and does not count. Each
/// step minimizes, inside the bounds (BoxQp), a damped quadratic model in parameters divided by their scales: the
/// majorizer of iteratively reweighted least squares far from the end, the smoothed norms' own curvature near it. The
/// damping never vanishes: along a direction that the outputs do not show, the parameters stay where they are. One
/// prediction with derivatives per iteration, one without per trial step; O(outputs parameters^2) besides.
///
/// Deviations: for least squares from each number's own error by its leverage (MacKinnon, White 1985), for norms from
/// the estimates under random weights of the points (Jin, Ying, Wei 2001), where errors below the smoothing count by
/// what they would be without their own point's pull. Both are for noise of any sizes that is independent from point to
/// point, and of the local model without its bounds. Margins are deviations times a quantile of Student's t, by as many
/// degrees of freedom as numbers tell of the parameter (Bell, McCaffrey 2002); of norms they begin with 8 points
/// (docs/notes/output_error.md has how often they hold).
///
/// Throws std::invalid_argument for sizes, bounds, scales or options that do not fit, measurements without any point,
/// and what the prediction throws.
OutputErrorFit fit_output_error(const std::vector<OutputErrorParameter>& parameters, const OutputPrediction& prediction,
                                const Eigen::MatrixXd& measured, const OutputErrorOptions& options = {});

}  // namespace quoin::identification
