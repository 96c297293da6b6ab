// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/gmsh.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

#include <Eigen/LU>

#include <sstream>

using namespace quoin;
using namespace quoin::io;

namespace {

using Group = std::vector<int>;

template <int SpaceDim>
SimplexMesh<SpaceDim> parsed(const std::string& text) {
  std::istringstream in(text);
  return read_gmsh<SpaceDim>(in, "a.msh");
}

template <int SpaceDim>
std::string complaint(const std::string& text) {
  return message_of([&] { parsed<SpaceDim>(text); });
}

template <int SpaceDim>
double smallest_volume(const SimplexMesh<SpaceDim>& mesh) {
  double smallest = 1e300;
  for (Eigen::Index e = 0; e < mesh.elements.cols(); ++e) {
    Eigen::Matrix<double, SpaceDim, SpaceDim> edges;
    for (int k = 0; k < SpaceDim; ++k) {
      edges.col(k) = mesh.vertices.col(mesh.elements(k + 1, e)) - mesh.vertices.col(mesh.elements(0, e));
    }
    smallest = std::min(smallest, edges.determinant());
  }
  return smallest;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// A unit square of two triangles (one of them inverted) in two materials, rim and bottom as lines, a corner, and an
// unused node; node tags are neither dense nor ascending. Triangle 8 is in two groups, and so occurs twice.
const std::string square_22 = R"($Comments
made by hand
$EndComments
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
1 1 "rim"
1 2 "bottom"
2 7 "soft part"
2 3 "stiff"
$EndPhysicalNames
$Nodes
5
10 0 0 0.5
99 7 7 0.5
20 1 0 0.5
40 0 1 0.5
30 1 1 0.5
$EndNodes
$Elements
9
1 15 2 5 1 30
2 1 2 1 1 20 10
3 1 2 1 2 30 20
4 1 2 1 3 40 30
5 1 2 1 4 10 40
6 1 2 2 1 10 20
7 2 2 7 1 10 20 30
8 2 2 3 1 10 30 40
9 2 2 7 1 10 40 30
$EndElements
)";

const std::string tetrahedra_41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
0 4 "tip"
2 9 "clamped"
3 1 "arm"
$EndPhysicalNames
$Entities
1 1 1 2
5 0 0 1 1 4
3 0 0 0 1 1 1 1 6 2 5 -5
1 0 0 0 1 1 0 1 9 1 3
1 0 0 0 1 1 1 1 1 1 1
2 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 5 1 9
2 1 1 3
1
2
3
0 0 0 0.1 0.2
1 0 0 0.1 0.2
0 1 0 0.1 0.2
3 1 0 2
4
9
0 0 1
1 1 1
$EndNodes
$Elements
5 6 1 6
0 5 15 1
1 4
1 3 1 2
2 9 3
3 3 2
2 1 2 1
4 1 2 3
3 1 4 1
5 1 3 2 4
3 2 4 1
6 2 3 4 9
$EndElements
$Periodic
0
$EndPeriodic
)";

}  // namespace

TEST_CASE("format 2.2 is read with materials, oriented triangles, chains and dropped nodes") {
  const SimplexMesh<2> mesh = parsed<2>(square_22);
  REQUIRE(mesh.vertices.cols() == 4);
  REQUIRE(mesh.elements.cols() == 2);
  CHECK(mesh.vertices.col(1) == Eigen::Vector2d(1, 0));
  CHECK(mesh.vertices.col(2) == Eigen::Vector2d(0, 1));
  CHECK(mesh.vertices.col(3) == Eigen::Vector2d(1, 1));
  CHECK(smallest_volume(mesh) == 1);
  CHECK(mesh.element_group_names == std::vector<std::string>{"stiff", "soft part"});
  CHECK(mesh.element_group == Group{1, 0});
  CHECK(mesh.vertex_groups.at("rim") == Group{1, 0, 2, 3});
  CHECK(mesh.vertex_groups.at("bottom") == Group{0, 1});
  CHECK(mesh.vertex_groups.at("physical 0 5") == Group{3});
  CHECK(mesh.vertex_groups.at("stiff") == Group{0, 2, 3});
  CHECK(mesh.vertex_groups.at("soft part") == Group{0, 1, 2, 3});
}

