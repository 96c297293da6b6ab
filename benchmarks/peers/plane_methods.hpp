// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/peers/surrogate.hpp"

#include <string>
#include <vector>

namespace benchmarks {

/// A way to interpolate a function of two variables on [-2, 2]^2, of growing size.
struct PlaneMethod {
  std::string name;
  int jet_order;  ///< of what an evaluation gives
  int largest;    ///< size
  std::function<Surrogate<2>(const SmoothFunction<2>& f, int size)> make;
};

/// AdaptiveGrid<2> of `size` cells an axis with its values alone, then of 1-, 2-, 3-jets.
std::vector<PlaneMethod> grids_in_the_plane();
/// KernelSurrogate<2> of `size` samples: values, 1-, 2-jets.
std::vector<PlaneMethod> kernels_in_the_plane();
#ifdef QUOIN_HAS_GSL
/// gsl_interp2d_bicubic on `size` cells an axis.
PlaneMethod gsl_bicubic();
#endif
#ifdef QUOIN_HAS_CERES
/// ceres::BiCubicInterpolator on `size` cells an axis.
PlaneMethod ceres_bicubic();
#endif

}  // namespace benchmarks
