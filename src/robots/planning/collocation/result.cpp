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
  result.constraints.array() *= cost_scale_ / row_scales_.array();
  for (int i = 0; i < count_; ++i)
    for (Vector* bound : {&result.lower, &result.upper})
      bound->segment(base(i), stride_).array() *= cost_scale_ * column_scale_.array();
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
        result.violation =
            std::max(result.violation, std::max(row_lower_[row] - c[row], c[row] - row_upper_[row]) / row_scales_[row]);
    };
    for (int i = 0; i < count_; ++i) {
      result.residual = std::max(result.residual, nodes_[i].equation.r.cwiseAbs().maxCoeff());
      outside(path_row(i), p_);
    }
    outside(equation_row(count_), b_);
    for (Eigen::Index row = linear_begin_; row < c.size(); ++row)
      result.residual = std::max(result.residual, std::abs(c[row]) / row_scales_[row]);
  } else {
    result.cost = result.residual = result.violation = std::numeric_limits<double>::infinity();
  }
  optimization::NlpMultipliers& natural = result.multipliers;
  if (natural.constraints.size() > 0) {
    natural.constraints.array() *= row_scales_.array() / cost_scale_;
    for (int i = 0; i < count_; ++i)
      for (Vector* bound : {&natural.lower, &natural.upper})
        bound->segment(base(i), stride_).array() /= cost_scale_ * column_scale_.array();
  }
  measure_defects(problem_.dynamics, result, defect_substeps_);
  return result;
}

}  // namespace quoin::planning
