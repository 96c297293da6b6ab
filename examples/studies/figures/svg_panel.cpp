// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_panel.hpp"

#include "examples/studies/figures/surface_scene.hpp"
#include "quoin/util/to_text.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace studies::figures {
namespace {

constexpr std::array<const char*, 8> series_colors = {palette::blue,   palette::vermilion, palette::green,
                                                      palette::purple, palette::orange,    palette::sky,
                                                      palette::black,  palette::grey};

Eigen::Matrix2Xd pair_up(const Values& x, const Values& y, const char* caller) {
  if (x.size() != y.size()) {
    throw std::invalid_argument(std::string(caller) + ": " + quoin::to_text(x.size()) + " values of x, but " +
                                quoin::to_text(y.size()) + " of y");
  }
  Eigen::Matrix2Xd points(2, x.size());
  points.row(0) = x.vector().transpose();
  points.row(1) = y.vector().transpose();
  return points;
}

}  // namespace

void SvgPanel::add(Kind kind, std::vector<Eigen::Matrix2Xd> parts, SvgStyle style, const std::string& words) {
  if (style.color.empty()) {
    if (kind == Kind::words) {
      style.color = palette::black;
    } else if (kind == Kind::horizontal || kind == Kind::vertical) {
      style.color = palette::grey;
    } else {
      style.color = series_colors[static_cast<std::size_t>(next_color_++) % series_colors.size()];
    }
  }
  if (style.fill.empty()) {
    style.fill = style.color;
  }
  items_.push_back({kind, std::move(parts), words, std::move(style), {}});
}

void SvgPanel::line(const Values& x, const Values& y, SvgStyle style) {
  add(Kind::curve, {pair_up(x, y, "SvgPanel::line")}, std::move(style));
}

void SvgPanel::markers(const Values& x, const Values& y, SvgStyle style) {
  style.width = 0;
  if (style.marker == Marker::none) {
    style.marker = Marker::circle;
  }
  add(Kind::curve, {pair_up(x, y, "SvgPanel::markers")}, std::move(style));
}

void SvgPanel::band(const Values& x, const Values& low, const Values& high, SvgStyle style) {
  const Eigen::Matrix2Xd lower = pair_up(x, low, "SvgPanel::band");
  const Eigen::Matrix2Xd upper = pair_up(x, high, "SvgPanel::band");
  Eigen::Matrix2Xd outline(2, lower.cols() + upper.cols());
  outline << lower, upper.rowwise().reverse();
  style.width = 0;
  add(Kind::area, {std::move(outline)}, std::move(style));
}

void SvgPanel::polygon(const Eigen::Matrix2Xd& points, SvgStyle style) { add(Kind::area, {points}, std::move(style)); }

void SvgPanel::rectangle(double x0, double y0, double x1, double y1, SvgStyle style) {
  Eigen::Matrix2Xd outline(2, 4);
  outline << x0, x1, x1, x0, y0, y0, y1, y1;
  add(Kind::area, {std::move(outline)}, std::move(style));
}

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
  options_.equal_aspect = true;
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

void SvgPanel::horizontal_line(double y, SvgStyle style) {
  add(Kind::horizontal, {Eigen::Vector2d(0, y)}, std::move(style));
}

void SvgPanel::vertical_line(double x, SvgStyle style) {
  add(Kind::vertical, {Eigen::Vector2d(x, 0)}, std::move(style));
}

}  // namespace studies::figures
