// SPDX-License-Identifier: BSD-3-Clause
// Writhe and interaction meshes: of points that are given, and as maps over any map of points.
#include "../bindings.hpp"
#include "../gil.hpp"
#include "../map_of_dim.hpp"
#include "../matrices.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/segment_writhe.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

using namespace topology;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A robot's points that are known already: PointKinematics for the library's task maps.
struct PlacedPoints {
  Matrix3Xd points = {};
  MatrixXd moved = {};  ///< 3 K x n
  std::optional<Fingerprint> name = {};

  Eigen::Index point_count() const { return points.cols(); }
  void evaluate(const VectorXd&, Matrix3Xd& p) const { p = points; }
  void evaluate(const VectorXd&, Matrix3Xd& p, MatrixXd& J) const {
    p = points;
    J = moved;
  }
  Fingerprint fingerprint() const { return *name; }
};

/// A task map in a fixed environment, over a map whose outputs are a robot's points one after the other.
class TaskMapOver : public Map {
 public:
  TaskMapOver(const std::shared_ptr<Map>& robot, Matrix3Xd environment)
      : robot_(let_go_without_gil(robot)), environment_(std::move(environment)) {
    if (robot_->output_size() % 3 != 0)
      throw std::invalid_argument("robot: a map of " + to_text(robot_->output_size()) +
                                  " outputs, expected 3 for each point");
  }

  int dim() const override { return robot_->dim(); }
  Answer evaluate(const double* q, VectorXd& y) const override {
    VectorXd flat;
    const Answer answer = robot_->evaluate(q, flat);
    task({.points = flat.reshaped(3, flat.size() / 3)}, y, nullptr);
    return answer.without_error();
  }
  Answer evaluate(const double* q, VectorXd& y, MatrixXd& J) const override {
    VectorXd flat;
    MatrixXd moved;
    const Answer answer = robot_->evaluate(q, flat, moved);
    task({.points = flat.reshaped(3, flat.size() / 3), .moved = std::move(moved)}, y, &J);
    return answer.without_error();
  }
  Answer try_evaluate(const double* q, VectorXd& y, MatrixXd& J) const override {
    VectorXd flat;
    MatrixXd moved;
    const Answer answer = robot_->try_evaluate(q, flat, moved);
    if (answer.has_value()) task({.points = flat.reshaped(3, flat.size() / 3), .moved = std::move(moved)}, y, &J);
    return answer.without_error();
  }
  void hint(const Eigen::Ref<const MatrixXd>& Q) const override { robot_->hint(Q); }
  // That of quoin::task_map_in, so that stores are those of C++ too.
  std::optional<Fingerprint> fingerprint() const override {
    auto name = robot_->fingerprint();
    if (!name) return name;
    const Matrix3Xd nowhere = Matrix3Xd::Zero(3, points());
    return Fingerprint("task_map_in")
        .add("map", fingerprint_over({.points = nowhere, .name = std::move(name)}))
        .add_rounded("environment", environment_);
  }

 protected:
  virtual void task(PlacedPoints robot, VectorXd& y, MatrixXd* J) const = 0;
  virtual Fingerprint fingerprint_over(PlacedPoints robot) const = 0;
  Eigen::Index points() const { return robot_->output_size() / 3; }
  const Matrix3Xd& environment() const { return environment_; }

 private:
  std::shared_ptr<const Map> robot_;
  Matrix3Xd environment_;
};

class WritheOver final : public TaskMapOver {
 public:
  WritheOver(const std::shared_ptr<Map>& robot, Matrix3Xd environment, const WritheOptions& options)
      : TaskMapOver(robot, std::move(environment)), options_(options) {
    writhe_matrix(Matrix3Xd::Zero(3, points()), this->environment());  // refuses chains without a segment
  }
  Eigen::Index output_size() const override { return writhe_size(options_.form, points(), environment().cols()); }

 private:
  void task(PlacedPoints robot, VectorXd& y, MatrixXd* J) const override {
    const topology::WritheMap map(std::move(robot), options_);
    if (J == nullptr)
      map.evaluate({}, environment(), y);
    else
      map.evaluate({}, environment(), y, *J);
  }
  Fingerprint fingerprint_over(PlacedPoints robot) const override {
    return topology::WritheMap(std::move(robot), options_).fingerprint();
  }

  WritheOptions options_;
};

class MeshOver final : public TaskMapOver {
 public:
  MeshOver(const std::shared_ptr<Map>& robot, Matrix3Xd environment, InteractionMesh mesh)
      : TaskMapOver(robot, std::move(environment)), mesh_(std::move(mesh)) {
    VectorXd y;
    mesh_.evaluate(Matrix3Xd::Zero(3, points()), this->environment(), y);  // refuses other numbers of points
  }
  Eigen::Index output_size() const override { return mesh_.size(); }

 private:
  void task(PlacedPoints robot, VectorXd& y, MatrixXd* J) const override {
    if (J == nullptr)
      mesh_.evaluate(robot.points, environment(), y);
    else
      mesh_.evaluate(robot.points, environment(), robot.moved, y, *J);
  }
  Fingerprint fingerprint_over(PlacedPoints robot) const override {
    return InteractionMeshMap(std::move(robot), mesh_).fingerprint();
  }

  InteractionMesh mesh_;
};

Matrix3Xd points_of(py::handle array, const char* what) { return points_from(array, 3, what); }

