// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/vtu.hpp"
#include "testing/files.hpp"
#include "testing/xml.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <sstream>

using namespace quoin;
using namespace quoin::io;

namespace {

std::vector<unsigned char> decode_base64(const std::string& text) {
  static const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  REQUIRE(text.size() % 4 == 0);
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    unsigned group = 0;
    int padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      padding += c == '=';
      REQUIRE((c == '=' || alphabet.find(c) != std::string::npos));
      group = group << 6 | (c == '=' ? 0u : static_cast<unsigned>(alphabet.find(c)));
    }
    for (int k = 0; k < 3 - padding; ++k) {
      bytes.push_back(static_cast<unsigned char>(group >> (16 - 8 * k)));
    }
  }
  return bytes;
}

template <class T>
std::vector<T> values_of(const std::vector<XmlElement>& xml, const std::string& name) {
  for (const XmlElement& element : xml) {
    if (element.name == "DataArray" && element.attributes.at("Name") == name) {
      const std::vector<unsigned char> bytes = decode_base64(element.text.substr(0, element.text.find('\n')));
      std::uint64_t length = 0;
      std::memcpy(&length, bytes.data(), sizeof length);
      REQUIRE(length + sizeof length == bytes.size());
      std::vector<T> values(length / sizeof(T));
      if (length > 0) {
        std::memcpy(values.data(), bytes.data() + sizeof length, length);
      }
      return values;
    }
  }
  FAIL("no array " + name);
  return {};
}

SimplexMesh<3> one_tetrahedron() {
  SimplexMesh<3> mesh;
  mesh.vertices.resize(3, 4);
  mesh.vertices << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  mesh.elements = Eigen::Vector4i(0, 1, 2, 3);
  return mesh;
}

std::string written(const VtuFrame& frame, const VtuOptions& options = {}) {
  std::ostringstream out;
  frame.write(out, options);
  return out.str();
}

}  // namespace

TEST_CASE("a frame of meshes, lines and points is well-formed XML with all that was added") {
  VtuFrame frame;
  SimplexMesh<2> square;
  square.vertices.resize(2, 4);
  square.vertices << 0, 1, 1, 0, 0, 0, 1, 1;
  square.elements.resize(3, 2);
  square.elements << 0, 0, 1, 2, 2, 3;
  CHECK(frame.add_mesh(one_tetrahedron()) == 0);
  CHECK(frame.add_mesh(square) == 4);
  CHECK(frame.add_polyline(Eigen::MatrixXd::Ones(2, 3)) == 8);
  CHECK(frame.add_points(Eigen::MatrixXd::Zero(3, 2)) == 11);
  REQUIRE(frame.point_count() == 13);
  REQUIRE(frame.cell_count() == 6);
  frame.point_data("height <m> & \"more\"", Eigen::VectorXd::LinSpaced(13, 0, 12));
  frame.point_data("flow", Eigen::MatrixXd::Constant(2, 13, 0.5));
  frame.cell_data("material", {0, 1, 1, 2, 3, 3});

  const std::vector<XmlElement> xml = parse_xml(written(frame));
  CHECK(xml[0].attributes.at("type") == "UnstructuredGrid");
  CHECK(xml[0].attributes.at("header_type") == "UInt64");
  CHECK(xml[2].attributes.at("NumberOfPoints") == "13");
  CHECK(xml[2].attributes.at("NumberOfCells") == "6");
  CHECK(values_of<std::uint8_t>(xml, "types") == std::vector<std::uint8_t>{10, 5, 5, 4, 1, 1});
  CHECK(values_of<std::int32_t>(xml, "offsets") == std::vector<std::int32_t>{4, 7, 10, 13, 14, 15});
  CHECK(values_of<std::int32_t>(xml, "connectivity") ==
        std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10, 11, 12});
  const std::vector<float> points = values_of<float>(xml, "Points");
  REQUIRE(points.size() == 39);
  CHECK(points[3] == 1);
  CHECK(points[3 * 6 + 1] == 1);
  CHECK(points[3 * 6 + 2] == 0);
  CHECK(values_of<float>(xml, "height &lt;m&gt; &amp; &quot;more&quot;")[12] == 12);
  CHECK(values_of<float>(xml, "flow").size() == 39);
  CHECK(values_of<float>(xml, "flow")[2] == 0);
  CHECK(values_of<float>(xml, "material")[3] == 2);
}

