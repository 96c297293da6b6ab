// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/output_error.hpp"

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"
#include "quoin/robots/optimization/box_qp.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include "leverage.hpp"
#include "point_cost.hpp"
#include "uniform.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double min_damping = 1e-12;

void check(const std::vector<OutputErrorParameter>& parameters, const MatrixXd& measured,
           const OutputErrorOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("fit_output_error: " + what); };
  if (parameters.empty()) refuse("there are no parameters");
  for (const auto& p : parameters) {
    if (!(p.lower <= p.upper)) refuse("bounds of " + p.name + " are " + to_text(p.lower) + " and " + to_text(p.upper));
    if (!std::isfinite(p.initial)) refuse("the initial value of " + p.name + " is not finite");
    if (!(p.scale > 0) || !std::isfinite(p.scale)) refuse("the scale of " + p.name + " is " + to_text(p.scale));
    if (!(p.spread >= 0) || !std::isfinite(p.spread)) refuse("the spread of " + p.name + " is " + to_text(p.spread));
  }
  const bool norms = options.criterion == OutputErrorCriterion::sum_of_norms;
  if (options.block_size < (norms ? 2 : 1) || options.block_size > 3)
    refuse("block_size is " + to_text(options.block_size) + ", must be 2 or 3" +
           (norms ? ", or 1 with least squares as criterion" : " or 1"));
  if (measured.rows() % options.block_size != 0)
    refuse(to_text(measured.rows()) + " rows are not blocks of " + to_text(options.block_size));
  const OptionsOf of{"fit_output_error"};
  of.one_or_more("starts", options.starts);
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative_and_finite("relative_tolerance", options.relative_tolerance);
  of.not_negative_and_finite("smoothing", options.smoothing);
  of.not_negative("initial_damping", options.initial_damping);
  of.positive("max_damping", options.max_damping);
  of.not_negative("weak_threshold", options.weak_threshold);
  of.not_negative("resamples", options.resamples);
}

/// The deviation of the measurements from the mean of their row.
double deviation_of(const MatrixXd& measured) {
  double squares = 0, greatest = 0;
  Index count = 0;
  for (Index i = 0; i < measured.rows(); ++i) {
    double sum = 0;
    Index seen = 0;
    for (const double value : measured.row(i))
      if (!std::isnan(value)) sum += value, ++seen;
    for (const double value : measured.row(i)) {
      if (std::isnan(value)) continue;
      squares += (value - sum / static_cast<double>(seen)) * (value - sum / static_cast<double>(seen));
      greatest = std::max(greatest, std::abs(value));
    }
    count += seen;
  }
  return std::max(std::sqrt(squares / static_cast<double>(count)), 1e-6 * greatest) + 1e-100;
}

class Search {
 public:
  Search(const std::vector<OutputErrorParameter>& parameters, const OutputPrediction& prediction,
         const MatrixXd& measured, const OutputErrorOptions& options)
      : parameters_(parameters), prediction_(prediction), measured_(measured), options_(options) {
    const int b = options.block_size;
    for (Index column = 0; column < measured.cols(); ++column)
      for (Index row = 0; row < measured.rows(); row += b)
        if (!measured.col(column).segment(row, b).hasNaN()) points_.push_back(row + measured.rows() * column);
    if (points_.empty()) throw std::invalid_argument("fit_output_error: nothing was measured");
    for (std::size_t j = 0; j < parameters.size(); ++j)
      if (parameters[j].lower < parameters[j].upper) free_.push_back(static_cast<Index>(j));
    const double deviation = deviation_of(measured);
    cost_ = {.block_size = b,
             .by_norms = options.criterion == OutputErrorCriterion::sum_of_norms,
             .smoothing = options.smoothing > 0 ? options.smoothing : 1e-4 * deviation,
             .counts = {}};
    // A cost at the rounding of the simulation is as good as zero.
    const double rounding = 1e-13 * deviation;
    negligible_ =
        static_cast<double>(points_.size()) * rounding * (cost_.by_norms ? rounding / cost_.smoothing : rounding);
  }

  OutputErrorStart run(VectorXd p);
  void analyze(OutputErrorFit& fit);
  std::size_t points() const { return points_.size(); }
  long predictions = 0, jacobians = 0;

 private:
  struct Errors {
    VectorXd e;  // of the measured points, block by block
    double criterion = infinity, norms = infinity, squares = infinity;
  };

