// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/inertia_form.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using ThetaIn = Eigen::Ref<const Eigen::VectorXd>;

constexpr Index first_of_inertia = 4;  // in theta and in the linear parameters
/// Angles of the triangle stay this far from 0 and pi: closer, a sigmoid in double precision is 0 or 1, and the
/// triangle degenerates.
constexpr double min_angle = 1e-6;
constexpr double largest_angle = std::numbers::pi - min_angle;

Matrix3d cross(const Vector3d& v) {
  Matrix3d V;
  V << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return V;
}

/// The inertia about the centre of mass and its derivatives with respect to theta_4, theta_5, ...
struct CentralInertia {
  Matrix3d I;
  std::array<Matrix3d, 9> derivatives;
};

/// Eq. 5, 14: L = [t0 0 0; t3 t1 0; t4 t5 t2]. S = L L^T + b 1.
constexpr std::array<std::array<int, 2>, 6> factor_entries = {{{0, 0}, {1, 1}, {2, 2}, {1, 0}, {2, 0}, {2, 1}}};

CentralInertia squared_factor(const ThetaIn& t, double b) {
  Matrix3d L = Matrix3d::Zero();
  for (Index k = 0; k < 6; ++k) L(factor_entries[k][0], factor_entries[k][1]) = t[first_of_inertia + k];
  CentralInertia S{.I = L * L.transpose() + b * Matrix3d::Identity(), .derivatives = {}};
  for (Index k = 0; k < 6; ++k) {
    Matrix3d half = Matrix3d::Zero();
    half.row(factor_entries[k][0]) = L.col(factor_entries[k][1]).transpose();
    S.derivatives[k] = half + half.transpose();
  }
  return S;
}

Matrix3d trace_less(const Matrix3d& S) { return S.trace() * Matrix3d::Identity() - S; }  // Eq. 15

/// Eqs. 7 to 12: theta = axis times angle, sqrt(J1 - b), sqrt(J2 - b), and the number for the triangle's angle.
CentralInertia triangle(const ThetaIn& t, double b) {
  const Vector3d turn = t.segment<3>(first_of_inertia);
  const double t1 = t[first_of_inertia + 3], t2 = t[first_of_inertia + 4], ta = t[first_of_inertia + 5];
  const double J1 = t1 * t1 + b, J2 = t2 * t2 + b;
  const double sigmoid = ta < 0 ? std::exp(ta) / (1 + std::exp(ta)) : 1 / (1 + std::exp(-ta));
  const double slope = sigmoid / (1 + std::exp(ta));  // sigmoid (1 - sigmoid), without cancellation at large ta
  const double alpha = min_angle + (largest_angle - min_angle) * sigmoid;
  // The law of cosines without its cancellation where the sides are alike and the angle is small.
  const double s = std::sin(alpha / 2);
  const double J3 = std::hypot(J1 - J2, 2 * std::sqrt(J1 * J2) * s);
  const double dJ3_dJ1 = (J1 - J2 + 2 * J2 * s * s) / J3, dJ3_dJ2 = (J2 - J1 + 2 * J1 * s * s) / J3;
  const double dJ3_da = J1 * J2 * std::sin(alpha) / J3 * (largest_angle - min_angle) * slope;

  const double angle = turn.norm();
  const Matrix3d W = cross(turn), W2 = W * W;
  // sin(a)/a, (1 - cos a)/a^2, (a - sin a)/a^3; series where they cancel
  const bool small = angle < 1e-2;
  const double a2 = angle * angle;
  const double c1 = small ? 1 - a2 / 6 * (1 - a2 / 20) : std::sin(angle) / angle;
  const double c2 = small ? 0.5 - a2 / 24 * (1 - a2 / 30) : (1 - std::cos(angle)) / a2;
  const double c3 = small ? 1.0 / 6 - a2 / 120 * (1 - a2 / 42) : (angle - std::sin(angle)) / (a2 * angle);
  const Matrix3d R = Matrix3d::Identity() + c1 * W + c2 * W2;
  const Matrix3d left_jacobian = Matrix3d::Identity() + c2 * W + c3 * W2;  // of exp, on SO(3)

  CentralInertia result{.I = R * Vector3d(J1, J2, J3).asDiagonal() * R.transpose(), .derivatives = {}};
  for (Index k = 0; k < 3; ++k) {
    const Matrix3d A = cross(left_jacobian.col(k));
    result.derivatives[k] = A * result.I - result.I * A;
  }
  const auto turned = [&](double d1, double d2, double d3) -> Matrix3d {
    return R * Vector3d(d1, d2, d3).asDiagonal() * R.transpose();
  };
  result.derivatives[3] = 2 * t1 * turned(1, 0, dJ3_dJ1);
  result.derivatives[4] = 2 * t2 * turned(0, 1, dJ3_dJ2);
  result.derivatives[5] = turned(0, 0, dJ3_da);
  return result;
}

