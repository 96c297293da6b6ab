// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/surface_files.hpp"
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <sstream>

using namespace quoin;
using namespace quoin::io;

namespace {

SurfaceMesh obj(const std::string& text) {
  std::istringstream in(text);
  return read_obj(in, "a.obj");
}

SurfaceMesh stl(const std::string& text) {
  std::istringstream in(text);
  return read_stl(in, "a.stl");
}

std::string obj_complaint(const std::string& text) {
  return message_of([&] { obj(text); });
}

std::string stl_complaint(const std::string& text) {
  return message_of([&] { stl(text); });
}

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int k = 0; k < 4; ++k) {
    bytes += static_cast<char>(value >> 8 * k & 0xff);
  }
  return bytes;
}

std::string binary_stl(const SurfaceMesh& mesh, std::string header = "solid but binary") {
  header.resize(80, '\0');
  std::string bytes = header + little_endian(static_cast<std::uint32_t>(mesh.triangles.cols()));
  for (Eigen::Index t = 0; t < mesh.triangles.cols(); ++t) {
    bytes += std::string(12, '\0');
    for (int k = 0; k < 3; ++k) {
      for (const double coordinate : mesh.vertices.col(mesh.triangles(k, t))) {
        bytes += little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(coordinate)));
      }
    }
    bytes += std::string(2, '\0');
  }
  return bytes;
}

std::string ascii_stl(const SurfaceMesh& mesh) {
  std::ostringstream out;
  out.precision(17);
  out << "solid a facet by name\n";
  for (Eigen::Index t = 0; t < mesh.triangles.cols(); ++t) {
    out << "  facet normal 0 0 0\n    outer loop\n";
    for (int k = 0; k < 3; ++k) {
      out << "      vertex " << mesh.vertices.col(mesh.triangles(k, t)).transpose() << '\n';
    }
    out << "    endloop\n  endfacet\n";
  }
  out << "endsolid a facet by name\n";
  return out.str();
}

std::string replaced_everywhere(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

SurfaceMesh ellipsoid() { return geodesic_ellipsoid({0.1, 0.02, 0.05}, 3); }

const std::string tetrahedron = R"(# four vertices, one more that nothing uses
mtllib a.mtl
o tetrahedron
v 0 0 0
v 1 0 0
v 9 9 9
v 0 1 0
v 0 0 1
vt 0.5 0.5
vn 0 0 -1
g faces
usemtl red
s off
f 1 4 2
f 1/1 2/1 5/1
f 1//1 5//1 4//1
f -4/1/1 -2/1/1 -1/-1/-1 # the rest
)";

const std::string facet = R"(solid
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid)";

}  // namespace

