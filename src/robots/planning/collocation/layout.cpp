// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "quoin/util/to_text.hpp"

#include "robots/planning/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

/// dx/dt of a guess that is linear between its nodes.
Eigen::VectorXd slope(const CollocationPlan& guess, double time) {
  const double first = guess.times[0], last = guess.times[guess.times.size() - 1], reach = 1e-6 * (last - first);
  const double from = std::max(time - reach, first), to = std::min(time + reach, last);
  if (!(from < to)) return Eigen::VectorXd::Zero(guess.states.rows());
  return (guess.state(to) - guess.state(from)) / (to - from);
}

}  // namespace

CollocationProgram::CollocationProgram(const CollocationProblem& problem, const CollocationPlan& guess,
                                       const CollocationOptions& options)
    : problem_(problem),
      scheme_(options.scheme),
      n_(static_cast<int>(problem.dynamics.state_size)),
      k_(static_cast<int>(problem.dynamics.rate_size)),
      m_(static_cast<int>(problem.dynamics.control_size)),
      p_(problem.path ? static_cast<int>(problem.lower_path.size()) : 0),
      b_(problem.boundary ? static_cast<int>(problem.lower_boundary.size()) : 0),
      stride_(n_ + k_ + m_),
      cost_scale_(options.cost_scale),
      defect_substeps_(options.defect_substeps) {
  problem_.check("collocation");
  if (!(cost_scale_ >= 0) || !std::isfinite(cost_scale_) || defect_substeps_ < 1) {
    throw std::invalid_argument("collocation: cost_scale = " + to_text(cost_scale_) +
                                ", must be 0 or positive, and defect_substeps = " + to_text(defect_substeps_) +
                                ", must be positive");
  }
  make_nodes();
  read_guess(guess);
  choose_scales(options);
  lay_out_constraints();
  lay_out_hessian();
}

void CollocationProgram::make_nodes() {
  const Vector& mesh = problem_.times;
  const int intervals = static_cast<int>(mesh.size()) - 1;
  const bool midpoints = scheme_ == CollocationScheme::hermite_simpson;
  count_ = midpoints ? 2 * intervals + 1 : intervals + 1;
  nodes_.resize(count_);
  for (int i = 0; i <= intervals; ++i) nodes_[midpoints ? 2 * i : i].time = mesh[i];
  for (int i = 0; i < intervals; ++i) {
    const double h = mesh[i + 1] - mesh[i];
    switch (scheme_) {
      case CollocationScheme::euler: nodes_[i].weight += h; break;
      case CollocationScheme::trapezoid:
        nodes_[i].weight += h / 2;
        nodes_[i + 1].weight += h / 2;
        break;
      case CollocationScheme::hermite_simpson:
        nodes_[2 * i + 1].time = mesh[i] + h / 2;
        nodes_[2 * i].weight += h / 6;
        nodes_[2 * i + 1].weight += 4 * h / 6;
        nodes_[2 * i + 2].weight += h / 6;
        break;
    }
  }
}

