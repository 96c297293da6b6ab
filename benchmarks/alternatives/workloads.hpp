// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

namespace benchmarks {

inline constexpr double wavelength = 1;  ///< wavelength of the waves

/// Numbers of queries and budgets of exact evaluations and rows, separately for the arms.
struct Sizes {
  long budget, arm_budget;
  Eigen::Index most_rows, arm_rows;
  int tests, path_points, arm_points;
};
inline constexpr Sizes full_sizes{30000, 1300, 1000, 1000, 250, 1000, 200},
    quick_sizes{4000, 400, 400, 300, 80, 400, 60};

/// Waves over a box, of half a wavelength or of one. Surrogates of a box get twice the rows in four and more
/// dimensions, where they need them.
Workload small_box(int dim, double edge, const Sizes& sizes);

/// Waves along a path through a box of six wavelengths.
Workload large_box(int dim, const Sizes& sizes);

/// A steep layer across the unit box, over the box or along a path.
Workload layer_box(int dim, bool path, const Sizes& sizes);

/// The soft arm in the plane or in space: the path alone, or with the iterates of an optimizer that found it, ten
/// paths that grow from the centre.
template <int SpaceDim>
Workload arm_path(bool iterates, const Sizes& sizes);

}  // namespace benchmarks