TEST_CASE("format 4.1 is read with parametric nodes, entities' groups and elements outside of any group") {
  const SimplexMesh<3> mesh = parsed<3>(tetrahedra_41);
  REQUIRE(mesh.vertices.cols() == 5);
  REQUIRE(mesh.elements.cols() == 2);
  CHECK(mesh.vertices.col(2) == Eigen::Vector3d(0, 1, 0));
  CHECK(mesh.vertices.col(4) == Eigen::Vector3d(1, 1, 1));
  CHECK(smallest_volume(mesh) == 1);
  CHECK(mesh.element_group_names == std::vector<std::string>{"arm", "none"});
  CHECK(mesh.element_group == Group{0, 1});
  CHECK(mesh.vertex_groups.at("tip") == Group{3});
  CHECK(mesh.vertex_groups.at("clamped") == Group{0, 1, 2});
  CHECK(mesh.vertex_groups.at("physical 1 6") == Group{4, 2, 1});
}

TEST_CASE("a file with Windows line ends, no groups and no entities is read") {
  std::string text = replaced(square_22,
                              "$PhysicalNames\n4\n1 1 \"rim\"\n1 2 \"bottom\"\n2 7 \"soft part\"\n2 3 \"stiff\"\n"
                              "$EndPhysicalNames\n",
                              "");
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
    text.insert(at, 1, '\r');
  }
  const SimplexMesh<2> mesh = parsed<2>(text);
  CHECK(mesh.element_group_names == std::vector<std::string>{"physical 2 3", "physical 2 7"});
  CHECK(mesh.element_group == Group{1, 0});
}

TEST_CASE("lines that branch, or form two paths, are a sorted set") {
  const auto with_lines = [](const std::string& lines) {
    return replaced(square_22, "2 1 2 1 1 20 10\n3 1 2 1 2 30 20\n4 1 2 1 3 40 30\n5 1 2 1 4 10 40\n", lines);
  };
  // A star around node 30.
  CHECK(parsed<2>(with_lines("2 1 2 1 1 30 10\n3 1 2 1 2 30 20\n4 1 2 1 3 40 30\n5 1 2 2 1 10 20\n"))
            .vertex_groups.at("rim") == Group{0, 1, 2, 3});
  // Two separate lines.
  CHECK(parsed<2>(with_lines("2 1 2 1 1 30 40\n3 1 2 1 2 20 10\n4 1 2 2 1 10 20\n5 1 2 2 1 10 20\n"))
            .vertex_groups.at("rim") == Group{0, 1, 2, 3});
  // An open path, from the end that comes first in the file, with its pieces out of order.
  CHECK(parsed<2>(with_lines("2 1 2 1 1 30 20\n3 1 2 1 2 40 30\n4 1 2 1 1 20 10\n5 1 2 2 1 10 20\n"))
            .vertex_groups.at("rim") == Group{2, 3, 1, 0});
}

TEST_CASE("a name that stands for groups of two dimensions stays with the higher one") {
  const SimplexMesh<2> mesh = parsed<2>(replaced(square_22, "1 2 \"bottom\"", "1 2 \"stiff\""));
  CHECK(mesh.vertex_groups.at("stiff") == Group{0, 2, 3});
  CHECK(mesh.vertex_groups.at("stiff 1D") == Group{0, 1});
}

