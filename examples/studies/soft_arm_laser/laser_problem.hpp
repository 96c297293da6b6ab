// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/soft_arm/arm_mesh.hpp"

#include <Eigen/Core>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

/// The planning problem of Jia, Pan, Manocha 2019, section V: a laser at the tip of a soft arm cuts a circle out of a
/// plate. Everything that the paper leaves open is fixed here, once, for the example, the benchmarks and the tests.
namespace studies::laser {

/// The scene and the cost. An arm of length 0.5 m stands at the origin; its axis is the last coordinate.
struct Setup {
  double plate = 1.0;                ///< height of the plate, m: as far beyond the tip as the arm is long
  double radius = 0.55;              ///< of the circle, m (in the plane: half the stroke of the spot)
  int steps = 200;                   ///< K
  int approach = 60;                 ///< steps with the laser off, from rest at the centre to the circle
  double time_step = 0.04;           ///< dt, s: the cut takes 5.6 s
  double stiffness_damping = 0.05;   ///< beta, s
  double largest_control = 4;        ///< 0 <= u <= 4: lines pull and do not push
  double spot_weight = 1e4;          ///< of 1/2 |spot - target|^2, 1/m^2: 1 cm off costs 0.5
  double beam_margin = 0.006;        ///< from beam to obstacles, m: in such turns Eq. 8 is off Eq. 2 by as much
  double control_weight = 1e-2;      ///< of 1/2 |u|^2
  double smooth_weight = 10;         ///< of 1/2 |u_i - u_{i-1}|^2
  double relative_tolerance = 1e-5;  ///< stop when the relative decrease predicted for a step is below this
  int max_iterations = 60;           ///< per solve
  double first_regularization = 30;  ///< of iLQR: from zero controls an undamped first step would leave for the far
                                     ///< corners of the domain and come back
  double first_damping = 1e-4;       ///< of Gauss-Newton on Eq. 2: of 1e-2 to 0 what takes the fewest steps
  double adjoint_tolerance = 1e-8;   ///< on Eq. 2, whose Jacobian is then within 1e-7
  double basis_tolerance = 1e-7;     ///< of the basis of shapes, relative to its largest singular value
  double step_tolerance = 1e-8;      ///< of alpha in a step of Eq. 8, exact or not
  double spacing = 0.5;              ///< of the grid, as in the paper
  double threshold = 0.2;            ///< as in the paper: levels 0, 1, 2
  double lower = -1.5;               ///< domain of alpha: the arm buckles below -1.7 and meets itself beyond 6; motion
  double upper = 6;                  ///< overshoots the controls' bounds, so the domain is wider than they are

  bool laser_on(int i) const { return i >= approach; }

  /// Where lattices of a spacing begin: rest lies in the middle of a cell. Motion overshoots rest a little, and would
  /// meet the cells on both sides of it if it were a corner.
  double lattice_begin(double h) const { return -h * (std::floor(-lower / h - 0.5 + 1e-9) + 0.5); }
};

/// Target of the spot after step i: SpaceDim - 1 coordinates on the plate.
template <int SpaceDim>
Eigen::Matrix<double, SpaceDim - 1, 1> target(const Setup& setup, int i) {
  const double angle = 2 * std::numbers::pi * (i - setup.approach) / (setup.steps - setup.approach);
  Eigen::Matrix<double, SpaceDim - 1, 1> point;
  point[0] = setup.radius * std::cos(angle);
  if constexpr (SpaceDim == 3) point[1] = setup.radius * std::sin(angle);
  return point;
}

/// The laser's beam: from the mean of the last layer of vertices along the line from the layer before it.
template <int SpaceDim>
struct Beam {
  using Vector = Eigen::Matrix<double, SpaceDim, 1>;
  using Spot = Eigen::Matrix<double, SpaceDim - 1, 1>;
  Vector tip, direction;  // direction is not normalized

  /// tip_outputs: [tip; layer before], 2 SpaceDim.
  explicit Beam(const Eigen::VectorXd& tip_outputs)
      : tip(tip_outputs.head<SpaceDim>()), direction(tip - tip_outputs.tail<SpaceDim>()) {}

