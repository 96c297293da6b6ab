// SPDX-License-Identifier: BSD-3-Clause
#include "svg_shapes.hpp"

#include "number_text.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::io::detail {
namespace {

// Some viewers overflow beyond 16 bits; the clip path hides what is out there.
constexpr double farthest = 2e4;

std::string at(double x, double y) { return pixels(x) + ',' + pixels(y); }

std::string opacity(const char* name, double value) {
  return value >= 1 ? std::string() : std::string(" ") + name + "=\"" + shortest(std::max(value, 0.0)) + '"';
}

}  // namespace

std::string pixels(double value) {
  std::string text = fixed(std::clamp(value, -farthest, farthest), 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text;
}

std::string polyline_path(const Eigen::Matrix2Xd& points) {
  std::string path;
  bool down = false;
  Eigen::Vector2d last = Eigen::Vector2d::Zero();
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const Eigen::Vector2d point = points.col(i);
    if (!point.allFinite()) {
      down = false;
      continue;
    }
    const bool run_ends = i + 1 == points.cols() || !points.col(i + 1).allFinite();
    if (down && !run_ends && (point - last).lpNorm<Eigen::Infinity>() < 0.15) {
      continue;
    }
    path += (down ? 'L' : 'M') + at(point.x(), point.y());
    last = point;
    down = true;
  }
  return path;
}

std::string polygon_path(const std::vector<Eigen::Matrix2Xd>& polygons) {
  std::string path;
  for (const Eigen::Matrix2Xd& polygon : polygons) {
    if (polygon.cols() == 0 || !polygon.allFinite()) {
      continue;
    }
    for (Eigen::Index i = 0; i < polygon.cols(); ++i) {
      path += (i == 0 ? 'M' : 'L') + at(polygon(0, i), polygon(1, i));
    }
    path += 'Z';
  }
  return path;
}

std::string marker_path(Marker marker, double size, const Eigen::Matrix2Xd& points) {
  std::string path;
  const double r = size / 2;
  const auto polygon = [&](double x, double y, std::initializer_list<std::pair<double, double>> corners) {
    char command = 'M';
    for (const auto& [dx, dy] : corners) {
      path += command + at(x + dx * r, y + dy * r);
      command = 'L';
    }
    path += 'Z';
  };
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const double x = points(0, i);
    const double y = points(1, i);
    if (!std::isfinite(x) || !std::isfinite(y)) {
      continue;
    }
    switch (marker) {
      case Marker::none: break;
      case Marker::circle:
      case Marker::ring: {
        const std::string arc = 'a' + at(r, r) + " 0 1 0 ";
        path += 'M' + at(x - r, y) + arc + at(2 * r, 0) + arc + at(-2 * r, 0) + 'Z';
        break;
      }
      // Scaled so that all cover about the area of the circle.
      case Marker::square: polygon(x, y, {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}}); break;
      case Marker::diamond: polygon(x, y, {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}); break;
      case Marker::triangle: polygon(x, y, {{0, -1.25}, {1.15, 0.85}, {-1.15, 0.85}}); break;
      case Marker::cross:
        path += 'M' + at(x - r, y - r) + 'l' + at(2 * r, 2 * r) + 'M' + at(x - r, y + r) + 'l' + at(2 * r, -2 * r);
        break;
    }
  }
  return path;
}

std::string stroke_attributes(const SvgStyle& style) {
  std::string attributes = " fill=\"none\" stroke=\"" + escape_xml(style.color) + "\" stroke-width=\"" +
                           pixels(style.width) + "\" stroke-linejoin=\"round\" stroke-linecap=\"" +
                           (style.dash.empty() ? "round" : "butt") + '"';
  if (!style.dash.empty()) {
    attributes += " stroke-dasharray=\"" + escape_xml(style.dash) + '"';
  }
  return attributes + opacity("stroke-opacity", style.opacity);
}

std::string fill_attributes(const SvgStyle& style) {
  std::string attributes = " fill=\"" + escape_xml(style.fill) + '"';
  if (style.fill != "none") {
    attributes += opacity("fill-opacity", style.fill_opacity * style.opacity);
  }
  if (style.width > 0) {
    attributes += " stroke=\"" + escape_xml(style.color) + "\" stroke-width=\"" + pixels(style.width) +
                  "\" stroke-linejoin=\"round\"" + opacity("stroke-opacity", style.opacity);
    if (!style.dash.empty()) {
      attributes += " stroke-dasharray=\"" + escape_xml(style.dash) + '"';
    }
  }
  return attributes;
}

std::string marker_attributes(const SvgStyle& style) {
  const std::string color = escape_xml(style.color);
  if (style.marker == Marker::ring || style.marker == Marker::cross) {
    return std::string(" fill=\"") + (style.marker == Marker::ring ? "#ffffff" : "none") + "\" stroke=\"" + color +
           "\" stroke-width=\"1.6\"" + opacity("opacity", style.opacity);
  }
  return " fill=\"" + color + '"' + opacity("fill-opacity", style.opacity);
}

}  // namespace quoin::io::detail
