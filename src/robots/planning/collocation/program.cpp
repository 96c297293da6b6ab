// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::planning {

bool CollocationProgram::move_to(const Vector& z) {
  if (at_.size() > 0 && at_ == z) return false;
  at_ = z;
  costs_ = values_ = derivatives_ = Known::no;
  for (int i = 0; i < count_; ++i) {
    Node& node = nodes_[i];
    node.x = z.segment(base(i), n_).cwiseProduct(column_scale_.head(n_));
    node.w = z.segment(base(i) + n_, k_).cwiseProduct(column_scale_.segment(n_, k_));
    node.u = z.segment(base(i) + n_ + k_, m_).cwiseProduct(column_scale_.tail(m_));
  }
  expect_states();
  return true;
}

void CollocationProgram::expect_states() const {
  if (!problem_.dynamics.hint) return;
  Matrix states(n_, count_);
  for (int i = 0; i < count_; ++i) states.col(i) = nodes_[i].x;
  problem_.dynamics.hint(states);
}

bool CollocationProgram::take_costs() {
  return once(costs_, [this] { return compute_costs(); });
}

bool CollocationProgram::compute_costs() {
  for (Node& node : nodes_) {
    if (problem_.running_cost && node.weight > 0 &&
        (!problem_.running_cost(node.time, node.x, node.u, node.cost, node.cost_x, node.cost_u) ||
         !std::isfinite(node.cost)))
      return false;
    if (problem_.path && (!problem_.path(node.time, node.x, node.u, node.g, node.g_x, node.g_u) || !node.g.allFinite()))
      return false;
    if (problem_.path && node.g.size() != p_) {
      throw std::invalid_argument("collocation: path has " + to_text(node.g.size()) + " entries, its bounds " +
                                  to_text(p_));
    }
  }
  const Vector& last = nodes_.back().x;
  if (problem_.terminal_cost && (!problem_.terminal_cost(last, terminal_, terminal_x_) || !std::isfinite(terminal_)))
    return false;
  if (problem_.boundary && (!problem_.boundary(last, h_, h_x_) || !h_.allFinite())) return false;
  if (problem_.boundary && h_.size() != b_) {
    throw std::invalid_argument("collocation: boundary has " + to_text(h_.size()) + " entries, its bounds " +
                                to_text(b_));
  }
  return true;
}

bool CollocationProgram::take_values(const Vector& z) {
  move_to(z);
  if (!take_costs()) return false;
  return once(values_, [this] {
    for (Node& node : nodes_) {
      if (problem_.dynamics.value(node.x, node.w, node.u, node.equation) != StepStatus::ok) return false;
      if (!node.equation.r.allFinite()) return false;
    }
    return true;
  });
}

bool CollocationProgram::take_derivatives(const Vector& z) {
  move_to(z);
  if (!take_costs()) return false;
  return once(derivatives_, [this] {
    values_ = Known::failed;  // the equations are overwritten
    for (Node& node : nodes_) {
      NodeEquation& at = node.equation;
      if (problem_.dynamics.derivatives(node.x, node.w, node.u, at) != StepStatus::ok) return false;
      if (!at.r.allFinite() || !at.dx.allFinite() || !at.dw.allFinite()) return false;
    }
    values_ = Known::yes;
    return true;
  });
}

double CollocationProgram::total_cost() const {
  double sum = problem_.terminal_cost ? terminal_ : 0;
  if (problem_.running_cost)
    for (const Node& node : nodes_)
      if (node.weight > 0) sum += node.weight * node.cost;
  return sum;
}

bool CollocationProgram::gradient(const Vector& z, Vector& out) {
  move_to(z);
  if (!take_costs()) return false;
  out.setZero();
  for (int i = 0; i < count_ && problem_.running_cost; ++i) {
    const Node& node = nodes_[i];
    if (node.weight <= 0) continue;
    out.segment(base(i), n_) = cost_scale_ * node.weight * node.cost_x.cwiseProduct(column_scale_.head(n_));
    out.segment(base(i) + n_ + k_, m_) = cost_scale_ * node.weight * node.cost_u.cwiseProduct(column_scale_.tail(m_));
  }
  if (problem_.terminal_cost)
    out.segment(base(count_ - 1), n_) += cost_scale_ * terminal_x_.cwiseProduct(column_scale_.head(n_));
  return out.allFinite();
}

