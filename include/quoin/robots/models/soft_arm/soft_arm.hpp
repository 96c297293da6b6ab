// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/point.hpp"
#include "quoin/robots/models/soft_arm/arm_mesh.hpp"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <memory>
#include <vector>

namespace quoin::soft_arm {

/// Loads on the arm other than its lines.
template <int SpaceDim>
struct ArmOptions {
  Eigen::Matrix<double, SpaceDim, 1> gravity = Eigen::Matrix<double, SpaceDim, 1>::Zero();  ///< m / s^2
  Eigen::VectorXd dead_load;  ///< constant force on each vertex, SpaceDim * V, N; empty: none
};

/// Polynomials in a change delta of the controls, one row per free coordinate. The columns are their Taylor
/// coefficients (derivatives over factorials) in graded lexicographic order, without the constant, padded with
/// zeros to a multiple of eight.
using TaylorRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// The next multiple of eight.
constexpr int padded_to_eight(int columns) { return (columns + 7) / 8 * 8; }

/// The potential of a line-driven hyperelastic arm and its derivatives:
///
///     E(x, u) = sum over elements of V Psi(F) - m g . x - load . x + F0 sum over lines of u_k l_k(x),
///     Psi = mu/2 (|F|^2 - d) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2,
///
/// the polynomial stable neo-Hookean solid (Smith, de Goes, Kim 2018), finite and smooth under inversion. In the plane
/// it is the same solid in plane strain. -dE/dx is p(x) + c(x, u) of Jia, Pan, Manocha 2019, Eq. 1.
///
///     SoftArm<3> arm(make_beam<3>());
///     Eigen::VectorXd x = arm.rest(), gradient;
///     Eigen::SparseMatrix<double> hessian = arm.hessian_pattern();
///     double energy = arm.gradient(x, u, gradient);
///     arm.hessian(x, u, hessian);
///
/// x is full: SpaceDim * V coordinates, vertex by vertex, clamped vertices included. Gradients and Hessians are of the
/// free coordinates alone, in the order of free_dofs(). Hessians are lower triangles (all of column j from row j down).
/// Immutable, copies share one body; every call is safe from many threads. Cost: O(elements), about 0.02 ms per
/// gradient and 0.07 ms per Hessian for the standard arm in space. Throws std::invalid_argument as check_arm does, or
/// if a vector has the wrong size.
template <int SpaceDim>
class SoftArm {
 public:
  static constexpr int lines = line_count<SpaceDim>;  ///< 2 in the plane, 4 in space
  /// One number a line.
  using Controls = Point<lines>;
  /// Column by column, its lower triangle.
  using Sparse = Eigen::SparseMatrix<double>;

  /// Throws std::invalid_argument as check_arm does, and if every vertex is clamped.
  explicit SoftArm(ArmMesh<SpaceDim> mesh, ArmOptions<SpaceDim> options = {});

  /// As it was given.
  const ArmMesh<SpaceDim>& mesh() const;
  /// As they were given.
  const ArmOptions<SpaceDim>& options() const;
  double line_force() const;  ///< F0, N

  Eigen::Index size() const;                  ///< N = SpaceDim * V
  Eigen::Index free_size() const;             ///< number of free coordinates
  const std::vector<int>& free_dofs() const;  ///< index in x of each free coordinate, ascending
  const Eigen::VectorXd& rest() const;        ///< N; the undeformed arm
  const Eigen::VectorXd& mass() const;        ///< N; lumped mass of each coordinate, kg (clamped vertices included)

  /// The free coordinates of x.
  Eigen::VectorXd free_part(const Eigen::VectorXd& x) const;
  /// x with its free coordinates replaced.
  void set_free(const Eigen::VectorXd& free, Eigen::VectorXd& x) const;
  /// x plus scale times a step of the free coordinates.
  void add_free(double scale, const Eigen::VectorXd& step, Eigen::VectorXd& x) const;

  /// E(x, u), J.
  double energy(const Eigen::VectorXd& x, const Controls& u) const;
  /// Differences of energy() below this are rounding, J: its terms are large compared with their sum.
  double energy_rounding(const Eigen::VectorXd& x, const Controls& u) const;
  /// dE/dx of the free coordinates, N (resized); returns E.
  double gradient(const Eigen::VectorXd& x, const Controls& u, Eigen::VectorXd& gradient) const;
  /// An empty Hessian (lower triangle) with the pattern that hessian() fills; every diagonal entry is stored.
  const Sparse& hessian_pattern() const;
  /// d2E/dx2 of the free coordinates into a matrix copied from hessian_pattern().
  void hessian(const Eigen::VectorXd& x, const Controls& u, Sparse& hessian) const;
  /// The gradient of x -> a^T d2E/dx2 b, the third derivative contracted with two free directions: free_size().
  void third_derivative(const Eigen::VectorXd& x, const Controls& u, const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                        Eigen::VectorXd& result) const;

  /// The part of one degree (2 or 3) of dE/dx(x + sum of known monomials, u + delta), where the degrees 1 to degree - 1
  /// are known. One sweep over the elements covers all monomials of the degree. residual: that degree alone; a row per
  /// free vertex, with all monomials of each coordinate in turn, padded to a multiple of eight (resized). Solving H
  /// x_degree = -residual gives the next coefficients of the equilibrium.
  void taylor_residual(const Eigen::VectorXd& x, const Controls& u, int degree, const TaylorRows& known,
                       TaylorRows& residual) const;
  /// Taylor coefficients of the lines' lengths, degrees 0 to `degree` (1 to 3), up to which x is known:
  /// lines x C(lines + degree, degree), resized.
  void taylor_lengths(const Eigen::VectorXd& x, int degree, const TaylorRows& known, Eigen::MatrixXd& lengths) const;

  /// Lengths of the lines, m.
  Controls lengths(const Eigen::VectorXd& x) const;
  /// Their gradients in the free coordinates, free_size() x lines.
  void length_gradients(const Eigen::VectorXd& x, Eigen::MatrixXd& gradients) const;
  /// d2 l_k/dx2 b for a free direction b: column k of free_size() x lines.
  void length_hessian_times(const Eigen::VectorXd& x, const Eigen::VectorXd& b, Eigen::MatrixXd& products) const;

  /// Number of elements with a volume that is not positive.
  int inverted_elements(const Eigen::VectorXd& x) const;

  /// 2 SpaceDim x (N + lines): the mean position of the last layer of vertices, then of the layer before it, as
  /// constant functionals of f_s = [x; l].
  Eigen::MatrixXd tip_rows() const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

extern template class SoftArm<2>;
extern template class SoftArm<3>;

}  // namespace quoin::soft_arm