  /// False if the beam does not rise steeply enough to meet the plate within a sensible distance.
  bool meets_plate() const { return direction[SpaceDim - 1] > 0.05 * direction.norm(); }

  Spot spot(double plate) const {
    const double s = (plate - tip[SpaceDim - 1]) / direction[SpaceDim - 1];
    return tip.template head<SpaceDim - 1>() + s * direction.template head<SpaceDim - 1>();
  }

  /// d spot / d [tip; layer before].
  Eigen::Matrix<double, SpaceDim - 1, 2 * SpaceDim> spot_derivative(double plate) const {
    constexpr int axis = SpaceDim - 1;
    const double s = (plate - tip[axis]) / direction[axis];
    Eigen::Matrix<double, SpaceDim - 1, SpaceDim> by_tip, by_direction;
    by_tip.setZero();
    by_direction.setZero();
    by_tip.template leftCols<axis>().setIdentity();
    by_tip.col(axis) = -direction.template head<axis>() / direction[axis];
    by_direction.template leftCols<axis>().diagonal().setConstant(s);
    by_direction.col(axis) = -s / direction[axis] * direction.template head<axis>();
    Eigen::Matrix<double, SpaceDim - 1, 2 * SpaceDim> derivative;
    derivative << by_tip + by_direction, -by_direction;
    return derivative;
  }
};

/// [tip; layer before] in a state: of a map of alpha, the state's first entries, or of an InertialImage.
template <int Lines, class TipMap>
bool tip_in_state(const TipMap& tip, const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
  if constexpr (DifferentiableMap<TipMap, Lines>)
    return try_evaluate<Lines>(tip, Point<Lines>(x.head<Lines>()), y, J).has_value();
  else
    return tip.try_evaluate(x, y, J).has_value();
}

/// The cost as residuals of the state [z_i; z_{i-1}; u_{i-1}] (ControlMemory), z = alpha or [alpha; q], over any map to
/// [tip; layer before].
template <int SpaceDim, class TipMap>
class Residuals {
 public:
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  /// offset: added to the spots after each step, (SpaceDim - 1) x (K + 1); empty: none.
  Residuals(Setup setup, TipMap tip, Eigen::MatrixXd offset = {})
      : setup_(std::move(setup)), tip_(std::move(tip)), offset_(std::move(offset)) {}

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    return compute(i, x, u, r, nullptr, nullptr);
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    return compute(i, x, u, r, &dr_dx, &dr_du);
  }

 private:
  bool compute(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd* dr_dx,
               Eigen::MatrixXd* dr_du) const {
    constexpr int spot_rows = SpaceDim - 1;
    const int rows_spot = setup_.laser_on(i) ? spot_rows : 0;
    const Eigen::Index rows_control = u.size();
    const double by_u = std::sqrt(setup_.control_weight), by_change = std::sqrt(setup_.smooth_weight);
    r.resize(rows_spot + 2 * rows_control);
    if (dr_dx) {
      dr_dx->setZero(r.size(), x.size());
      dr_du->setZero(r.size(), u.size());
    }
    if (rows_spot > 0) {
      thread_local Eigen::VectorXd tip;
      thread_local Eigen::MatrixXd dtip;
      if (!tip_in_state<lines>(tip_, x, tip, dtip)) return false;
      const Beam<SpaceDim> beam(tip);
      if (!beam.meets_plate()) return false;
      const double weight = std::sqrt(setup_.spot_weight);
      r.head<spot_rows>() = weight * (beam.spot(setup_.plate) - target<SpaceDim>(setup_, i));
      if (offset_.size() > 0) r.head<spot_rows>() += weight * offset_.col(i);
      if (dr_dx)
        dr_dx->topLeftCorner(spot_rows, dtip.cols()).noalias() = weight * beam.spot_derivative(setup_.plate) * dtip;
    }
    if (rows_control > 0) {
      r.segment(rows_spot, rows_control) = by_u * u;
      r.tail(rows_control) = by_change * (u - x.tail(rows_control));
      if (dr_dx) {
        dr_dx->bottomRightCorner(rows_control, rows_control).diagonal().setConstant(-by_change);
        dr_du->middleRows(rows_spot, rows_control).diagonal().setConstant(by_u);
        dr_du->bottomRows(rows_control).diagonal().setConstant(by_change);
      }
    }
    return true;
  }

