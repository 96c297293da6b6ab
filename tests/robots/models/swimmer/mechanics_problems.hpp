// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/exact_function.hpp"
#include "quoin/robots/models/swimmer/decoupled_added_mass.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"

#include <Eigen/Core>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace quoin::test {

/// A link of which only the mass is given.
inline swimmer::Link bare_link(double mass, const Eigen::Vector3d& centre, const Eigen::Vector3d& moments) {
  return {.inertia = swimmer::LinkInertia{mass, centre, moments.asDiagonal()}};
}

/// Four links in a row, numerically as ellipsoid_chain makes them; the centres of mass are off the middle.
inline swimmer::Swimmer numbered_chain() {
  std::vector<swimmer::Link> links;
  for (int b = 0; b < 4; ++b)
    links.push_back(bare_link(0.4 + 0.05 * b, {0.01 * (b - 1), 0.002 * b, 0}, {2.4e-4, 1.05e-3 + 1e-4 * b, 0.9e-3}));
  std::vector<swimmer::Hinge> hinges;
  for (int k = 0; k < 3; ++k) hinges.push_back({.parent = k, .in_parent = {-0.11, 0, 0}, .in_link = {0.11, 0, 0}});
  return {links, hinges};
}

/// A branching tree with hinges in all directions.
inline swimmer::Swimmer skew_tree() {
  std::vector<swimmer::Link> links;
  for (int b = 0; b < 4; ++b)
    links.push_back(bare_link(0.4 + 0.1 * b, {0.01 * (b - 1), 0.02 * b, -0.015}, {6e-4, 1.05e-3, 0.9e-3}));
  return {links,
          {{.parent = 0, .axis = {0, 0, 1}, .in_parent = {-0.11, 0, 0.01}, .in_link = {0.1, 0, 0}},
           {.parent = 0, .axis = {1, 2, -1}, .in_parent = {0.05, 0.08, 0}, .in_link = {0, -0.06, 0.02}},
           {.parent = 2, .axis = {0, -1, 0.2}, .in_parent = {0, 0.09, 0}, .in_link = {0.02, -0.07, 0}}}};
}

/// A smooth coupled added mass without an underlying fluid: B0^T B0 with B0 = A + sum_i cos(q_i + phase_i) A_i,
/// positive definite with its Jacobian in closed form. size: 3 or 6 times links.
template <int Dim>
auto synthetic_added_mass(int size, double coupling = 0.05) {
  std::vector<Eigen::MatrixXd> parts;
  for (int i = 0; i <= 2 * Dim; ++i) {
    Eigen::MatrixXd part(size, size);
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) part(r, c) = coupling * std::sin(1.0 + 3.1 * r + 1.7 * c + 2.3 * i + 0.37 * r * c);
    if (i == 0) part.diagonal().array() += 0.8;
    parts.push_back(part);
  }
  // Angular components are smaller by a length squared.
  const int twist = size / (Dim + 1);
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(size);
  for (int b = 0; b <= Dim; ++b) scale.segment(twist * b, twist / 3 == 1 ? 1 : 3).setConstant(0.06);
  return exact_function<Dim>(
      swimmer::packed_size(size),
      [parts, scale](const Point<Dim>& q, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        Eigen::MatrixXd B = parts[0];
        std::vector<Eigen::MatrixXd> dB;
        for (int i = 0; i < Dim; ++i) {
          B += std::sin(q[i]) * parts[1 + i] + std::cos(q[i] + q[(i + 1) % Dim]) * parts[1 + Dim + i];
          dB.push_back(std::cos(q[i]) * parts[1 + i]);
        }
        for (int i = 0; i < Dim; ++i) {
          const double s = -std::sin(q[i] + q[(i + 1) % Dim]);
          dB[i] += s * parts[1 + Dim + i];
          dB[(i + 1) % Dim] += s * parts[1 + Dim + i];
        }
        swimmer::pack_symmetric(Eigen::MatrixXd(scale.asDiagonal() * B.transpose() * B * scale.asDiagonal()), y);
        for (int i = 0; i < Dim; ++i) {
          const Eigen::MatrixXd half = scale.asDiagonal() * B.transpose() * dB[i] * scale.asDiagonal();
          auto column = J.col(i);
          swimmer::pack_symmetric(Eigen::MatrixXd(half + half.transpose()), column);
        }
      },
      {.concurrent = true});
}

template <int Dim>
using SyntheticAddedMass = decltype(synthetic_added_mass<Dim>(12));

/// The generalized mass of a swimmer of three hinges in the synthetic water.
inline auto synthetic_mass(const swimmer::Swimmer& swimmer, swimmer::Motion motion) {
  return swimmer::GeneralizedMass<3, SyntheticAddedMass<3>>(
      swimmer, motion, synthetic_added_mass<3>(swimmer::twist_size(motion) * swimmer.links()));
}

/// A map of any kind behind one type.
struct AnyMap {
  Eigen::Index outputs;
  std::function<Answer(const Point<3>&, Eigen::VectorXd&, Eigen::MatrixXd&)> function;

  Eigen::Index output_size() const { return outputs; }
  Answer evaluate(const Point<3>& q, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return function(q, y, J);
  }
  Answer evaluate(const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const { return function(q, y, J); }
};

/// The map, which queries something else once it knows its answer.
template <class Map, class Ask>
AnyMap distracted(const Map& map, const Ask& ask) {
  return {map.output_size(), [map, ask](const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
            const Answer answer = map.evaluate(q, y, J);
            ask(q);
            return answer;
          }};
}

/// Added mass of an ellipse in a plane, per depth, about its centre: components (omega_z, v_x, v_y).
inline Eigen::MatrixXd ellipse_added_mass(double a, double b, double density) {
  const double pi = std::numbers::pi;
  Eigen::Vector3d diagonal(density * pi * (a * a - b * b) * (a * a - b * b) / 8, density * pi * b * b,
                           density * pi * a * a);
  return diagonal.asDiagonal();
}

/// The three-link planar swimmer of Kanso, Marsden, Rowley, Melli-Huber 2005, per depth, its links hydrodynamically
/// decoupled: neutrally buoyant ellipses a = 0.5, b = 0.05, hinged at the tips. The middle link is the base; hinge 0
/// carries the link at -x, hinge 1 the link at +x.
inline auto three_link_mass() {
  const double a = 0.5, b = 0.05, density = 1, m = density * std::numbers::pi * a * b;
  const swimmer::Link ellipse =
      bare_link(m, Eigen::Vector3d::Zero(), m / 4 * Eigen::Vector3d(b * b, a * a, a * a + b * b));
  const swimmer::Swimmer swimmer({ellipse, ellipse, ellipse},
                                 {{.parent = 0, .in_parent = {-a, 0, 0}, .in_link = {a, 0, 0}},
                                  {.parent = 0, .in_parent = {a, 0, 0}, .in_link = {-a, 0, 0}}},
                                 density);
  const std::vector<Eigen::MatrixXd> water(3, ellipse_added_mass(a, b, density));
  return swimmer::GeneralizedMass<2, swimmer::DecoupledAddedMass<2>>(swimmer, swimmer::Motion::planar,
                                                                     swimmer::DecoupledAddedMass<2>(water));
}

}  // namespace quoin::test
