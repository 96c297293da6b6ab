// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "quoin/util/to_text.hpp"

#include "robots/planning/infinity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::planning {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

void check_scale(const char* name, const Vector& scale, Eigen::Index size) {
  if (scale.size() == 0 || (scale.size() == size && scale.minCoeff() > 0 && scale.allFinite())) return;
  throw std::invalid_argument("collocation: " + std::string(name) + " has " + to_text(scale.size()) +
                              " entries, must have " + to_text(size) + ", all positive and finite");
}

/// 0 where the bounds have none.
Vector half_width(const Vector& lower, const Vector& upper, Eigen::Index size) {
  Vector width = Vector::Zero(size);
  for (Eigen::Index j = 0; j < size && lower.size() > 0 && upper.size() > 0; ++j) {
    const double half = (upper[j] - lower[j]) / 2;
    if (std::isfinite(half) && half > 0) width[j] = half;
  }
  return width;
}

/// 1 where a size is moderate, and where nothing tells of it, which is 0; else the size, so that units do not matter.
double scale_for(double size) { return size > 0 && std::isfinite(size) && (size < 1. / 30 || size > 30) ? size : 1; }

/// The sizes of states and controls that belong to those that are known, as dx/dt = A x + B u has them over a duration:
/// between what the known ones move and what it takes to move the known ones, as an oscillation has its speeds.
/// by: |A|, |B|.
void fill(Vector& sizes, const Matrix& by, double duration) {
  const Eigen::Index n = by.rows();
  for (bool found = true; found;) {
    found = false;
    const Vector known = sizes;
    for (Eigen::Index j = 0; j < sizes.size(); ++j) {
      if (known[j] > 0) continue;
      const double moved = j < n ? duration * by.row(j).cwiseProduct(known.transpose()).maxCoeff() : 0;
      double moving = infinity;
      for (Eigen::Index i = 0; i < n; ++i)
        if (known[i] > 0 && by(i, j) > 0) moving = std::min(moving, known[i] / (duration * by(i, j)));
      const double size = !std::isfinite(moving) ? moved : moved > 0 ? std::sqrt(moved) * std::sqrt(moving) : moving;
      if (!(size > 0) || !std::isfinite(size)) continue;
      sizes[j] = size;
      found = true;
    }
  }
}

/// How much the entry of a slope at x[j] changes with x[j]; 0 where there is none to see. In unknown units: steps grow
/// until two of them agree.
template <class Slope>
double bend(const Slope& slope, Vector& x, Eigen::Index j, double lower, double upper) {
  Vector here, there;
  if (!slope(here)) return 0;
  const double from = x[j];
  double before = 0, found = 0;
  for (const double step : {1e-10, 1e-7, 1e-4, 1e-1}) {
    x[j] = from + step > upper ? from - step : from + step;
    if (x[j] == from || x[j] < lower) continue;
    if (!slope(there)) break;
    const double second = std::abs((there[j] - here[j]) / (x[j] - from));
    if (second > 0 && std::abs(second - before) < 0.1 * second) {
      found = second;
      break;
    }
    before = second;
  }
  x[j] = from;
  return std::isfinite(found) ? found : 0;
}

}  // namespace

/// The second derivatives of the cost by each state and control alone, in magnitude, integrated over three nodes; 0
/// where there is none.
Eigen::VectorXd CollocationProgram::cost_curvatures() {
  Vector sums = Vector::Zero(n_ + m_), slope;
  const double duration = nodes_.back().time - nodes_.front().time;
  double cost = 0;
  for (const int i : {0, count_ / 2, count_ - 1}) {
    trial_.x = nodes_[i].x;
    trial_.u = nodes_[i].u;
    const auto running = [&](bool by_control, Vector& out) {
      if (!problem_.running_cost(nodes_[i].time, trial_.x, trial_.u, cost, trial_.cost_x, trial_.cost_u)) return false;
      out = by_control ? trial_.cost_u : trial_.cost_x;
      return true;
    };
    const auto terminal = [&](Vector& out) { return problem_.terminal_cost(trial_.x, cost, out); };
    const auto lower = lower_.segment(base(i), stride_), upper = upper_.segment(base(i), stride_);
    for (int j = 0; j < n_; ++j) {
      if (problem_.running_cost)
        sums[j] +=
            duration / 3 * bend([&](Vector& out) { return running(false, out); }, trial_.x, j, lower[j], upper[j]);
      if (problem_.terminal_cost && i + 1 == count_) sums[j] += bend(terminal, trial_.x, j, lower[j], upper[j]);
    }
    for (int j = 0; j < m_ && problem_.running_cost; ++j) {
      const int at = n_ + k_ + j;
      sums[n_ + j] +=
          duration / 3 * bend([&](Vector& out) { return running(true, out); }, trial_.u, j, lower[at], upper[at]);
    }
  }
  return sums;
}