  auto at(std::size_t point) const { return static_cast<Index>(point) * options_.block_size; }
  bool predict(const VectorXd& p, Errors& errors, MatrixXd* jacobian);
  bool find_lower(const MatrixXd& hessian, VectorXd& p, Errors& errors);

  const std::vector<OutputErrorParameter>& parameters_;
  const OutputPrediction& prediction_;
  const MatrixXd& measured_;
  const OutputErrorOptions& options_;
  std::vector<Index> points_, free_;  // points_: first row of each in the column-wise Y
  detail::PointCost cost_;
  double negligible_ = 0;
  MatrixXd Y_, dY_dp_;
};

/// jacobian: measured rows x free parameters, scaled.
bool Search::predict(const VectorXd& p, Errors& errors, MatrixXd* jacobian) {
  ++(jacobian ? jacobians : predictions);
  if (!prediction_(p, Y_, jacobian ? &dY_dp_ : nullptr)) return false;
  if (Y_.rows() != measured_.rows() || Y_.cols() != measured_.cols()) {
    throw std::invalid_argument("fit_output_error: the prediction is " + shape_text(Y_) + ", the measurements are " +
                                shape_text(measured_));
  }
  const int b = options_.block_size;
  errors.e.resize(at(points_.size()));
  errors.norms = errors.squares = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    auto e = errors.e.segment(at(k), b);
    e = Y_.reshaped().segment(points_[k], b) - measured_.reshaped().segment(points_[k], b);
    const double square = e.squaredNorm();
    errors.norms += std::sqrt(square);
    errors.squares += square;
  }
  errors.criterion = cost_.value(errors.e);
  if (!std::isfinite(errors.squares)) return false;
  if (!jacobian) return true;

  if (dY_dp_.rows() != Y_.size() || dY_dp_.cols() != p.size()) {
    throw std::invalid_argument("fit_output_error: the Jacobian is " + shape_text(dY_dp_) + ", must be " +
                                to_text(Y_.size()) + " x " + to_text(p.size()));
  }
  jacobian->resize(errors.e.size(), static_cast<Index>(free_.size()));
  for (Index j = 0; j < jacobian->cols(); ++j) {
    const double scale = parameters_[static_cast<std::size_t>(free_[j])].scale;
    for (std::size_t k = 0; k < points_.size(); ++k)
      jacobian->col(j).segment(at(k), b) = scale * dY_dp_.col(free_[j]).segment(points_[k], b);
  }
  return jacobian->allFinite();
}

/// Where the model bends up least, the prediction's own curvature may bend the cost down: looks along the four weakest
/// directions of the model, either way, at three lengths in the parameters' scales, for a cost that is lower by a
/// millionth, and goes to the lowest of the longest length that has one.
bool Search::find_lower(const MatrixXd& hessian, VectorXd& p, Errors& errors) {
  if (!options_.check_curvature || errors.criterion <= negligible_) return false;
  const linear_algebra::SymmetricEigen model(hessian);
  const VectorXd from = p;
  double lowest = (1 - 1e-6) * errors.criterion - negligible_;
  bool found = false;
  Errors tried;
  for (const double length : {0.3, 0.03, 0.003}) {
    for (Index k = 0; k < std::min<Index>(4, hessian.cols()); ++k) {
      for (const double way : {length, -length}) {
        VectorXd trial = from;
        for (std::size_t j = 0; j < free_.size(); ++j) {
          const auto& parameter = parameters_[static_cast<std::size_t>(free_[j])];
          double& value = trial[free_[j]];
          value += way * parameter.scale * model.eigenvectors()(static_cast<Index>(j), k);
          value = std::clamp(value, parameter.lower, parameter.upper);
        }
        if (trial == from || !predict(trial, tried, nullptr) || !(tried.criterion < lowest)) continue;
        lowest = tried.criterion;
        p = trial;
        errors = tried;
        found = true;
      }
    }
    if (found) return true;
  }
  return false;
}

