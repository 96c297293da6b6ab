// SPDX-License-Identifier: BSD-3-Clause
// Dynamics as collocation sees them: explicit ones, inverse ones, and those whose controls are integrated.
#include "../dynamics.hpp"
#include "../gil.hpp"
#include "../held_function.hpp"
#include "../matrices.hpp"
#include "quoin/robots/planning/collocation/node_dynamics.hpp"
#include "quoin/robots/planning/control_rates.hpp"

#include <memory>
#include <utility>

namespace quoin::python {

void bind_node_dynamics(py::module_& module);

namespace {

using namespace planning;

/// A class of Python's as InverseDynamics. call(q, v, a, derivatives) answers (status, forces, dq, dv, da) or
/// (status, forces), checked by quoin.planning._node_dynamics; the status alone unless it is 0.
class CalledInverse {
 public:
  CalledInverse(py::object call, const py::object& hint, const py::object& actuation)
      : call_(std::move(call)), actuation_(matrix_from(actuation, -1, -1, "actuation")) {
    if (!hint.is_none()) hint_ = std::make_shared<HeldFunction>(hint);
  }

  Eigen::Index coordinates() const { return actuation_.rows(); }
  Eigen::MatrixXd actuation() const { return actuation_; }
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces) const {
    const WithGil gil;
    return ask(q, v, a, forces, false).first;
  }
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv,
                              Eigen::MatrixXd& da) const {
    const WithGil gil;
    const auto [status, answer] = ask(q, v, a, forces, true);
    if (status != StepStatus::ok) return status;
    read_matrix(answer[2], dq);
    read_matrix(answer[3], dv);
    read_matrix(answer[4], da);
    return status;
  }
  void hint(const Eigen::MatrixXd& states) const {
    if (!hint_) return;
    const WithGil gil;
    (*hint_)(array_of_points(states));
  }

 private:
  std::pair<StepStatus, py::tuple> ask(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                                       Eigen::VectorXd& forces, bool derivatives) const {
    auto answer = call_(array_of(q), array_of(v), array_of(a), derivatives).cast<py::tuple>();
    const auto status = static_cast<StepStatus>(answer[0].cast<int>());
    if (status == StepStatus::ok) read_vector(answer[1], forces);
    return {status, std::move(answer)};
  }

  HeldFunction call_;
  std::shared_ptr<HeldFunction> hint_;
  Eigen::MatrixXd actuation_;
};

/// In their inverse form, if they have one.
NodeDynamics of_rates(const std::shared_ptr<Rates>& rates) {
  if (const auto inverse = rates->inverse()) return node_dynamics(inverse);
  return node_dynamics(std::shared_ptr<const Rates>(rates));
}

}  // namespace

void bind_node_dynamics(py::module_& m) {
  py::class_<NodeDynamics>(m, "NodeDynamics", "The equation of one node of a collocation.")
      .def("state_size", [](const NodeDynamics& dynamics) { return dynamics.state_size; })
      .def("rate_size", [](const NodeDynamics& dynamics) { return dynamics.rate_size; })
      .def("control_size", [](const NodeDynamics& dynamics) { return dynamics.control_size; });
  m.def("node_dynamics", &of_rates, py::arg("rates"));
  m.def(
      "called_inverse",
      [](const py::object& call, const py::object& hint, const py::object& actuation) {
        return node_dynamics(CalledInverse(call, hint, actuation));
      },
      py::arg("call"), py::arg("hint"), py::arg("actuation"));
  m.def("with_control_rates", &with_control_rates, py::arg("dynamics"));
}

}  // namespace quoin::python