/// How large states and controls are. Those of the guess tell of others by the dynamics; and so do controls that the
/// cost pays for, with states that are no further off than the cost at the guess.
Eigen::VectorXd CollocationProgram::variable_sizes(const Matrix& by) {
  const double duration = nodes_.back().time - nodes_.front().time;
  Vector by_states = Vector::Zero(n_ + m_), by_controls = Vector::Zero(n_ + m_);
  double paid = 0;
  for (Node& node : nodes_) {
    by_states.head(n_) = by_states.head(n_).cwiseMax(node.x.cwiseAbs());
    by_controls.tail(m_) = by_controls.tail(m_).cwiseMax(node.u.cwiseAbs());
    if (problem_.running_cost && node.weight > 0 &&
        problem_.running_cost(node.time, node.x, node.u, node.cost, node.cost_x, node.cost_u))
      paid += node.weight * std::abs(node.cost);
  }
  if (problem_.terminal_cost && problem_.terminal_cost(nodes_.back().x, terminal_, terminal_x_))
    paid += std::abs(terminal_);
  fill(by_states, by, duration);
  const Vector seconds = cost_curvatures();
  paid = std::max(paid, 0.5 * seconds.tail(m_).dot(by_states.tail(m_).cwiseAbs2()));
  Vector worth(n_ + m_);
  for (int j = 0; j < n_ + m_; ++j) worth[j] = paid > 0 && seconds[j] > 0 ? std::sqrt(2 * paid / seconds[j]) : 0;

  const Vector wide = half_width(problem_.lower_control, problem_.upper_control, m_);
  by_controls.tail(m_) = (wide.array() > 0).select(wide, by_controls.tail(m_).cwiseMax(worth.tail(m_)));
  fill(by_controls, by, duration);
  for (int j = 0; j < n_; ++j)
    if (worth[j] > 0) by_controls[j] = std::min(by_controls[j], worth[j]);
  return by_states.cwiseMax(by_controls);
}

void CollocationProgram::choose_scales(const CollocationOptions& options) {
  check_scale("state_scale", options.state_scale, n_);
  check_scale("control_scale", options.control_scale, m_);
  check_scale("rate_scale", options.rate_scale, k_);
  check_scale("dynamics_scale", options.dynamics_scale, k_);
  const int known = n_ - k_;  // states whose rates are states
  const double duration = nodes_.back().time - nodes_.front().time;
  Matrix by = Matrix::Zero(n_, n_ + m_);
  by.topRightCorner(known, k_ + m_).leftCols(k_).setIdentity();
  std::vector<const Node*> seen, answering;
  for (Node& node : nodes_) {
    NodeEquation& at = node.equation;
    if (problem_.dynamics.derivatives(node.x, node.w, node.u, at) != StepStatus::ok) continue;
    if (!at.dx.allFinite() || !at.dw.allFinite() || !at.du.allFinite()) continue;
    seen.push_back(&node);
    at.factors.compute(at.dw);
    const Matrix by_state = at.factors.solve(at.dx), by_control = at.factors.solve(at.du);
    if (!by_state.allFinite() || !by_control.allFinite()) continue;
    answering.push_back(&node);
    by.bottomLeftCorner(k_, n_) += by_state.cwiseAbs();
    by.bottomRightCorner(k_, m_) += by_control.cwiseAbs();
  }
  by.bottomRows(k_) /= std::max<double>(1, static_cast<double>(answering.size()));

  const Vector sizes = variable_sizes(by);
  const auto scale_of = [&](const Vector& given, const Vector& lower, const Vector& upper, const Vector& size) {
    if (given.size() > 0) return given;
    const Vector wide = half_width(lower, upper, size.size());
    return Vector((wide.array() > 0).select(wide, size.unaryExpr(&scale_for)));
  };
  const Vector states = scale_of(options.state_scale, problem_.lower_state, problem_.upper_state, sizes.head(n_));
  const Vector controls =
      scale_of(options.control_scale, problem_.lower_control, problem_.upper_control, sizes.tail(m_));
  // The response of the rates to one unit of states and controls, and the size of the equations' entries.
  Vector rates = options.rate_scale;
  if (rates.size() == 0) {
    rates.setZero(k_);
    for (const Node* node : answering) {
      const NodeEquation& at = node->equation;
      const Matrix by_state = at.factors.solve(Matrix(at.dx * states.asDiagonal()));
      const Matrix by_control = at.factors.solve(Matrix(at.du * controls.asDiagonal()));
      rates += by_state.cwiseAbs().rowwise().maxCoeff().cwiseMax(by_control.cwiseAbs().rowwise().maxCoeff());
    }
    rates /= std::max<double>(1, static_cast<double>(answering.size()));
    for (int j = 0; j < k_; ++j) {
      const double moderate = scale_for(states[known + j] / duration);
      rates[j] = std::clamp(rates[j], 1e-3 * moderate, 1e3 * moderate);
    }
  }
  row_scale_ = options.dynamics_scale;
  if (row_scale_.size() == 0) {
    row_scale_.setZero(k_);
    for (const Node* node : seen) {
      const NodeEquation& at = node->equation;
      row_scale_ += (at.dx * states.asDiagonal())
                        .cwiseAbs()
                        .rowwise()
                        .maxCoeff()
                        .cwiseMax((at.dw * rates.asDiagonal()).cwiseAbs().rowwise().maxCoeff())
                        .cwiseMax((at.du * controls.asDiagonal()).cwiseAbs().rowwise().maxCoeff());
    }
    for (double& row : row_scale_) row = row > 0 ? static_cast<double>(seen.size()) / row : 1;
  }
  column_scale_.resize(stride_);
  column_scale_ << states, rates, controls;
  scale_constraints();
  if (cost_scale_ == 0) cost_scale_ = automatic_cost_scale();
  for (int i = 0; i < count_; ++i) {
    for (Vector* part : {&start_, &lower_, &upper_}) part->segment(base(i), stride_).array() /= column_scale_.array();
  }
}

