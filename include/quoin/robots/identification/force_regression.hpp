// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/identification/robot_estimate.hpp"
#include "quoin/robots/identification/robot_motion.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::identification {

/// Joint forces as Y p for 13 parameters p per body, Y: n x 13 n, for one state:
/// rigid_body::NewtonEuler<> is such a model.
template <class Model>
concept RegressedInverseDynamics =
    requires(Model& model, const Eigen::VectorXd& in, Eigen::MatrixXd& Y) { model.regressor(in, in, in, Y); };

/// The parameters that a motion identifies: some have no influence on any force, others only in combination.
struct Identifiability {
  Eigen::Index rank = 0;  ///< of the columns: the number of base parameters
  /// Those of the columns scaled to unit length (zero columns stay zero), greatest first.
  Eigen::VectorXd singular_values = {};
  /// A maximal set of independent columns: base parameter k is p[base[k]] + sum_j combination(k,
  /// j) p[others[j]] (Gautier, Khalil 1990); two sets of parameters with the same base parameters have the same
  /// forces along this motion.
  std::vector<Eigen::Index> base = {}, others = {};
  Eigen::MatrixXd combination = {};  ///< rank x others
};

/// The parameters of a solution, and its residual.
struct RegressionSolution {
  Eigen::VectorXd columns = {};     ///< as ForceRegression::columns_of
  RobotParameters parameters = {};  ///< 13 x n
  Eigen::VectorXd damping = {};     ///< n; 0 if it was not asked for
  double residual = 0;              ///< mean over all instants of the squared, weighted errors of all joints
};

/// What is fitted beside the bodies' parameters, and how errors count.
struct ForceRegressionOptions {
  bool damping = false;          ///< learn viscous friction too
  Eigen::VectorXd weights = {};  ///< n, of the joints' errors; none: all 1. 1 / deviation of tau: normalized errors
};

/// Batch least squares of a robot's parameters: the first method to try (Atkeson, An, Hollerbach 1986). Forces are
/// linear in p = (m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz of every body, I about the link's origin; then
/// the viscous damping of every joint, if asked for), so that all instants together reduce to one triangular system,
///
///     sum |W (Y p - tau)|^2 = |R p - c|^2 + rest,
///
/// after which any fit takes microseconds, however long the motion was.
///
///     ForceRegression regression(n, {.damping = true});
///     regression.add(dynamics, motion);                     // again for more
///     auto known = regression.identifiability();            // 43 of 70 for a KUKA iiwa
///     auto best = regression.solve(regression.columns_of(urdf, damping));  // nearest to what is known already
///
/// Y is factored in blocks, not squared: small singular values keep their digits. add: O((10 n)^2) per row.
class ForceRegression {
 public:
  /// Throws std::invalid_argument for joints < 1, or weights that are not positive or of another size.
  explicit ForceRegression(Eigen::Index joints, ForceRegressionOptions options = {});

  /// Adds a motion's instants. Throws std::invalid_argument unless it has this number of joints, fits together and is
  /// finite.
  template <RegressedInverseDynamics Model>
  void add(Model& model, const RobotMotion& motion) {
    check(motion);
    Eigen::MatrixXd Y(joints_, 13 * joints_);
    for (Eigen::Index t = 0; t < motion.instants(); ++t) {
      model.regressor(motion.q.col(t), motion.qd.col(t), motion.qdd.col(t), Y);
      add_rows(Y, motion.qd.col(t), motion.tau.col(t));
    }
    compress();
    instants_ += motion.instants();
  }

  Eigen::Index joints() const { return joints_; }
  /// 10 n, and n more with damping.
  Eigen::Index columns() const { return columns_; }
  /// Of all motions added.
  Eigen::Index instants() const { return instants_; }
  /// Whether the viscous damping of the joints is fitted too.
  bool with_damping() const { return options_.damping; }
  auto R() const { return rows_.topLeftCorner(columns_, columns_); }  ///< upper triangular
  /// Columns() numbers.
  auto c() const { return rows_.col(columns_).head(columns_); }
  /// The part of the sum that no parameters reduce.
  double rest() const { return rows_(columns_, columns_) * rows_(columns_, columns_); }

  /// p of these: columns() numbers. damping: n, or none without it. Throws std::invalid_argument for other sizes.
  Eigen::VectorXd columns_of(const RobotParameters& parameters, const Eigen::VectorXd& damping) const;
  /// The bodies' part of p, 13 x n.
  RobotParameters parameters_of(const Eigen::VectorXd& columns) const;

  /// tolerance: singular values of scaled columns below this, relative to the greatest, count as zero. Here and in
  /// solve std::invalid_argument is thrown for one that is NaN or negative.
  Identifiability identifiability(double tolerance = 1e-9) const;

  /// The least-squares solution nearest to the prior, in scaled columns: what the motion does not
  /// identify stays as it was.
  RegressionSolution solve(const Eigen::VectorXd& prior, double tolerance = 1e-9) const;
  /// As RegressionSolution::residual, of any p.
  double residual(const Eigen::VectorXd& columns) const;

 private:
  void check(const RobotMotion& motion) const;
  void add_rows(const Eigen::MatrixXd& Y, const Eigen::Ref<const Eigen::VectorXd>& qd,
                const Eigen::Ref<const Eigen::VectorXd>& tau);
  void compress();
  Eigen::VectorXd column_scales() const;

  Eigen::Index joints_, columns_, instants_ = 0, filled_;
  ForceRegressionOptions options_;
  Eigen::MatrixXd rows_;  // [R c; 0 sqrt(rest)] above new rows
};

using FormStop [[deprecated("quoin::Stop")]] = Stop;

/// What the fit of a form found.
struct FormFit {
  RobotEstimate estimate;  ///< in the form of the start
  double residual = 0;     ///< as RegressionSolution::residual
  int iterations = 0;      ///< of Levenberg-Marquardt
  /// converged: the last step changed the residual, or all numbers together, by at most 1e-12 of it, or no step lowers
  /// the residual even at the greatest damping. Else iteration_limit or not_finite.
  Stop stop = Stop::iteration_limit;

  /// Whether `stop` says so.
  bool converged() const { return stop == Stop::converged; }
};

/// The same least squares over the parameters of a form, so that the result has the properties that the form
/// guarantees: Gauss-Newton with Levenberg-Marquardt damping. Friction is fitted if both regression and start have it,
/// and kept if only the start has it. Throws std::invalid_argument for a start of another shape, and for the
/// unstructured form: its inertias are not symmetric, the regression's are.
FormFit fit_form(const ForceRegression& regression, const RobotEstimate& start, int iterations = 1000);

}  // namespace quoin::identification
