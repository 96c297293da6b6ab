// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/topology/interaction_mesh_map.hpp"
#include "quoin/models/topology/writhe_map.hpp"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace quoin::topology {
namespace {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Rods of 0.3 m on joints in turn about z and y, stretched along x.
struct Chain {
  Index joints = 6;

  Index point_count() const { return joints + 1; }
  void evaluate(const VectorXd& q, Matrix3Xd& points) const {
    MatrixXd jacobian;
    evaluate(q, points, jacobian);
  }
  void evaluate(const VectorXd& q, Matrix3Xd& points, MatrixXd& jacobian) const {
    points.setZero(3, joints + 1);
    jacobian.setZero(3 * (joints + 1), joints);
    Eigen::Matrix3d turned = Eigen::Matrix3d::Identity();
    std::vector<Vector3d> axes;
    for (Index i = 0; i < joints; ++i) {
      const Vector3d axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
      axes.emplace_back(turned * axis);
      turned = turned * Eigen::AngleAxisd(q[i], axis).toRotationMatrix();
      points.col(i + 1) = points.col(i) + turned * Vector3d(0.3, 0, 0);
      for (Index j = 0; j <= i; ++j)
        jacobian.block<3, 1>(3 * (i + 1), j) =
            axes[static_cast<std::size_t>(j)].cross(points.col(i + 1) - points.col(j));
    }
  }
};

static_assert(PointKinematics<Chain>);
static_assert(TaskMap<WritheMap<Chain>>);
static_assert(TaskMap<InteractionMeshMap<Chain>>);
static_assert(!TaskMap<Chain>);

const VectorXd bent = (VectorXd(6) << 0.3, -0.4, 0.5, 0.2, -0.7, 0.4).finished();

Matrix3Xd pole() {
  Matrix3Xd points(3, 4);
  points << 0.5, 0.52, 0.55, 0.5, 0.2, 0.2, 0.25, 0.3, -1, -0.2, 0.3, 1;
  return points;
}

template <class Map>
void check_derivative(const Map& map, const Matrix3Xd& environment) {
  VectorXd y, stepped, direction(6);
  direction << 1, -0.5, 0.7, 0.3, -1, 0.4;
  MatrixXd J;
  map.evaluate(bent, environment, y, J);
  REQUIRE(y.size() == map.output_size(environment));
  REQUIRE(J.rows() == y.size());
  REQUIRE(J.cols() == 6);
  map.evaluate(bent, environment, stepped);
  CHECK((stepped - y).norm() < 1e-14);
  const auto remainder = [&](double h) {
    map.evaluate(bent + h * direction, environment, stepped);
    return (stepped - y - h * J * direction).norm();
  };
  const double order = std::log10(remainder(1e-3) / remainder(1e-4));
  CHECK(order > 1.9);
  CHECK(order < 2.1);
}

TEST_CASE("writhe maps have exact Jacobians in every form", "[topology]") {
  for (const WritheForm form :
       {WritheForm::matrix, WritheForm::of_robot_segments, WritheForm::of_environment_segments, WritheForm::scalar})
    check_derivative(WritheMap<Chain>({}, {.form = form}), pole());
}

TEST_CASE("interaction mesh maps have exact Jacobians", "[topology]") {
  check_derivative(InteractionMeshMap<Chain>({}, InteractionMesh(7, 4, full_graph(7, 4))), pole());
}

TEST_CASE("the environment is an input: it may move and have other points from call to call", "[topology]") {
  const WritheMap<Chain> map({}, {.form = WritheForm::scalar});
  VectorXd here, there;
  map.evaluate(bent, pole(), here);
  map.evaluate(bent, pole().colwise() + Vector3d(0, 0.3, 0), there);
  CHECK(std::abs(here[0] - there[0]) > 0.01);
  map.evaluate(bent, pole().leftCols(2), there);
  CHECK(there.size() == 1);
}

TEST_CASE("a mesh of another number of landmarks is refused", "[topology]") {
  CHECK_THROWS_WITH(InteractionMeshMap<Chain>({}, InteractionMesh(5, 4, full_graph(5, 4))),
                    Catch::Contains("7 landmarks for a mesh of 5"));
}

}  // namespace
}  // namespace quoin::topology
