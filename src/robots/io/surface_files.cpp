// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/surface_files.hpp"

#include "quoin/util/files.hpp"

#include "words.hpp"

#include <sstream>
#include <stdexcept>

namespace quoin::io {

SurfaceMesh read_surface(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) {
    c = detail::lower(c);
  }
  if (extension != ".obj" && extension != ".stl") {
    throw std::invalid_argument("read_surface: '" + file.string() + "' is neither .obj nor .stl");
  }
  std::istringstream in(read_file(file));
  return extension == ".obj" ? read_obj(in, file.string()) : read_stl(in, file.string());
}

}  // namespace quoin::io
