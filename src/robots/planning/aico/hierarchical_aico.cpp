// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/hierarchical_aico.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include "upper_chain.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

/// A request to the lower level: 1/2 |root (phi(q) - target)|^2, root^T root the precision.
struct Pull {
  Vector target;
  Matrix root;
  bool active = false;
};

class Scheme {
 public:
  Scheme(const AicoProblem& problem, const UpperLevel& level, const HierarchyOptions& options)
      : problem_(problem),
        level_(level),
        options_(options),
        d_(coordinates_of(problem, level)),
        T_(problem.horizon),
        pulls_(T_ + 1),
        observations_(T_ + 1),
        phi_(T_ + 1),
        J_(T_ + 1) {}

  HierarchyResult run(const Matrix& initial_controls) {
    result_.stop = stages(initial_controls);
    return std::move(result_);
  }

 private:
  HierarchyStop stages(const Matrix& initial_controls);
  bool end_state(const Matrix& controls, HierarchyStop& stop);
  void ask_lower(UpperChain& upper);
  void tell_upper();
  bool map_along(const Matrix& states);
  HierarchyRound costs(const UpperChain& upper) const;

  bool map(int t, const Vector& q, Vector& y, Matrix& J) {
    ++result_.map_evaluations;
    if (!level_.map(t, q, y, J)) return false;
    if (y.size() != level_.size || J.rows() != level_.size || J.cols() != d_) {
      throw std::invalid_argument("hierarchical_aico: phi gives " + to_text(y.size()) + " numbers and J " +
                                  shape_text(J) + ", must be " + to_text(level_.size) + " and " + to_text(level_.size) +
                                  " x " + to_text(d_));
    }
    return y.allFinite() && J.allFinite();
  }

  const AicoProblem& problem_;
  const UpperLevel& level_;
  const HierarchyOptions& options_;
  Index d_;
  int T_;
  std::vector<Pull> pulls_;
  std::vector<Observation> observations_;
  std::vector<Vector> phi_;
  std::vector<Matrix> J_;
  HierarchyResult result_;
};

// Stage 1: the dynamics linearized along the initial controls, no task before the end.
bool Scheme::end_state(const Matrix& controls, HierarchyStop& stop) {
  std::vector<LinearStep> steps(T_);
  Vector x = problem_.initial_state, next;
  for (int t = 0; t < T_; ++t) {
    stop = HierarchyStop::plan_failed;
    if (problem_.dynamics(t, x, controls.col(t), next, &steps[t]) != StepStatus::ok) return false;
    x = next;
  }
  const Gaussian reach = propagate({problem_.initial_state, problem_.initial_covariance}, steps, problem_.control_cost);
  const auto task = [&](const Vector& at, LocalTask& local) {
    ++result_.task_evaluations;
    return problem_.task(T_, at, local);
  };
  result_.end_state = end_state_posterior(reach, task, options_.end_state);
  stop = HierarchyStop::end_state_failed;
  if (result_.end_state.stop == Stop::initial_failed) return false;
  if (level_.precision[T_] == 0) return true;
  stop = HierarchyStop::map_failed;
  const Gaussian& end = result_.end_state.posterior;
  if (!map(T_, end.mean.head(d_), phi_[T_], J_[T_])) return false;
  const Matrix carried = J_[T_] * end.covariance.topLeftCorner(d_, d_) * J_[T_].transpose();
  observations_[T_] = {phi_[T_], softened(level_.precision[T_], carried), true};
  return true;
}

// Stage 3's tasks from the upper level.
void Scheme::ask_lower(UpperChain& upper) {
  for (int t = 0; t <= T_; ++t) {
    const double rho = level_.precision[t];
    Pull& pull = pulls_[t];
    pull.active = rho > 0;
    if (!pull.active) continue;
    if (options_.exchange == Exchange::means) {
      pull.target = upper.means().col(t);
      pull.root = std::sqrt(rho) * Matrix::Identity(level_.size, level_.size);
    } else {
      const Gaussian cavity = upper.cavity(t);
      pull.target = cavity.mean;
      pull.root = softened(rho, cavity.covariance).llt().matrixU();
    }
  }
}

bool Scheme::map_along(const Matrix& states) {
  for (int t = 0; t <= T_; ++t) {
    if (level_.precision[t] == 0 && t > 0) continue;
    if (!map(t, states.col(t).head(d_), phi_[t], J_[t])) return false;
  }
  return true;
}

// Stage 4's observations from the plan.
void Scheme::tell_upper() {
  for (int t = 0; t <= T_; ++t) {
    const double rho = level_.precision[t];
    Observation& observation = observations_[t];
    observation.known = rho > 0;
    if (!observation.known) continue;
    if (options_.exchange == Exchange::means) {
      observation.mean = phi_[t];
      observation.precision = rho * Matrix::Identity(level_.size, level_.size);
      continue;
    }
    // The plan's marginal P of phi without the pull of precision W: (P^-1 - W)^-1 = P + P (W^-1 - P)^-1 P.
    const Matrix W = pulls_[t].root.transpose() * pulls_[t].root;
    const Matrix P = J_[t] * result_.plan.covariances[t].topLeftCorner(d_, d_) * J_[t].transpose();
    const Matrix gap = W.llt().solve(Matrix::Identity(level_.size, level_.size)) - P;
    const Matrix cavity = P + P * gap.ldlt().solve(P);
    observation.mean = phi_[t] + cavity * (W * (phi_[t] - pulls_[t].target));
    observation.precision = softened(rho, 0.5 * (cavity + cavity.transpose()));
  }
}