/// Ipopt takes a violation of its tolerance for none, whatever the unit: rows that states and controls of their sizes
/// move by little are enlarged. Others stay as they are, in the user's units.
void CollocationProgram::scale_constraints() {
  constexpr double little = 1e-4;
  const auto states = column_scale_.head(n_), controls = column_scale_.tail(m_);
  const auto enlarge = [](double size) { return size > 0 && size < little ? 1 / size : 1; };
  path_scale_.setZero(p_);
  for (Node& node : nodes_) {
    if (p_ == 0 || !problem_.path(node.time, node.x, node.u, node.g, node.g_x, node.g_u)) continue;
    if (node.g_x.rows() != p_ || node.g_u.rows() != p_ || !node.g_x.allFinite() || !node.g_u.allFinite()) continue;
    path_scale_ = path_scale_.cwiseMax((node.g_x * states.asDiagonal()).cwiseAbs().rowwise().maxCoeff())
                      .cwiseMax((node.g_u * controls.asDiagonal()).cwiseAbs().rowwise().maxCoeff());
  }
  path_scale_ = path_scale_.unaryExpr(enlarge);
  boundary_scale_.setZero(b_);
  if (b_ > 0 && problem_.boundary(nodes_.back().x, h_, h_x_) && h_x_.rows() == b_ && h_x_.allFinite())
    boundary_scale_ = (h_x_ * states.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
  boundary_scale_ = boundary_scale_.unaryExpr(enlarge);
}

double CollocationProgram::automatic_cost_scale() {
  // One unit off the guess: the slopes of a least effort are zero at controls of zero.
  const auto states = column_scale_.head(n_), controls = column_scale_.tail(m_);
  double slopes = 0, costs = 0;
  for (int i = 0; i < count_ && problem_.running_cost; ++i) {
    Node& node = nodes_[i];
    const Vector u =
        (node.u + controls)
            .cwiseMin(problem_.upper_control.size() > 0 ? problem_.upper_control : Vector::Constant(m_, infinity));
    if (node.weight > 0 && problem_.running_cost(node.time, node.x, u, node.cost, node.cost_x, node.cost_u)) {
      slopes += node.weight * (node.cost_x.cwiseAbs().dot(states) + node.cost_u.cwiseAbs().dot(controls));
      costs += node.weight * std::abs(node.cost);
    }
  }
  if (problem_.terminal_cost && problem_.terminal_cost(nodes_.back().x, terminal_, terminal_x_)) {
    slopes += terminal_x_.cwiseAbs().dot(states);
    costs += std::abs(terminal_);
  }
  const double moderate = scale_for(costs);
  return std::isfinite(slopes) && slopes > 0 ? std::clamp(1 / slopes, 1e-6 / moderate, 1e6 / moderate) : 1;
}

}  // namespace quoin::planning