OutputErrorStart Search::run(VectorXd p) {
  OutputErrorStart result;
  result.initial = p;
  result.p = p;
  const auto n = static_cast<Index>(free_.size());
  Errors errors, tried;
  const auto end = [&](Stop stop) {
    result.p = p;
    result.norms = errors.norms;
    result.squares = errors.squares;
    result.stop = stop;
    return result;
  };
  const bool simulated = predict(p, errors, nullptr);
  if (!simulated) errors.norms = errors.squares = infinity;
  result.initial_norms = errors.norms;
  result.initial_squares = errors.squares;
  if (!simulated) return end(Stop::initial_failed);
  result.log.push_back(errors.criterion);
  if (n == 0) return end(Stop::converged);

  VectorXd lower(n), upper(n), step(n), trial;
  MatrixXd jacobian, damped;
  optimization::BoxQp qp;
  double damping = std::max(options_.initial_damping, min_damping), factor = 2;
  bool curved = false;
  while (true) {
    if (!predict(p, errors, &jacobian)) return end(Stop::derivatives_failed);
    for (Index j = 0; j < n; ++j) {
      const auto& parameter = parameters_[static_cast<std::size_t>(free_[j])];
      lower[j] = (parameter.lower - p[free_[j]]) / parameter.scale;
      upper[j] = (parameter.upper - p[free_[j]]) / parameter.scale;
    }
    detail::PointCost::Model m = cost_.model(errors.e, jacobian, curved);
    double expected = 0, used = 0;
    bool settled = false;
    while (true) {
      const auto damp_more = [&] {
        // Where the curved model failed, the majorizer may still succeed.
        if (std::exchange(curved, false)) {
          m = cost_.model(errors.e, jacobian, false);
        } else {
          damping *= factor;
          factor *= 2;
        }
        return damping <= options_.max_damping;
      };
      const double floor = m.diagonal.maxCoeff();
      damped = m.hessian;
      damped.diagonal() += damping * m.diagonal + VectorXd::Constant(n, (1e-6 * damping + min_damping) * floor);
      step.setZero();
      if (floor > 0 && qp.solve(damped, m.gradient, lower, upper, step) == optimization::BoxQpStatus::indefinite) {
        if (!damp_more()) return end(Stop::stalled);
        continue;
      }
      expected = -(m.gradient.dot(step) + 0.5 * step.dot(m.hessian.selfadjointView<Eigen::Lower>() * step));
      used = damping;
      settled = damping <= 1e-2 && expected <= options_.relative_tolerance * errors.criterion + negligible_;
      if (settled) break;
      if (result.iterations >= options_.max_iterations) return end(Stop::iteration_limit);
      trial = p;
      for (Index j = 0; j < n; ++j) {
        const auto& parameter = parameters_[static_cast<std::size_t>(free_[j])];
        double& value = trial[free_[j]];
        value = std::clamp(value + step[j] * parameter.scale, parameter.lower, parameter.upper);
      }
      if (predict(trial, tried, nullptr) && errors.criterion - tried.criterion > 1e-4 * std::max(expected, 0.0)) break;
      if (!damp_more()) return end(Stop::stalled);
    }

    const auto go_on_below = [&] {
      if (!find_lower(m.hessian, p, errors)) return false;
      ++result.iterations;
      result.log.push_back(errors.criterion);
      return true;
    };
    if (settled) {
      if (!go_on_below()) return end(Stop::converged);
      continue;
    }
    ++result.iterations;
    const double before = errors.criterion, decrease = before - tried.criterion;
    p.swap(trial);
    std::swap(errors, tried);
    result.log.push_back(errors.criterion);
    const double ratio = 2 * decrease / expected - 1;
    damping = std::max(damping * std::clamp(1 - ratio * ratio * ratio, 0.1, 2.0), min_damping);
    factor = 2;
    curved = curved || (used <= 1e-2 && decrease < 0.1 * before);
    if (used <= 1e-2 && decrease <= options_.relative_tolerance * before + negligible_ && !go_on_below())
      return end(Stop::converged);
  }
}