bool CollocationProgram::constraints(const Vector& z, Vector& c) {
  if (!take_values(z)) return false;
  for (int i = 0; i < count_; ++i) {
    c.segment(equation_row(i), k_) = row_scale_.cwiseProduct(nodes_[i].equation.r);
    if (p_ > 0) c.segment(path_row(i), p_) = path_scale_.cwiseProduct(nodes_[i].g);
  }
  if (b_ > 0) c.segment(equation_row(count_), b_) = boundary_scale_.cwiseProduct(h_);
  c.tail(c.size() - linear_begin_).setZero();
  for (const LinearEntry& entry : linear_) c[entry.row] += entry.value * z[entry.column];
  return true;
}

bool CollocationProgram::jacobian(const Vector& z, Vector& entries) {
  if (!take_derivatives(z)) return false;
  Eigen::Index at = 0;
  const auto put = [&](const Matrix& block, const Vector& row_scale, int column) {
    for (Eigen::Index b = 0; b < block.cols(); ++b) {
      for (Eigen::Index a = 0; a < block.rows(); ++a)
        entries[at++] = block(a, b) * row_scale[a] * column_scale_[column + b];
    }
  };
  for (const Node& node : nodes_) {
    put(node.equation.dx, row_scale_, 0);
    if (problem_.dynamics.explicit_rate) {
      entries.segment(at, k_) = row_scale_.cwiseProduct(column_scale_.segment(n_, k_));
      at += k_;
    } else {
      put(node.equation.dw, row_scale_, n_);
    }
    put(node.equation.du, row_scale_, n_ + k_);
    if (p_ == 0) continue;
    put(node.g_x, path_scale_, 0);
    put(node.g_u, path_scale_, n_ + k_);
  }
  if (b_ > 0) put(h_x_, boundary_scale_, 0);
  for (const LinearEntry& entry : linear_) entries[at++] = entry.value;
  return entries.allFinite();
}

bool CollocationProgram::evaluate_trial(int i, bool with_dynamics) {
  Node& node = trial_;
  if (with_dynamics && problem_.dynamics.derivatives(node.x, node.w, node.u, node.equation) != StepStatus::ok)
    return false;
  const double time = nodes_[i].time;
  if (problem_.running_cost && nodes_[i].weight > 0 &&
      !problem_.running_cost(time, node.x, node.u, node.cost, node.cost_x, node.cost_u))
    return false;
  if (problem_.path && !problem_.path(time, node.x, node.u, node.g, node.g_x, node.g_u)) return false;
  if (i + 1 < count_) return true;
  double terminal = 0;
  if (problem_.terminal_cost && !problem_.terminal_cost(node.x, terminal, trial_terminal_x_)) return false;
  return !problem_.boundary || problem_.boundary(node.x, trial_h_, trial_h_x_);
}

/// Gradient of weight f + multipliers^T c by x, w, u of node i; lambda_ holds its equation's multipliers, scaled.
void CollocationProgram::lagrangian_gradient(int i, const Node& node, const Vector& terminal_x, const Matrix& h_x,
                                             double weight, const Vector& multipliers, Vector& out) {
  auto by_x = out.head(n_);
  auto by_u = out.tail(m_);
  by_x.noalias() = node.equation.dx.transpose() * lambda_;
  out.segment(n_, k_).noalias() = node.equation.dw.transpose() * lambda_;
  by_u.noalias() = node.equation.du.transpose() * lambda_;
  if (problem_.running_cost && nodes_[i].weight > 0) {
    by_x += weight * nodes_[i].weight * node.cost_x;
    by_u += weight * nodes_[i].weight * node.cost_u;
  }
  if (p_ > 0) {
    const Vector forces = path_scale_.cwiseProduct(multipliers.segment(path_row(i), p_));
    by_x.noalias() += node.g_x.transpose() * forces;
    by_u.noalias() += node.g_u.transpose() * forces;
  }
  if (i + 1 < count_) return;
  if (problem_.terminal_cost) by_x += weight * terminal_x;
  if (b_ > 0)
    by_x.noalias() += h_x.transpose() * boundary_scale_.cwiseProduct(multipliers.segment(equation_row(count_), b_));
}

