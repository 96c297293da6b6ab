// SPDX-License-Identifier: BSD-3-Clause
// Trees of rigid bodies: from URDF or from links, their dynamics, and points on them.
#include "../bindings.hpp"
#include "../dynamics.hpp"
#include "../map.hpp"
#include "../matrices.hpp"
#include "../placements.hpp"
#include "../read_option.hpp"
#include "options.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/models/rigid_body/tree_dynamics.hpp"
#include "quoin/robots/models/rigid_body/tree_points.hpp"
#include "quoin/robots/models/rigid_body/urdf.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

using namespace rigid_body;
using namespace py::literals;

Link link_of(const py::dict& dict) {
  return {.name = dict["name"].cast<std::string>(),
          .parent = dict["parent"].cast<std::string>(),
          .joint = {.name = dict["joint"].cast<std::string>(),
                    .type = static_cast<JointType>(option<int>(dict, "type")),
                    .axis = vector_of(dict["axis"], 3, "axis"),
                    .lower = option<double>(dict, "lower"),
                    .upper = option<double>(dict, "upper"),
                    .velocity = option<double>(dict, "velocity"),
                    .effort = option<double>(dict, "effort"),
                    .damping = option<double>(dict, "damping"),
                    .friction = option<double>(dict, "friction")},
          .placement = placement_of(dict["placement"]),
          .inertia = {.mass = option<double>(dict, "mass"),
                      .centre = vector_of(dict["centre"], 3, "centre"),
                      .about_centre = matrix_from(dict["about_centre"], 3, 3, "about_centre")}};
}

RigidBodyTree tree_of(const std::vector<py::dict>& dicts) {
  std::vector<Link> links;
  for (const py::dict& dict : dicts) links.push_back(link_of(dict));
  return RigidBodyTree(links);
}

RigidBodyTree from_urdf([[maybe_unused]] const std::string& file) {
#ifdef QUOIN_HAS_URDF
  return RigidBodyTree(rigid_body::read_urdf(file));
#else
  throw std::runtime_error("read_urdf: quoin was built without urdfdom (Debian: liburdfdom-dev)");
#endif
}

py::list joints_of(const RigidBodyTree& tree) {
  py::list joints;
  for (int i = 0; i < tree.joints(); ++i) {
    const Joint& joint = tree.joint(i);
    joints.append(py::make_tuple(joint.name, tree.link_name(i), joint.type == JointType::prismatic,
                                 array_of(joint.axis), joint.lower, joint.upper, joint.velocity, joint.effort,
                                 joint.damping, joint.friction));
  }
  return joints;
}

/// Each call works on a copy, so that calls are safe from many threads.
class Bodies {
 public:
  Bodies(const RigidBodyTree& tree, const py::dict& options) : dynamics_(tree, tree_options_of(options)) {}

  Eigen::Index joints() const { return dynamics_.tree().joints(); }

  py::array_t<double> inverse_dynamics(py::handle q, py::handle qd, py::handle qdd) const {
    Asked at(*this, q, qd, qdd);
    Eigen::VectorXd tau(joints());
    at.dynamics.inverse_dynamics(at.q, at.qd, at.qdd, tau);
    return array_of(tau);
  }

  py::tuple inverse_dynamics_derivatives(py::handle q, py::handle qd, py::handle qdd) const {
    Asked at(*this, q, qd, qdd);
    InverseDynamicsDerivatives<double> d;
    at.dynamics.inverse_dynamics_derivatives(at.q, at.qd, at.qdd, d);
    return py::make_tuple(array_of(d.tau()), array_of_matrix(d.dtau_dq()), array_of_matrix(d.dtau_dqd()),
                          array_of_matrix(d.mass_matrix()));
  }

  py::array_t<double> regressor(py::handle q, py::handle qd, py::handle qdd) const {
    Asked at(*this, q, qd, qdd);
    Eigen::MatrixXd Y(joints(), 13 * joints());
    at.dynamics.regressor(at.q, at.qd, at.qdd, Y);
    return array_of_matrix(std::move(Y));
  }

  py::array_t<double> mass_matrix(py::handle q) const {
    Asked at(*this, q);
    Eigen::MatrixXd M(joints(), joints());
    at.dynamics.mass_matrix(at.q, M);
    return array_of_matrix(std::move(M));
  }

  py::array_t<double> gravity(py::handle q) const {
    Asked at(*this, q);
    Eigen::VectorXd tau(joints());
    at.dynamics.gravity(at.q, tau);
    return array_of(tau);
  }

  py::array_t<double> coriolis_matrix(py::handle q, py::handle qd) const {
    Asked at(*this, q, qd);
    Eigen::MatrixXd C(joints(), joints());
    at.dynamics.coriolis_matrix(at.q, at.qd, C);
    return array_of_matrix(std::move(C));
  }

  // None where the state is singular
  py::object forward_dynamics(py::handle q, py::handle qd, py::handle tau) const {
    Asked at(*this, q, qd, tau);
    Eigen::VectorXd qdd(joints());
    if (at.dynamics.forward_dynamics(at.q, at.qd, at.qdd, qdd) != ForwardStatus::ok) return py::none();
    return array_of(qdd);
  }

  py::array_t<double> pose(py::handle q, const std::string& link) const {
    Asked at(*this, q);
    return array_of_matrix(at.dynamics.pose(at.q, dynamics_.tree().frame(link)).matrix());
  }

  py::tuple energy(py::handle q, py::handle qd) const {
    Asked at(*this, q, qd);
    const Energy<double> energy = at.dynamics.energy(at.q, at.qd);
    return py::make_tuple(energy.kinetic, energy.potential);
  }

