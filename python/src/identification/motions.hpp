// SPDX-License-Identifier: BSD-3-Clause
// Motions and estimates of robots, as Python hands them over.
#pragma once

#include "../matrices.hpp"
#include "quoin/robots/identification/robot_estimate.hpp"
#include "quoin/robots/identification/robot_motion.hpp"

#include <pybind11/pybind11.h>

#include <utility>

namespace quoin::python {

/// From (q, qd, qdd, tau), (T, n) each.
inline identification::RobotMotion motion_of(const py::tuple& arrays) {
  return {.q = points_from(arrays[0], -1, "q"),
          .qd = points_from(arrays[1], -1, "qd"),
          .qdd = points_from(arrays[2], -1, "qdd"),
          .tau = points_from(arrays[3], -1, "tau")};
}

inline py::tuple tuple_of(identification::RobotMotion motion) {
  return py::make_tuple(array_of_points(std::move(motion.q)), array_of_points(std::move(motion.qd)),
                        array_of_points(std::move(motion.qdd)), array_of_points(std::move(motion.tau)));
}

inline identification::InertiaFloor floor_of(const py::tuple& numbers) {
  return {.mass = numbers[0].cast<double>(), .moment = numbers[1].cast<double>()};
}

/// From (form, floor, theta (n, numbers), damping_root (n,) or None).
inline identification::RobotEstimate estimate_of(const py::tuple& fields) {
  const auto form = static_cast<identification::InertiaForm>(fields[0].cast<int>());
  return {.form = form,
          .floor = floor_of(fields[1]),
          .theta = points_from(fields[2], identification::parameter_count(form), "theta"),
          .damping_root = any_vector(fields[3], "damping_root")};
}

inline py::tuple tuple_of(const identification::RobotEstimate& estimate) {
  const py::object damping =
      estimate.damping_root.size() > 0 ? py::object(array_of(estimate.damping_root)) : py::none();
  return py::make_tuple(static_cast<int>(estimate.form), py::make_tuple(estimate.floor.mass, estimate.floor.moment),
                        array_of_points(estimate.theta), damping);
}

}  // namespace quoin::python
