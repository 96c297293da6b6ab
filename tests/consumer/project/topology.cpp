// SPDX-License-Identifier: BSD-3-Clause
// The compiled writhe of two linked squares, called from a program that may be compiled for another processor.
#include <quoin/robots/models/topology/writhe.hpp>

#include <cmath>
#include <cstdio>

int main() {
  const Eigen::Matrix3Xd one{{-1, 1, 1, -1, -1}, {-1, -1, 1, 1, -1}, {0, 0, 0, 0, 0}};
  const Eigen::Matrix3Xd other{{0, 2, 2, 0, 0}, {0, 0, 0, 0, 0}, {-1, -1, 1, 1, -1}};
  const double linked = quoin::topology::writhe_matrix(one, other).sum();
  const double apart = quoin::topology::writhe_matrix(one, other.colwise() + Eigen::Vector3d(3, 0, 0)).sum();
  const bool ok = std::abs(std::abs(linked) - 1) < 1e-12 && std::abs(apart) < 1e-12;
  if (!ok) std::printf("FAILED: linking numbers %g and %g, not 1 and 0\n", linked, apart);
  return !ok;
}
