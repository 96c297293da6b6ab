// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"

#include <Eigen/Core>

#include <filesystem>
#include <string>
#include <vector>

namespace studies::grab {

/// Points in the plane of the arm that a picture shows.
struct Points {
  std::string kind = {}, name = {};  ///< name: the words of the legend, or which of its kind
  Eigen::Matrix2Xd at = {};          ///< x and z, m
  double time = 0;                   ///< s, of a motion
};

/// A JSON file with a row for each: kind, name, time, x, z.
void write_points(const std::filesystem::path& file, const std::vector<Points>& all);

}  // namespace studies::grab