TEST_CASE("a file that is no readable Gmsh mesh is refused with line and remedy") {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"", "line 1: this is not a Gmsh mesh"},
      {"OFF\n3 1 0\n", "line 1: this is not a Gmsh mesh, which begins with $MeshFormat"},
      {"$NOD\n1\n", "format 1 is not read"},
      {replaced(square_22, "2.2 0 8", "2.2 1 8"), "line 5: the file is binary; save it as ASCII"},
      {replaced(square_22, "2.2 0 8", "4 0 8"), "line 5: format 4 is not read; save the mesh as 4.1 or 2.2"},
      {replaced(square_22, "2.2 0 8", "two 0 8"), "line 5: expected the version in $MeshFormat, found 'two'"},
      {replaced(square_22, "10 0 0 0.5", "10 0 nan 0.5"), "line 16: node 10 has the coordinate nan"},
      {replaced(square_22, "10 0 0 0.5", "10 0 -inf 0.5"), "line 16: node 10 has the coordinate -inf"},
      {replaced(square_22, "10 0 0 0.5", "10 0 0,1 0.5"), "line 16: expected a coordinate in $Nodes, found '0,1'"},
      {replaced(square_22, "99 7 7", "10 7 7"), "line 17: node 10 is given twice"},
      {replaced(square_22, "$Nodes\n5", "$Nodes\n6"), "line 21: expected a node in $Nodes, found '$EndNodes'"},
      {replaced(square_22, "$Nodes\n5", "$Nodes\n4"), "line 20: expected $EndNodes, found '30'"},
      {replaced(square_22, "$Nodes\n5", "$Nodes\n99999999999"), "which a file of this length cannot hold"},
      {replaced(square_22, "$Nodes\n5", "$Nodes\n-5"), "the number of nodes is -5"},
      {replaced(square_22, "10 20 30\n", "10 20 31\n"), "line 30: element 7 refers to node 31, which is not in $Nodes"},
      {replaced(square_22, "7 2 2 7 1", "7 77 2 7 1"), "line 30: element type 77 is not known"},
      {replaced(square_22, "10 20 30\n", "10 20 20\n"), "line 30: an element has no area"},
      {replaced(square_22, "30 1 1 0.5", "30 1 1 0.6"), "is not a mesh in the plane: z goes from 0.5 to 0.6"},
      {replaced(square_22, "2 7 \"soft part\"", "2 7 soft part"), "line 11: expected a name in quotes after the tag 7"},
      {replaced(square_22, "7 2 2 7 1 10 20 30", "7 3 2 7 1 10 20 30 40"), "line 30: the file has quadrangles"},
      {square_22.substr(0, square_22.find("8 2 2")), "the file ends within $Elements"},
      {square_22.substr(0, square_22.find("$Elements")), "the file ends without $Elements"},
      {square_22.substr(0, square_22.find("$Nodes")), "the file ends without $Nodes"},
      {replaced(square_22, "$Nodes", "$Notes"), "the file ends within $Notes; it is truncated"},
      {square_22 + "rubbish\n", "expected a section such as $Nodes, found 'rubbish'"},
      {replaced(square_22, "9\n1 15 2 5 1 30\n", "1\n1 15 2 5 1 30\n$EndElements\n$Skip\n") + "$EndSkip\n",
       "'a.msh' has no triangles, only points; mesh it with gmsh -2"},
      {tetrahedra_41, "the file has tetrahedra; read it as a mesh in space"},
      {replaced(tetrahedra_41, "$Entities", "$PartitionedEntities"), "the mesh is partitioned"},
      {replaced(tetrahedra_41, "2 5 1 9\n", "2 6 1 9\n"), "$Nodes announces 6 nodes and has 5"},
      {replaced(tetrahedra_41, "5 6 1 6\n", "5 7 1 7\n"), "$Elements announces 7 elements and has 6"},
  };
  for (const Case& wrong : cases) {
    const std::string message = complaint<2>(wrong.text);
    INFO(wrong.message << "\n" << message);
    CHECK(message.find("read_gmsh: 'a.msh'") == 0);
    CHECK(message.find(wrong.message) != std::string::npos);
  }
  CHECK(complaint<3>(square_22).find("has no tetrahedra, only lines, points, triangles; mesh it with gmsh -3") !=
        std::string::npos);
  CHECK(
      complaint<3>(replaced(tetrahedra_41, "1 1 1\n$EndNodes", "1 0 0\n$EndNodes")).find("an element has no volume") !=
      std::string::npos);
}

TEST_CASE("a mesh file cut anywhere is refused, and never crashes") {
  for (const std::string& whole : {square_22, tetrahedra_41}) {
    const std::size_t last = whole.find("$EndElements");
    for (std::size_t length = 0; length < last; ++length) {
      std::istringstream in(whole.substr(0, length));
      CHECK_THROWS_AS(read_gmsh<3>(in, "a.msh"), std::runtime_error);
    }
  }
}

TEST_CASE("a mesh file that is missing, or a folder, is refused by its name") {
  const ScratchFolder folder("gmsh_missing");
  CHECK(message_of([&] { read_gmsh<2>(folder / "none.msh"); }) ==
        "cannot read '" + (folder / "none.msh").string() + "': No such file or directory");
  CHECK(message_of([&] { read_gmsh<3>(folder.path()); }).find("Is a directory") != std::string::npos);
}
