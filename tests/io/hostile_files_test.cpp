// SPDX-License-Identifier: BSD-3-Clause
#include "support/hostile_files.hpp"
#include "files.hpp"
#include "quoin/io/gmsh.hpp"
#include "quoin/io/surface_files.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <sstream>

using namespace quoin::io;
using quoin::SimplexMesh;
using quoin::SurfaceMesh;

namespace {

const std::string format_22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 7 \"wire\"\n2 3 "
    "\"soft\"\n$EndPhysicalNames\n$Nodes\n4\n"
    "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n4\n1 1 2 7 1 1 2\n2 1 2 7 1 2 3\n3 2 2 3 1 1 2 3\n"
    "4 2 2 3 1 1 3 4\n$EndElements\n";

const std::string format_41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n0 1 \"clamped\"\n1 2 \"cable\"\n3 3 \"soft\"\n3 4 "
    "\"hard\"\n"
    "$EndPhysicalNames\n$Entities\n2 1 0 2\n1 0 0 0 1 1\n2 1 0 0 1 1\n1 0 0 0 1 1 1 1 2 0\n1 0 0 0 1 1 1 1 3 0\n"
    "2 0 0 0 1 1 1 1 4 0\n$EndEntities\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n"
    "$EndNodes\n$Elements\n5 6 1 6\n0 1 15 1\n1 1\n0 2 15 1\n2 2\n1 1 1 2\n3 5 4\n4 4 1\n3 1 4 1\n5 1 2 3 4\n3 2 4 1\n"
    "6 2 3 4 5\n$EndElements\n";

template <int SpaceDim>
void read_mesh(const std::string& text) {
  std::istringstream in(text);
  const SimplexMesh<SpaceDim> mesh = read_gmsh<SpaceDim>(in, "hostile.msh");
  if (mesh.elements.minCoeff() < 0 || mesh.elements.maxCoeff() >= mesh.vertices.cols() || !mesh.vertices.allFinite())
    FAIL_CHECK("a mesh that does not hold together was read from\n" << text);
}

template <SurfaceMesh (*read)(std::istream&, const std::string&)>
void read_surface_text(const std::string& text) {
  std::istringstream in(text);
  const SurfaceMesh mesh = read(in, "hostile");
  if (mesh.triangles.minCoeff() < 0 || mesh.triangles.maxCoeff() >= mesh.vertices.cols() || !mesh.vertices.allFinite())
    FAIL_CHECK("a surface that does not hold together was read from\n" << text);
}

std::string binary_stl() {
  std::string bytes(80, ' ');
  bytes += std::string("\2\0\0\0", 4);
  for (int t = 0; t < 2; ++t) {
    const float corners[12] = {0, 0, 1, 0, 0, 0, 1, 0.5F * static_cast<float>(t), 0, 0, 1, 1};
    bytes.append(reinterpret_cast<const char*>(corners), sizeof corners) += std::string(2, '\0');
  }
  return bytes;
}

}  // namespace

TEST_CASE("mutilated meshes and surfaces are read or refused, in little memory") {
  const double before = peak_megabytes();
  survives_mutilation(format_22, read_mesh<2>);
  survives_mutilation(format_41, read_mesh<3>);
  survives_mutilation("# a\nv 0 0 0\nv 1 0 0\nv 0 1 0 1.0\nvt 0 0\nvn 0 0 1\nf 1 2 3\nf -3/1/1 -2//1 \\\n 3/1\n",
                      read_surface_text<read_obj>);
  survives_mutilation(
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\nendfacet\n"
      "endsolid a\n",
      read_surface_text<read_stl>);
  survives_mutilation(binary_stl(), read_surface_text<read_stl>);
  CHECK(peak_megabytes() - before < 100);
}

TEST_CASE("a short mesh file makes no large one of it") {
  // 5000 groups for each of 5000 elements: 25 million pairs from 70 kB.
  std::ostringstream text;
  text << "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 0\n1 0 0 0 5000";
  for (int k = 1; k <= 5000; ++k) text << ' ' << k;
  text << "\n$EndEntities\n$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 5000 1 5000\n0 1 15 5000\n";
  for (int k = 1; k <= 5000; ++k) text << k << " 1\n";
  text << "$EndElements\n";
  const double before = peak_megabytes();
  CHECK(message_of([&] { read_mesh<2>(text.str()); }) ==
        "read_gmsh: 'hostile.msh', line 6: the entity 1 of dimension 0 is in 5000 physical groups, and at most 100 are "
        "read");
  CHECK(peak_megabytes() - before < 20);
}

TEST_CASE("counts and tags that no file can hold are refused with their numbers") {
  const auto refused = [](std::string text, const std::string& what, const std::string& by, const std::string& reason) {
    text.replace(text.find(what), what.size(), by);
    const std::string message = message_of([&] { read_mesh<2>(text); });
    CHECK_THAT(message, Catch::Contains(reason));
    CHECK_THROWS_AS(read_mesh<2>(text), std::runtime_error);
  };
  refused(format_22, "$Nodes\n4", "$Nodes\n99999999999", "99999999999 in $Nodes, which a file of this length");
  refused(format_22, "$Nodes\n4", "$Nodes\n-4", "-4 in $Nodes");
  refused(format_22, "4 2 2 3 1", "4 2 2 -9223372036854775808 1", "-9223372036854775808 in $Elements");
  refused(format_22, "4 2 2 3 1", "4 2 2 -2147483648 1", "-2147483648 in $Elements");
  refused(format_22, "4 2 2 3 1", "4 2 9223372036854775807 3 1", "9223372036854775807 in $Elements");
  refused(format_22, "1 7 \"wire\"", "-1 7 \"wire\"", "the dimension -1");
}
