// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/swim_frames.hpp"

#include <Eigen/Core>

#include <filesystem>
#include <vector>

namespace studies::stroke {

/// swim.pvd: a swim for ParaView, with potential and velocity on the swimmer and the locus of the centre of mass.
void write_frames(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
                  const figures::OutputFolder& out);

/// swim.svg: the swimmer from above at several instants, one below the other, coloured by the potential on its surface,
/// with the locus of its centre of mass (Jia, Pan, Manocha 2019, Fig. 5c).
void draw_swim(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
               const figures::OutputFolder& out);

/// swim_moving.svg: the same as an animation, in real time.
void draw_moving(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
                 const figures::OutputFolder& out);

/// A table: time, torques, angles, rates, pose of the head, centre of mass, a row for each state. The torques of a row
/// act in the step that follows, and are repeated in the last.
void write_swim(const Fish& fish, const Eigen::MatrixXd& torques, const Eigen::MatrixXd& states,
                const std::filesystem::path& file);

}  // namespace studies::stroke
