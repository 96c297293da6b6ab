// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/svg_panel.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace studies::laser {

/// Draws arm, beam and plate of one instant into a panel: in space in parallel projection, seen from the front,
/// slightly from the right and from above; in the plane without projection.
///
///     Scene<3> scene(arm);
///     scene.draw_plate(panel);
///     scene.draw_arm(panel, replay.positions.col(i), {.frame = 4});
template <int SpaceDim>
class Scene {
 public:
  using Points = Eigen::Matrix<double, SpaceDim, Eigen::Dynamic>;

  explicit Scene(const Arm<SpaceDim>& arm);

  /// Points in space, in the coordinates of the drawing.
  Eigen::Matrix2Xd project(const Points& points) const;
  /// How near a point is to the viewer, m.
  double nearness(const Eigen::Matrix<double, SpaceDim, 1>& point) const;

  /// The plate with the target, `target_label` in the legend; behind everything else.
  void draw_plate(figures::SvgPanel& panel, const std::string& target_label = "") const;
  /// positions: N. Of the style, only opacity and frame are used.
  void draw_arm(figures::SvgPanel& panel, const Eigen::VectorXd& positions, const figures::SvgStyle& style = {}) const;
  /// From the tip to the plate, with the spot if the laser is on. Of the style, only label, opacity and frame are used.
  void draw_beam(figures::SvgPanel& panel, const Eigen::VectorXd& positions, bool laser_on,
                 const figures::SvgStyle& style = {}) const;
  /// The spot's path on the plate: (SpaceDim - 1) x P.
  void draw_path(figures::SvgPanel& panel, const Eigen::MatrixXd& spots, const figures::SvgStyle& style) const;
  /// A ball, in space.
  void draw_ball(figures::SvgPanel& panel, const Ball& ball) const;

  Beam<SpaceDim> beam(const Eigen::VectorXd& positions) const { return Beam<SpaceDim>(tip_rows_ * positions); }

 private:
  Points on_plate(const Eigen::MatrixXd& spots) const;

  const Setup setup_;
  Eigen::MatrixXd tip_rows_;
  Eigen::Matrix<double, 2, SpaceDim> axes_;  // right and up, in space
  Eigen::Matrix<double, SpaceDim, 1> to_viewer_;
  Eigen::Matrix3Xi faces_;   // counter-clockwise seen from outside
  std::vector<bool> stiff_;  // of each face
  std::vector<std::vector<int>> lines_;
};

extern template class Scene<2>;
extern template class Scene<3>;

}  // namespace studies::laser
