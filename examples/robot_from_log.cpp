// SPDX-License-Identifier: BSD-3-Clause
// A robot identified from its log: the URDF knows nothing of the tool in the hand and of the joints' true friction; a
// log of angles and torques does. From the root of the repository, with quoin installed:
//   g++ -std=c++20 -O2 examples/robot_from_log.cpp $(pkg-config --cflags eigen3) -lquoin_identification
//     -lquoin_rigid_body -lquoin_optimization -lquoin_dynamics -lquoin_geometry -lurdfdom_model
//     -lconsole_bridge -ltinyxml
#include <quoin/robots/identification/fit_options.hpp>
#include <quoin/robots/identification/force_regression.hpp>
#include <quoin/robots/identification/physical_consistency.hpp>
#include <quoin/robots/identification/smoothed_motion.hpp>
#include <quoin/robots/models/rigid_body/batch_newton_euler.hpp>
#include <quoin/robots/models/rigid_body/newton_euler.hpp>
#include <quoin/robots/models/rigid_body/urdf.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using Eigen::MatrixXd, Eigen::VectorXd;
namespace identification = quoin::identification;
namespace rigid_body = quoin::rigid_body;

/// The numbers of a file of comma-separated values below its first line, a column for each line.
MatrixXd read_log(const std::string& file, Eigen::Index columns) {
  std::ifstream in(file);
  std::string header;
  std::getline(in, header);
  std::vector<double> numbers;
  for (double number; in >> number; in.ignore()) numbers.push_back(number);
  return Eigen::Map<MatrixXd>(numbers.data(), columns, static_cast<Eigen::Index>(numbers.size()) / columns);
}

int main() {
  const rigid_body::RigidBodyTree urdf(rigid_body::read_urdf("examples/data/iiwa7.urdf"));
  const int n = urdf.joints();
  VectorXd friction(n);
  for (int i = 0; i < n; ++i) friction[i] = urdf.joint(i).damping;

  const MatrixXd log = read_log("examples/data/iiwa7_log.csv", 2 * n);
  const identification::RobotMotion motion =
      identification::smoothed_motion(log.topRows(n), log.bottomRows(n), 0.02, 4);  // q, dq/dt, d2q/dt2, tau
  const Eigen::Index half = motion.instants() / 2;
  const identification::RobotMotion seen = motion.columns(0, half), later = motion.columns(half, half);

  // Least squares, weighted as the joints' torques vary, then the nearest bodies that can exist
  rigid_body::NewtonEuler<> dynamics(urdf);
  identification::ForceRegression regression(
      n, {.damping = true, .weights = identification::normalizing_weights(seen).cwiseSqrt()});
  regression.add(dynamics, seen);
  const auto known = regression.identifiability();
  const auto start = identification::RobotEstimate::of(identification::InertiaForm::covariance, urdf.parameters());
  if (!start) return 1;
  identification::RobotEstimate described = *start;
  described.damping_root = friction.cwiseSqrt();
  const identification::FormFit fit = identification::fit_form(regression, described);

  rigid_body::BatchNewtonEuler model(urdf);
  const auto errors = [&](const identification::RobotEstimate& estimate) {
    return identification::normalized_errors(identification::predicted_forces(model, estimate, later), later.tau);
  };
  const VectorXd before = errors(described), after = errors(fit.estimate);
  std::printf("%td of %td parameters show in the log; %s after %d iterations\n", known.rank, regression.columns(),
              to_string(fit.stop), fit.iterations);
  std::printf("normalized errors of the torques in the half of the log that was not seen, by joint:\n");
  for (int i = 0; i < n; ++i) std::printf("  %d: %.4f by the URDF, %.5f identified\n", i + 1, before[i], after[i]);
  const auto bodies = fit.estimate.parameters();
  bool possible = true;
  for (int i = 0; i < n; ++i) possible = possible && identification::physical_consistency(bodies.col(i)).consistent;
  std::printf("friction of joint 1 %.2f N m s/rad (URDF %.2f), all bodies %s\n", fit.estimate.damping()[0], friction[0],
              possible ? "possible" : "NOT possible");
  return possible && after.maxCoeff() < 0.01 && before.maxCoeff() > 0.05 ? 0 : 1;
}
