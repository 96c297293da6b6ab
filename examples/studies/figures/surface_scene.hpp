// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/values.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace studies::figures {

struct SurfaceSceneOptions {
  Eigen::Vector3d from = {0.4, -1, 0.9};  ///< direction towards the viewer, of any length
  Eigen::Vector3d up = {0, 0, 1};         ///< direction that points upwards in the picture
  /// Values of full blue and full red; unset: -m and m, where m is the largest magnitude, so that zero is white.
  std::optional<std::pair<double, double>> range = {};
  int most_pieces = 16000;       ///< limit when triangles are cut for smooth colours; 0: never cut (animations)
  bool color_bar = true;         ///< beside the panel
  std::string color_label = {};  ///< along the colour bar
};

/// Closed surfaces in space, coloured by a field on their vertices and lit, shown in a panel of an SvgDrawing: a
/// picture of bodies in water without ParaView.
///
///     SurfaceScene scene({.color_label = "potential [m²/s]"});
///     for (int b = 0; b < bodies; ++b) scene.surface(mesh[b], pose[b] * mesh[b].vertices, phi[b]);
///     SvgDrawing drawing;
///     SvgPanel& panel = drawing.panel();
///     panel.scene(scene);
///     panel.line(scene.project(locus), {.color = palette::black, .label = "centre of mass"});   // 3 x P
///     drawing.write("out/swimmer.svg");
///
/// The projection is orthographic, in the units of the data: x of the panel points to the right, y upwards. Looking
/// along an axis (from = z, up = y), the panel's units are those of space. Colours go from blue over white to
/// red, in equal perceptual steps; values beyond the range get the colour of its end, NaN is grey. The light comes
/// over the viewer's left shoulder.
///
/// Triangles that face away are left out, so surfaces should be closed; the others are drawn from back to front by
/// their centres, which is right unless surfaces pierce each other or lie closer than the depth of a triangle. A
/// triangle within which colours change is cut finer, each side into up to four, and normals are interpolated between
/// triangles that meet at less than 40 degrees. A piece takes about 50 bytes: a picture has at most 0.9 MB; 3000
/// triangles uncut take 0.09 MB.
class SurfaceScene {
 public:
  /// Throws std::invalid_argument if `from` is along `up`, or the range is empty.
  explicit SurfaceScene(SurfaceSceneOptions options = {});

  /// Adds a surface with one number per vertex. Throws std::invalid_argument for sizes that do not match.
  void surface(const quoin::SurfaceMesh& mesh, const Values& field) { surface(mesh, mesh.vertices, field); }
  /// The same at other positions (3 x V).
  void surface(const quoin::SurfaceMesh& mesh, const Eigen::Matrix3Xd& positions, const Values& field);

  /// Points in space (3 x P) in the coordinates of the panel (2 x P): for lines, markers and text in the same view.
  Eigen::Matrix2Xd project(const Eigen::Matrix3Xd& points) const { return view_.topRows<2>() * points; }

  /// The values of full blue and full red.
  std::pair<double, double> range() const;

  const SurfaceSceneOptions& options() const { return options_; }

 private:
  friend class SvgPanel;
  struct Body {
    Eigen::Matrix3Xi triangles;
    Eigen::Matrix3Xd seen;  // right, up, towards the viewer
    Eigen::VectorXd field;
  };
  struct Piece {
    double depth;
    Eigen::Matrix<double, 2, 3> corners;
    unsigned color;  // 0xrrggbb
  };

  /// The visible pieces, from back to front.
  std::vector<Piece> pieces() const;

  SurfaceSceneOptions options_;
  Eigen::Matrix3d view_;  // rows: right, up, towards the viewer
  std::vector<Body> bodies_;
};

}  // namespace studies::figures
