// SPDX-License-Identifier: BSD-3-Clause
// Matrices passed to and from the compiled component, whatever processor this file is compiled for.
#include <quoin/robots/io/vtu.hpp>

#include <cstdio>
#include <sstream>
#include <vector>

int main() {
  quoin::SimplexMesh<2> mesh;
  mesh.vertices.resize(2, 3);
  mesh.vertices << 0, 1, 0, 0, 0, 1;
  mesh.elements.resize(3, 1);
  mesh.elements << 0, 1, 2;
  quoin::io::VtuFrame frame;
  frame.add_mesh(mesh);
  frame.add_polyline(Eigen::MatrixXd::Identity(3, 3).leftCols(2));
  frame.point_data("height", std::vector<double>{0, 0.5, 1, 0, 0});
  std::ostringstream out;
  frame.write(out);
  const bool ok = frame.point_count() == 5 && frame.cell_count() == 2 && out.str().find("height") != std::string::npos;
  if (!ok) std::printf("FAILED: a frame of a triangle and a line\n");
  return !ok;
}
