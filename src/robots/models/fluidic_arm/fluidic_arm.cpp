// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include "inertial_forces.hpp"
#include "quoin/robots/models/fluidic_arm/detail/elastic_forces.hpp"
#include "quoin/robots/models/fluidic_arm/detail/mass_factor.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::fluidic_arm {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

[[noreturn]] void refuse(const std::string& function, const std::string& what) {
  throw std::invalid_argument("FluidicArm" + function + ": " + what);
}

void check_segment(std::size_t i, const Segment& segment) {
  if (!(segment.length > 0) || !std::isfinite(segment.length))
    refuse("", "segment " + to_text(i) + " has a length of " + to_text(segment.length) + " m");
  const auto check = [&](const char* name, double value) {
    if (!(value >= 0) || !std::isfinite(value))
      refuse("", "segment " + to_text(i) + " has a " + name + " of " + to_text(value));
  };
  check("dead length", segment.dead_length);
  check("mass", segment.mass);
  check("stiffness", segment.stiffness);
  check("damping", segment.damping);
  check("friction", segment.friction);
}

std::vector<detail::MassPoint> mass_points_of(const ArmDescription& arm) {
  // Five and two Gauss points on [0, 1]: |dP/dq|^2 is smooth along an arc and quadratic along a straight piece.
  constexpr double arc[][2] = {{0.04691007703066802, 0.11846344252809454},
                               {0.23076534494715845, 0.23931433524968324},
                               {0.5, 0.28444444444444444},
                               {0.7692346550528415, 0.23931433524968324},
                               {0.9530899229693319, 0.11846344252809454}};
  constexpr double straight[] = {0.21132486540518712, 0.7886751345948129};
  std::vector<detail::MassPoint> points;
  for (int n = 0; n < static_cast<int>(arm.segments.size()); ++n) {
    const auto& [length, dead, mass, stiffness, damping, friction] = arm.segments[static_cast<std::size_t>(n)];
    switch (arm.mass_model) {
      case MassModel::mid_arc: points.push_back({{n, dead, length, 0.5}, 1}); break;
      case MassModel::chord_point: points.push_back({{n, dead, length / 2, 1}, 1}); break;
      case MassModel::distributed:
        if (dead > 0)
          for (const double at : straight) points.push_back({{n, at * dead, 0, 0}, 0.5 * dead / (dead + length)});
        for (const auto& [at, weight] : arc)
          points.push_back({{n, dead, length, at}, weight * length / (dead + length)});
    }
  }
  return points;
}

}  // namespace

FluidicArm::FluidicArm(ArmDescription description) : description_(std::move(description)) {
  const auto n = description_.segments.size();
  if (n == 0) refuse("", "no segments");
  for (std::size_t i = 0; i < n; ++i) check_segment(i, description_.segments[i]);
  if (description_.passive_segments < 0 || description_.passive_segments > static_cast<int>(n))
    refuse("", to_text(description_.passive_segments) + " passive segments of " + to_text(n));
  if (!std::isfinite(description_.gravity) || !std::isfinite(description_.base_angle) ||
      !std::isfinite(description_.base_rotation))
    refuse("", "gravity, base angle or base rotation is not finite");
  masses_ = mass_points_of(description_);
}

double FluidicArm::length() const {
  double sum = 0;
  for (const Segment& segment : description_.segments) sum += segment.length + segment.dead_length;
  return sum;
}

void FluidicArm::check(const char* function, const VectorXd& q) const {
  if (q.size() != coordinates())
    refuse(std::string("::") + function,
           to_text(q.size()) + " bend angles for " + to_text(coordinates()) + " segments");
}

void FluidicArm::check(const char* function, const VectorXd& q, const VectorXd& v) const {
  check(function, q);
  check(function, v);
}

VectorXd FluidicArm::torques(const VectorXd& u) const {
  if (u.size() != control_size())
    refuse("::rate", to_text(u.size()) + " torques for " + to_text(control_size()) + " actuated segments");
  VectorXd all = VectorXd::Zero(coordinates());
  all.tail(u.size()) = u;
  return all;
}

MatrixXd FluidicArm::actuation() const {
  MatrixXd B = MatrixXd::Zero(coordinates(), control_size());
  B.bottomRows(control_size()).setIdentity();
  return B;
}

