// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "panel_mesh.hpp"
#include "panel_sums.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::swimmer {

/// One body with everything that does not depend on poses. With A phi = -B for unit twists: A = c - double layer,
/// B = single layer of the normal velocity, in the body's frame.
struct FlowBody {
  FlowBody(SurfaceMesh mesh, Eigen::Index first_row);

  SurfaceMesh surface;
  PanelMesh panels;
  Eigen::Index first, count;                           ///< rows of its vertices
  double longest;                                      ///< the longest edge
  double size;                                         ///< largest distance of a vertex from the frame's origin
  double gyration;                                     ///< radius of gyration about the frame's origin
  Eigen::MatrixXd own_block;                           ///< of A, count x count
  Eigen::Matrix<double, Eigen::Dynamic, 6> own_layer;  ///< of B, count x 6
};

/// The block of A and of B that couples vertices of one body, at `points` in the frame of `source`, to `source`.
/// Returns for each point how often `source` winds around it: 0 outside, 1 inside.
Eigen::VectorXd assemble_pair(const PanelKernels& kernels, const FlowBody& source, const Eigen::Matrix3Xd& points,
                              Eigen::Ref<Eigen::MatrixXd> block, Eigen::Ref<Eigen::MatrixXd> layer);

/// Velocity of points relative to the source's frame, in that frame: angular x point + linear.
struct RelativeMotion {
  int parameter;
  Eigen::Vector3d angular, linear;
};

/// Subtracts dA phi + dB of the same coupling, for each of the motions, from rows `first` onward of rhs, in as many
/// columns as phi has, starting at parameter * phi.cols(). phi: the source's potentials, row by row (count x columns);
/// dB goes to six of those columns, starting at `layer_column`.
void subtract_pair_derivatives(const PanelKernels& kernels, const FlowBody& source, const Eigen::Matrix3Xd& points,
                               const std::vector<RelativeMotion>& motions,
                               const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& phi,
                               Eigen::Index first, Eigen::Index layer_column, Eigen::MatrixXd& rhs);

}  // namespace quoin::swimmer
