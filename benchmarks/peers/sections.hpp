// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"

namespace benchmarks {

// Each adds its tables and checks to the report; nothing where the library that it compares with is not installed.

/// MuJoCo: dynamics of an arm and of a humanoid.
void rigid_bodies_beside_mujoco(Report& report, bool quick);
/// FCL: distances of capsules and boxes.
void distances_beside_fcl(Report& report, bool quick);
/// Ceres and GSL: nonlinear least squares.
void least_squares_beside_ceres_and_gsl(Report& report, bool quick);
/// Ipopt: trajectories within bounds of the controls.
void trajectories_beside_ipopt(Report& report, bool quick);
/// GSL and Ceres: bicubic interpolants of functions of two variables.
void interpolants_beside_gsl_and_ceres(Report& report, bool quick);
/// ALGLIB: radial basis functions on scattered samples.
void scattered_samples_beside_alglib(Report& report, bool quick);

}  // namespace benchmarks
