// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"
#include "testing/taylor.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <algorithm>
#include <random>
#include <set>

using namespace quoin::soft_arm;

namespace {

Eigen::VectorXd noise(Eigen::Index size, double amplitude, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-amplitude, amplitude);
  return Eigen::VectorXd::NullaryExpr(size, [&] { return value(random); });
}

template <int D>
SoftArm<D> tilted_arm() {
  ArmOptions<D> options;
  options.gravity[0] = 3;
  options.gravity[D - 1] = -9.81;
  return SoftArm<D>(make_beam<D>({.length = 0.2, .cells_across = 2, .cells_along = 5}), options);
}

template <int D>
typename SoftArm<D>::Controls some_controls() {
  typename SoftArm<D>::Controls u;
  for (int k = 0; k < SoftArm<D>::lines; ++k) u[k] = 1.3 - 0.7 * k;
  return u;
}

// The largest error of an affine deformation that is prescribed on the boundary alone.
template <int D>
double patch_error() {
  auto mesh = make_beam<D>({.length = 0.1, .cells_across = 4, .cells_along = 6, .stiff_every = 0, .stiff_cap = false});
  const double w = 0.05 / 2 * (1 - 1e-9), l = 0.1;
  mesh.clamped.clear();
  std::vector<int> inner;
  for (int v = 0; v < mesh.vertices.cols(); ++v) {
    const Eigen::Vector<double, D> p = mesh.vertices.col(v);
    bool boundary = p[D - 1] < 1e-9 || p[D - 1] > l - 1e-9;
    for (int i = 0; i + 1 < D; ++i) boundary |= std::abs(p[i]) > w;
    if (boundary)
      mesh.clamped.push_back(v);
    else
      inner.push_back(v);
  }
  for (int v : inner) mesh.vertices.col(v) += noise(D, 0.002, 100 + v);
  const SoftArm<D> arm(mesh);
  Eigen::Matrix<double, D, D> A;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) A(i, j) = (i == j) + 0.2 * std::sin(1.0 + 2 * i + 3 * j);
  const Eigen::Matrix<double, D, Eigen::Dynamic> affine = A * mesh.vertices;
  const Eigen::VectorXd exact = Eigen::Map<const Eigen::VectorXd>(affine.data(), affine.size());
  Eigen::VectorXd x = exact, gradient;
  arm.add_free(1, noise(arm.free_size(), 1e-3, 5), x);
  auto hessian = arm.hessian_pattern();
  TileCholesky cholesky(hessian);
  const auto u = SoftArm<D>::Controls::Zero().eval();
  for (int iteration = 0; iteration < 8; ++iteration) {
    arm.gradient(x, u, gradient);
    arm.hessian(x, u, hessian);
    if (!cholesky.factorize(hessian)) return 1;
    cholesky.solve(gradient);
    arm.add_free(-1, gradient, x);
  }
  return (x - exact).cwiseAbs().maxCoeff();
}

template <int D>
void check_derivatives() {
  const auto arm = tilted_arm<D>();
  const auto u = some_controls<D>();
  Eigen::VectorXd x = arm.rest();
  arm.add_free(1, noise(arm.free_size(), 2e-3, 1), x);
  const Eigen::VectorXd d = noise(arm.free_size(), 1, 2), e = noise(arm.free_size(), 1, 3);
  const auto moved = [&](double h) {
    Eigen::VectorXd y = x;
    arm.add_free(h, d, y);
    return y;
  };
  Eigen::VectorXd g, gh;
  const double energy = arm.gradient(x, u, g);
  CHECK(arm.energy(x, u) == Approx(energy).epsilon(1e-13));
  auto H = arm.hessian_pattern(), Hh = H;
  arm.hessian(x, u, H);
  const Eigen::VectorXd Hd = H.template selfadjointView<Eigen::Lower>() * d;
  const Eigen::VectorXd He = H.template selfadjointView<Eigen::Lower>() * e;
  Eigen::VectorXd third;
  arm.third_derivative(x, u, d, e, third);

  const double first = 1e-3;
  const double energy_slope =
      taylor_slope([&](double h) { return std::abs(arm.energy(moved(h), u) - energy - h * g.dot(d)); }, first);
  CHECK(energy_slope > 1.8);
  CHECK(energy_slope < 2.2);
  const double gradient_slope = taylor_slope(
      [&](double h) {
        arm.gradient(moved(h), u, gh);
        return (gh - g - h * Hd).norm();
      },
      first);
  CHECK(gradient_slope > 1.8);
  CHECK(gradient_slope < 2.2);
  const double hessian_slope = taylor_slope(
      [&](double h) {
        arm.hessian(moved(h), u, Hh);
        return (Hh.template selfadjointView<Eigen::Lower>() * e - He - h * third).norm();
      },
      first);
  CHECK(hessian_slope > 1.8);
  CHECK(hessian_slope < 2.2);

  Eigen::MatrixXd dl, dl_h, products;
  arm.length_gradients(x, dl);
  arm.length_hessian_times(x, d, products);
  const auto l = arm.lengths(x);
  const double length_slope =
      taylor_slope([&](double h) { return (arm.lengths(moved(h)) - l - h * dl.transpose() * d).norm(); }, first);
  CHECK(length_slope > 1.8);
  CHECK(length_slope < 2.2);
  const double length_gradient_slope = taylor_slope(
      [&](double h) {
        arm.length_gradients(moved(h), dl_h);
        return (dl_h - dl - h * products).norm();
      },
      first);
  CHECK(length_gradient_slope > 1.8);
  CHECK(length_gradient_slope < 2.2);
}