void CollocationProgram::read_guess(const CollocationPlan& guess) {
  const Eigen::Index given = guess.times.size();
  if (given < 2 || guess.states.rows() != n_ || guess.states.cols() != given || guess.controls.rows() != m_ ||
      guess.controls.cols() != given || !guess.states.allFinite() || !guess.controls.allFinite() ||
      (guess.rates.size() > 0 && (guess.rates.rows() != k_ || guess.rates.cols() != given))) {
    throw std::invalid_argument("collocation: the guess has " + to_text(given) + " times, states " +
                                shape_text(guess.states) + ", controls " + shape_text(guess.controls) + ", rates " +
                                shape_text(guess.rates) + "; must be finite, of at least 2 times, " + to_text(n_) +
                                " states, " + to_text(m_) + " controls, " + to_text(k_) + " rates (or none)");
  }
  bool same = guess.scheme == scheme_ && given == count_ && guess.rates.size() > 0;
  for (int i = 0; same && i < count_; ++i) same = guess.times[i] == nodes_[i].time;
  if (same) natural_multipliers_ = guess.multipliers;

  const auto bound = [&](const Vector& lower, const Vector& upper, int from, int size) {
    if (lower.size() > 0) lower_.segment(from, size) = lower_.segment(from, size).cwiseMax(lower);
    if (upper.size() > 0) upper_.segment(from, size) = upper_.segment(from, size).cwiseMin(upper);
  };
  lower_.setConstant(count_ * stride_, -infinity);
  upper_.setConstant(count_ * stride_, infinity);
  for (int i = 0; i < count_; ++i) {
    bound(problem_.lower_state, problem_.upper_state, base(i), n_);
    bound(problem_.lower_control, problem_.upper_control, base(i) + n_ + k_, m_);
  }
  if (problem_.initial_state.size() > 0) {
    lower_.head(n_) = upper_.head(n_) = problem_.initial_state;
  } else {
    bound(problem_.lower_initial_state, problem_.upper_initial_state, 0, n_);
  }
  if (problem_.initial_control.size() > 0)
    lower_.segment(n_ + k_, m_) = upper_.segment(n_ + k_, m_) = problem_.initial_control;
  for (int j = 0; j < stride_; ++j) {
    if (lower_[j] <= upper_[j]) continue;
    throw std::invalid_argument("collocation: bounds at the beginning cross: variable " + to_text(j) + " is between " +
                                to_text(lower_[j]) + " and " + to_text(upper_[j]));
  }

  start_.resize(count_ * stride_);
  for (int i = 0; i < count_; ++i) {
    Node& node = nodes_[i];
    node.x = same ? Vector(guess.states.col(i)) : guess.state(node.time);
    node.u = same ? Vector(guess.controls.col(i)) : guess.control(node.time);
    node.x = node.x.cwiseMax(lower_.segment(base(i), n_)).cwiseMin(upper_.segment(base(i), n_));
    node.u = node.u.cwiseMax(lower_.segment(base(i) + n_ + k_, m_)).cwiseMin(upper_.segment(base(i) + n_ + k_, m_));
  }
  expect_states();
  for (int i = 0; i < count_; ++i) {
    Node& node = nodes_[i];
    if (same) {
      node.w = guess.rates.col(i);
    } else if (guess.rates.size() == 0) {
      node.w = slope(guess, node.time).tail(k_);
    } else if (problem_.dynamics.solve(node.x, node.u, node.w, node.equation) != StepStatus::ok) {
      node.w.setZero(k_);
    }
    start_.segment(base(i), stride_) << node.x, node.w, node.u;
  }
}

void CollocationProgram::add_defect(int row, int component, std::initializer_list<std::pair<int, double>> states,
                                    std::initializer_list<std::pair<int, double>> rates) {
  const double scale = 1 / column_scale_[component];
  const int known = n_ - k_;
  const int rate_of = component < known ? component + k_ : n_ + component - known;
  // A rate that is itself a state is in another column than the state whose rate it is: entries never coincide.
  for (const auto& [node, factor] : states)
    linear_.push_back({row, base(node) + component, scale * factor * column_scale_[component]});
  for (const auto& [node, factor] : rates)
    linear_.push_back({row, base(node) + rate_of, scale * factor * column_scale_[rate_of]});
}

