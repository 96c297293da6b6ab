// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/robots/fem_as_constant_curvature/swing.hpp"

#include "benchmarks/robots/fem_as_constant_curvature/static_fit.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace benchmarks::fem {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace quoin::fluidic_arm;

constexpr double one_length = std::numeric_limits<double>::infinity();  // of steps, which follow the fastest mode

ArmDescription limp(ArmDescription arm) {
  for (Segment& segment : arm.segments) segment.stiffness = segment.damping = 0;
  arm.passive_segments = 0;
  return arm;
}

VectorXd parameters(const Swing& swing) {
  VectorXd p(2);
  p << swing.stiffness, swing.damping;
  return p;
}

/// Sums squared distances by half seconds of the motion.
class Tally {
 public:
  void add(std::size_t at, int station, double distance) {
    const auto half = static_cast<std::size_t>(static_cast<double>(at) * frame / 0.5 + 1e-9);
    if (halves_.size() <= half) halves_.resize(half + 1), counts_.resize(half + 1);
    halves_[half] += distance * distance;
    ++counts_[half];
    errors_.largest = std::max(errors_.largest, distance);
    if (station == stations) tips_ += distance * distance, ++tip_count_;
  }
  SwingErrors errors() const {
    SwingErrors result = errors_;
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < halves_.size(); ++i) {
      sum += halves_[i], count += counts_[i];
      result.rms_by_half_second.push_back(std::sqrt(halves_[i] / counts_[i]));
    }
    result.rms = std::sqrt(sum / count);
    result.tip_rms = std::sqrt(tips_ / tip_count_);
    return result;
  }

 private:
  SwingErrors errors_;
  std::vector<double> halves_, counts_;
  double tips_ = 0, tip_count_ = 0;
};

}  // namespace

ArmOfParameters::ArmOfParameters(ArmDescription description) : arm_(limp(std::move(description))) {}

StepStatus ArmOfParameters::rate(const VectorXd& x, const VectorXd& p, VectorXd& rate) const {
  const Index n = arm_.coordinates();
  return arm_.rate(x, -p[0] * x.head(n) - p[1] * x.tail(n), rate);
}

StepStatus ArmOfParameters::rate(const VectorXd& x, const VectorXd& p, VectorXd& rate, MatrixXd& df_dx,
                                 MatrixXd& df_dp) const {
  const Index n = arm_.coordinates();
  MatrixXd by_torques;
  const StepStatus status = arm_.rate(x, -p[0] * x.head(n) - p[1] * x.tail(n), rate, df_dx, by_torques);
  if (status != StepStatus::ok) return status;
  df_dx.leftCols(n) -= p[0] * by_torques;
  df_dx.rightCols(n) -= p[1] * by_torques;
  df_dp.resize(2 * n, 2);
  df_dp.col(0) = -by_torques * x.head(n);
  df_dp.col(1) = -by_torques * x.tail(n);
  return status;
}

int stable_steps(ArmDescription description, double times_damping) {
  for (Segment& segment : description.segments) segment.damping *= times_damping;
  const FluidicArm arm(description);
  VectorXd rate;
  MatrixXd A, B;
  arm.rate(VectorXd::Zero(arm.state_size()), VectorXd::Zero(arm.control_size()), rate, A, B);
  const double fastest = A.eigenvalues().cwiseAbs().maxCoeff();
  return std::max(2, static_cast<int>(std::ceil(frame * fastest / 2)));
}

double expected_damping(const ArmDescription& description) {
  const FluidicArm arm(description);
  const VectorXd rest = VectorXd::Zero(arm.coordinates());
  VectorXd forces;
  MatrixXd stiffness;
  arm.static_forces(rest, forces, stiffness);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(stiffness, arm.mass_matrix(rest));
  const VectorXd first = modes.eigenvectors().col(0);
  return first.dot(stiffness * first) / (description.segments[0].stiffness * first.squaredNorm());
}

std::vector<VectorXd> simulate(const ArmOfParameters& arm, const Swing& swing, int frames) {
  const RungeKutta<ArmOfParameters> step(arm, frame, swing.steps, one_length);
  VectorXd x = VectorXd::Zero(arm.state_size()), next;
  x.head(swing.start.size()) = swing.start;
  std::vector<VectorXd> states{x};
  for (int i = 0; i < frames; ++i) {
    if (const StepStatus status = step.step(x, parameters(swing), next); status != StepStatus::ok)
      throw std::runtime_error(std::string("the motion of the segments stopped: ") + to_string(status));
    states.push_back(x = next);
  }
  return states;
}

std::vector<VectorXd> simulate_implicitly(const ArmOfParameters& arm, const Swing& swing, int frames, int steps) {
  const Index n = arm.state_size();
  const double h = frame / steps, gamma = 1 - std::sqrt(0.5);
  const VectorXd p = parameters(swing);
  VectorXd x = VectorXd::Zero(n), rate;
  x.head(swing.start.size()) = swing.start;
  std::vector<VectorXd> states{x};
  MatrixXd A, B;
  for (int i = 0; i < frames * steps; ++i) {
    StepStatus status = arm.rate(x, p, rate, A, B);
    const Eigen::PartialPivLU<MatrixXd> lu(MatrixXd::Identity(n, n) - gamma * h * A);
    const VectorXd k1 = lu.solve(rate);
    if (status == StepStatus::ok) status = arm.rate(x + h * k1, p, rate);
    if (status != StepStatus::ok)
      throw std::runtime_error(std::string("the motion of the segments stopped: ") + to_string(status));
    x += h * (1.5 * k1 + 0.5 * lu.solve(rate - 2 * k1));
    if ((i + 1) % steps == 0) states.push_back(x);
  }
  return states;
}

