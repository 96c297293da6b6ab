// SPDX-License-Identifier: BSD-3-Clause
// Maps of the arm at any number of segments: its points, its equilibria, the constraints of a pose.
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "arms.hpp"
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::python {
namespace {

using namespace fluidic_arm;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// lengths, dead_lengths, masses, stiffnesses in the rows.
MatrixXd numbers_of(const ArmDescription& description) {
  MatrixXd numbers(4, description.segments.size());
  Eigen::Index i = 0;
  for (const Segment& segment : description.segments)
    numbers.col(i++) << segment.length, segment.dead_length, segment.mass, segment.stiffness;
  return numbers;
}

/// A point of the neutral axis, or the ends of all segments: (x, z) of each.
class PointsOfArm final : public ModelMap {
 public:
  PointsOfArm(FluidicArm arm, int segment, double fraction)
      : ModelMap(arm.coordinates()), arm_(std::move(arm)), segment_(segment), fraction_(fraction) {}

  Eigen::Index output_size() const override { return segment_ < 0 ? 2 * arm_.coordinates() : 2; }
  std::optional<Fingerprint> fingerprint() const override {
    return Fingerprint("fluidic_arm: points")
        .add_rounded("lengths", numbers_of(arm_.description()).topRows(2))
        .add_rounded("base_angle", arm_.description().base_angle)
        .add("segment", segment_)
        .add("fraction", fraction_);
  }

 private:
  void answer(const VectorXd& q, VectorXd& y, MatrixXd& J) const override {
    Eigen::Matrix2Xd points;
    if (segment_ < 0) {
      arm_.end_points(q, points, J);
      y = points.reshaped();
    } else {
      Eigen::Vector2d p;
      arm_.point(q, segment_, fraction_, p, points);
      y = p;
      J = points;
    }
  }

  FluidicArm arm_;
  int segment_;
  double fraction_;
};

/// Where the arm comes to rest, downhill from one guess, by the torques.
class Equilibria final : public ModelMap {
 public:
  Equilibria(FluidicArm arm, VectorXd guess, const EquilibriumOptions& options)
      : ModelMap(arm.control_size()), arm_(std::move(arm)), guess_(std::move(guess)), options_(options) {
    if (arm_.control_size() < 1) throw std::invalid_argument("EquilibriumMap: an arm without actuators");
    const OptionsOf of{"EquilibriumMap"};
    of.not_negative("tolerance", options.tolerance);
    of.not_negative("max_iterations", options.max_iterations);
    if (!guess_.allFinite()) throw std::invalid_argument("EquilibriumMap: the guess is not finite");
  }

  Eigen::Index output_size() const override { return arm_.coordinates(); }
  std::optional<Fingerprint> fingerprint() const override {
    const ArmDescription& description = arm_.description();
    return Fingerprint("fluidic_arm: equilibria")
        .add_rounded("segments", numbers_of(description))
        .add("mass_model", description.mass_model)
        .add_rounded("gravity", description.gravity)
        .add_rounded("base_angle", description.base_angle)
        .add("passive_segments", description.passive_segments)
        .add_rounded("guess", guess_)
        .add("tolerance", options_.tolerance)
        .add("max_iterations", options_.max_iterations);
  }

 private:
  void answer(const VectorXd& torques, VectorXd& y, MatrixXd& J) const override {
    const Equilibrium rest = find_equilibrium(arm_, torques, guess_, options_);
    if (!rest.converged)
      throw std::runtime_error("EquilibriumMap: " + to_text(rest.residual) + " N m are left after " +
                               to_text(rest.iterations) + " iterations");
    VectorXd forces;
    MatrixXd stiffness;
    arm_.static_forces(rest.q, forces, stiffness);
    const Eigen::LLT<MatrixXd> factor(stiffness);
    if (factor.info() != Eigen::Success) throw std::runtime_error("EquilibriumMap: no stable equilibrium was found");
    y = rest.q;
    J = factor.solve(arm_.actuation());
  }

  FluidicArm arm_;
  VectorXd guess_;
  EquilibriumOptions options_;
};

/// The constraints of a pose at rest.
class PoseConstraints final : public ModelMap {
 public:
  explicit PoseConstraints(StaticPose pose) : ModelMap(pose.size()), pose_(std::move(pose)) {}

  Eigen::Index output_size() const override { return pose_.constraint_size(); }

 private:
  void answer(const VectorXd& z, VectorXd& c, MatrixXd& J) const override { pose_.constraints(z, c, J); }

  StaticPose pose_;
};

std::optional<Eigen::Vector3d> place_of(const py::dict& dict, const char* name) {
  if (dict[name].is_none()) return {};
  return Eigen::Vector3d(vector_of(dict[name], 3, name));
}

StaticPoseTask task_of(const py::dict& dict, Eigen::Index torques) {
  StaticPoseTask task{.goal = place_of(dict, "goal"),
                      .ball = place_of(dict, "ball"),
                      .clearance = option<double>(dict, "clearance"),
                      .points_per_segment = option<int>(dict, "points_per_segment"),
                      .max_torque = vector_of(dict["max_torque"], torques, "max_torque"),
                      .max_angle = option<double>(dict, "max_angle"),
                      .min_rotation = option<double>(dict, "min_rotation"),
                      .max_rotation = option<double>(dict, "max_rotation")};
  if (dict["brace"].is_none()) return task;
  const auto brace = dict["brace"].cast<py::dict>();
  task.brace = Brace{.segment = option<int>(brace, "segment"),
                     .distance = option<double>(brace, "distance"),
                     .arm_radius = option<double>(brace, "arm_radius"),
                     .friction = option<double>(brace, "friction"),
                     .min_normal_force = option<double>(brace, "min_normal_force"),
                     .max_normal_force = option<double>(brace, "max_normal_force"),
                     .max_tilt = option<double>(brace, "max_tilt"),
                     .max_offset = option<double>(brace, "max_offset")};
  return task;
}

}  // namespace

void bind_arm_maps(py::module_& m) {
  m.def("points_of_arm", [](const FluidicArm& arm, int segment, double fraction) {
    if (segment >= arm.coordinates() || !(fraction >= 0 && fraction <= 1))
      throw std::invalid_argument("point_map: at " + to_text(fraction) + " of segment " + to_text(segment) + " of " +
                                  to_text(arm.coordinates()));
    return PyMap(std::make_shared<PointsOfArm>(arm, segment, fraction), py::none());
  });
  m.def("equilibrium_map", [](const FluidicArm& arm, py::handle guess, double tolerance, int iterations) {
    return PyMap(std::make_shared<Equilibria>(arm, vector_of(guess, arm.coordinates(), "guess"),
                                              EquilibriumOptions{.tolerance = tolerance, .max_iterations = iterations}),
                 py::none());
  });
  py::class_<StaticPose>(m, "StaticPose", "The pose under the class StaticPose.")
      .def(py::init([](const FluidicArm& arm, const py::dict& task) {
             return StaticPose(arm, task_of(task, arm.control_size()));
           }),
           py::arg("arm"), py::arg("task"))
      .def("map", [](const StaticPose& pose) { return PyMap(std::make_shared<PoseConstraints>(pose), py::none()); })
      .def("bounds",
           [](const StaticPose& pose) {
             return py::make_tuple(array_of(pose.lower()), array_of(pose.upper()), array_of(pose.constraint_lower()),
                                   array_of(pose.constraint_upper()));
           })
      .def(
          "violation",
          [](const StaticPose& pose, py::handle z) { return pose.violation(vector_of(z, pose.size(), "z")); },
          py::arg("z"));
}

}  // namespace quoin::python
