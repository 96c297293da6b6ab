// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/workloads.hpp"

#include "benchmarks/alternatives/ridge_functions.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace benchmarks {
namespace {

constexpr double layer_width = 0.05;

/// A closed curve around the box's centre: x_i = centre + radius cos(t + i pi/2 + bend sin(2 t) i).
Eigen::MatrixXd closed_path(int dim, double centre, double radius, double bend, int count) {
  Eigen::MatrixXd points(dim, count);
  for (int m = 0; m < count; ++m) {
    const double t = 2 * std::numbers::pi * m / count;
    for (int i = 0; i < dim; ++i)
      points(i, m) = centre + radius * std::cos(t + i * (std::numbers::pi / 2 + bend * std::sin(2 * t)));
  }
  return points;
}

/// The displacements of the arm at rest under its controls.
template <int SpaceDim>
SampledFunction arm_displacements() {
  using namespace quoin::soft_arm;
  const Statics<SpaceDim> statics(SoftArm<SpaceDim>(make_beam<SpaceDim>()));
  const Eigen::Index N = statics.arm().size();
  return {Statics<SpaceDim>::lines, N, 3,
          [statics, N](const Eigen::VectorXd& alpha, int order, Eigen::Ref<Eigen::MatrixXd> jet) {
            Eigen::VectorXd y;
            Eigen::MatrixXd J;
            if (order == 0) {
              statics.evaluate(alpha, y);
              jet = y.head(N);
            } else if (order == 1) {
              statics.evaluate(alpha, y, J);
              jet << y.head(N), J.topRows(N);
            } else {
              Eigen::MatrixXd all(statics.output_size(), jet.cols());
              statics.evaluate_jet(order, alpha, all);
              jet = all.topRows(N);
            }
            jet.col(0) -= statics.arm().rest();
          }};
}

}  // namespace

Workload small_box(int dim, double edge, const Sizes& sizes) {
  const Box box = cube(dim, 0, edge);
  return with_tests({std::string("waves, box of ") + (edge == wavelength ? "one wavelength" : "half a wavelength"),
                     plane_waves(dim, wavelength), box, halton_points(box, sizes.tests), false, edge, sizes.budget,
                     dim >= 4 ? 2 * sizes.most_rows : sizes.most_rows},
                    sizes.tests);
}

Workload large_box(int dim, const Sizes& sizes) {
  return with_tests({"waves, path through a box of 6 wavelengths", plane_waves(dim, wavelength), cube(dim, -3, 3),
                     closed_path(dim, 0, 3, 0.3, sizes.path_points), true, wavelength, sizes.budget, sizes.most_rows},
                    sizes.tests);
}

Workload layer_box(int dim, bool path, const Sizes& sizes) {
  const Box box = cube(dim, 0, 1);
  return with_tests({std::string("layer of width 0.05, ") + (path ? "path" : "unit box"),
                     layer(dim, Eigen::VectorXd::Constant(dim, 0.45), layer_width), box,
                     path ? closed_path(dim, 0.5, 0.5, 0.3, sizes.path_points) : halton_points(box, 4 * sizes.tests),
                     path, path ? 0.5 : 1, sizes.budget, sizes.most_rows},
                    path ? sizes.tests : 4 * sizes.tests);
}

template <int SpaceDim>
Workload arm_path(bool iterates, const Sizes& sizes) {
  const SampledFunction f = arm_displacements<SpaceDim>();
  const int count = iterates ? 10 : 1;
  Eigen::MatrixXd queries(f.dim, count * sizes.arm_points);
  for (int k = 0; k < count; ++k)
    queries.middleCols(k * sizes.arm_points, sizes.arm_points) =
        closed_path(f.dim, 1.2, 0.7 * (k + 1) / count, 0, sizes.arm_points);
  return with_tests(
      {std::string(SpaceDim == 2 ? "plane arm, " : "arm in space, ") + (iterates ? "ten iterates" : "path"), f,
       cube(f.dim, 0.5, 1.9), queries, true, 1, sizes.arm_budget, sizes.arm_rows},
      sizes.arm_points);
}

template Workload arm_path<2>(bool, const Sizes&);
template Workload arm_path<3>(bool, const Sizes&);

}  // namespace benchmarks
