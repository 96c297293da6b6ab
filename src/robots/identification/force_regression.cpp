// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_regression.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <array>
#include <utility>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The indices among the 13 of the ten numbers of a symmetric inertia, and of their mirror images below the diagonal.
constexpr std::array<Index, 10> upper_entries = {0, 1, 2, 3, 4, 5, 6, 8, 9, 12};
constexpr std::array<Index, 10> mirrored_entries = {-1, -1, -1, -1, -1, 7, 10, -1, 11, -1};

constexpr Index rows_at_once = 4;  // times the columns: a factorization of new rows costs 1 + 1/4 of them

}  // namespace

ForceRegression::ForceRegression(Index joints, ForceRegressionOptions options)
    : joints_(joints), columns_(joints * (options.damping ? 11 : 10)), options_(std::move(options)) {
  if (joints < 1) throw std::invalid_argument("ForceRegression: " + to_text(joints) + " joints");
  if (options_.weights.size() == 0) options_.weights.setOnes(joints);
  if (options_.weights.size() != joints || !(options_.weights.array() > 0).all() || !options_.weights.allFinite())
    throw std::invalid_argument("ForceRegression: " + to_text(options_.weights.size()) + " weights for " +
                                to_text(joints) + " joints; all must be positive and finite");
  filled_ = columns_ + 1;
  rows_.setZero(filled_ + rows_at_once * columns_, columns_ + 1);
}

void ForceRegression::check(const RobotMotion& motion) const {
  require(motion, "ForceRegression::add");
  if (motion.joints() != joints_)
    throw std::invalid_argument("ForceRegression::add: a motion of " + to_text(motion.joints()) + " joints, not " +
                                to_text(joints_));
}

void ForceRegression::add_rows(const MatrixXd& Y, const Eigen::Ref<const VectorXd>& qd,
                               const Eigen::Ref<const VectorXd>& tau) {
  if (filled_ + joints_ > rows_.rows()) compress();
  auto rows = rows_.middleRows(filled_, joints_);
  for (Index i = 0; i < joints_; ++i)
    for (Index k = 0; k < 10; ++k) {
      const auto each = static_cast<std::size_t>(k);
      rows.col(10 * i + k) = Y.col(13 * i + upper_entries[each]);
      if (mirrored_entries[each] >= 0) rows.col(10 * i + k) += Y.col(13 * i + mirrored_entries[each]);
    }
  if (options_.damping) rows.middleCols(10 * joints_, joints_) = qd.asDiagonal().toDenseMatrix();
  rows.col(columns_) = tau;
  rows = options_.weights.asDiagonal() * rows;
  filled_ += joints_;
}

void ForceRegression::compress() {
  const MatrixXd triangle = Eigen::HouseholderQR<MatrixXd>(rows_.topRows(filled_)).matrixQR();
  rows_.setZero();
  filled_ = columns_ + 1;
  rows_.topRows(filled_).triangularView<Eigen::Upper>() = triangle.topRows(filled_);
}

VectorXd ForceRegression::columns_of(const RobotParameters& parameters, const VectorXd& damping) const {
  if (parameters.cols() != joints_ || (options_.damping && damping.size() != joints_))
    throw std::invalid_argument("ForceRegression::columns_of: parameters of " + to_text(parameters.cols()) +
                                " joints and damping of " + to_text(damping.size()) + " for " + to_text(joints_));
  VectorXd columns(columns_);
  for (Index i = 0; i < joints_; ++i)
    for (Index k = 0; k < 10; ++k) {
      const auto each = static_cast<std::size_t>(k);
      const double twin = parameters(mirrored_entries[each] >= 0 ? mirrored_entries[each] : upper_entries[each], i);
      columns[10 * i + k] = 0.5 * (parameters(upper_entries[each], i) + twin);
    }
  if (options_.damping) columns.tail(joints_) = damping;
  return columns;
}

RobotParameters ForceRegression::parameters_of(const VectorXd& columns) const {
  RobotParameters parameters(13, joints_);
  for (Index i = 0; i < joints_; ++i)
    for (Index k = 0; k < 10; ++k) {
      const auto each = static_cast<std::size_t>(k);
      parameters(upper_entries[each], i) = columns[10 * i + k];
      if (mirrored_entries[each] >= 0) parameters(mirrored_entries[each], i) = columns[10 * i + k];
    }
  return parameters;
}

VectorXd ForceRegression::column_scales() const {
  VectorXd scales = R().colwise().norm();
  const double nothing = 1e-14 * scales.maxCoeff();
  for (double& scale : scales) scale = scale > nothing ? 1 / scale : 1;
  return scales;
}

Identifiability ForceRegression::identifiability(double tolerance) const {
  OptionsOf{"ForceRegression::identifiability"}.not_negative("tolerance", tolerance);
  const MatrixXd scaled = R() * column_scales().asDiagonal();
  Identifiability result{.singular_values = Eigen::JacobiSVD<MatrixXd>(scaled).singularValues()};
  result.rank = (result.singular_values.array() > tolerance * result.singular_values[0]).count();
  const Eigen::ColPivHouseholderQR<MatrixXd> pivoted(scaled);
  const auto& order = pivoted.colsPermutation().indices();
  for (Index k = 0; k < columns_; ++k) (k < result.rank ? result.base : result.others).push_back(order[k]);
  const MatrixXd triangle = pivoted.matrixQR().topRows(result.rank);
  result.combination =
      triangle.leftCols(result.rank).triangularView<Eigen::Upper>().solve(triangle.rightCols(columns_ - result.rank));
  // From scaled columns back: p = scale * (scaled p).
  const VectorXd scales = column_scales();
  for (Index k = 0; k < result.combination.rows(); ++k)
    for (Index j = 0; j < result.combination.cols(); ++j)
      result.combination(k, j) *=
          scales[result.base[static_cast<std::size_t>(k)]] / scales[result.others[static_cast<std::size_t>(j)]];
  return result;
}

double ForceRegression::residual(const VectorXd& columns) const {
  return ((R() * columns - c()).squaredNorm() + rest()) / static_cast<double>(instants_);
}

RegressionSolution ForceRegression::solve(const VectorXd& prior, double tolerance) const {
  if (prior.size() != columns_ || instants_ == 0)
    throw std::invalid_argument("ForceRegression::solve: a prior of " + to_text(prior.size()) + " numbers for " +
                                to_text(columns_) + " columns, " + to_text(instants_) + " instants");
  OptionsOf{"ForceRegression::solve"}.not_negative("tolerance", tolerance);
  const VectorXd scales = column_scales();
  const MatrixXd scaled = R() * scales.asDiagonal();
  Eigen::JacobiSVD<MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(tolerance);
  RegressionSolution solution;
  solution.columns = prior + scales.cwiseProduct(svd.solve(c() - R() * prior));
  solution.parameters = parameters_of(solution.columns);
  solution.damping = options_.damping ? VectorXd(solution.columns.tail(joints_)) : VectorXd::Zero(joints_);
  solution.residual = residual(solution.columns);
  return solution;
}

}  // namespace quoin::identification
