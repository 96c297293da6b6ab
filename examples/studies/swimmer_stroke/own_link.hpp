// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"

#include <filesystem>

namespace studies::stroke {

/// A swimmer of four equal links whose surface is in a file (OBJ or STL), scaled to the length of the standard link
/// along x, its centroid at the origin of its frame, with hinges along z on the x axis, half a gap beyond its ends.
///
/// Throws std::runtime_error or std::invalid_argument, naming the file, if it cannot be read, is not a closed surface,
/// is not symmetric about its horizontal mid-plane, or if the links would touch within the domain of the angles.
swimmer::Swimmer swimmer_of(const std::filesystem::path& file, double gap, const Setup& setup);

}  // namespace studies::stroke
