// SPDX-License-Identifier: BSD-3-Clause
#include "testing/hostile_files.hpp"
#include "testing/files.hpp"
#include "testing/robots/meshes.hpp"

#include <catch2/catch.hpp>

#include <sstream>

TEST_CASE("mutilated meshes and surfaces are read or refused, in little memory") {
  const double before = peak_megabytes();
  survives_mutilation(hostile::gmsh_22, hostile::read_mesh<2>);
  survives_mutilation(hostile::gmsh_41, hostile::read_mesh<3>);
  survives_mutilation(hostile::obj, hostile::read_surface_text<quoin::io::read_obj>);
  survives_mutilation(hostile::stl, hostile::read_surface_text<quoin::io::read_stl>);
  survives_mutilation(hostile::binary_stl(), hostile::read_surface_text<quoin::io::read_stl>);
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
  CHECK(message_of([&] { hostile::read_mesh<2>(text.str()); }) ==
        "read_gmsh: 'hostile.msh', line 6: the entity 1 of dimension 0 is in 5000 physical groups, and at most 100 are "
        "read");
  CHECK(peak_megabytes() - before < 20);
}

TEST_CASE("counts and tags that no file can hold are refused with their numbers") {
  const auto refused = [](std::string text, const std::string& what, const std::string& by, const std::string& reason) {
    text.replace(text.find(what), what.size(), by);
    const std::string message = message_of([&] { hostile::read_mesh<2>(text); });
    CHECK_THAT(message, Catch::Contains(reason));
    CHECK_THROWS_AS(hostile::read_mesh<2>(text), std::runtime_error);
  };
  refused(hostile::gmsh_22, "$Nodes\n4", "$Nodes\n99999999999", "99999999999 in $Nodes, which a file of this length");
  refused(hostile::gmsh_22, "$Nodes\n4", "$Nodes\n-4", "-4 in $Nodes");
  refused(hostile::gmsh_22, "4 2 2 3 1", "4 2 2 -9223372036854775808 1", "-9223372036854775808 in $Elements");
  refused(hostile::gmsh_22, "4 2 2 3 1", "4 2 2 -2147483648 1", "-2147483648 in $Elements");
  refused(hostile::gmsh_22, "4 2 2 3 1", "4 2 9223372036854775807 3 1", "9223372036854775807 in $Elements");
  refused(hostile::gmsh_22, "1 7 \"wire\"", "-1 7 \"wire\"", "the dimension -1");
}
