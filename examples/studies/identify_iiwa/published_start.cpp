// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/published_start.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

namespace studies::iiwa {

using identification::InertiaForm;

identification::RobotEstimate published_start(InertiaForm form, const identification::RobotParameters& described,
                                              std::uint64_t seed, Start kind) {
  if (kind == Start::bodies) throw std::invalid_argument("published_start: of possible bodies");
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit;
  identification::RobotEstimate start{.form = form, .floor = {.mass = 0.01, .moment = 1e-7}};
  start.theta.resize(identification::parameter_count(form), described.cols());
  for (Eigen::Index i = 0; i < described.cols(); ++i) {
    auto theta = start.theta.col(i);
    theta[0] = unit(random);
    for (int k = 1; k < 4; ++k) theta[k] = std::abs(normal(random));
    for (Eigen::Index k = 4; k < theta.size(); ++k) theta[k] = normal(random);
    if (form != InertiaForm::unstructured || kind == Start::published_small) theta.tail(theta.size() - 4) *= 0.01;
    if (form == InertiaForm::triangular) theta.segment<2>(7) *= 10;  // the roots of the moments
    if (kind == Start::published_moments) continue;
    const double mass = identification::linear_parameters(form, theta, start.floor)[0];
    theta.segment<3>(1) = mass / described(0, i) * described.col(i).segment<3>(1);
  }
  return start;
}

}  // namespace studies::iiwa
