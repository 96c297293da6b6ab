// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/kernel_interpolant.hpp"
#include "testing/functions.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::test {

/// One length scale along all axes.
template <int Dim>
KernelOptions<Dim> lengths(double length) {
  KernelOptions<Dim> options;
  options.length_scale.setConstant(length);
  return options;
}

/// The jet of order K of the waves at x.
template <int Dim, int K>
Eigen::MatrixXd jet_at(const Waves<Dim>& waves, const Point<Dim>& x) {
  Eigen::MatrixXd jet(waves.outputs(), jet_size(Dim, K));
  waves.template jet<K>().sample(x, jet);
  return jet;
}

/// An interpolant of jets of order K of the waves.
template <int Dim, int K>
KernelInterpolant<Dim> sampled(const Waves<Dim>& waves, const std::vector<Point<Dim>>& points,
                               const KernelOptions<Dim>& options) {
  KernelInterpolant<Dim> kernel(waves.outputs(), K, options);
  for (const Point<Dim>& x : points) kernel.add(x, jet_at<Dim, K>(waves, x));
  return kernel;
}

/// Random points of [-half, half]^Dim.
template <int Dim>
std::vector<Point<Dim>> points_in_box(int count, unsigned seed, double half = 1) {
  return random_points<Dim>(count, Point<Dim>::Constant(-half), Point<Dim>::Constant(half), seed);
}

}  // namespace quoin::test
