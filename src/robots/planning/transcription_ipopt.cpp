// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/ipopt_transcription.hpp"

#include "quoin/util/to_text.hpp"

#include "infinity.hpp"
#include "parallel_stages.hpp"
#include "stage_lagrangian.hpp"
#include "staged_trajectory.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::planning {
namespace {

constexpr int patience = 20;  // iterations without progress after which the Hessian gets its curvature

/// The stages' variables, constraints and matrix entries, laid out one stage after the other, and a cache of the last
/// point's values and derivatives, which the solver asks for one by one.
class Transcription {
 public:
  Transcription(const AnyTrajectoryProblem& problem, const Trajectory& initial, int threads);

  optimization::NonlinearProgram program();
  Trajectory trajectory(const Eigen::VectorXd& z) const;
  TranscriptionResult judge(const optimization::NlpResult& solved);
  void watch(const optimization::NlpIteration& seen);
  /// From now on the Hessian has the curvature of defects, constraints and residuals.
  void bend() { curved_ = true; }

 private:
  int control_at(int i) const { return i * (n_ + m_); }
  int state_at(int i) const { return (i - 1) * (n_ + m_) + m_; }

  void lay_out();
  bool take_values(const Eigen::VectorXd& z);
  bool take_derivatives(const Eigen::VectorXd& z);
  void scatter(const Eigen::VectorXd& z);
  void expect_states() const;
  bool gradient(const Eigen::VectorXd& z, Eigen::VectorXd& out);
  bool constraints(const Eigen::VectorXd& z, Eigen::VectorXd& c);
  bool jacobian(const Eigen::VectorXd& z, Eigen::VectorXd& entries);
  bool hessian(const Eigen::VectorXd& z, double weight, const Eigen::VectorXd& multipliers, Eigen::VectorXd& entries);
  Eigen::MatrixXd gauss_newton(int i, double weight) const;