void Search::analyze(OutputErrorFit& fit) {
  const auto count = static_cast<Index>(parameters_.size());
  fit.deviations.setZero(count);
  fit.margins.setZero(count);
  for (const Index j : free_) {
    const auto& parameter = parameters_[static_cast<std::size_t>(j)];
    // By scale: 1e-50 is at a bound of 0, although it is not equal to it.
    const double near = 1e-12 * std::min(parameter.scale, parameter.upper - parameter.lower);
    if (fit.p[j] <= parameter.lower + near || fit.p[j] >= parameter.upper - near)
      fit.at_bounds.push_back(parameter.name);
    fit.deviations[j] = fit.margins[j] = infinity;
  }
  Errors errors;
  MatrixXd jacobian;
  if (!predict(fit.p, errors, &jacobian)) {
    if (predict(fit.p, errors, nullptr)) fit.predicted = Y_;
    return;
  }
  fit.predicted = Y_;
  if (free_.empty()) {
    fit.residual_deviation = std::sqrt(errors.squares / static_cast<double>(errors.e.size()));
    return;
  }

  MatrixXd all = MatrixXd::Zero(jacobian.rows(), count);
  VectorXd scales(count);
  std::vector<std::string> names;
  std::vector<bool> held(parameters_.size(), true);
  for (Index j = 0; j < count; ++j) {
    scales[j] = parameters_[static_cast<std::size_t>(j)].scale;
    names.push_back(parameters_[static_cast<std::size_t>(j)].name);
  }
  for (std::size_t k = 0; k < free_.size(); ++k) {
    held[static_cast<std::size_t>(free_[k])] = false;
    all.col(free_[k]) = jacobian.col(static_cast<Index>(k)) / scales[free_[k]];
  }
  fit.identifiability = parameter_identifiability(all, names, scales, held, options_.weak_threshold);
  const auto& known = fit.identifiability;
  const Index rank = known.rank();
  const Index left = errors.e.size() - rank;
  fit.residual_deviation = left > 0 ? std::sqrt(errors.squares / static_cast<double>(left)) : 0;
  if (rank == 0 || left <= 0 || (cost_.by_norms && options_.resamples == 0)) return;

  const MatrixXd seen = known.directions.leftCols(rank);  // count x rank
  const VectorXd sizes = known.singular_values.head(rank);
  const MatrixXd back = scales.asDiagonal() * seen * sizes.cwiseInverse().asDiagonal(), moved = all * back;
  const detail::Leverage leverage(moved, back);
  if (cost_.by_norms) {
    const MatrixXd moves = detail::moves_under_random_counts(cost_, errors.e, moved, options_.resamples);
    fit.deviations = (back * moves).rowwise().norm() / std::sqrt(static_cast<double>(options_.resamples));
  } else {
    for (const Index j : free_) fit.deviations[j] = leverage.deviation(j, errors.e);
  }
  for (const auto& direction : known.weak)
    for (Index j = 0; j < count; ++j)
      if (std::abs(direction.components[j]) > 1e-3) fit.deviations[j] = infinity;
  // The fewer points there are, the more of them a sum of norms fits exactly, and the less they tell of the noise.
  constexpr std::size_t fewest_points = 8;
  if (cost_.by_norms && points_.size() < fewest_points) return;
  for (const Index j : free_) {
    const double freedom = leverage.degrees_of_freedom(j);
    if (freedom >= 1) fit.margins[j] = detail::student_quantile(freedom) * fit.deviations[j];
  }
}

}  // namespace

const char* to_string(OutputErrorCriterion criterion) {
  return criterion == OutputErrorCriterion::sum_of_norms ? "sum of norms" : "least squares";
}

OutputErrorFit fit_output_error(const std::vector<OutputErrorParameter>& parameters, const OutputPrediction& prediction,
                                const MatrixXd& measured, const OutputErrorOptions& options) {
  check(parameters, measured, options);
  Search search(parameters, prediction, measured, options);
  OutputErrorFit fit;
  std::mt19937_64 random(options.seed);
  for (int s = 0; s < options.starts; ++s) {
    VectorXd p(static_cast<Index>(parameters.size()));
    for (Index j = 0; j < p.size(); ++j) {
      const auto& parameter = parameters[static_cast<std::size_t>(j)];
      const double away = s == 0 ? 0 : parameter.spread * (2 * detail::uniform(random) - 1);
      p[j] = std::clamp(parameter.initial + away, parameter.lower, parameter.upper);
    }
    fit.starts.push_back(search.run(p));
    const auto criterion = [&](const OutputErrorStart& start) {
      return options.criterion == OutputErrorCriterion::sum_of_norms ? start.norms : start.squares;
    };
    if (criterion(fit.starts.back()) < criterion(fit.starts[fit.best_start])) fit.best_start = fit.starts.size() - 1;
  }
  const auto& best = fit.starts[fit.best_start];
  fit.p = best.p;
  fit.initial_norms = fit.starts.front().initial_norms;
  fit.norms = best.norms;
  fit.squares = best.squares;
  fit.points = static_cast<Index>(search.points());
  fit.stop = best.stop;
  fit.iterations = best.iterations;
  if (fit.stop != Stop::initial_failed) search.analyze(fit);
  if (!fit.converged()) fit.margins = (fit.margins.array() > 0).select(infinity, fit.margins);
  fit.predictions = search.predictions;
  fit.jacobians = search.jacobians;
  return fit;
}

}  // namespace quoin::identification
