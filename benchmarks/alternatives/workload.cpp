// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/workload.hpp"

#include "benchmarks/alternatives/gradient_polynomial.hpp"

#include <algorithm>
#include <utility>

namespace benchmarks {

Workload with_tests(Workload w, int count) {
  const Eigen::Index stride = std::max<Eigen::Index>(1, w.queries.cols() / count);
  w.tests = w.queries(Eigen::all, Eigen::seq(stride / 2, w.queries.cols() - 1, stride));
  w.values.resize(w.f.outputs, w.tests.cols());
  Eigen::MatrixXd jet(w.f.outputs, 1 + w.f.dim);
  for (Eigen::Index m = 0; m < w.tests.cols(); ++m) {
    w.f.sample(w.tests.col(m), 1, jet);
    w.values.col(m) = jet.col(0);
    w.jacobians.push_back(jet.rightCols(w.f.dim));
  }
  return w;
}

Eigen::MatrixXd halton_points(const Box& box, int count) {
  Eigen::MatrixXd points(box.lower.size(), count);
  for (int m = 0; m < count; ++m)
    points.col(m) =
        box.lower + halton_point(static_cast<int>(box.lower.size()), m + 20).cwiseProduct(box.upper - box.lower);
  return points;
}

Box cube(int dim, double lower, double upper) {
  return {Eigen::VectorXd::Constant(dim, lower), Eigen::VectorXd::Constant(dim, upper)};
}

}  // namespace benchmarks
