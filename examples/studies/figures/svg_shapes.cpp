// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_shapes.hpp"

#include "quoin/util/to_text.hpp"

#include "examples/studies/figures/color_map.hpp"
#include "quoin/robots/io/escape_xml.hpp"

#include <algorithm>
#include <cmath>

namespace studies::figures::detail {
namespace {

// Some viewers overflow beyond 16 bits; the clip path hides everything out there.
constexpr double farthest = 2e4;

std::string at(double x, double y) { return pixels(x) + ',' + pixels(y); }

/// Appends a coordinate in tenths of a pixel, as short as SVG allows, separated from the one before.
void append_tenths(std::string& path, long tenths, bool first) {
  if (tenths < 0) {
    path += '-';
  } else if (!first) {
    path += ' ';
  }
  const long magnitude = std::abs(tenths);
  if (magnitude >= 10 || magnitude == 0) {
    path += quoin::to_text(magnitude / 10);
  }
  if (magnitude % 10 != 0) {
    path += '.';
    path += static_cast<char>('0' + magnitude % 10);
  }
}

/// The triangle with its edges moved outwards by `by`; corners of needles move at most twice that.
Eigen::Matrix<double, 2, 3> grown(const Eigen::Matrix<double, 2, 3>& triangle, double by) {
  Eigen::Matrix<double, 2, 3> outwards;
  const Eigen::Vector2d a = triangle.col(1) - triangle.col(0);
  const Eigen::Vector2d b = triangle.col(2) - triangle.col(0);
  const double turn = a.x() * b.y() - a.y() * b.x() > 0 ? 1 : -1;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector2d edge = triangle.col((k + 1) % 3) - triangle.col(k);
    outwards.col(k) = turn * Eigen::Vector2d(edge.y(), -edge.x()).stableNormalized();
  }
  Eigen::Matrix<double, 2, 3> result;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector2d sum = outwards.col(k) + outwards.col((k + 2) % 3);
    // The moved edges meet at 2 sum / |sum|^2.
    result.col(k) = triangle.col(k) + by * 2 * sum / std::max(sum.squaredNorm(), std::max(sum.norm(), 0.1));
  }
  return result;
}

}  // namespace

std::string face_paths(const std::vector<Eigen::Matrix2Xd>& triangles, const std::vector<unsigned>& colors) {
  std::string paths;
  bool open = false;
  unsigned color = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (!triangles[t].allFinite() || triangles[t].cwiseAbs().maxCoeff() > farthest) {
      continue;
    }
    const Eigen::Matrix<double, 2, 3> corners = 10 * grown(triangles[t], 0.5);
    // Faces of one colour that are neighbours in depth share a path; where they overlap, the colour is the same.
    if (!open || colors[t] != color) {
      paths += open ? "\"/>\n" : "";
      color = colors[t];
      paths += "<path fill=\"" + hex_color(color) + "\" d=\"";
      open = true;
    }
    long x = std::lround(corners(0, 0));
    long y = std::lround(corners(1, 0));
    paths += 'M';
    append_tenths(paths, x, true);
    append_tenths(paths, y, false);
    paths += 'l';
    for (int k = 1; k < 3; ++k) {
      const long next_x = std::lround(corners(0, k));
      const long next_y = std::lround(corners(1, k));
      append_tenths(paths, next_x - x, k == 1);
      append_tenths(paths, next_y - y, false);
      x = next_x;
      y = next_y;
    }
    paths += 'z';
  }
  return paths + (open ? "\"/>\n" : "");
}

std::string pixels(double value) {
  std::string text = quoin::to_fixed(std::clamp(value, -farthest, farthest), 2);
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
  for (const auto& point : points.colwise()) {
    if (!point.allFinite()) continue;
    const double x = point.x(), y = point.y();
    if (marker == Marker::circle) {
      const std::string arc = 'a' + at(r, r) + " 0 1 0 ";
      path += 'M' + at(x - r, y) + arc + at(2 * r, 0) + arc + at(-2 * r, 0) + 'Z';
    } else if (marker == Marker::cross) {
      path += 'M' + at(x - r, y - r) + 'l' + at(2 * r, 2 * r) + 'M' + at(x - r, y + r) + 'l' + at(2 * r, -2 * r);
    }
  }
  return path;
}

std::string stroke_attributes(const SvgStyle& style) {
  std::string attributes = " fill=\"none\" stroke=\"" + quoin::io::escape_xml(style.color) + "\" stroke-width=\"" +
                           pixels(style.width) + "\" stroke-linejoin=\"round\" stroke-linecap=\"" +
                           (style.dash.empty() ? "round" : "butt") + '"';
  if (!style.dash.empty()) attributes += " stroke-dasharray=\"" + quoin::io::escape_xml(style.dash) + '"';
  return attributes;
}

std::string fill_attributes(const SvgStyle& style) {
  std::string attributes = " fill=\"" + quoin::io::escape_xml(style.fill) + '"';
  if (style.width > 0)
    attributes += " stroke=\"" + quoin::io::escape_xml(style.color) + "\" stroke-width=\"" + pixels(style.width) +
                  "\" stroke-linejoin=\"round\"";
  return attributes;
}

std::string marker_attributes(const SvgStyle& style) {
  const std::string color = quoin::io::escape_xml(style.color);
  return style.marker == Marker::cross ? " fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.6\""
                                       : " fill=\"" + color + '"';
}

}  // namespace studies::figures::detail
