// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/gmsh.hpp"
#include "quoin/robots/io/surface_files.hpp"
#include "quoin/robots/io/vtu.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"
#include "testing/writing_laws.hpp"

#include <catch2/catch.hpp>

using namespace quoin::io;
using quoin::SimplexMesh;

namespace {

/// More than a thousand of every counted item, and numbers with decimals.
SimplexMesh<2> strip() {
  SimplexMesh<2> mesh;
  mesh.vertices.resize(2, 2503);
  mesh.elements.resize(3, 2501);
  for (int i = 0; i < 2503; ++i) mesh.vertices.col(i) << i / 8.0, i % 2 + 0.5;
  for (int i = 0; i < 2501; ++i) mesh.elements.col(i) << i, i + 1 + (i % 2 == 0), i + 2 - (i % 2 == 0);
  mesh.element_group.assign(2501, 0);
  mesh.element_group_names = {"all"};
  mesh.vertex_groups["ends"] = {0, 2502};
  return mesh;
}

std::string everything(const ScratchFolder& folder) {
  VtuFrame frame;
  frame.add_mesh(strip());
  frame.point_data("height", Eigen::VectorXd::LinSpaced(2503, 0.5, 1234.5));
  PvdWriter series(folder / "arm.pvd");
  series.add(1234.5, frame);

  std::string text = quoin::to_text(1234567.5) + quoin::to_text(1234567) + quoin::to_fixed(1234.5, 2);
  for (const char* name : {"arm.pvd", "arm/arm_0000.vtu"}) text += read_all(folder / name);
  return text;
}

}  // namespace

TEST_CASE("no file and no text for people depends on the locale") { does_not_depend_on_the_locale(everything); }

TEST_CASE("files are read alike under every locale") {
  const ScratchFolder folder("locale_read");
  write_all(folder / "triangle.msh",
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0.5 0 0\n2 1.25 0 0\n3 0 1e-3 0\n$EndNodes\n"
            "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n");
  write_all(folder / "a.obj", "v 0.5 0 0\nv 1.25 0 0\nv 0 1e-3 0\nf 1 2 3\n");
  write_all(folder / "a.stl",
            "SOLID a\nfacet normal 0 0 1\nouter loop\nvertex 0.5 0 0\nvertex 1.25 0 0\nvertex 0 1e-3 0\nendloop\n"
            "endfacet\nENDSOLID\n");
  const GermanNumbers german;
  for (const char* name : {"a.obj", "a.stl"}) {
    const quoin::SurfaceMesh surface = read_surface(folder / name);
    CHECK(surface.vertices.col(1) == Eigen::Vector3d(1.25, 0, 0));
    CHECK(surface.vertices(1, 2) == 1e-3);
  }
  CHECK(read_gmsh<2>(folder / "triangle.msh").vertices(0, 1) == 1.25);
}

TEST_CASE("a number is read as a whole or not at all") {
  double number = 7;
  for (const auto& [text, expected] : std::vector<std::pair<std::string, double>>{{"1.5", 1.5},
                                                                                  {"+1.5", 1.5},
                                                                                  {"-1e3", -1000},
                                                                                  {"0x1.8p+1", 3},
                                                                                  {"-0X1p-3", -0.125},
                                                                                  {"0", 0},
                                                                                  {"5e-324", 5e-324}}) {
    CAPTURE(text);
    REQUIRE(quoin::parse_number(text, number));
    CHECK(number == expected);
  }
  CHECK(quoin::parse_number("-0", number));
  CHECK(std::signbit(number));
  CHECK(quoin::parse_number("nan", number));
  CHECK(std::isnan(number));
  CHECK(quoin::parse_number("-inf", number));
  CHECK(number == -std::numeric_limits<double>::infinity());
  number = 7;
  for (const char* text : {"", "+", "-", "--1", "+-1", "1,5", "1.5 ", " 1", "0x", "0x-1", "1e999", "one", "1.5m"}) {
    CAPTURE(text);
    CHECK_FALSE(quoin::parse_number(text, number));
    CHECK(number == 7);
  }
  long integer = 7;
  CHECK(quoin::parse_number("-12", integer));
  CHECK(integer == -12);
  for (const char* text : {"", "1.5", "0x10", "99999999999999999999"}) CHECK_FALSE(quoin::parse_number(text, integer));
  CHECK(quoin::to_fixed(-0.001, 2) == "0.00");
  CHECK(quoin::to_fixed(2.5, 0) == "2");
  CHECK(quoin::to_fixed(std::nan(""), 2) == "nan");
  CHECK(quoin::to_fixed(-1e308, 3).size() == 1 + 309 + 1 + 3);
}