StepStatus FluidicArm::inverse_dynamics(const VectorXd& q, const VectorXd& v, const VectorXd& a,
                                        VectorXd& forces) const {
  check("inverse_dynamics", q, v);
  check("inverse_dynamics", a);
  forces.setZero(q.size());
  InertialForces(description_, masses_, q).add_forces(v, a, forces);
  detail::add_elastic(description_, q, v, forces);
  return forces.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus FluidicArm::inverse_dynamics(const VectorXd& q, const VectorXd& v, const VectorXd& a, VectorXd& forces,
                                        MatrixXd& dq, MatrixXd& dv, MatrixXd& da) const {
  check("inverse_dynamics", q, v);
  check("inverse_dynamics", a);
  const Index n = q.size();
  const InertialForces inertial(description_, masses_, q);
  forces.setZero(n);
  dq.setZero(n, n);
  dv.setZero(n, n);
  da.setZero(n, n);
  inertial.add_forces(v, a, forces);
  detail::add_elastic(description_, q, v, forces);
  inertial.mass_matrix(da);
  inertial.add_derivatives(v, a, &dq, &dv);
  detail::add_elastic_derivatives(description_, v, dq, dv);
  return forces.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus FluidicArm::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate) const {
  if (x.size() != state_size()) refuse("::rate", "a state of " + to_text(x.size()) + " numbers");
  const Index n = coordinates();
  const VectorXd q = x.head(n), v = x.tail(n);
  const InertialForces inertial(description_, masses_, q);
  MatrixXd M = MatrixXd::Zero(n, n);
  inertial.mass_matrix(M);
  VectorXd bias = VectorXd::Zero(n);
  inertial.add_forces(v, VectorXd::Zero(n), bias);
  detail::add_elastic(description_, q, v, bias);
  detail::MassFactor factor;
  if (!factor.compute(M)) return x.allFinite() ? StepStatus::singular : StepStatus::not_converged;
  rate.resize(2 * n);
  rate.head(n) = v;
  rate.tail(n) = factor.solve(torques(u) - bias);
  return rate.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus FluidicArm::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate, MatrixXd& df_dx,
                            MatrixXd& df_du) const {
  if (const StepStatus status = this->rate(x, u, rate); status != StepStatus::ok) return status;
  const Index n = coordinates();
  VectorXd forces;
  MatrixXd dq, dv, M;
  if (const StepStatus status = inverse_dynamics(x.head(n), x.tail(n), rate.tail(n), forces, dq, dv, M);
      status != StepStatus::ok)
    return status;
  detail::MassFactor factor;
  if (!factor.compute(M)) return StepStatus::singular;
  df_dx.setZero(2 * n, 2 * n);
  df_dx.topRightCorner(n, n).setIdentity();
  df_dx.bottomLeftCorner(n, n) = -factor.solve(dq);
  df_dx.bottomRightCorner(n, n) = -factor.solve(dv);
  df_du.setZero(2 * n, control_size());
  df_du.bottomRows(n) = factor.solve(actuation());
  return StepStatus::ok;
}

MatrixXd FluidicArm::mass_matrix(const VectorXd& q) const {
  check("mass_matrix", q);
  MatrixXd M = MatrixXd::Zero(q.size(), q.size());
  InertialForces(description_, masses_, q).mass_matrix(M);
  return M;
}

MatrixXd FluidicArm::coriolis_matrix(const VectorXd& q, const VectorXd& v) const {
  check("coriolis_matrix", q, v);
  MatrixXd dv = MatrixXd::Zero(q.size(), q.size());
  InertialForces(description_, masses_, q).add_derivatives(v, VectorXd::Zero(q.size()), nullptr, &dv);
  return dv / 2;  // C v is quadratic in v, with derivative 2 C
}

VectorXd FluidicArm::gravity_forces(const VectorXd& q) const {
  check("gravity_forces", q);
  const VectorXd rest = VectorXd::Zero(q.size());
  VectorXd forces = rest;
  InertialForces(description_, masses_, q).add_forces(rest, rest, forces);
  return forces;
}

void FluidicArm::static_forces(const VectorXd& q, VectorXd& forces, MatrixXd& jacobian) const {
  check("static_forces", q);
  const VectorXd rest = VectorXd::Zero(q.size());
  const InertialForces inertial(description_, masses_, q);
  forces.setZero(q.size());
  jacobian.setZero(q.size(), q.size());
  inertial.add_forces(rest, rest, forces);
  inertial.add_derivatives(rest, rest, &jacobian, nullptr);
  for (Index i = 0; i < q.size(); ++i) {
    const double stiffness = description_.segments[static_cast<std::size_t>(i)].stiffness;
    forces[i] += stiffness * q[i];
    jacobian(i, i) += stiffness;
  }
}

void FluidicArm::mass_and_gravity(const VectorXd& q, VectorXd& y) const {
  check("mass_and_gravity", q);
  y.resize((q.size() + 1) * q.size() / 2 + q.size());
  InertialForces(description_, masses_, q).mass_and_gravity(y, nullptr);
}

void FluidicArm::mass_and_gravity(const VectorXd& q, VectorXd& y, MatrixXd& J) const {
  check("mass_and_gravity", q);
  y.resize((q.size() + 1) * q.size() / 2 + q.size());
  J.resize(y.size(), q.size());
  InertialForces(description_, masses_, q).mass_and_gravity(y, &J);
}

double FluidicArm::kinetic_energy(const VectorXd& q, const VectorXd& v) const {
  check("kinetic_energy", q, v);
  return 0.5 * v.dot(mass_matrix(q) * v);
}

double FluidicArm::potential_energy(const VectorXd& q) const {
  check("potential_energy", q);
  double energy = 0;
  const InertialForces inertial(description_, masses_, q);
  for (const auto& [at, mass] : inertial.points()) energy -= mass * description_.gravity * at.p.real();
  for (Index i = 0; i < q.size(); ++i)
    energy += 0.5 * description_.segments[static_cast<std::size_t>(i)].stiffness * q[i] * q[i];
  return energy;
}

MatrixXd FluidicArm::regressor(const VectorXd& q, const VectorXd& v, const VectorXd& a) const {
  check("regressor", q, v);
  check("regressor", a);
  const Index n = q.size();
  MatrixXd Y = MatrixXd::Zero(n, 3 * n);
  const InertialForces inertial(description_, masses_, q);
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const PointDerivatives& at = inertial.points()[i].at;
    const Complex felt = inertial.felt_acceleration(at, v, a);
    for (int c = 0; c <= at.segment; ++c) Y(c, at.segment) += masses_[i].share * (std::conj(at.d1[c]) * felt).real();
  }
  Y.middleCols(n, n).diagonal() = q;
  Y.rightCols(n).diagonal() = v;
  return Y;
}

}  // namespace quoin::fluidic_arm