WritheOptions options_of(int form, bool absolute, bool normalized) {
  return {.form = static_cast<WritheForm>(form), .absolute = absolute, .normalized = normalized};
}

// (M,) and (M, 4, 3)
py::tuple segments_writhe(py::handle a, py::handle b, py::handle c, py::handle d) {
  const Matrix3Xd A = points_of(a, "a"), B = points_of(b, "b"), C = points_of(c, "c"), D = points_of(d, "d");
  if (B.cols() != A.cols() || C.cols() != A.cols() || D.cols() != A.cols())
    throw std::invalid_argument("segment_writhe: " + to_text(A.cols()) + ", " + to_text(B.cols()) + ", " +
                                to_text(C.cols()) + " and " + to_text(D.cols()) + " ends of segments");
  VectorXd angles(A.cols());
  MatrixXd derivatives(12, A.cols());
  {
    const WithoutGil release;
    Eigen::Matrix<double, 3, 4> by_ends;
    for (Eigen::Index m = 0; m < A.cols(); ++m) {
      angles[m] = segment_writhe(A.col(m), B.col(m), C.col(m), D.col(m), by_ends);
      derivatives.col(m) = by_ends.reshaped();
    }
  }
  return py::make_tuple(array_of(angles), array_of_points(std::move(derivatives)));
}

py::array_t<double> matrix_of_writhe(py::handle robot, py::handle environment, bool absolute, bool normalized) {
  const Matrix3Xd one = points_of(robot, "robot"), other = points_of(environment, "environment");
  MatrixXd W;
  {
    const WithoutGil release;
    W = writhe_matrix(one, other, options_of(0, absolute, normalized));
  }
  return array_of_matrix(std::move(W));
}

// (N,) and (N, 3 K)
py::tuple form_of_writhe(py::handle robot, py::handle environment, int form, bool absolute, bool normalized) {
  const Matrix3Xd one = points_of(robot, "robot"), other = points_of(environment, "environment");
  VectorXd w;
  MatrixXd by_robot;
  {
    const WithoutGil release;
    writhe(one, other, options_of(form, absolute, normalized), w, &by_robot);
  }
  return py::make_tuple(array_of(w), array_of_matrix(std::move(by_robot)));
}

using EdgeTuple = std::tuple<Eigen::Index, Eigen::Index, double, double>;

std::vector<EdgeTuple> tuples_of(const std::vector<MeshEdge>& edges) {
  std::vector<EdgeTuple> tuples;
  for (const MeshEdge& edge : edges) tuples.emplace_back(edge.first, edge.second, edge.weight, edge.gap);
  return tuples;
}

InteractionMesh mesh_of(Eigen::Index robot, Eigen::Index environment, const std::vector<EdgeTuple>& tuples) {
  if (robot < 0 || environment < 0)
    throw std::invalid_argument("InteractionMesh: of " + to_text(robot) + " and " + to_text(environment) + " points");
  std::vector<MeshEdge> edges;
  for (const auto& [first, second, weight, gap] : tuples)
    edges.push_back({.first = first, .second = second, .weight = weight, .gap = gap});
  return {robot, environment, std::move(edges)};
}

// (3 (K + E),), and its derivative (3 (K + E), n) if that of the robot's points, (3 K, n), is given
py::object laplace(const InteractionMesh& mesh, py::handle robot, py::handle environment, const py::object& moved) {
  const Matrix3Xd one = points_of(robot, "robot"), other = points_of(environment, "environment");
  VectorXd y;
  if (moved.is_none()) {
    mesh.evaluate(one, other, y);
    return array_of(y);
  }
  MatrixXd J;
  mesh.evaluate(one, other, matrix_from(moved, 3 * mesh.robot_points(), -1, "moved"), y, J);
  return py::make_tuple(array_of(y), array_of_matrix(std::move(J)));
}

}  // namespace

void bind_topology(py::module_& m) {
  m.def("segment_writhe", &segments_writhe);
  m.def("writhe_matrix", &matrix_of_writhe);
  m.def("writhe", &form_of_writhe);
  m.def("full_graph", [](int robot, int environment) { return tuples_of(full_graph(robot, environment)); });
  m.def("nearest_graph", [](py::handle robot, py::handle environment, int nearest) {
    return tuples_of(nearest_graph(points_of(robot, "robot"), points_of(environment, "environment"), nearest));
  });
  py::class_<InteractionMesh>(m, "InteractionMesh", "The mesh under the class InteractionMesh.")
      .def(py::init(&mesh_of), py::arg("robot"), py::arg("environment"), py::arg("edges"))
      .def("evaluate", &laplace, py::arg("robot"), py::arg("environment"), py::arg("moved"));
  m.def("writhe_map", [](py::handle robot, py::handle environment, int form, bool absolute, bool normalized) {
    const PyMap& of = map_of(robot);
    return PyMap(std::make_shared<WritheOver>(of.map, points_of(environment, "environment"),
                                              options_of(form, absolute, normalized)),
                 of.source);
  });
  m.def("mesh_map", [](py::handle robot, py::handle environment, const InteractionMesh& mesh) {
    const PyMap& of = map_of(robot);
    return PyMap(std::make_shared<MeshOver>(of.map, points_of(environment, "environment"), mesh), of.source);
  });
}

}  // namespace quoin::python