HierarchyRound Scheme::costs(const UpperChain& upper) const {
  HierarchyRound round;
  round.prior_cost = upper.prior_cost();
  for (int t = 0; t <= T_; ++t)
    if (level_.precision[t] > 0)
      round.factor_cost += 0.5 * level_.precision[t] * (phi_[t] - upper.means().col(t)).squaredNorm();
  double pulled = 0;  // which the plan's own cost contains
  for (int t = 0; t <= T_; ++t)
    if (pulls_[t].active) pulled += 0.5 * (pulls_[t].root * (phi_[t] - pulls_[t].target)).squaredNorm();
  round.cost = result_.plan.cost - pulled + round.prior_cost + round.factor_cost;
  return round;
}

HierarchyStop Scheme::stages(const Matrix& initial_controls) {
  HierarchyStop stop = HierarchyStop::map_failed;
  const Vector q0 = problem_.initial_state.head(d_);
  if (!map(0, q0, phi_[0], J_[0])) return stop;
  UpperChain upper(level_, phi_[0], T_);
  if (options_.use_end_state && !end_state(initial_controls, stop)) return stop;
  upper.smooth(observations_);
  result_.first_y = result_.y = upper.means();
  upper.marginals(observations_, result_.y_covariances);

  Vector y;
  Matrix J;
  AicoProblem lower = problem_;
  lower.task = [&](int t, const Vector& x, LocalTask& task) {
    ++result_.task_evaluations;
    if (!problem_.task(t, x, task)) return false;
    const Pull& pull = pulls_[t];
    if (!pull.active) return true;
    if (!map(t, x.head(d_), y, J)) return false;
    task.add(pull.root * (y - pull.target), pull.root * J, x);
    return true;
  };
  AicoOptions aico_options = options_.aico;
  if (options_.exchange == Exchange::messages) aico_options.covariances = true;
  Matrix controls = initial_controls;
  for (int i = 0; i < options_.max_rounds; ++i) {
    ask_lower(upper);
    const Matrix before = i == 0 ? Matrix() : result_.plan.states;
    const long evaluations = result_.task_evaluations;
    aico_options.check_curvature = options_.aico.check_curvature && i + 1 == options_.max_rounds;
    result_.plan = aico(lower, controls, aico_options);
    if (result_.plan.stop == Stop::initial_failed) return HierarchyStop::plan_failed;
    controls = result_.plan.controls;
    if (!map_along(result_.plan.states)) return HierarchyStop::map_failed;
    tell_upper();
    upper.smooth(observations_);
    HierarchyRound round = costs(upper);
    round.change = (upper.means() - result_.y).cwiseAbs().maxCoeff();
    if (i > 0) round.change = std::max(round.change, (result_.plan.states - before).cwiseAbs().maxCoeff());
    round.aico_iterations = result_.plan.iterations;
    round.task_evaluations = result_.task_evaluations - evaluations;
    result_.rounds.push_back(round);
    result_.y = upper.means();
    upper.marginals(observations_, result_.y_covariances);
    if (i == 0 || round.change > options_.tolerance) continue;
    if (aico_options.check_curvature == options_.aico.check_curvature) return HierarchyStop::converged;
    // Where rounds change nothing any more the plan is asked whether it is a minimum.
    aico_options.check_curvature = true;
    AicoResult seen = aico(lower, controls, aico_options);
    result_.plan.stop = seen.stop;
    if ((seen.states - result_.plan.states).cwiseAbs().maxCoeff() <= options_.tolerance) {
      return HierarchyStop::converged;
    }
    result_.plan = std::move(seen);
    controls = result_.plan.controls;
    if (!map_along(result_.plan.states)) return HierarchyStop::map_failed;
    tell_upper();
    upper.smooth(observations_);
  }
  return HierarchyStop::round_limit;
}

}  // namespace

const char* to_string(HierarchyStop stop) {
  switch (stop) {
    case HierarchyStop::converged: return "converged";
    case HierarchyStop::round_limit: return "round limit";
    case HierarchyStop::end_state_failed: return "end state failed";
    case HierarchyStop::map_failed: return "map failed";
    case HierarchyStop::plan_failed: return "plan failed";
  }
  return "unknown";
}

HierarchyResult hierarchical_aico(const AicoProblem& problem, const UpperLevel& level, const Matrix& initial_controls,
                                  const HierarchyOptions& options) {
  check(problem, level, "hierarchical_aico");
  const OptionsOf of{"hierarchical_aico"};
  of.one_or_more("max_rounds", options.max_rounds);
  of.not_negative("tolerance", options.tolerance);
  if (initial_controls.rows() != problem.control_size() || initial_controls.cols() != problem.horizon) {
    throw std::invalid_argument("hierarchical_aico: initial_controls are " + shape_text(initial_controls) +
                                ", must be " + to_text(problem.control_size()) + " x " + to_text(problem.horizon));
  }
  return Scheme(problem, level, options).run(initial_controls);
}

}  // namespace quoin::planning