CentralInertia central_inertia(InertiaForm form, const ThetaIn& t, double b) {
  CentralInertia result;
  switch (form) {
    case InertiaForm::unstructured:
      for (Index k = 0; k < 9; ++k) {
        result.I(k / 3, k % 3) = t[first_of_inertia + k];
        result.derivatives[k].setZero();
        result.derivatives[k](k / 3, k % 3) = 1;
      }
      return result;
    case InertiaForm::symmetric: {
      Index k = 0;
      for (Index i = 0; i < 3; ++i)
        for (Index j = i; j < 3; ++j, ++k) {
          result.I(i, j) = result.I(j, i) = t[first_of_inertia + k];
          result.derivatives[k].setZero();
          result.derivatives[k](i, j) = result.derivatives[k](j, i) = 1;
        }
      return result;
    }
    case InertiaForm::positive_definite: return squared_factor(t, b);
    case InertiaForm::triangular: return triangle(t, b);
    case InertiaForm::covariance:
      result = squared_factor(t, b);
      result.I = trace_less(result.I);
      for (Index k = 0; k < 6; ++k) result.derivatives[k] = trace_less(result.derivatives[k]);
      return result;
  }
  throw std::invalid_argument("linear_parameters: no such form");
}

Matrix3d steiner(const Vector3d& h) { return h.squaredNorm() * Matrix3d::Identity() - h * h.transpose(); }

template <class Derived>
void set_rows(Eigen::MatrixBase<Derived>&& entries, const Matrix3d& I) {
  for (Index k = 0; k < 9; ++k) entries[k] = I(k / 3, k % 3);
}
Matrix3d inertia_rows(const LinearParameters& parameters) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(parameters.data() + first_of_inertia);
}

void check(const InertiaFloor& floor, const char* who) {
  const OptionsOf of{who};
  of.not_negative_and_finite("floor.mass", floor.mass);
  of.not_negative_and_finite("floor.moment", floor.moment);
}

LinearParameters linear_parameters(InertiaForm form, const ThetaIn& theta, const InertiaFloor& floor,
                                   Eigen::MatrixXd* derivative) {
  if (theta.size() != parameter_count(form))
    throw std::invalid_argument("linear_parameters: " + std::string(to_string(form)) + " has " +
                                to_text(parameter_count(form)) + " numbers, not " + to_text(theta.size()));
  check(floor, "linear_parameters");
  const bool squared = form != InertiaForm::unstructured;
  const double m = squared ? theta[0] * theta[0] + floor.mass : theta[0];
  const Vector3d h = theta.segment<3>(1);
  const CentralInertia central = central_inertia(form, theta, floor.moment);
  LinearParameters parameters;
  parameters << m, h, Eigen::Matrix<double, 9, 1>::Zero();
  set_rows(parameters.tail<9>(), central.I + steiner(h) / m);
  if (!derivative) return parameters;

  derivative->setZero(13, theta.size());
  const double dm = squared ? 2 * theta[0] : 1;
  (*derivative)(0, 0) = dm;
  set_rows(derivative->col(0).tail<9>(), -dm / (m * m) * steiner(h));
  for (Index k = 0; k < 3; ++k) {
    (*derivative)(1 + k, 1 + k) = 1;
    const Vector3d e = Vector3d::Unit(k);
    set_rows(derivative->col(1 + k).tail<9>(),
             (2 * h[k] * Matrix3d::Identity() - e * h.transpose() - h * e.transpose()) / m);
  }
  for (Index k = first_of_inertia; k < theta.size(); ++k)
    set_rows(derivative->col(k).tail<9>(), central.derivatives[static_cast<std::size_t>(k - first_of_inertia)]);
  return parameters;
}