  const AnyTrajectoryProblem& problem_;
  int n_, m_, horizon_, threads_;
  StagedTrajectory motion_;
  std::vector<StageDerivatives> stages_;
  std::vector<int> constraint_sizes_, first_rows_;
  optimization::SparsityPattern jacobian_pattern_, hessian_pattern_;
  Eigen::VectorXd start_, values_at_, derivatives_at_;
  bool values_computed_ = false, derivatives_computed_ = false;
  // Whether the Hessian has the curvature of defects, constraints and residuals; and when the iterates last got closer.
  bool curved_ = false;
  double min_residual_ = infinity;
  int since_least_ = 0;
  std::atomic<long> dynamics_calls_ = 0, derivative_calls_ = 0;
};

Transcription::Transcription(const AnyTrajectoryProblem& problem, const Trajectory& initial, int threads)
    : problem_(problem),
      n_(static_cast<int>(problem.dynamics.state_size())),
      m_(static_cast<int>(problem.dynamics.control_size())),
      horizon_(problem.horizon),
      threads_(threads),
      motion_(problem),
      stages_(problem.horizon + 1),
      constraint_sizes_(problem.horizon + 1, 0) {
  start_.resize(horizon_ * (n_ + m_));
  Eigen::VectorXd x = problem.initial_state, next;
  bool rolling = initial.states.size() == 0;
  for (int i = 0; i < horizon_; ++i) {
    const Eigen::VectorXd u = initial.controls.col(i).cwiseMax(problem.lower_control).cwiseMin(problem.upper_control);
    if (initial.states.size() > 0) {
      x = initial.states.col(i + 1);
    } else if (rolling) {
      ++dynamics_calls_;
      rolling = problem.dynamics.step(x, u, next) == StepStatus::ok && next.allFinite();
      if (rolling) x = next;
    }
    x = x.cwiseMax(problem.lower_state).cwiseMin(problem.upper_state);
    start_.segment(control_at(i), m_) = u;
    start_.segment(state_at(i + 1), n_) = x;
  }
  scatter(start_);
  for (int i = 0; i <= horizon_; ++i) {
    if (!problem.constraints.constraint(i, motion_.x[i], motion_.u[i], motion_.h[i])) {
      throw std::invalid_argument("ipopt_transcription: the constraints of stage " + to_text(i) +
                                  " cannot be computed at the initial trajectory");
    }
    constraint_sizes_[i] = static_cast<int>(motion_.h[i].size());
  }
  lay_out();
}

void Transcription::lay_out() {
  const auto block = [](optimization::SparsityPattern& pattern, int row, int rows, int column, int columns) {
    for (int b = 0; b < columns; ++b) {
      for (int a = 0; a < rows; ++a) {
        pattern.rows.push_back(row + a);
        pattern.columns.push_back(column + b);
      }
    }
  };
  const auto triangle = [](optimization::SparsityPattern& pattern, int at, int size) {
    for (int b = 0; b < size; ++b) {
      for (int a = b; a < size; ++a) {
        pattern.rows.push_back(at + a);
        pattern.columns.push_back(at + b);
      }
    }
  };
  int row = 0;
  for (int i = 0; i <= horizon_; ++i) {
    first_rows_.push_back(row);
    if (i > 0) block(jacobian_pattern_, row, constraint_sizes_[i], state_at(i), n_);
    if (i < horizon_) block(jacobian_pattern_, row, constraint_sizes_[i], control_at(i), m_);
    row += constraint_sizes_[i];
    if (i > 0) triangle(hessian_pattern_, state_at(i), n_);
    if (i == horizon_) break;
    if (i > 0) {
      block(jacobian_pattern_, row, n_, state_at(i), n_);
      block(hessian_pattern_, control_at(i), m_, state_at(i), n_);
    }
    block(jacobian_pattern_, row, n_, control_at(i), m_);
    for (int a = 0; a < n_; ++a) block(jacobian_pattern_, row + a, 1, state_at(i + 1) + a, 1);
    row += n_;
    triangle(hessian_pattern_, control_at(i), m_);
  }
}

void Transcription::scatter(const Eigen::VectorXd& z) {
  for (int i = 0; i < horizon_; ++i) {
    motion_.u[i] = z.segment(control_at(i), m_);
    motion_.x[i + 1] = z.segment(state_at(i + 1), n_);
  }
}

void Transcription::expect_states() const {
  if (!problem_.dynamics.wants_hints()) return;
  Eigen::MatrixXd states(n_, horizon_);
  for (int i = 0; i < horizon_; ++i) states.col(i) = motion_.x[i];
  problem_.dynamics.hint(states);
}

bool Transcription::take_values(const Eigen::VectorXd& z) {
  if (values_at_.size() > 0 && values_at_ == z) return values_computed_;
  scatter(z);
  expect_states();
  values_at_ = z;
  values_computed_ =
      for_each_stage(threads_, horizon_ + 1, [this](int i) {
        StageDerivatives& stage = stages_[i];
        const Eigen::VectorXd &x = motion_.x[i], &u = motion_.u[i];
        if (!problem_.residuals.residual(i, x, u, stage.r) || !problem_.constraints.constraint(i, x, u, stage.h))
          return false;
        if (i == horizon_) return true;
        ++dynamics_calls_;
        stage.status = problem_.dynamics.step(x, u, stage.next);
        return stage.status == StepStatus::ok && stage.next.allFinite();
      }) == horizon_ + 1;
  motion_.cost = 0;
  for (const StageDerivatives& stage : stages_) motion_.cost += 0.5 * stage.r.squaredNorm();
  return values_computed_;
}

bool Transcription::take_derivatives(const Eigen::VectorXd& z) {
  if (derivatives_at_.size() > 0 && derivatives_at_ == z) return derivatives_computed_;
  // The values are computed as well: the solver needs them at the same point.
  scatter(z);
  expect_states();
  derivatives_at_ = values_at_ = z;
  values_computed_ = derivatives_computed_ =
      for_each_stage(threads_, horizon_ + 1, [this](int i) {
        StageDerivatives& stage = stages_[i];
        const Eigen::VectorXd &x = motion_.x[i], &u = motion_.u[i];
        if (!problem_.residuals.residual(i, x, u, stage.r, stage.r_x, stage.r_u) ||
            !problem_.constraints.constraint(i, x, u, stage.h, stage.h_x, stage.h_u)) {
          return false;
        }
        if (i == horizon_) return true;
        ++derivative_calls_;
        stage.status = problem_.dynamics.step(x, u, stage.next, stage.g_x, stage.g_u);
        return stage.status == StepStatus::ok && stage.next.allFinite() && stage.g_x.allFinite();
      }) == horizon_ + 1;
  motion_.cost = 0;
  for (const StageDerivatives& stage : stages_) motion_.cost += 0.5 * stage.r.squaredNorm();
  return derivatives_computed_;
}

bool Transcription::gradient(const Eigen::VectorXd& z, Eigen::VectorXd& out) {
  if (!take_derivatives(z)) return false;
  for (int i = 0; i <= horizon_; ++i) {
    const StageDerivatives& stage = stages_[i];
    if (i > 0) out.segment(state_at(i), n_).noalias() = stage.r_x.transpose() * stage.r;
    if (i < horizon_) out.segment(control_at(i), m_).noalias() = stage.r_u.transpose() * stage.r;
  }
  return true;
}

bool Transcription::constraints(const Eigen::VectorXd& z, Eigen::VectorXd& c) {
  if (!take_values(z)) return false;
  int row = 0;
  for (int i = 0; i <= horizon_; ++i) {
    c.segment(row, constraint_sizes_[i]) = stages_[i].h;
    row += constraint_sizes_[i];
    if (i == horizon_) break;
    c.segment(row, n_) = motion_.x[i + 1] - stages_[i].next;
    row += n_;
  }
  return true;
}

bool Transcription::jacobian(const Eigen::VectorXd& z, Eigen::VectorXd& entries) {
  if (!take_derivatives(z)) return false;
  Eigen::Index at = 0;
  const auto put = [&](const Eigen::MatrixXd& block, double sign) {
    entries.segment(at, block.size()) = sign * block.reshaped();
    at += block.size();
  };
  for (int i = 0; i <= horizon_; ++i) {
    const StageDerivatives& stage = stages_[i];
    if (i > 0) put(stage.h_x, 1);
    if (i == horizon_) break;
    put(stage.h_u, 1);
    if (i > 0) put(stage.g_x, -1);
    put(stage.g_u, -1);
    entries.segment(at, n_).setOnes();
    at += n_;
  }
  return true;
}

// By the stage's state and control.
Eigen::MatrixXd Transcription::gauss_newton(int i, double weight) const {
  const StageDerivatives& stage = stages_[i];
  const Eigen::Index m = motion_.u[i].size();
  Eigen::MatrixXd product(n_ + m, n_ + m);
  product.topLeftCorner(n_, n_).noalias() = weight * stage.r_x.transpose() * stage.r_x;
  if (m == 0) return product;
  product.bottomLeftCorner(m, n_).noalias() = weight * stage.r_u.transpose() * stage.r_x;
  product.bottomRightCorner(m, m).noalias() = weight * stage.r_u.transpose() * stage.r_u;
  return product;
}

bool Transcription::hessian(const Eigen::VectorXd& z, double weight, const Eigen::VectorXd& multipliers,
                            Eigen::VectorXd& entries) {
  if (!take_derivatives(z)) return false;
  std::vector<Eigen::MatrixXd> second(horizon_ + 1);
  for_each_stage(curved_ ? threads_ : 1, horizon_ + 1, [&](int i) {
    const int constraints = constraint_sizes_[i];
    if (!curved_ ||
        !StageLagrangian{.problem = problem_,
                         .stage = i,
                         .weight = weight,
                         .constraint_multipliers = multipliers.segment(first_rows_[i], constraints),
                         .defect_multipliers = multipliers.segment(first_rows_[i] + constraints, i < horizon_ ? n_ : 0),
                         .derivative_calls = derivative_calls_}
             .curvature(motion_.x[i], motion_.u[i], second[i])) {
      second[i] = gauss_newton(i, weight);
    }
    return true;
  });
  Eigen::Index at = 0;
  const auto put_triangle = [&](const Eigen::MatrixXd& matrix, Eigen::Index first, Eigen::Index size) {
    for (Eigen::Index b = 0; b < size; ++b) {
      entries.segment(at, size - b) = matrix.col(first + b).segment(first + b, size - b);
      at += size - b;
    }
  };
  for (int i = 0; i <= horizon_; ++i) {
    if (i > 0) put_triangle(second[i], 0, n_);
    if (i == horizon_) break;
    if (i > 0) {
      entries.segment(at, m_ * n_) = second[i].bottomLeftCorner(m_, n_).reshaped();
      at += m_ * n_;
    }
    put_triangle(second[i], n_, m_);
  }
  return true;
}

// Where curvature is missing, iterates may circle around the optimum and never meet the tolerance.
void Transcription::watch(const optimization::NlpIteration& seen) {
  if (seen.restoration) return;
  const double residual = std::max(seen.primal_infeasibility, seen.dual_infeasibility);
  if (residual < 0.9 * min_residual_) {
    min_residual_ = residual;
    since_least_ = 0;
  } else if (++since_least_ == patience) {
    curved_ = true;
  }
}

optimization::NonlinearProgram Transcription::program() {
  optimization::NonlinearProgram nlp;
  nlp.start = start_;
  nlp.lower.resize(start_.size());
  nlp.upper.resize(start_.size());
  for (int i = 0; i < horizon_; ++i) {
    nlp.lower.segment(control_at(i), m_) = problem_.lower_control;
    nlp.upper.segment(control_at(i), m_) = problem_.upper_control;
    nlp.lower.segment(state_at(i + 1), n_) = problem_.lower_state;
    nlp.upper.segment(state_at(i + 1), n_) = problem_.upper_state;
  }
  int rows = horizon_ * n_;
  for (const int size : constraint_sizes_) rows += size;
  nlp.constraint_lower.setZero(rows);
  nlp.constraint_upper.setZero(rows);
  int row = 0;
  for (int i = 0; i <= horizon_; ++i) {
    nlp.constraint_lower.segment(row, constraint_sizes_[i]).setConstant(-infinity);
    row += constraint_sizes_[i] + n_;
  }
  nlp.jacobian = jacobian_pattern_;
  nlp.hessian = hessian_pattern_;
  nlp.objective = [this](const Eigen::VectorXd& z, double& f) {
    if (!take_values(z)) return false;
    f = motion_.cost;
    return std::isfinite(f);
  };
  nlp.objective_gradient = [this](const Eigen::VectorXd& z, Eigen::VectorXd& out) { return gradient(z, out); };
  nlp.constraints = [this](const Eigen::VectorXd& z, Eigen::VectorXd& c) { return constraints(z, c); };
  nlp.constraint_jacobian = [this](const Eigen::VectorXd& z, Eigen::VectorXd& e) { return jacobian(z, e); };
  nlp.lagrangian_hessian = [this](const Eigen::VectorXd& z, double weight, const Eigen::VectorXd& multipliers,
                                  Eigen::VectorXd& e) { return hessian(z, weight, multipliers, e); };
  return nlp;
}

Trajectory Transcription::trajectory(const Eigen::VectorXd& z) const {
  Trajectory result;
  result.states.resize(n_, horizon_ + 1);
  result.controls.resize(m_, horizon_);
  result.states.col(0) = problem_.initial_state;
  for (int i = 0; i < horizon_; ++i) {
    result.controls.col(i) = z.segment(control_at(i), m_);
    result.states.col(i + 1) = z.segment(state_at(i + 1), n_);
  }
  return result;
}

TranscriptionResult Transcription::judge(const optimization::NlpResult& solved) {
  TranscriptionResult result;
  result.trajectory = trajectory(solved.z);
  result.stop = solved.stop;
  result.iterations = solved.iterations;
  result.in_restoration = solved.in_restoration;
  result.multipliers = solved.multipliers;
  if (take_values(solved.z)) {
    result.trajectory.cost = motion_.cost;
    for (int i = 0; i <= horizon_; ++i) {
      if (stages_[i].h.size() > 0) result.violation = std::max(result.violation, stages_[i].h.maxCoeff());
      if (i < horizon_) {
        result.largest_defect =
            std::max(result.largest_defect, (motion_.x[i + 1] - stages_[i].next).cwiseAbs().maxCoeff());
      }
    }
  } else {
    result.trajectory.cost = result.largest_defect = result.violation = infinity;
  }
  result.dynamics_calls = dynamics_calls_;
  result.derivative_calls = derivative_calls_;
  return result;
}

}  // namespace

