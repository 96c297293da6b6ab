// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/surface_mesh.hpp"
#include "quoin/util/export_type.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::swimmer {

/// What is refused, and how integrals are computed.
struct PotentialFlowOptions {
  /// Bodies are refused where a vertex of one comes closer to a panel of another than this fraction of the panel's
  /// longest edge: the panels are then too coarse for the flow in the gap
  /// (docs/notes/swimmer_potential_flow.md shows by how much). At least 1e-6.
  double min_gap = 0.05;

  /// Compute the integrals of the panels one point at a time with the standard library's logarithm and arctangent:
  /// slower, on any processor and compiler. Both ways agree to rounding.
  bool scalar = false;
};

/// Two bodies overlap, or come closer than `PotentialFlowOptions::min_gap` allows. The message
/// names both and the place.
class QUOIN_EXPORT_TYPE BodiesTouch : public std::domain_error {
 public:
  /// The message names both bodies and the place.
  BodiesTouch(const std::string& message, int first_body, int second_body, double measured)
      : std::domain_error(message), first(first_body), second(second_body), distance(measured) {}

  int first, second;  ///< the bodies, first < second
  double distance;    ///< smallest distance found between a vertex and a panel, in metres; 0 where they overlap
};

/// Potential flow of an unbounded ideal fluid at rest at infinity around B rigid bodies that move through it: the
/// boundary element method behind Jia, Pan, Manocha 2019, Eqs. 9 and 10 (after Kanso et al. 2005).
///
///     PotentialFlow flow({geodesic_ellipsoid({0.1, 0.02, 0.05}, 6), geodesic_ellipsoid({0.1, 0.02, 0.05}, 6)});
///     Eigen::MatrixXd phi;
///     flow.solve({Eigen::Isometry3d::Identity(), Eigen::Isometry3d(Eigen::Translation3d(0.22, 0, 0))}, phi);
///     Eigen::MatrixXd added_mass = 1000 * flow.added_mass(phi);   // 12 x 12, in water
///     double asymmetry = flow.asymmetry(added_mass);              // falls with the mesh's error, is not its size
///
/// phi is P x 6B: column 6 b + c holds the potential at the P vertices (body 0's first) when body b moves with unit
/// body twist c and the others rest. A body twist [omega; v] is that of the origin of the body's own frame, in that
/// frame's axes: rad/s and m/s; then phi is in m^2/s. Normals point into the fluid, so that the fluid's kinetic energy
/// is -1/2 rho int phi dphi/dn.
///
/// Collocation at the vertices with the potential linear on flat panels. All integrals are in closed form at every
/// distance, so that phi is an analytic function of all allowed poses; second order in the size of the panels.
/// Derivatives by the poses are exact, from the factorization that gave the value. Blocks of a body on itself are
/// computed at construction. A solve costs O(P^2) integrals and an O(P^3) factorization on the calling thread, and
/// holds one P x P matrix while it runs.
///
/// Const functions may be called from many threads. They throw std::invalid_argument on a wrong number of poses or
/// motions and on anything not finite or not a rotation, and BodiesTouch.
class PotentialFlow {
 public:
  /// One closed surface per body, each in its body's frame. Throws std::invalid_argument, as require_closed_surface
  /// does, on a surface that is open, inside out or degenerate.
  explicit PotentialFlow(std::vector<SurfaceMesh> bodies, const PotentialFlowOptions& options = {});

  Eigen::Index vertices() const;              ///< P, of all bodies
  int bodies() const;                         ///< B
  Eigen::Index first_vertex(int body) const;  ///< row of the body's vertex 0; P for body B
  /// As it was given.
  const SurfaceMesh& surface(int body) const;
  double min_gap() const;  ///< PotentialFlowOptions::min_gap

  /// phi (P x 6B) at the poses of the bodies, body frame to world.
  void solve(const std::vector<Eigen::Isometry3d>& poses, Eigen::MatrixXd& phi) const;

  /// The same with derivatives by parameters q_k of the poses: column b of motions[k] (6 x B) is the body twist
  /// d(pose b)/dq_k, dphi[k] (P x 6B) is d(phi)/dq_k.
  void solve(const std::vector<Eigen::Isometry3d>& poses,
             const std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>>& motions, Eigen::MatrixXd& phi,
             std::vector<Eigen::MatrixXd>& dphi) const;

  /// W (P x 6B), constant: the integral of (shape function of vertex i) * (normal velocity under body b's unit
  /// twist c). Rows outside body b are zero in its columns.
  const Eigen::MatrixXd& normal_weights() const;

  /// Added mass per unit density in body frames, -phi^T W (6B x 6B), as computed: symmetric up to the error of the
  /// mesh. Given a derivative of phi it returns that of the added mass. O(P B).
  Eigen::MatrixXd added_mass(const Eigen::MatrixXd& phi) const;

  /// |M - M^T| / |M|, Frobenius norms, with angular velocities made comparable to linear ones by each body's radius of
  /// gyration. Zero for the exact flow. It falls with the order of the mesh's error but does not measure its size: it
  /// is 60 to 250 times smaller on the default swimmer, zero for a single symmetric body
  /// (docs/notes/swimmer_potential_flow.md). For the size compare two meshes; ExtrapolatedAddedMass extrapolates from
  /// them.
  double asymmetry(const Eigen::MatrixXd& added_mass) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;  // immutable: copies share it
};

}  // namespace quoin::swimmer