/// The inverse of squared_factor; false where there is none.
bool factor_of(const Matrix3d& S, double b, Eigen::VectorXd& theta) {
  const Eigen::LLT<Matrix3d> cholesky(S - b * Matrix3d::Identity());
  if (cholesky.info() != Eigen::Success) return false;
  const Matrix3d L = cholesky.matrixL();
  for (Index k = 0; k < 6; ++k) theta[first_of_inertia + k] = L(factor_entries[k][0], factor_entries[k][1]);
  return true;
}

bool triangle_of(const Matrix3d& I, double b, Eigen::VectorXd& theta) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(I);
  Matrix3d R = eigen.eigenvectors();
  if (R.determinant() < 0) R.col(2) *= -1;
  const Vector3d J = eigen.eigenvalues();
  if (!(J[0] >= b && J[1] >= b)) return false;
  const double s = (J[2] - (J[1] - J[0])) * (J[2] + (J[1] - J[0])) / (4 * J[0] * J[1]);  // sin^2 of half the angle
  if (!(s >= 0 && s <= 1)) return false;
  const double share = (2 * std::asin(std::sqrt(s)) - min_angle) / (largest_angle - min_angle);
  if (!(share > 0 && share < 1)) return false;
  const Eigen::AngleAxisd turn(R);
  theta.segment<3>(first_of_inertia) = turn.angle() * turn.axis();
  theta[first_of_inertia + 3] = std::sqrt(J[0] - b);
  theta[first_of_inertia + 4] = std::sqrt(J[1] - b);
  theta[first_of_inertia + 5] = std::log(share / (1 - share));
  return true;
}

}  // namespace

const char* to_string(InertiaForm form) {
  switch (form) {
    case InertiaForm::unstructured: return "NoStr";
    case InertiaForm::symmetric: return "Symm";
    case InertiaForm::positive_definite: return "SPD";
    case InertiaForm::triangular: return "Tri";
    case InertiaForm::covariance: return "Cov";
  }
  return "unknown";
}

Eigen::Index parameter_count(InertiaForm form) { return form == InertiaForm::unstructured ? 13 : 10; }

LinearParameters linear_parameters(InertiaForm form, const ThetaIn& theta, const InertiaFloor& floor) {
  return linear_parameters(form, theta, floor, nullptr);
}

LinearParameters linear_parameters(InertiaForm form, const ThetaIn& theta, const InertiaFloor& floor,
                                   Eigen::MatrixXd& derivative) {
  return linear_parameters(form, theta, floor, &derivative);
}

std::optional<Eigen::VectorXd> theta_of(InertiaForm form, const LinearParameters& parameters,
                                        const InertiaFloor& floor) {
  check(floor, "theta_of");
  const double m = parameters[0];
  const Vector3d h = parameters.segment<3>(1);
  if (m == 0 || !parameters.allFinite()) return std::nullopt;
  Eigen::VectorXd theta(parameter_count(form));
  theta.segment<3>(1) = h;
  const Matrix3d I = inertia_rows(parameters) - steiner(h) / m;
  if (form == InertiaForm::unstructured) {
    theta[0] = m;
    set_rows(theta.tail<9>(), I);
    return theta;
  }
  const double tolerance = 1e-9 * parameters.tail<9>().cwiseAbs().maxCoeff();
  if (m < floor.mass || (I - I.transpose()).cwiseAbs().maxCoeff() > tolerance) return std::nullopt;
  theta[0] = std::sqrt(m - floor.mass);
  bool exists = true;
  switch (form) {
    case InertiaForm::symmetric: theta.tail<6>() << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2); break;
    case InertiaForm::positive_definite: exists = factor_of(I, floor.moment, theta); break;
    case InertiaForm::triangular: exists = triangle_of(I, floor.moment, theta); break;
    default: exists = factor_of(0.5 * I.trace() * Matrix3d::Identity() - I, floor.moment, theta); break;
  }
  if (!exists) return std::nullopt;
  return theta;
}

}  // namespace quoin::identification
