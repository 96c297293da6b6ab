// SPDX-License-Identifier: BSD-3-Clause
#include "inertial_forces.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::fluidic_arm {
namespace {

double dot(Complex a, Complex b) { return a.real() * b.real() + a.imag() * b.imag(); }
double cross(Complex a, Complex b) { return a.real() * b.imag() - a.imag() * b.real(); }  // Im(conj(a) b)

}  // namespace

InertialForces::InertialForces(const ArmDescription& arm, const std::vector<detail::MassPoint>& masses,
                               const Eigen::VectorXd& q)
    : gravity_(arm.gravity) {
  const Posture posture(arm, q);
  room_.resize(posture.room() * masses.size());
  points_.reserve(masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i)
    points_.push_back({posture.derivatives(masses[i].point, room_.data() + i * posture.room()),
                       masses[i].share * arm.segments[static_cast<std::size_t>(masses[i].point.segment)].mass});
}

// P'' = sum over b, c of d2P/db dc v_b v_c + sum over b of dP/db a_b; with the rule for mixed derivatives and
// turn_b = sum of v before b, each b adds d1_b (a_b + 2 i v_b turn_b) + d2_b v_b^2.
Complex InertialForces::felt_acceleration(const PointDerivatives& point, const Eigen::VectorXd& v,
                                          const Eigen::VectorXd& a) const {
  Complex felt = -gravity_;
  double turn = 0;
  for (int b = 0; b <= point.segment; ++b) {
    felt += point.d1[b] * Complex(a[b], 2 * v[b] * turn) + point.d2[b] * (v[b] * v[b]);
    turn += v[b];
  }
  return felt;
}

void InertialForces::add_forces(const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& forces) const {
  for (const auto& [at, mass] : points_) {
    const Complex pull = mass * felt_acceleration(at, v, a);
    for (int c = 0; c <= at.segment; ++c) forces[c] += dot(at.d1[c], pull);
  }
}

void InertialForces::mass_matrix(Eigen::MatrixXd& M) const {
  for (const auto& [at, mass] : points_)
    for (int c = 0; c <= at.segment; ++c)
      for (int b = 0; b <= c; ++b) M(c, b) += mass * dot(at.d1[c], at.d1[b]);
  M.triangularView<Eigen::StrictlyUpper>() = M.transpose();
}

void InertialForces::mass_and_gravity(Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
  const auto size = static_cast<int>(y.size());
  const int n = static_cast<int>((std::sqrt(9. + 8 * size) - 3) / 2 + 0.5), triangle = size - n;
  const auto row = [](int c, int b) { return c * (c + 1) / 2 + b; };
  y.setZero();
  // The value has its own sweep, so that it is bitwise the same with and without the Jacobian.
  for (const auto& [at, mass] : points_)
    for (int c = 0; c <= at.segment; ++c) {
      for (int b = 0; b <= c; ++b) y[row(c, b)] += mass * dot(at.d1[c], at.d1[b]);
      y[triangle + c] -= gravity_ * mass * at.d1[c].real();
    }
  if (J == nullptr) return;
  // sums: Im S below the diagonal; bends: Re T.
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(n, n), bends = sums;
  Eigen::VectorXd sideways = Eigen::VectorXd::Zero(n), down = sideways;
  for (const auto& [at, mass] : points_)
    for (int c = 0; c <= at.segment; ++c) {
      const Complex d1 = mass * at.d1[c], d2 = mass * at.d2[c];
      for (int b = 0; b <= c; ++b) sums(c, b) += cross(d1, at.d1[b]);
      for (int b = 0; b <= at.segment; ++b) bends(c, b) += dot(d2, at.d1[b]);
      sideways[c] += gravity_ * d1.imag();
      down[c] -= gravity_ * d2.real();
    }
  for (int c = 0; c < n; ++c) {
    for (int b = 0; b <= c; ++b) {
      const int at = row(c, b);
      for (int k = 0; k < b; ++k) (*J)(at, k) = 0;
      for (int k = b + 1; k < c; ++k) (*J)(at, k) = sums(c, b) - sums(c, k);
      for (int k = c + 1; k < n; ++k) (*J)(at, k) = sums(k, b) + sums(k, c);
      (*J)(at, b) = b == c ? 2 * bends(c, c) : sums(c, b) + bends(b, c);
      if (b < c) (*J)(at, c) = bends(c, b);
    }
    for (int k = 0; k < n; ++k) (*J)(triangle + c, k) = k == c ? down[c] : sideways[std::max(c, k)];
  }
}

void InertialForces::add_derivatives(const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::MatrixXd* dq,
                                     Eigen::MatrixXd* dv) const {
  for (const auto& [at, mass] : points_) {
    const Complex felt = felt_acceleration(at, v, a);
    double turn = v.head(at.segment + 1).sum(), spin = a.head(at.segment + 1).sum();
    Complex beyond = 0, moved = 0;  // contributions of the indices after c to P'' and to P'
    for (int c = at.segment; c >= 0; --c) {
      turn -= v[c];
      spin -= a[c];
      const Complex drive(a[c], 2 * v[c] * turn);
      if (dq != nullptr) {
        const Complex dfelt = mass * (imaginary * beyond + at.d2[c] * drive + at.d3[c] * (v[c] * v[c]) +
                                      at.d1[c] * Complex(-turn * turn, spin));
        const Complex pull = mass * felt;
        for (int b = 0; b <= at.segment; ++b) {
          const Complex mixed = b == c ? at.d2[c] : imaginary * at.d1[b > c ? b : c];
          (*dq)(b, c) += dot(mixed, pull) + dot(at.d1[b], dfelt);
        }
      }
      if (dv != nullptr) {
        const Complex dfelt = 2 * mass * (at.d2[c] * v[c] + imaginary * (at.d1[c] * turn + moved));
        for (int b = 0; b <= at.segment; ++b) (*dv)(b, c) += dot(at.d1[b], dfelt);
      }
      beyond += at.d1[c] * drive + at.d2[c] * (v[c] * v[c]);
      moved += at.d1[c] * v[c];
    }
  }
}

}  // namespace quoin::fluidic_arm