template <int D>
std::string message_of(const ArmMesh<D>& mesh) {
  try {
    SoftArm<D> arm(mesh);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("patch test: inner vertices of an irregular mesh follow an affine boundary to 1e-12") {
  CHECK(patch_error<2>() < 1e-12);
  CHECK(patch_error<3>() < 1e-12);
}

TEST_CASE("gradient, Hessian and third derivative of the arm's energy are exact by the Taylor remainder") {
  check_derivatives<2>();
  check_derivatives<3>();
}

TEST_CASE("energy does not see a rigid motion of the whole body") {
  const SoftArm<3> arm(make_beam<3>({.cells_across = 2, .cells_along = 4}));
  const Eigen::Matrix3d turn = Eigen::Matrix3d(Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, 3).normalized()));
  const Eigen::Matrix3Xd moved = (turn * arm.mesh().vertices).colwise() + Eigen::Vector3d(1, -2, 3);
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(moved.data(), moved.size());
  CHECK(std::abs(arm.energy(x, Eigen::Vector4d::Zero())) < 1e-10);
  CHECK((arm.lengths(x) - Eigen::Vector4d::Constant(0.5)).norm() < 1e-13);
}

TEST_CASE("the standard arm has the paper's size: 525 vertices, N = 1575, four lines on its long edges") {
  const SoftArm<3> arm(make_beam<3>());
  CHECK(arm.size() == 1575);
  CHECK(arm.free_size() == 1500);
  CHECK(arm.mesh().elements.cols() == 1600);
  CHECK(arm.mass().sum() / 3 == Approx(1000 * 0.5 * 0.05 * 0.05).epsilon(1e-12));
  CHECK(arm.line_force() == Approx(std::sqrt(2.0) * 5e5 * 0.05 * 0.05 * 0.05 / (12 * 0.5)).epsilon(1e-14));
  CHECK(arm.tip_rows().rows() == 6);
  const Eigen::VectorXd tip = arm.tip_rows().leftCols(1575) * arm.rest();
  CHECK((tip - (Eigen::VectorXd(6) << 0, 0, 0.5, 0, 0, 0.475).finished()).norm() < 1e-14);
  const std::set<double> moduli(arm.mesh().young.begin(), arm.mesh().young.end());
  CHECK(moduli == std::set<double>{5e5, 5e6});
}

TEST_CASE("the beam fills its volume with elements and is its own mirror image") {
  const auto mesh = make_beam<3>();
  std::set<std::set<std::array<long, 3>>> elements, mirrored;
  double volume = 0;
  for (int e = 0; e < mesh.elements.cols(); ++e) {
    std::set<std::array<long, 3>> one, other;
    Eigen::Matrix3d sides;
    for (int a = 0; a < 4; ++a) {
      const Eigen::Vector3d p = mesh.vertices.col(mesh.elements(a, e));
      if (a > 0) sides.col(a - 1) = p - mesh.vertices.col(mesh.elements(0, e));
      one.insert({std::lround(p[0] * 1e6), std::lround(p[1] * 1e6), std::lround(p[2] * 1e6)});
      other.insert({std::lround(-p[0] * 1e6), std::lround(p[1] * 1e6), std::lround(p[2] * 1e6)});
    }
    volume += sides.determinant() / 6;
    elements.insert(one);
    mirrored.insert(other);
  }
  CHECK(volume == Approx(0.5 * 0.05 * 0.05).epsilon(1e-12));
  CHECK(elements == mirrored);
}

