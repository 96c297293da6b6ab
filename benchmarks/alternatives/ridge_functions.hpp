// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

/// Smooth everywhere (entire) and not separable: six outputs, each the mean of three plane waves of the given
/// wavelength, in fixed random directions that are skew to all axes.
SampledFunction plane_waves(int dim, double wavelength);

/// One output, tanh(n . (x - centre) / width), n a unit vector that is skew to all axes.
SampledFunction layer(int dim, const Eigen::VectorXd& centre, double width);

}  // namespace benchmarks