  Setup setup_;
  TipMap tip_;
  Eigen::MatrixXd offset_;
};

/// A ball that the beam must not touch (Fig. 5b).
struct Ball {
  Eigen::Vector3d centre;
  double radius;
};

/// Two balls in the beam's way, off its path by part of their radius so that each has a shorter side.
inline std::vector<Ball> obstacles(const Setup& setup) {
  std::vector<Ball> balls;
  for (const double angle : {0.35 * std::numbers::pi, 1.2 * std::numbers::pi}) {
    const double radius = 0.04 * setup.plate, offset = 0.5 * radius;
    const Eigen::Vector3d on_path(0.62 * setup.radius * std::cos(angle), 0.62 * setup.radius * std::sin(angle),
                                  0.8 * setup.plate);
    balls.push_back({on_path + offset * Eigen::Vector3d(std::cos(angle), std::sin(angle), 0), radius});
  }
  return balls;
}

/// h = (radius^2 - distance^2) / radius^2 <= 0 for each ball, with its derivatives by [tip; layer before] (balls x 6);
/// the distance is from its centre to the beam's line, the radius is enlarged by a margin.
inline void beam_clear_of(const std::vector<Ball>& balls, double margin, const Beam<3>& beam, Eigen::VectorXd& h,
                          Eigen::Matrix<double, Eigen::Dynamic, 6>& by_tip_outputs) {
  const double length = beam.direction.norm();
  const Eigen::Vector3d along = beam.direction / length;
  h.resize(static_cast<Eigen::Index>(balls.size()));
  by_tip_outputs.resize(h.size(), 6);
  for (Eigen::Index b = 0; b < h.size(); ++b) {
    const Ball& ball = balls[static_cast<std::size_t>(b)];
    const Eigen::Vector3d to_centre = ball.centre - beam.tip;
    const double t = along.dot(to_centre);
    const Eigen::Vector3d apart = to_centre - t * along;  // from the line to the centre
    const double scale = 1 / ((ball.radius + margin) * (ball.radius + margin));
    h[b] = 1 - scale * apart.squaredNorm();
    // d|apart|^2 = 2 apart . (-d tip - t d along), d along = (1 - along along^T) d direction / length
    const Eigen::RowVector3d by_tip = 2 * scale * apart.transpose();
    const Eigen::RowVector3d by_direction = 2 * scale * t / length * apart.transpose();
    by_tip_outputs.row(b) << by_tip + by_direction, -by_direction;
  }
}

/// The same as constraints of the state, over any map to [tip; layer before].
template <class TipMap>
class BeamClear {
 public:
  BeamClear(std::vector<Ball> balls, double margin, TipMap tip)
      : balls_(std::move(balls)), margin_(margin), tip_(std::move(tip)) {}

  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h) const {
    return compute(i, x, u, h, nullptr, nullptr);
  }
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& dh_dx,
                  Eigen::MatrixXd& dh_du) const {
    return compute(i, x, u, h, &dh_dx, &dh_du);
  }

 private:
  bool compute(int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd* dh_dx,
               Eigen::MatrixXd* dh_du) const {
    thread_local Eigen::VectorXd tip;
    thread_local Eigen::MatrixXd dtip;
    if (!tip_in_state<4>(tip_, x, tip, dtip)) return false;
    Eigen::Matrix<double, Eigen::Dynamic, 6> by_tip_outputs;
    beam_clear_of(balls_, margin_, Beam<3>(tip), h, by_tip_outputs);
    if (!dh_dx) return true;
    dh_dx->setZero(h.size(), x.size());
    dh_du->setZero(h.size(), u.size());
    dh_dx->leftCols(dtip.cols()).noalias() = by_tip_outputs * dtip;
    return true;
  }

  std::vector<Ball> balls_;
  double margin_;
  TipMap tip_;
};

}  // namespace studies::laser
