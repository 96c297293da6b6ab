// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <string>

namespace studies::figures::detail {

/// From blue (-1) over white (0) to red (1), linear in Oklab (Ottosson 2020), so that equal steps look equal; grey for
/// NaN. Returns coordinates of Oklab: lightness, green to red, blue to yellow.
Eigen::Vector3d diverging_color(double t);

/// The colour under light of this strength (1: unchanged) with a white gloss added, as 0xrrggbb.
unsigned lit_color(const Eigen::Vector3d& oklab, double light, double gloss);

/// "#rrggbb"
std::string hex_color(unsigned rgb);

}  // namespace studies::figures::detail
