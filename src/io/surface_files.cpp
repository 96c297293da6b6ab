// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/io/surface_files.hpp"

#include "file_access.hpp"

#include <cctype>
#include <stdexcept>

namespace quoin::io {

SurfaceMesh read_surface(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (extension != ".obj" && extension != ".stl") {
    throw std::invalid_argument("read_surface: '" + file.string() + "' is neither .obj nor .stl");
  }
  std::ifstream in = detail::open_for_reading(file);
  return extension == ".obj" ? read_obj(in, file.string()) : read_stl(in, file.string());
}

}  // namespace quoin::io