bool CollocationProgram::node_hessian(int i, double weight, const Vector& multipliers) {
  constexpr double reach = 1e-7;  // near the root of the machine's precision: differences of gradients
  const Node& node = nodes_[i];
  lambda_ = row_scale_.cwiseProduct(multipliers.segment(equation_row(i), k_));
  base_gradient_.resize(stride_);
  moved_gradient_.resize(stride_);
  lagrangian_gradient(i, node, terminal_x_, h_x_, weight, multipliers, base_gradient_);
  trial_.x = node.x;
  trial_.w = node.w;
  trial_.u = node.u;

  const auto column = [&](int j, double& moved, bool with_dynamics) {
    const double here = moved, top = upper_[base(i) + j] * column_scale_[j];
    double step = reach * std::max(std::abs(here), column_scale_[j]);
    if (here + step > top) step = -step;
    for (int attempt = 0; attempt < 2; ++attempt, step = -step) {
      moved = here + step;
      const double taken = moved - here;
      const bool computed = evaluate_trial(i, with_dynamics);
      moved = here;
      if (!computed) continue;
      lagrangian_gradient(i, trial_, trial_terminal_x_, trial_h_x_, weight, multipliers, moved_gradient_);
      block_.col(j) = (moved_gradient_ - base_gradient_) / taken;
      if (block_.col(j).allFinite()) return true;
    }
    return false;
  };
  // Where controls act linearly, the equation's gradient by u does not depend on u: the node's own serves all trials.
  trial_.equation.dx = node.equation.dx;
  trial_.equation.dw = node.equation.dw;
  trial_.equation.du = node.equation.du;
  const bool affine = problem_.dynamics.affine_control;
  if (!affine || problem_.running_cost || problem_.path)
    for (int j = 0; j < m_; ++j)
      if (!column(n_ + k_ + j, trial_.u[j], !affine)) return false;
  for (int j = 0; j < n_; ++j)
    if (!column(j, trial_.x[j], true)) return false;
  return true;
}

bool CollocationProgram::hessian(const Vector& z, double weight, const Vector& multipliers, Vector& entries) {
  if (!take_derivatives(z)) return false;
  const int coupled = problem_.dynamics.explicit_rate ? 0 : k_;
  Eigen::Index at = 0;
  for (int i = 0; i < count_; ++i) {
    if (!node_hessian(i, cost_scale_ * weight, multipliers)) return false;
    const auto entry = [&](int a, int b) {
      const double value = (a < n_) == (b < n_) ? 0.5 * (block_(a, b) + block_(b, a)) : block_(a, b);
      entries[at++] = value * column_scale_[a] * column_scale_[b];
    };
    for (int j = 0; j < n_; ++j) {
      for (int a = j; a < n_ + coupled; ++a) entry(a, j);
      for (int a = n_ + k_; a < stride_; ++a) entry(a, j);
    }
    for (int j = n_ + k_; j < stride_; ++j)
      for (int a = j; a < stride_; ++a) entry(a, j);
  }
  return true;
}

optimization::NonlinearProgram CollocationProgram::program(const std::shared_ptr<CollocationProgram>& self) {
  optimization::NonlinearProgram nlp;
  nlp.start = self->start_;
  nlp.lower = self->lower_;
  nlp.upper = self->upper_;
  nlp.constraint_lower = self->row_lower_;
  nlp.constraint_upper = self->row_upper_;
  nlp.jacobian = self->jacobian_pattern_;
  nlp.hessian = self->hessian_pattern_;
  nlp.objective = [self](const Vector& z, double& f) {
    self->move_to(z);
    if (!self->take_costs()) return false;
    f = self->cost_scale_ * self->total_cost();
    return true;
  };
  nlp.objective_gradient = [self](const Vector& z, Vector& out) { return self->gradient(z, out); };
  nlp.constraints = [self](const Vector& z, Vector& c) { return self->constraints(z, c); };
  nlp.constraint_jacobian = [self](const Vector& z, Vector& entries) { return self->jacobian(z, entries); };
  nlp.lagrangian_hessian = [self](const Vector& z, double weight, const Vector& multipliers, Vector& entries) {
    return self->hessian(z, weight, multipliers, entries);
  };
  return nlp;
}

optimization::NonlinearProgram collocation_program(const CollocationProblem& problem, const CollocationPlan& guess,
                                                   const CollocationOptions& options) {
  return CollocationProgram::program(std::make_shared<CollocationProgram>(problem, guess, options));
}

}  // namespace quoin::planning
