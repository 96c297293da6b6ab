// SPDX-License-Identifier: BSD-3-Clause
// Arm, actuators and cylinders: as dynamics, simulated, and as a machine to be measured.
#include "../dynamics.hpp"
#include "../gil.hpp"
#include "../held_function.hpp"
#include "../linear_system.hpp"
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "arms.hpp"
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "quoin/robots/models/fluidic_arm/driven_arm.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_plant.hpp"
#include "quoin/robots/models/fluidic_arm/volume_history.hpp"

#include <pybind11/stl.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

using namespace fluidic_arm;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<LinearSystem> cylinders_of(const py::handle& list) {
  std::vector<LinearSystem> cylinders;
  for (const py::handle item : list) cylinders.push_back(system_of(item.cast<py::tuple>()));
  return cylinders;
}

FluidicSystem fluidic_system_of(const py::dict& dict) {
  FluidicSystem system;
  system.arm = arm_description_of(dict["arm"].cast<py::dict>());
  system.cylinders = cylinders_of(dict["cylinders"]);
  system.delay = option<double>(dict, "delay");
  for (const py::handle item : dict["actuators"]) {
    const auto actuator = item.cast<std::pair<double, double>>();
    system.actuators.push_back({.cubic = actuator.first, .linear = actuator.second});
  }
  check(system);
  return system;
}

py::dict simulated(const py::dict& dict, py::handle initial_angles, py::handle inputs, double sample_time, double step,
                   bool with_jacobian) {
  const FluidicSystem system = fluidic_system_of(dict);
  const auto segments = static_cast<Eigen::Index>(system.arm.segments.size());
  const auto actuators = static_cast<Eigen::Index>(system.actuators.size());
  const VectorXd start = vector_of(initial_angles, segments, "initial_angles");
  const MatrixXd references = points_from(inputs, actuators, "inputs");
  ArmResponse response;
  {
    const WithoutGil release;
    response = simulate(system, start, references, sample_time, {.step = step, .with_jacobian = with_jacobian});
  }
  using namespace py::literals;
  return py::dict(
      "states"_a = array_of_points(std::move(response.states)), "ends"_a = array_of_points(std::move(response.ends)),
      "torques"_a = array_of_points(std::move(response.torques)),
      "jacobian"_a = array_of_matrix(std::move(response.jacobian)), "status"_a = static_cast<int>(response.status));
}

py::array_t<double> volumes_of(const DrivenArm& driven, py::handle x, bool torques) {
  const VectorXd state = vector_of(x, driven.state_size(), "x");
  return array_of(torques ? driven.torques(state) : driven.volumes(state));
}

PlantOptions plant_options_of(const py::dict& dict) {
  return {.sample_time = option<double>(dict, "sample_time"),
          .noise = option<double>(dict, "noise"),
          .initial_angle_noise = option<double>(dict, "initial_angle_noise"),
          .largest_reference = option<double>(dict, "largest_reference"),
          .step = option<double>(dict, "step"),
          .seed = option<unsigned>(dict, "seed")};
}

/// A plant with its noise: one run at a time.
class Machine {
 public:
  Machine(const py::dict& system, const py::dict& options)
      : plant_(fluidic_system_of(system), plant_options_of(options)) {}

  py::dict run(const py::object& controller, double duration) {
    const std::unique_lock alone(running_, std::try_to_lock);
    if (!alone) throw std::runtime_error("FluidicPlant: it is running already");
    const HeldFunction call(controller);
    Recording seen;
    MatrixXd tip;
    {
      const WithoutGil release;
      seen = plant_.run(
          [&](double time, const VectorXd& measured) {
            const WithGil gil;
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            VectorXd reference;
            read_vector(call(time, array_of(measured)), reference);
            return reference;
          },
          duration);
      tip = plant_.tip_states();
    }
    using namespace py::literals;
    return py::dict("times"_a = array_of(seen.times), "inputs"_a = array_of_points(std::move(seen.inputs)),
                    "outputs"_a = array_of_points(std::move(seen.outputs)), "status"_a = static_cast<int>(seen.status),
                    "true_states"_a = array_of_points(plant_.true_states()),
                    "true_torques"_a = array_of_points(plant_.true_torques()),
                    "tip"_a = array_of_points(std::move(tip)));
  }

 private:
  FluidicPlant plant_;
  std::mutex running_;
};

py::tuple volumes_at(const VolumeHistory& history, double time) {
  VectorXd volumes, rates;
  history.at(time, volumes, rates);
  return py::make_tuple(array_of(volumes), array_of(rates));
}

}  // namespace

void bind_fluidic_system(py::module_& m) {
  m.def("actuator_volume", [](double cubic, double linear, double torque) {
    return CubicActuator{.cubic = cubic, .linear = linear}.volume(torque);
  });
  m.def("parameter_names", [](const py::dict& system) { return SystemParameters(fluidic_system_of(system)).names(); });
  m.def("simulate_arm", &simulated);
  py::class_<DrivenArm>(m, "DrivenArm", "The arm under the class DrivenArm.")
      .def(py::init([](const py::dict& system) { return DrivenArm(fluidic_system_of(system)); }), py::arg("system"))
      .def(
          "volumes", [](const DrivenArm& driven, py::handle x) { return volumes_of(driven, x, false); }, py::arg("x"))
      .def(
          "torques", [](const DrivenArm& driven, py::handle x) { return volumes_of(driven, x, true); }, py::arg("x"))
      .def("rates", [](const DrivenArm& driven) { return rates_from(driven); });
  py::class_<Machine>(m, "FluidicPlant", "The machine under the class FluidicPlant.")
      .def(py::init<const py::dict&, const py::dict&>(), py::arg("system"), py::arg("options"))
      .def("run", &Machine::run, py::arg("controller"), py::arg("duration"));
  py::class_<VolumeHistory>(m, "VolumeHistory", "The history under the class VolumeHistory.")
      .def(py::init([](const py::list& cylinders, double sample_time) {
             return VolumeHistory(cylinders_of(cylinders), sample_time);
           }),
           py::arg("cylinders"), py::arg("sample_time"))
      .def(
          "advance", [](VolumeHistory& history, py::handle u) { history.advance(any_vector(u, "reference")); },
          py::arg("reference"))
      .def("time", &VolumeHistory::time)
      .def("at", &volumes_at, py::arg("time"));
}

}  // namespace quoin::python
