// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/curve.hpp"

#include "benchmarks/support/benchmark_program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace benchmarks {

Member measure(const Workload& w, const Stage& stage) {
  double value = 0, jacobian = 0, jacobians = 0;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (Eigen::Index m = 0; m < w.tests.cols(); ++m) {
    stage.answer(w.tests.col(m), y, J);
    value += (y - w.values.col(m)).squaredNorm();
    jacobian += (J - w.jacobians[m]).squaredNorm();
    jacobians += w.jacobians[m].squaredNorm();
  }
  const Eigen::Index timed = std::min<Eigen::Index>(w.tests.cols(), 50);
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 3; ++repeat)
    seconds.push_back(seconds_of([&] {
      for (Eigen::Index m = 0; m < timed; ++m) stage.answer(w.tests.col(m), y, J);
    }));
  return {stage.evaluations, std::sqrt(value / w.values.squaredNorm()), std::sqrt(jacobian / jacobians),
          median(seconds) / static_cast<double>(timed)};
}

Curve curve_of(const Workload& w, Method& method) {
  Curve curve{method.name, method.values_per_evaluation};
  while (const std::optional<Stage> stage = method.next()) {
    curve.members.push_back(measure(w, *stage));
    const Member& last = curve.members.back();
    if (last.value_error <= targets.back() && last.jacobian_error <= targets.back()) break;
  }
  return curve;
}

long fewest(const std::vector<Curve>& curves, const std::vector<std::string>& names, double error) {
  long least = 0;
  for (const Curve& curve : curves)
    for (const std::string& name : names)
      if (curve.method == name)
        if (const Member* member = curve.reaching(error, &Member::value_error))
          if (least == 0 || member->evaluations < least) least = member->evaluations;
  return least;
}

}  // namespace benchmarks