  std::shared_ptr<Rates> rates() const { return rates_from(TreeDynamics(dynamics_.tree(), dynamics_.options())); }

 private:
  struct Asked {
    rigid_body::NewtonEuler<> dynamics;
    Eigen::VectorXd q, qd, qdd;

    Asked(const Bodies& bodies, py::handle at, py::handle rate = {}, py::handle more = {})
        : dynamics(bodies.dynamics_), q(vector_of(at, bodies.joints(), "q")) {
      if (rate) qd = vector_of(rate, bodies.joints(), "qd");
      if (more) qdd = vector_of(more, bodies.joints(), "qdd or tau");
    }
  };

  rigid_body::NewtonEuler<> dynamics_;
};

TreePoints points_of(const RigidBodyTree& tree, const std::vector<std::string>& links, const py::object& places) {
  const Eigen::MatrixXd at = matrix_from(places, static_cast<Eigen::Index>(links.size()), 3, "places");
  std::vector<TreePoints::Point> points;
  for (std::size_t k = 0; k < links.size(); ++k)
    points.push_back({tree.frame(links[k]), at.row(static_cast<Eigen::Index>(k)).transpose()});
  return TreePoints(tree, points);
}

/// The points as a map, which keeps as many copies as have been asked at once: each has a workspace of its own.
class PointsMap final : public Map {
 public:
  PointsMap(TreePoints points, int joints) : points_(std::move(points)), joints_(joints) {}

  int dim() const override { return joints_; }
  Eigen::Index output_size() const override { return 3 * points_.point_count(); }
  Answer evaluate(const double* q, Eigen::VectorXd& y) const override {
    Eigen::Matrix3Xd places;
    with_copy([&](const TreePoints& points) { points.evaluate(at(q), places); });
    y = places.reshaped();
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const double* q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    Eigen::Matrix3Xd places;
    with_copy([&](const TreePoints& points) { points.evaluate(at(q), places, J); });
    y = places.reshaped();
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }
  Answer try_evaluate(const double* q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return evaluate(q, y, J);
  }
  std::optional<Fingerprint> fingerprint() const override { return points_.fingerprint(); }

 private:
  Eigen::VectorXd at(const double* q) const { return Eigen::Map<const Eigen::VectorXd>(q, joints_); }
  template <class Ask>
  void with_copy(const Ask& ask) const {
    std::unique_ptr<const TreePoints> copy;
    {
      const std::lock_guard lock(mutex_);
      if (!copies_.empty()) {
        copy = std::move(copies_.back());
        copies_.pop_back();
      }
    }
    if (!copy) copy = std::make_unique<const TreePoints>(points_);
    ask(*copy);
    const std::lock_guard lock(mutex_);
    copies_.push_back(std::move(copy));
  }

  TreePoints points_;
  int joints_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<const TreePoints>> copies_;
};

// (K, 3) and (3 K, n)
py::tuple places_of(const TreePoints& points, const py::object& q, Eigen::Index joints) {
  TreePoints own = points;
  Eigen::Matrix3Xd places;
  Eigen::MatrixXd J;
  own.evaluate(vector_of(q, joints, "q"), places, J);
  return py::make_tuple(array_of_points(places), array_of_matrix(std::move(J)));
}

}  // namespace

void bind_rigid_body(py::module_& m) {
  py::class_<RigidBodyTree>(m, "RigidBodyTree", "The tree under the class RigidBodyTree.")
      .def(py::init(&tree_of), py::arg("links"))
      .def("joints", &joints_of)
      .def("parameters", [](const RigidBodyTree& tree) { return array_of_points(tree.parameters()); })
      .def(
          "with_parameters",
          [](const RigidBodyTree& tree, const py::object& parameters) {
            return tree.with_parameters(points_from(parameters, 13, "parameters"));
          },
          py::arg("parameters"))
      .def("fingerprint", [](const RigidBodyTree& tree) { return tree.fingerprint().text(); });
  m.def("read_urdf", &from_urdf);
  py::class_<Bodies>(m, "TreeDynamics", "The dynamics under the class TreeDynamics.")
      .def(py::init<const RigidBodyTree&, const py::dict&>(), py::arg("tree"), py::arg("options"))
      .def("inverse_dynamics", &Bodies::inverse_dynamics, py::arg("q"), py::arg("qd"), py::arg("qdd"))
      .def("inverse_dynamics_derivatives", &Bodies::inverse_dynamics_derivatives, py::arg("q"), py::arg("qd"),
           py::arg("qdd"))
      .def("regressor", &Bodies::regressor, py::arg("q"), py::arg("qd"), py::arg("qdd"))
      .def("mass_matrix", &Bodies::mass_matrix, py::arg("q"))
      .def("gravity", &Bodies::gravity, py::arg("q"))
      .def("coriolis_matrix", &Bodies::coriolis_matrix, py::arg("q"), py::arg("qd"))
      .def("forward_dynamics", &Bodies::forward_dynamics, py::arg("q"), py::arg("qd"), py::arg("tau"))
      .def("pose", &Bodies::pose, py::arg("q"), py::arg("link"))
      .def("energy", &Bodies::energy, py::arg("q"), py::arg("qd"))
      .def("rates", &Bodies::rates);
  py::class_<TreePoints>(m, "TreePoints", "The points under the class TreePoints.")
      .def(py::init(&points_of), py::arg("tree"), py::arg("links"), py::arg("places"))
      .def("evaluate", &places_of, py::arg("q"), py::arg("joints"))
      .def(
          "map",
          [](const TreePoints& points, int joints) {
            return PyMap(std::make_shared<PointsMap>(points, joints), py::none());
          },
          py::arg("joints"));
}

}  // namespace quoin::python
