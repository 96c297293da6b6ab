// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/svg_panel.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace studies::figures::detail {

/// A coordinate to a hundredth of a pixel, without trailing zeros.
std::string pixels(double value);

/// Path data of a polyline in pixels, interrupted at points that are not finite. Points that cannot be told by eye from
/// the one before are left out.
std::string polyline_path(const Eigen::Matrix2Xd& points);

/// Path data of closed polygons in pixels; those with a point that is not finite are left out.
std::string polygon_path(const std::vector<Eigen::Matrix2Xd>& polygons);

/// One path per triangle (2 x 3, in pixels) in its colour, in this order, each grown by half a pixel so that no seam
/// shows between neighbours. Triangles with a point that is not finite are left out.
std::string face_paths(const std::vector<Eigen::Matrix2Xd>& triangles, const std::vector<unsigned>& colors);

/// Path data of one marker for each finite point.
std::string marker_path(Marker marker, double size, const Eigen::Matrix2Xd& points);

/// Attributes of a path of markers: circles filled, crosses stroked.
std::string marker_attributes(const SvgStyle& style);
std::string stroke_attributes(const SvgStyle& style);
std::string fill_attributes(const SvgStyle& style);

}  // namespace studies::figures::detail