TEST_CASE("an arm with an inverted or degenerate element, or a line through nothing, is refused with its numbers") {
  using Catch::Contains;
  auto inverted = make_beam<3>();
  std::swap(inverted.elements(0, 17), inverted.elements(1, 17));
  CHECK_THAT(message_of(inverted), Contains("element 17 is inverted"));

  auto degenerate = make_beam<2>();
  degenerate.vertices.col(degenerate.elements(0, 3)) =
      0.5 * (degenerate.vertices.col(degenerate.elements(1, 3)) + degenerate.vertices.col(degenerate.elements(2, 3)));
  CHECK_THAT(message_of(degenerate), Contains("degenerate") || Contains("inverted"));

  auto off_edges = make_beam<3>();
  off_edges.lines[2].erase(off_edges.lines[2].begin() + 4);
  CHECK_THAT(message_of(off_edges), Contains("line 3 runs through nothing") && Contains("99 and 149"));

  auto no_line = make_beam<3>();
  no_line.lines[1].clear();
  CHECK_THAT(message_of(no_line), Contains("line 2 names no vertex"));
  auto few = make_beam<3>();
  few.lines.pop_back();
  CHECK_THAT(message_of(few), Contains("has 4 lines, given 3"));
  auto afloat = make_beam<3>();
  afloat.clamped.clear();
  CHECK_THAT(message_of(afloat), Contains("clamped names no vertex"));
  auto soft = make_beam<3>();
  soft.young[5] = 0;
  CHECK_THAT(message_of(soft), Contains("Young's modulus of element 5"));
  auto outside = make_beam<3>();
  outside.elements(2, 9) = 525;
  CHECK_THAT(message_of(outside), Contains("element 9 names vertex 525"));
  CHECK_THROWS_AS(make_beam<3>({.cells_across = 3}), std::invalid_argument);
  CHECK_THROWS_AS(make_beam<2>({.poisson = 0.5}), std::invalid_argument);
}

TEST_CASE("an arm from any mesh is the beam again, its lines routed along edges between way points") {
  const auto beam = make_beam<3>();
  quoin::SimplexMesh<3> mesh = beam;
  ArmDescription description{.lines = {"line 1", "line 2", "line 3", "line 4"},
                             .young = {{"soft", 5e5}, {"stiff", 5e6}},
                             .line_force = beam.line_force};
  // The ends suffice as way points: the edge is the shortest path.
  mesh.vertex_groups["line 3"] = {beam.lines[2].front(), beam.lines[2].back()};
  const auto arm = arm_from_mesh(mesh, description);
  CHECK(arm.lines == beam.lines);
  CHECK(arm.young == beam.young);
  CHECK(arm.clamped == beam.clamped);

  using Catch::Contains;
  auto missing = description;
  missing.lines[1] = "line 7";
  CHECK_THROWS_WITH(arm_from_mesh(mesh, missing), Contains("no vertex group \"line 7\"") && Contains("line 1"));
  auto unknown = description;
  unknown.young.erase("stiff");
  CHECK_THROWS_WITH(arm_from_mesh(mesh, unknown), Contains("no Young's modulus") && Contains("stiff"));

  // A second body that touches nothing: no path for a line to it.
  const Eigen::Index vertices = mesh.vertices.cols(), elements = mesh.elements.cols();
  mesh.vertices.conservativeResize(Eigen::NoChange, vertices + 4);
  mesh.vertices.rightCols<4>() << 1, 2, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1;
  mesh.elements.conservativeResize(Eigen::NoChange, elements + 1);
  for (int a = 0; a < 4; ++a) mesh.elements(a, elements) = static_cast<int>(vertices) + a;
  mesh.element_group.push_back(0);
  mesh.vertex_groups["line 3"] = {beam.lines[2].front(), static_cast<int>(vertices)};
  CHECK_THROWS_WITH(arm_from_mesh(mesh, description), Contains("line \"line 3\" runs through nothing"));
}
