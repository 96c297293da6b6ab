// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace benchmarks {

/// What every surrogate must answer, and what it may know in advance.
struct Workload {
  std::string name;
  SampledFunction f;
  Box box;                  // sampled by surrogates of a whole box
  Eigen::MatrixXd queries;  // dim x count; on a curve if `path`, else uniform over the box
  bool path;
  double largest_spacing;  // of the grid on a path; for a box: its edge
  long budget;             // of exact evaluations
  Eigen::Index most_rows;  // of the covariance matrix

  // The queries at which errors are measured.
  Eigen::MatrixXd tests = {};
  Eigen::MatrixXd values = {};
  std::vector<Eigen::MatrixXd> jacobians = {};
};

/// Fills in the tests: about `count` of the queries, with f and its Jacobian there.
Workload with_tests(Workload w, int count);

/// Points that fill a box evenly, dim x count.
Eigen::MatrixXd halton_points(const Box& box, int count);

/// [lower, upper]^dim.
Box cube(int dim, double lower, double upper);

}  // namespace benchmarks