TEST_CASE("an OBJ file gives its faces in every form of corner, unused vertices dropped") {
  for (const std::string& text :
       {tetrahedron, replaced_everywhere(tetrahedron, "\n", "\r\n"), tetrahedron.substr(0, tetrahedron.size() - 1),
        "\xef\xbb\xbf" + tetrahedron, replaced_everywhere(tetrahedron, "f 1 4 2", "f 1 \\\n 4\\\r\n2")}) {
    const SurfaceMesh mesh = obj(text);
    CHECK(mesh.vertices == Eigen::Matrix3Xd{{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
    CHECK(mesh.triangles == Eigen::Matrix3Xi{{0, 0, 0, 1}, {2, 1, 3, 2}, {1, 3, 2, 3}});
    CHECK_NOTHROW(require_closed_surface(mesh, "test"));
  }
}

TEST_CASE("polygons of an OBJ file are fans from their first corner, and a cube of quadrangles is closed") {
  const SurfaceMesh cube =
      obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8");
  CHECK(cube.triangles.cols() == 12);
  CHECK(cube.triangles.col(0) == Eigen::Vector3i(3, 2, 1));
  CHECK(cube.triangles.col(1) == Eigen::Vector3i(3, 1, 0));
  CHECK_NOTHROW(require_closed_surface(cube, "test"));
  CHECK(solid_moments(cube).volume == Approx(1));
  CHECK(obj("v 0 0 0 1\nv 1 0 0 1 0 0\nv 0 1 0\nv 0 1 1\nv 0 0 1\nf 1 2 3 4 5").triangles.cols() == 3);
  CHECK(obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").vertices.cols() == 3);
}

TEST_CASE("a malformed OBJ file is refused with its line and what stands there") {
  const std::string three = "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\n";
  CHECK(obj_complaint("") == "read_obj: 'a.obj' has no faces (f), and 0 vertices (v)");
  CHECK(obj_complaint("v 1 2 3\n") == "read_obj: 'a.obj' has no faces (f), and 1 vertices (v)");
  CHECK(obj_complaint("v 1 2\n") == "read_obj: 'a.obj', line 1: the vertex has fewer than three coordinates");
  CHECK(obj_complaint("#\n\nv 1 2 x3") == "read_obj: 'a.obj', line 3: expected a finite coordinate, found 'x3'");
  CHECK(obj_complaint("v 1 nan 3") == "read_obj: 'a.obj', line 1: expected a finite coordinate, found 'nan'");
  CHECK(obj_complaint(three + "f 1 2") ==
        "read_obj: 'a.obj', line 4: the face has 2 corners, and must have at least three");
  CHECK(obj_complaint(three + "# f\nf 1 2 4\n") == "read_obj: 'a.obj', line 5: vertex 4, but the file has 3");
  CHECK(obj_complaint(three + "f 1 2 0") ==
        "read_obj: 'a.obj', line 4: vertex 0: vertices count from 1, or from -1 backwards");
  CHECK(obj_complaint(three + "f -1 -2 -4") == "read_obj: 'a.obj', line 4: vertex -4, but there are only 3 so far");
  for (const std::string word : {"3.5", "x", "3/", "/3", "3/1/", "3//", "3/1/1/1", "3/x", "99999999999"}) {
    CHECK(obj_complaint(three + "f 1 2 " + word) ==
          "read_obj: 'a.obj', line 4: expected a corner such as 7, 7/1, 7//1 or 7/1/1, found '" + word + "'");
  }
}

TEST_CASE("an STL file of a closed surface is closed again, ASCII to the bit, binary to a float") {
  const SurfaceMesh mesh = ellipsoid();
  const std::string ascii = ascii_stl(mesh);
  for (const std::string& text : {ascii, replaced_everywhere(ascii, "\n", "\r\n"), ascii.substr(0, ascii.size() - 1),
                                  replaced_everywhere(replaced_everywhere(ascii, "facet", "FACET"), "vertex", "Vertex"),
                                  "\n " + ascii, "\xef\xbb\xbf" + ascii}) {
    const SurfaceMesh read = stl(text);
    CHECK_NOTHROW(require_closed_surface(read, "test"));
    CHECK(read.vertices.cols() == mesh.vertices.cols());
    CHECK(read.triangles.cols() == mesh.triangles.cols());
    CHECK(read.vertices(Eigen::all, read.triangles.reshaped()) == mesh.vertices(Eigen::all, mesh.triangles.reshaped()));
  }
  for (const std::string header : {"", "solid but binary", "solid facet normal 0 0 0\nouter loop\n"}) {
    const SurfaceMesh read = stl(binary_stl(mesh, header));
    CHECK_NOTHROW(require_closed_surface(read, "test"));
    CHECK(read.vertices.cols() == mesh.vertices.cols());
    CHECK(solid_moments(read).volume == Approx(solid_moments(mesh).volume).epsilon(1e-6));
  }
}

TEST_CASE("the bytes of a binary STL file are little-endian whatever the processor") {
  std::string bytes(80, ' ');
  bytes += std::string("\x01\x00\x00\x00", 4) + std::string(12, '\0');
  bytes += std::string(12, '\0');                                                // 0 0 0
  bytes += std::string("\x00\x00\x80\x3f\x00\x00\x00\x80\x00\x00\x00\x00", 12);  // 1 -0 0
  bytes += std::string("\x00\x00\x00\x00\x00\x00\x20\xc0\x00\x00\x00\x00", 12);  // 0 -2.5 0
  const SurfaceMesh mesh = stl(bytes + "ab");
  CHECK(mesh.vertices == Eigen::Matrix3Xd{{0, 1, 0}, {0, 0, -2.5}, {0, 0, 0}});
  CHECK(mesh.triangles == Eigen::Vector3i(0, 1, 2));
}

TEST_CASE("several solids of an STL file are one surface, and triangles that merging makes needles are dropped") {
  CHECK(stl(facet + "\n" + replaced_everywhere(facet, "1 0 0", "-1 0 0")).triangles.cols() == 2);
  CHECK(stl(facet + "\n" + facet).vertices.cols() == 3);
  const SurfaceMesh mesh = stl(facet + "\n" + replaced_everywhere(facet, "0 1 0", "1 -0 0"));
  CHECK(mesh.triangles.cols() == 1);
  CHECK(mesh.vertices.cols() == 3);
  CHECK(stl(replaced_everywhere(facet, "normal 0 0 1", "normal nan nan -nan")).triangles.cols() == 1);
}

TEST_CASE("a malformed STL file is refused with its line or byte and what stands there") {
  const std::string binary = binary_stl(ellipsoid());
  REQUIRE(binary.size() == 9084);
  CHECK(stl_complaint("") == "read_stl: 'a.stl' is empty");
  CHECK(stl_complaint("hello") ==
        "read_stl: 'a.stl' has 5 bytes; a binary file has at least 84, and an ASCII one begins with 'solid'");
  CHECK(stl_complaint(binary.substr(0, 9083)) ==
        "read_stl: 'a.stl' has 9083 bytes, but a binary file of 180 triangles, which bytes 80 to 83 announce, has "
        "9084; it is truncated or no STL file (an ASCII one begins with 'solid')");
  CHECK(stl_complaint(binary.substr(0, 83)).find("has 83 bytes; a binary file has at least 84") != std::string::npos);
  CHECK(stl_complaint(binary.substr(0, 84)).find("has 84 bytes, but") != std::string::npos);
  CHECK(stl_complaint(binary + "x").find("has 9085 bytes, but") != std::string::npos);
  std::string infinite = binary;
  infinite.replace(84 + 50 * 7 + 12 + 8, 4, little_endian(0x7f800000));
  CHECK(stl_complaint(infinite) == "read_stl: 'a.stl', triangle 7 of 180 (byte 454): a coordinate is inf");
  CHECK(stl_complaint(std::string(84, '\0')) == "read_stl: 'a.stl' has no triangles");

  CHECK(stl_complaint("solid\nendsolid\n") == "read_stl: 'a.stl' has no triangles");
  CHECK(stl_complaint(facet.substr(0, 60)).find("line 5: the file ends where a coordinate") != std::string::npos);
  CHECK(stl_complaint("solid").find(
            "line 1: the file ends where 'facet' or 'endsolid' should stand; it is truncated") != std::string::npos);
  CHECK(stl_complaint(replaced_everywhere(facet, "1 0 0", "1 O 0")) ==
        "read_stl: 'a.stl', line 5: expected a coordinate, found 'O'");
  CHECK(stl_complaint(replaced_everywhere(facet, "1 0 0", "1 0")) ==
        "read_stl: 'a.stl', line 6: expected a coordinate, found 'vertex'");
  CHECK(stl_complaint(replaced_everywhere(facet, "0 1 0", "0 1 0\nvertex 1 1 0")) ==
        "read_stl: 'a.stl', line 7: expected 'endloop', found 'vertex'");
  CHECK(stl_complaint(replaced_everywhere(facet, "1 0 0", "1 inf 0")) ==
        "read_stl: 'a.stl', line 5: a coordinate is inf");
  CHECK(stl_complaint(facet + "\nfacet").find("line 10: expected 'solid', found 'facet'") != std::string::npos);
}

TEST_CASE("the extension says how a surface is read, in upper or lower case") {
  const ScratchFolder folder("surfaces");
  write_all(folder / "a.OBJ", tetrahedron);
  write_all(folder / "b.Stl", binary_stl(ellipsoid()));
  CHECK(read_surface(folder / "a.OBJ").triangles.cols() == 4);
  CHECK(read_surface(folder / "b.Stl").triangles.cols() == 180);
  CHECK(message_of([] { read_surface("body.ply"); }) == "read_surface: 'body.ply' is neither .obj nor .stl");
  CHECK_THROWS_AS(read_surface("body"), std::invalid_argument);
  CHECK(message_of([&] { read_surface(folder / "none.obj"); }).find("No such file") != std::string::npos);
  write_all(folder / "c.stl", "");
  CHECK(message_of([&] { read_surface(folder / "c.stl"); }).find("c.stl' is empty") != std::string::npos);
}
