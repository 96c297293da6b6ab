// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_panel.hpp"

#include "examples/studies/figures/surface_scene.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <utility>

namespace studies::figures {

void SvgPanel::add(Kind kind, std::vector<Eigen::Matrix2Xd> parts, SvgStyle style, const std::string& words) {
  if (style.fill.empty()) style.fill = style.color;
  items_.push_back({kind, std::move(parts), words, std::move(style), {}});
}

void SvgPanel::line(const Eigen::Matrix2Xd& points, SvgStyle style) { add(Kind::curve, {points}, std::move(style)); }

void SvgPanel::markers(const Eigen::Matrix2Xd& points, SvgStyle style) {
  style.width = 0;
  if (style.marker == Marker::none) style.marker = Marker::circle;
  add(Kind::curve, {points}, std::move(style));
}

void SvgPanel::polygon(const Eigen::Matrix2Xd& points, SvgStyle style) { add(Kind::area, {points}, std::move(style)); }

void SvgPanel::triangles(const Eigen::Matrix2Xd& points, const Eigen::Matrix3Xi& elements, SvgStyle style) {
  std::vector<Eigen::Matrix2Xd> parts;
  parts.reserve(static_cast<std::size_t>(elements.cols()));
  for (Eigen::Index e = 0; e < elements.cols(); ++e) {
    if (elements.col(e).minCoeff() < 0 || elements.col(e).maxCoeff() >= points.cols()) {
      throw std::invalid_argument("SvgPanel::triangles: triangle " + quoin::to_text(e) + " names point " +
                                  quoin::to_text(elements.col(e).maxCoeff()) + ", but there are " +
                                  quoin::to_text(points.cols()));
    }
    parts.emplace_back(points(Eigen::all, elements.col(e)));
  }
  add(Kind::area, std::move(parts), std::move(style));
}

void SvgPanel::scene(const SurfaceScene& scene, int frame) {
  const auto [low, high] = scene.range();
  if (!color_bar_) {
    color_bar_ = {low, high, scene.options().color_label, scene.options().color_bar};
  } else if (color_bar_->low != low || color_bar_->high != high) {
    throw std::invalid_argument("SvgPanel::scene: the colours go from " + quoin::to_text(low) + " to " +
                                quoin::to_text(high) + ", but those of the panel's first scene from " +
                                quoin::to_text(color_bar_->low) + " to " + quoin::to_text(color_bar_->high) +
                                "; give all scenes of a panel the same range");
  }
  Item item{Kind::faces, {}, "", {.width = 0, .frame = frame}, {}};
  for (const SurfaceScene::Piece& piece : scene.pieces()) {
    item.parts.emplace_back(piece.corners);
    item.colors.push_back(piece.color);
  }
  items_.push_back(std::move(item));
}

void SvgPanel::text(double x, double y, const std::string& words, SvgStyle style) {
  add(Kind::words, {Eigen::Vector2d(x, y)}, std::move(style), words);
}

}  // namespace studies::figures
