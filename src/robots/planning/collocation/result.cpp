// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quoin::planning {

optimization::NlpMultipliers CollocationProgram::start_multipliers() const {
  optimization::NlpMultipliers result = natural_multipliers_;
  if (result.constraints.size() != row_lower_.size() || result.lower.size() != start_.size() ||
      result.upper.size() != start_.size())
    return {};
  result.constraints *= cost_scale_;
  for (int i = 0; i < count_; ++i) {
    result.constraints.segment(equation_row(i), k_).array() /= row_scale_.array();
    for (Vector* bound : {&result.lower, &result.upper})
      bound->segment(base(i), stride_).array() *= cost_scale_ * column_scale_.array();
  }
  for (std::size_t j = 0; j < linear_row_scale_.size(); ++j)
    result.constraints[linear_begin_ + static_cast<Eigen::Index>(j)] /= linear_row_scale_[j];
  return result;
}

CollocationPlan CollocationProgram::plan(const optimization::NlpResult& solved) {
  CollocationPlan result{.scheme = scheme_,
                         .times = Vector(count_),
                         .states = Matrix(n_, count_),
                         .controls = Matrix(m_, count_),
                         .rates = Matrix(k_, count_),
                         .stop = solved.stop,
                         .iterations = solved.iterations,
                         .in_restoration = solved.in_restoration,
                         .multipliers = solved.multipliers};
  Vector c(row_lower_.size());
  const bool computed = constraints(solved.z, c);
  move_to(solved.z);
  for (int i = 0; i < count_; ++i) {
    result.times[i] = nodes_[i].time;
    result.states.col(i) = nodes_[i].x;
    result.rates.col(i) = nodes_[i].w;
    result.controls.col(i) = nodes_[i].u;
  }
  if (computed) {
    result.cost = total_cost();
    const auto outside = [&](int from, int size) {
      for (int row = from; row < from + size; ++row)
        result.violation = std::max({result.violation, row_lower_[row] - c[row], c[row] - row_upper_[row]});
    };
    for (int i = 0; i < count_; ++i) {
      result.residual = std::max(result.residual, nodes_[i].equation.r.cwiseAbs().maxCoeff());
      outside(path_row(i), p_);
    }
    outside(equation_row(count_), b_);
    for (std::size_t j = 0; j < linear_row_scale_.size(); ++j)
      result.residual =
          std::max(result.residual, std::abs(c[linear_begin_ + static_cast<Eigen::Index>(j)]) / linear_row_scale_[j]);
  } else {
    result.cost = result.residual = result.violation = std::numeric_limits<double>::infinity();
  }
  optimization::NlpMultipliers& natural = result.multipliers;
  if (natural.constraints.size() > 0) {
    natural.constraints /= cost_scale_;
    for (int i = 0; i < count_; ++i) {
      natural.constraints.segment(equation_row(i), k_).array() *= row_scale_.array();
      for (Vector* bound : {&natural.lower, &natural.upper})
        bound->segment(base(i), stride_).array() /= cost_scale_ * column_scale_.array();
    }
    for (std::size_t j = 0; j < linear_row_scale_.size(); ++j)
      natural.constraints[linear_begin_ + static_cast<Eigen::Index>(j)] *= linear_row_scale_[j];
  }
  measure_defects(problem_.dynamics, result, defect_substeps_);
  return result;
}

}  // namespace quoin::planning