SwingFit fit_swing(const ArmDescription& description, const std::vector<Picture>& measured, const Swing& guess) {
  const ArmOfParameters arm(description);
  const RungeKutta<ArmOfParameters> step(arm, frame, guess.steps, one_length);
  const Index n = arm.arm().coordinates();
  const auto swing_of = [&](const VectorXd& z) {
    return Swing{z.head(n), z[n] * guess.stiffness, z[n + 1] * guess.damping, guess.steps};
  };
  const auto evaluate = [&](const VectorXd& z, VectorXd& r, MatrixXd* J) {
    const VectorXd p = parameters(swing_of(z));
    VectorXd x = VectorXd::Zero(2 * n), next;
    x.head(n) = z.head(n);
    MatrixXd S = MatrixXd::Zero(2 * n, n + 2), A, B;  // dx/dz
    S.topLeftCorner(n, n).setIdentity();
    const auto frames = static_cast<Index>(measured.size());
    r.resize(2 * n * frames);
    if (J != nullptr) J->resize(r.size(), z.size());
    for (Index i = 0; i < frames; ++i) {
      Eigen::Matrix2Xd ends;
      MatrixXd dends;
      arm.arm().end_points(x.head(n), ends, dends);
      for (Index k = 0; k < n; ++k)
        r.segment(2 * (i * n + k), 2) =
            ends.col(k) - measured[static_cast<std::size_t>(i)].ends.col((k + 1) * stations / n - 1);
      if (J != nullptr) J->middleRows(2 * n * i, 2 * n) = dends * S.topRows(n);
      if (i + 1 == frames) break;
      if (J == nullptr) {
        if (step.step(x, p, next) != StepStatus::ok) return false;
      } else {
        if (step.step(x, p, next, A, B) != StepStatus::ok) return false;
        S = A * S;
        S.col(n) += guess.stiffness * B.col(0);
        S.col(n + 1) += guess.damping * B.col(1);
      }
      x = next;
    }
    return true;
  };
  VectorXd z = VectorXd::Ones(n + 2), lower = VectorXd::Constant(n + 2, 0.05), upper = VectorXd::Constant(n + 2, 20);
  z.head(n) = guess.start;
  lower.head(n).setConstant(-4);
  upper.head(n).setConstant(4);
  const auto minimize = [&](const VectorXd& from, const VectorXd& least, const VectorXd& most) {
    return optimization::box_least_squares(
        [&](const VectorXd& at, VectorXd& r) { return evaluate(at, r, nullptr); },
        [&](const VectorXd& at, VectorXd& r, MatrixXd& J) { return evaluate(at, r, &J); }, from, least, most,
        {.max_iterations = 60, .relative_tolerance = 1e-6});
  };
  VectorXd held_lower = lower, held_upper = upper;
  held_lower.head(n) = held_upper.head(n) = guess.start;
  const auto held = minimize(z, held_lower, held_upper);
  const auto found = minimize(held.x, lower, upper);
  VectorXd r;
  MatrixXd J;
  evaluate(found.x, r, &J);
  const VectorXd singular = Eigen::JacobiSVD<MatrixXd>(J).singularValues();
  return {swing_of(found.x), found.converged(), held.iterations + found.iterations, singular[0],
          singular[singular.size() - 1]};
}

SwingErrors swing_errors(const ArmDescription& description, const Swing& swing, const std::vector<Picture>& measured) {
  const ArmOfParameters arm(description);
  const auto states = simulate(arm, swing, static_cast<int>(measured.size()) - 1);
  Tally tally;
  for (std::size_t i = 0; i < measured.size(); ++i)
    for (int station = 1; station <= stations; ++station) {
      Eigen::Vector2d p;
      Eigen::Matrix2Xd J;
      station_point(arm.arm(), states[i].head(swing.start.size()), station, p, J);
      tally.add(i, station, (p - measured[i].ends.col(station - 1)).norm());
    }
  return tally.errors();
}

SwingErrors swing_errors(const std::vector<Picture>& motion, const std::vector<Picture>& measured) {
  Tally tally;
  for (std::size_t i = 0; i < measured.size(); ++i)
    for (int station = 1; station <= stations; ++station)
      tally.add(i, station, (motion[i].ends.col(station - 1) - measured[i].ends.col(station - 1)).norm());
  return tally.errors();
}

std::vector<Picture> extrapolated(std::vector<Picture> fine, const std::vector<Picture>& coarse) {
  for (std::size_t i = 0; i < fine.size(); ++i) {
    fine[i].ends = 2 * fine[i].ends - coarse[i].ends;
    fine[i].angles = 2 * fine[i].angles - coarse[i].angles;
  }
  return fine;
}

}  // namespace benchmarks::fem