TranscriptionResult ipopt_transcription(const AnyTrajectoryProblem& given, const Trajectory& initial,
                                        const TranscriptionOptions& options) {
  AnyTrajectoryProblem problem = given;
  complete(problem, "ipopt_transcription");
  const auto fits = [](const Eigen::MatrixXd& matrix, Eigen::Index rows, Eigen::Index cols, const char* name) {
    if (matrix.rows() != rows || matrix.cols() != cols || !matrix.allFinite()) {
      throw std::invalid_argument("ipopt_transcription: initial " + std::string(name) + " are " + shape_text(matrix) +
                                  ", must be " + to_text(rows) + " x " + to_text(cols) + " and finite");
    }
  };
  fits(initial.controls, problem.dynamics.control_size(), problem.horizon, "controls");
  if (initial.states.size() > 0) fits(initial.states, problem.dynamics.state_size(), problem.horizon + 1, "states");
  if (options.threads < 1) {
    throw std::invalid_argument("ipopt_transcription: threads = " + to_text(options.threads) + ", must be positive");
  }
  Transcription transcription(problem, initial, options.threads);
  optimization::IpoptOptions ipopt = options.ipopt;
  ipopt.observer = [&](const optimization::NlpIteration& seen, const Eigen::VectorXd& z) {
    transcription.watch(seen);
    if (!options.observer || z.size() == 0) return true;
    Trajectory trajectory = transcription.trajectory(z);
    trajectory.cost = seen.objective;
    return options.observer(seen, trajectory);
  };
  const optimization::NonlinearProgram program = transcription.program();
  optimization::NlpResult solved = optimization::solve_with_ipopt(program, ipopt);
  if (options.check_curvature) {
    transcription.bend();
    solved = optimization::leave_saddles(program, std::move(solved), ipopt, options.curvature_tolerance);
  }
  return transcription.judge(solved);
}

}  // namespace quoin::planning