void CollocationProgram::lay_out_constraints() {
  const auto block = [this](int row, int rows, int column, int columns) {
    for (int b = 0; b < columns; ++b) {
      for (int a = 0; a < rows; ++a) {
        jacobian_pattern_.rows.push_back(row + a);
        jacobian_pattern_.columns.push_back(column + b);
      }
    }
  };
  for (int i = 0; i < count_; ++i) {
    block(equation_row(i), k_, base(i), n_);
    if (problem_.dynamics.explicit_rate) {
      for (int a = 0; a < k_; ++a) block(equation_row(i) + a, 1, base(i) + n_ + a, 1);
    } else {
      block(equation_row(i), k_, base(i) + n_, k_);
    }
    block(equation_row(i), k_, base(i) + n_ + k_, m_);
    block(path_row(i), p_, base(i), n_);
    block(path_row(i), p_, base(i) + n_ + k_, m_);
  }
  const int boundary_row = equation_row(count_);
  block(boundary_row, b_, base(count_ - 1), n_);

  linear_begin_ = boundary_row + b_;
  int row = linear_begin_;
  std::vector<double> linear_scales;
  const Vector& mesh = problem_.times;
  for (int i = 0; i + 1 < mesh.size(); ++i) {
    const double h = mesh[i + 1] - mesh[i];
    const int a = scheme_ == CollocationScheme::hermite_simpson ? 2 * i : i;
    for (int j = 0; j < n_; ++j) {
      switch (scheme_) {
        case CollocationScheme::euler: add_defect(row++, j, {{a + 1, 1}, {a, -1}}, {{a, -h}}); break;
        case CollocationScheme::trapezoid:
          add_defect(row++, j, {{a + 1, 1}, {a, -1}}, {{a, -h / 2}, {a + 1, -h / 2}});
          break;
        case CollocationScheme::hermite_simpson:
          add_defect(row++, j, {{a + 2, 1}, {a, -1}}, {{a, -h / 6}, {a + 1, -4 * h / 6}, {a + 2, -h / 6}});
          add_defect(row++, j, {{a + 1, 1}, {a, -0.5}, {a + 2, -0.5}}, {{a, -h / 8}, {a + 2, h / 8}});
          break;
      }
      linear_scales.resize(row - linear_begin_, 1 / column_scale_[j]);
    }
  }
  if (scheme_ == CollocationScheme::euler) {
    // The last control acts on nothing and is held.
    for (int j = 0; j < m_; ++j, ++row) {
      linear_.push_back({row, base(count_ - 1) + n_ + k_ + j, 1});
      linear_.push_back({row, base(count_ - 2) + n_ + k_ + j, -1});
      linear_scales.push_back(1 / column_scale_[n_ + k_ + j]);
    }
  }
  for (const LinearEntry& entry : linear_) {
    jacobian_pattern_.rows.push_back(entry.row);
    jacobian_pattern_.columns.push_back(entry.column);
  }
  row_lower_.setZero(row);
  row_upper_.setZero(row);
  row_scales_.setOnes(row);
  for (int i = 0; i < count_; ++i) {
    row_scales_.segment(equation_row(i), k_) = row_scale_;
    if (p_ == 0) continue;
    row_scales_.segment(path_row(i), p_) = path_scale_;
    row_lower_.segment(path_row(i), p_) = path_scale_.cwiseProduct(problem_.lower_path);
    row_upper_.segment(path_row(i), p_) = path_scale_.cwiseProduct(problem_.upper_path);
  }
  if (b_ > 0) {
    row_scales_.segment(boundary_row, b_) = boundary_scale_;
    row_lower_.segment(boundary_row, b_) = boundary_scale_.cwiseProduct(problem_.lower_boundary);
    row_upper_.segment(boundary_row, b_) = boundary_scale_.cwiseProduct(problem_.upper_boundary);
  }
  row_scales_.tail(row - linear_begin_) = Vector::Map(linear_scales.data(), row - linear_begin_);
}

void CollocationProgram::lay_out_hessian() {
  // Explicit rates enter only linearly.
  const int coupled = problem_.dynamics.explicit_rate ? 0 : k_;
  for (int i = 0; i < count_; ++i) {
    const auto put = [&](int row, int column) {
      hessian_pattern_.rows.push_back(base(i) + row);
      hessian_pattern_.columns.push_back(base(i) + column);
    };
    for (int j = 0; j < n_; ++j) {
      for (int a = j; a < n_ + coupled; ++a) put(a, j);
      for (int a = n_ + k_; a < stride_; ++a) put(a, j);
    }
    for (int j = n_ + k_; j < stride_; ++j)
      for (int a = j; a < stride_; ++a) put(a, j);
  }
  block_.setZero(stride_, stride_);
}

}  // namespace quoin::planning
