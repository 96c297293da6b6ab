// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <quoin/quoin.hpp>

#include <cstdio>

/// Whether the map's Jacobian at x agrees with a central difference along the change; where not, it is said.
template <int Dim, class Map>
  requires quoin::DifferentiableMap<Map, Dim>
bool agrees_with_central_difference(const Map& map, const quoin::Point<Dim>& x, const quoin::Point<Dim>& change) {
  Eigen::VectorXd y, y_plus, y_minus;
  Eigen::MatrixXd J;
  map.evaluate(x, y, J);
  map.evaluate(x + change, y_plus);
  map.evaluate(x - change, y_minus);
  const double error = (y_plus - y_minus - 2 * J * change).norm();
  const bool ok = y.size() == map.output_size() && J.rows() == y.size() && J.cols() == Dim &&
                  error < 1e-3 * (y_plus - y_minus).norm();
  if (!ok) std::printf("FAILED: the Jacobian misses a central difference by %g\n", error);
  return ok;
}