TEST_CASE("double precision keeps all bits of positions and fields, NaN included") {
  VtuFrame frame;
  const Eigen::MatrixXd positions = one_tetrahedron().vertices * (1.0 / 3);
  frame.add_mesh(one_tetrahedron(), positions);
  frame.point_data("f", {0.1, 1.0 / 7, std::nan(""), -1e300});
  const std::vector<XmlElement> xml = parse_xml(written(frame, {.single_precision = false}));
  CHECK(values_of<double>(xml, "Points")[3] == 1.0 / 3);
  const std::vector<double> field = values_of<double>(xml, "f");
  CHECK(field[1] == 1.0 / 7);
  CHECK(std::isnan(field[2]));
  CHECK(field[3] == -1e300);
}

TEST_CASE("an empty frame is a well-formed file") {
  const std::vector<XmlElement> xml = parse_xml(written({}));
  CHECK(values_of<float>(xml, "Points").empty());
}

TEST_CASE("shapes that do not fit a frame are refused with their numbers") {
  VtuFrame frame;
  CHECK_THROWS_AS(frame.add_points(Eigen::MatrixXd::Zero(4, 2)), std::invalid_argument);
  CHECK_THROWS_AS(frame.add_polyline(Eigen::MatrixXd::Zero(3, 1)), std::invalid_argument);
  CHECK_THROWS_AS(frame.add_mesh(one_tetrahedron(), Eigen::MatrixXd::Zero(3, 3)), std::invalid_argument);
  CHECK_THROWS_AS(frame.add_simplices(Eigen::MatrixXd::Zero(3, 3), Eigen::MatrixXi::Zero(2, 1)), std::invalid_argument);
  CHECK(frame.point_count() == 0);
  frame.add_mesh(one_tetrahedron());
  frame.point_data("u", {1, 2, 3});
  CHECK(message_of([&] { written(frame); }) == "VtuFrame::write: field 'u' has 3 columns, but the frame has 4 points");
}

TEST_CASE("a time series is complete after every frame and names files that exist") {
  const ScratchFolder folder("pvd");
  VtuFrame frame;
  frame.add_mesh(one_tetrahedron());
  PvdWriter series(folder / "arm & leg.pvd");
  CHECK(count_elements(parse_xml(read_all(folder / "arm & leg.pvd")), "DataSet") == 0);
  for (int i = 0; i < 3; ++i) {
    const std::filesystem::path written_to = series.add(0.1 * i, frame);
    CHECK(parse_xml(read_all(written_to)).size() > 5);
    const std::vector<XmlElement> xml = parse_xml(read_all(folder / "arm & leg.pvd"));
    REQUIRE(count_elements(xml, "DataSet") == i + 1);
    CHECK(std::stod(xml.back().attributes.at("timestep")) == 0.1 * i);
    CHECK(xml.back().attributes.at("file") == "arm &amp; leg/arm &amp; leg_000" + std::to_string(i) + ".vtu");
  }
  CHECK(series.size() == 3);
  CHECK(std::filesystem::exists(folder / "arm & leg/arm & leg_0002.vtu"));
}

TEST_CASE("a time series refuses a wrong name and a place that is not a folder") {
  const ScratchFolder folder("pvd_wrong");
  CHECK_THROWS_AS(PvdWriter(folder / "arm.vtu"), std::invalid_argument);
  write_all(folder / "file", "x");
  CHECK_THROWS_AS(PvdWriter(folder / "file/arm.pvd"), std::runtime_error);
  VtuFrame frame;
  CHECK_THROWS_AS(frame.write(folder / "file/arm.vtu"), std::runtime_error);
}

TEST_CASE("surfaces in space stand in a frame with scalar and vector fields, at their own or at other positions") {
  const SurfaceMesh body{Eigen::Matrix3Xd{{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
                         Eigen::Matrix3Xi{{0, 0, 0, 1}, {2, 1, 3, 2}, {1, 3, 2, 3}}};
  VtuFrame frame;
  CHECK(frame.add_mesh(body) == 0);
  CHECK(frame.add_mesh(body, body.vertices.array() + 2) == 4);
  frame.point_data("potential", Eigen::VectorXd::LinSpaced(8, 0, 7));
  frame.point_data("velocity", Eigen::MatrixXd::Constant(3, 8, 0.5));
  const std::vector<XmlElement> xml = parse_xml(written(frame));
  CHECK(values_of<std::uint8_t>(xml, "types") == std::vector<std::uint8_t>(8, 5));
  const std::vector<std::int32_t> corners = values_of<std::int32_t>(xml, "connectivity");
  CHECK(std::vector<std::int32_t>(corners.begin() + 12, corners.begin() + 15) == std::vector<std::int32_t>{4, 6, 5});
  CHECK(values_of<float>(xml, "Points")[3 * 5] == 3);
  CHECK(values_of<float>(xml, "potential")[7] == 7);
  CHECK(values_of<float>(xml, "velocity").size() == 24);
  CHECK_THROWS_AS(frame.add_mesh(body, Eigen::MatrixXd::Zero(3, 3)), std::invalid_argument);
}
