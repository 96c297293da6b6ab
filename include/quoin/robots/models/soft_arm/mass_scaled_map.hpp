// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::soft_arm {

/// The coordinates q = sqrt(m) f, in which a lumped mass matrix is the identity: [f (N); rest] becomes
/// [sqrt(m) f; rest]. It makes reduced dynamics exact, without the truncation of a ShapeBasis:
///
///     MassScaledMap<4, Statics<3>> exact(statics, statics.arm().mass());
///     ReducedDynamics<4, MassScaledMap<4, Statics<3>>> dynamics(exact, exact.coordinates(), {.force_scale = F0});
///
/// Keeps a copy of the map. Throws std::invalid_argument for more masses than outputs, or a negative mass.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class MassScaledMap {
 public:
  /// mass: of the first outputs, not negative.
  MassScaledMap(Map map, const Eigen::VectorXd& mass) : map_(std::move(map)), root_(mass.cwiseSqrt()) {
    if (mass.size() > map_.output_size()) {
      throw std::invalid_argument("MassScaledMap: " + to_text(mass.size()) + " masses for " +
                                  to_text(map_.output_size()) + " outputs");
    }
    for (const double m : mass)
      if (!(m >= 0)) throw std::invalid_argument("MassScaledMap: a mass of " + to_text(m));
  }

  /// The one that it scales.
  const Map& map() const { return map_; }
  Eigen::Index coordinates() const { return root_.size(); }  ///< N: number of scaled outputs
  Eigen::Index output_size() const { return map_.output_size(); }
  Fingerprint fingerprint() const  ///< of the map and the masses
    requires Fingerprinted<Map>
  {
    return Fingerprint("MassScaledMap").add("map", map_.fingerprint()).add_rounded("root", root_);
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    const Answer answer = map_.evaluate(x, y);
    y.head(root_.size()).array() *= root_.array();
    return answer;
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return scaled(map_.evaluate(x, y, J), y, J);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return scaled(quoin::try_evaluate<Dim>(map_, x, y, J), y, J);
  }

 private:
  Answer scaled(const Answer& answer, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    if (answer.has_value()) {
      y.head(root_.size()).array() *= root_.array();
      J.topRows(root_.size()).array().colwise() *= root_.array();
    }
    return answer;
  }

  Map map_;
  Eigen::VectorXd root_;
};

}  // namespace quoin::soft_arm
