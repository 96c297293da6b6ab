// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "robots/models/topology/rod_chain.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <cmath>

namespace quoin::topology {
namespace {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

static_assert(PointKinematics<RodChain>);
static_assert(TaskMap<WritheMap<RodChain>>);
static_assert(TaskMap<InteractionMeshMap<RodChain>>);
static_assert(!TaskMap<RodChain>);

const VectorXd posture = (VectorXd(6) << 0.3, -0.4, 0.5, 0.2, -0.7, 0.4).finished();

template <class Map>
void check_derivative(const Map& map, const Matrix3Xd& environment) {
  VectorXd y, stepped, direction(6);
  direction << 1, -0.5, 0.7, 0.3, -1, 0.4;
  MatrixXd J;
  map.evaluate(posture, environment, y, J);
  REQUIRE(y.size() == map.output_size(environment));
  REQUIRE(J.rows() == y.size());
  REQUIRE(J.cols() == 6);
  map.evaluate(posture, environment, stepped);
  CHECK((stepped - y).norm() < 1e-14);
  const auto remainder = [&](double h) {
    map.evaluate(posture + h * direction, environment, stepped);
    return (stepped - y - h * J * direction).norm();
  };
  const double order = std::log10(remainder(1e-3) / remainder(1e-4));
  CHECK(order > 1.9);
  CHECK(order < 2.1);
}

TEST_CASE("writhe maps have exact Jacobians in every form", "[topology]") {
  for (const WritheForm form :
       {WritheForm::matrix, WritheForm::of_robot_segments, WritheForm::of_environment_segments, WritheForm::scalar})
    check_derivative(WritheMap<RodChain>({}, {.form = form}), pole());
}

TEST_CASE("interaction mesh maps have exact Jacobians", "[topology]") {
  check_derivative(InteractionMeshMap<RodChain>({}, InteractionMesh(7, 4, full_graph(7, 4))), pole());
}

TEST_CASE("the environment is an input: it may move and have other points from call to call", "[topology]") {
  const WritheMap<RodChain> map({}, {.form = WritheForm::scalar});
  VectorXd here, there;
  map.evaluate(posture, pole(), here);
  map.evaluate(posture, pole().colwise() + Vector3d(0, 0.3, 0), there);
  CHECK(std::abs(here[0] - there[0]) > 0.01);
  map.evaluate(posture, pole().leftCols(2), there);
  CHECK(there.size() == 1);
}

TEST_CASE("a mesh of another number of landmarks is refused", "[topology]") {
  CHECK_THROWS_WITH(InteractionMeshMap<RodChain>({}, InteractionMesh(5, 4, full_graph(5, 4))),
                    Catch::Contains("7 landmarks for a mesh of 5"));
}

}  // namespace
}  // namespace quoin::topology
