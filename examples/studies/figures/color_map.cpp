// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/color_map.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace studies::figures::detail {
namespace {

// Björn Ottosson, "A perceptual color space for image processing" (2020): from linear sRGB to cone responses, and
// from their cube roots to Oklab.
const Eigen::Matrix3d cones_of_rgb{{0.4122214708, 0.5363325363, 0.0514459929},
                                   {0.2119034982, 0.6806995451, 0.1073969566},
                                   {0.0883024619, 0.2817188376, 0.6299787005}};
const Eigen::Matrix3d oklab_of_roots{{0.2104542553, 0.7936177850, -0.0040720468},
                                     {1.9779984951, -2.4285922050, 0.4505937099},
                                     {0.0259040371, 0.7827717662, -0.8086757660}};

double to_linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double from_linear(double channel) {
  return channel <= 0.0031308 ? 12.92 * channel : 1.055 * std::pow(channel, 1 / 2.4) - 0.055;
}

Eigen::Vector3d oklab_of(unsigned rgb) {
  Eigen::Vector3d linear;
  for (int k = 0; k < 3; ++k) {
    linear[k] = to_linear((rgb >> (16 - 8 * k) & 0xff) / 255.0);
  }
  const Eigen::Vector3d cones = cones_of_rgb * linear;
  return oklab_of_roots * Eigen::Vector3d(std::cbrt(cones[0]), std::cbrt(cones[1]), std::cbrt(cones[2]));
}

}  // namespace

Eigen::Vector3d diverging_color(double t) {
  static const Eigen::Vector3d blue = oklab_of(0x1f5fb4);
  static const Eigen::Vector3d white = oklab_of(0xf7f6f4);
  static const Eigen::Vector3d red = oklab_of(0xc0282d);
  static const Eigen::Vector3d grey = oklab_of(0xb4bac0);
  if (std::isnan(t)) {
    return grey;
  }
  return white + std::min(std::abs(t), 1.0) * ((t < 0 ? blue : red) - white);
}

unsigned lit_color(const Eigen::Vector3d& oklab, double light, double gloss) {
  static const Eigen::Matrix3d roots_of_oklab = oklab_of_roots.inverse();
  static const Eigen::Matrix3d rgb_of_cones = cones_of_rgb.inverse();
  const Eigen::Vector3d roots = roots_of_oklab * (light * oklab);
  const Eigen::Vector3d linear = rgb_of_cones * roots.array().cube().matrix();
  unsigned rgb = 0;
  for (int k = 0; k < 3; ++k) {
    const double channel = from_linear(std::clamp(linear[k], 0.0, 1.0));
    rgb = rgb << 8 | static_cast<unsigned>(std::lround(255 * std::clamp(channel + gloss * (1 - channel), 0.0, 1.0)));
  }
  return rgb;
}

std::string hex_color(unsigned rgb) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4) {
    text += digits[rgb >> shift & 0xf];
  }
  return text;
}

}  // namespace studies::figures::detail
