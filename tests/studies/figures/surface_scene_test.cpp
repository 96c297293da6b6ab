// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/surface_scene.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "testing/files.hpp"
#include "testing/xml.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

using namespace quoin;
using namespace studies::figures;

namespace {

const Eigen::Vector3d ex = Eigen::Vector3d::UnitX();
const Eigen::Vector3d ey = Eigen::Vector3d::UnitY();
const Eigen::Vector3d ez = Eigen::Vector3d::UnitZ();

SurfaceMesh ball(double radius, int n = 4) { return geodesic_ellipsoid(Eigen::Vector3d::Constant(radius), n); }

Eigen::VectorXd constant(const SurfaceMesh& mesh, double value) {
  return Eigen::VectorXd::Constant(mesh.vertices.cols(), value);
}

std::vector<XmlElement> drawn(const SurfaceScene& scene) {
  SvgDrawing drawing;
  drawing.panel().scene(scene);
  return parse_xml(drawing.to_svg());
}

/// The coloured paths, each with its triangles (x0 y0 x1 y1 x2 y2, in pixels).
struct Path {
  int red, green, blue;
  std::vector<std::array<double, 6>> triangles;
};

std::vector<Path> faces(const std::vector<XmlElement>& xml) {
  std::vector<Path> found;
  for (const XmlElement& element : xml) {
    if (element.name != "path" || element.attributes.size() != 2 || !element.attributes.contains("fill")) {
      continue;
    }
    const unsigned color = static_cast<unsigned>(std::stoul(element.attributes.at("fill").substr(1), nullptr, 16));
    Path path{static_cast<int>(color >> 16), static_cast<int>(color >> 8 & 0xff), static_cast<int>(color & 0xff), {}};
    const char* at = element.attributes.at("d").c_str();
    while (*at == 'M') {
      ++at;
      std::array<double, 6> p;
      for (std::size_t k = 0; k < 6; ++k) {
        at += *at == 'l';
        // Numbers such as .5 and -.5 may follow each other without blanks, but a number never has two points.
        char* end = nullptr;
        p[k] = std::strtod(at, &end);
        REQUIRE(end != at);
        at = end;
      }
      REQUIRE(*at == 'z');
      ++at;
      path.triangles.push_back({p[0], p[1], p[0] + p[2], p[1] + p[3], p[0] + p[2] + p[4], p[1] + p[3] + p[5]});
    }
    REQUIRE(*at == '\0');
    found.push_back(path);
  }
  return found;
}

/// The colour visible at a point: that of the last path that covers it.
const Path* seen_at(const std::vector<Path>& paths, double x, double y) {
  const Path* seen = nullptr;
  for (const Path& path : paths) {
    for (const auto& t : path.triangles) {
      const auto side = [&](std::size_t a, std::size_t b) {
        return (t[b] - t[a]) * (y - t[a + 1]) - (t[b + 1] - t[a + 1]) * (x - t[a]) > 0;
      };
      if (side(0, 2) == side(2, 4) && side(2, 4) == side(4, 0)) {
        seen = &path;
      }
    }
  }
  return seen;
}

/// Left, right, top and bottom of all faces.
std::array<double, 4> box_of(const std::vector<Path>& paths) {
  std::array<double, 4> box{1e9, -1e9, 1e9, -1e9};
  for (const Path& path : paths) {
    for (const auto& t : path.triangles) {
      for (std::size_t k = 0; k < 6; k += 2) {
        box = {std::min(box[0], t[k]), std::max(box[1], t[k]), std::min(box[2], t[k + 1]), std::max(box[3], t[k + 1])};
      }
    }
  }
  return box;
}

}  // namespace

TEST_CASE("the projection is orthographic: along an axis it drops that coordinate, and it keeps lengths across") {
  const Eigen::Matrix3Xd points{{0, 1, 2, -3}, {0, 5, -2, 0.5}, {1, 2, 3, 4}};
  CHECK(SurfaceScene({.from = 7 * ez, .up = ey}).project(points).isApprox(points.topRows<2>(), 1e-15));
  CHECK(SurfaceScene({.from = -ey, .up = ez}).project(points).isApprox(points(std::vector{0, 2}, Eigen::all), 1e-15));
  CHECK(SurfaceScene({.from = ex, .up = ey + 2 * ex}).project(ex).norm() < 1e-15);
  const SurfaceScene oblique({.from = {1, 2, 3}, .up = ez});
  const Eigen::Vector3d across = Eigen::Vector3d(3, 0, -1);
  CHECK(oblique.project(across).norm() == Approx(across.norm()));
  CHECK(oblique.project(Eigen::Vector3d(1, 2, 3)).norm() < 1e-14);
  CHECK(oblique.project(ez)(1, 0) > 0);
  CHECK(std::abs(oblique.project(ez)(0, 0)) < 1e-15);
}

TEST_CASE("the faces that are seen cover the silhouette of an ellipsoid once, without holes") {
  const SurfaceMesh mesh = geodesic_ellipsoid({2, 1, 0.5}, 12);
  SurfaceScene scene({.from = ez, .up = ey});
  scene.surface(mesh, Eigen::VectorXd(mesh.vertices.row(0).transpose()));
  // So large that the overlap of half a pixel by which each piece is grown hardly counts.
  SvgDrawing drawing({.panel_width = 4000, .panel_height = 2200});
  drawing.panel().scene(scene);
  const std::vector<Path> paths = faces(parse_xml(drawing.to_svg()));
  const auto [left, right, top, bottom] = box_of(paths);
  CHECK((right - left) / (bottom - top) == Approx(2).epsilon(0.01));
  const double a = (right - left) / 2;
  const double b = (bottom - top) / 2;
  int inside = 0;
  for (double u = -0.985; u < 1; u += 0.0618) {
    for (double v = -0.97; v < 1; v += 0.0718) {
      const bool seen = seen_at(paths, (left + right) / 2 + a * u, (top + bottom) / 2 + b * v) != nullptr;
      if (u * u + v * v < 0.95) {
        CHECK(seen);
        ++inside;
      } else if (u * u + v * v > 1.05) {
        CHECK_FALSE(seen);
      }
    }
  }
  CHECK(inside > 500);
  std::size_t pieces = 0;
  double area = 0;
  for (const Path& path : paths) {
    for (const auto& t : path.triangles) {
      area += std::abs((t[2] - t[0]) * (t[5] - t[1]) - (t[3] - t[1]) * (t[4] - t[0])) / 2;
      ++pieces;
    }
  }
  CHECK(area > 0.99 * std::numbers::pi * a * b);
  CHECK(area < 1.12 * std::numbers::pi * a * b);
  CHECK(pieces > 1440);
  CHECK(pieces <= 16000);
}

TEST_CASE("the nearer body hides the farther, whichever was added first") {
  const SurfaceMesh small = ball(0.4);
  const SurfaceMesh large = ball(1);
  for (const bool near_first : {true, false}) {
    SurfaceScene scene({.from = ez, .up = ey, .color_bar = false});
    for (const bool near : {near_first, !near_first}) {
      const SurfaceMesh& mesh = near ? small : large;
      const Eigen::Matrix3Xd moved = mesh.vertices.colwise() + (near ? 2.0 : 0.0) * ez;
      scene.surface(mesh, moved, constant(mesh, near ? 1 : -1));
    }
    const std::vector<Path> paths = faces(drawn(scene));
    const auto [left, right, top, bottom] = box_of(paths);
    const double x = (left + right) / 2;
    const double y = (top + bottom) / 2;
    const double radius = (right - left) / 2;
    for (const double part : {0.0, 0.1, 0.3, 0.37}) {
      REQUIRE(seen_at(paths, x + part * radius, y));
      CHECK(seen_at(paths, x + part * radius, y)->red > seen_at(paths, x + part * radius, y)->blue + 60);
    }
    for (const double part : {0.43, 0.6, 0.9}) {
      REQUIRE(seen_at(paths, x, y + part * radius));
      CHECK(seen_at(paths, x, y + part * radius)->blue > seen_at(paths, x, y + part * radius)->red + 60);
    }
  }
}

TEST_CASE("colours go from blue over white to red, symmetric about zero, and NaN is grey") {
  const SurfaceMesh mesh = ball(1);
  const auto middle_of = [&](double value) {
    SurfaceScene scene({.range = std::pair{-2.0, 2.0}});
    scene.surface(mesh, constant(mesh, value));
    const std::vector<Path> paths = faces(drawn(scene));
    const auto [left, right, top, bottom] = box_of(paths);
    const Path* seen = seen_at(paths, (left + right) / 2, (top + bottom) / 2);
    REQUIRE(seen);
    return *seen;
  };
  int last_red = -1;
  int last_blue = 256;
  for (const double value : {-2.0, -1.0, 0.0}) {
    const Path color = middle_of(value);
    CHECK(color.red > last_red);
    CHECK(color.blue >= color.red - 4);
    last_red = color.red;
  }
  for (const double value : {0.0, 1.0, 2.0}) {
    const Path color = middle_of(value);
    CHECK(color.blue < last_blue);
    CHECK(color.red >= color.blue - 4);
    last_blue = color.blue;
  }
  const Path white = middle_of(0);
  CHECK(std::min({white.red, white.green, white.blue}) > 210);
  CHECK(std::max({white.red, white.green, white.blue}) - std::min({white.red, white.green, white.blue}) < 6);
  CHECK(middle_of(5).red == middle_of(2).red);
  const Path grey = middle_of(std::nan(""));
  CHECK(grey.red < white.red - 20);
  CHECK(std::abs(grey.red - grey.blue) < 20);
}

TEST_CASE("the range of colours is the largest magnitude both ways, and the colour bar shows it with its words") {
  const SurfaceMesh mesh = ball(1);
  SurfaceScene scene({.color_label = "potential <m>"});
  CHECK(scene.range() == std::pair{-1.0, 1.0});
  Eigen::VectorXd field = Eigen::VectorXd::LinSpaced(mesh.vertices.cols(), -3, 1);
  field[7] = std::nan("");
  field[8] = std::numeric_limits<double>::infinity();
  scene.surface(mesh, field);
  CHECK(scene.range() == std::pair{-3.0, 3.0});
  const std::vector<XmlElement> xml = drawn(scene);
  CHECK(count_elements(xml, "linearGradient") == 1);
  CHECK(count_elements(xml, "stop") == 17);
  std::vector<std::string> labels;
  bool named = false;
  for (const XmlElement& element : xml) {
    if (element.name == "text" && element.attributes.at("text-anchor") == "start") {
      labels.push_back(element.text.substr(0, element.text.find('\n')));
    }
    named = named || element.text.starts_with("potential &lt;m&gt;");
  }
  CHECK(labels == std::vector<std::string>{"\u22122", "0", "2"});
  CHECK(named);
  SurfaceScene bare({.color_bar = false});
  bare.surface(mesh, field);
  CHECK(count_elements(drawn(bare), "linearGradient") == 0);
}

TEST_CASE("four bodies of 2880 triangles with the locus of their centre of mass take less than a megabyte") {
  const SurfaceMesh mesh = geodesic_ellipsoid({0.1, 0.02, 0.05}, 6);
  for (const double steepness : {0.0, 1.0, 300.0}) {
    SurfaceScene scene;
    for (int b = 0; b < 4; ++b) {
      const Eigen::Isometry3d pose = Eigen::Translation3d(-0.22 * b, 0, 0) * Eigen::AngleAxisd(0.3 * b, ez);
      const Eigen::Matrix3Xd moved = pose * mesh.vertices;
      scene.surface(mesh, moved, (steepness * moved.row(0)).array().sin());
    }
    Eigen::Matrix3Xd locus(3, 200);
    for (int i = 0; i < 200; ++i) {
      locus.col(i) = Eigen::Vector3d(-0.4 + 0.002 * i, 0.02 * std::sin(0.1 * i), 0);
    }
    SvgDrawing drawing({.panel_width = 900, .panel_height = 500});
    SvgPanel& panel = drawing.panel();
    panel.scene(scene);
    panel.line(scene.project(locus), {.color = "#123456", .label = "centre of mass"});
    const std::string svg = drawing.to_svg();
    const std::vector<XmlElement> xml = parse_xml(svg);
    CHECK(svg.size() < 1000000);
    CHECK(xml[xml.size() - 1].text.starts_with("centre of mass"));
    std::size_t locus_at = 0;
    std::size_t last_face = 0;
    for (std::size_t i = 0; i < xml.size(); ++i) {
      const auto stroke = xml[i].attributes.find("stroke");
      locus_at = locus_at == 0 && stroke != xml[i].attributes.end() && stroke->second == "#123456" ? i : locus_at;
      last_face = xml[i].name == "path" && xml[i].attributes.size() == 2 ? i : last_face;
    }
    CHECK(locus_at > last_face);
  }
}

TEST_CASE("uncut, a scene has one piece for each triangle that faces the viewer") {
  const SurfaceMesh mesh = ball(1, 6);
  SurfaceScene scene({.from = {0.3, 0.5, 0.8}, .most_pieces = 0});
  scene.surface(mesh, Eigen::VectorXd(mesh.vertices.row(0).transpose()));
  std::size_t pieces = 0;
  for (const Path& path : faces(drawn(scene))) {
    pieces += path.triangles.size();
  }
  // Half of 720, since each triangle has one opposite to it.
  CHECK(pieces == 360);
}

TEST_CASE("a line in the scene's projection runs through the vertices that it is made of") {
  const SurfaceMesh mesh = ball(1);
  SurfaceScene scene({.from = {1, -2, 0.5}, .color_bar = false});
  scene.surface(mesh, constant(mesh, 1));
  SvgDrawing drawing;
  SvgPanel& panel = drawing.panel();
  panel.scene(scene);
  panel.line(scene.project(mesh.vertices), {.color = "#123456"});
  const std::vector<XmlElement> xml = parse_xml(drawing.to_svg());
  const auto [left, right, top, bottom] = box_of(faces(xml));
  double low_x = 1e9, high_x = -1e9, low_y = 1e9, high_y = -1e9;
  for (const XmlElement& element : xml) {
    if (element.attributes.contains("stroke") && element.attributes.at("stroke") == "#123456") {
      const char* at = element.attributes.at("d").c_str();
      double x = 0, y = 0;
      int used = 0;
      while (std::sscanf(at, "%*1[ML]%lf,%lf%n", &x, &y, &used) == 2) {
        low_x = std::min(low_x, x), high_x = std::max(high_x, x);
        low_y = std::min(low_y, y), high_y = std::max(high_y, y);
        at += used;
      }
    }
  }
  CHECK(low_x == Approx(left).margin(0.9));
  CHECK(high_x == Approx(right).margin(0.9));
  CHECK(low_y == Approx(top).margin(0.9));
  CHECK(high_y == Approx(bottom).margin(0.9));
}

TEST_CASE("scenes of several frames animate, share one colour bar and must share its range") {
  const SurfaceMesh mesh = ball(1, 2);
  SvgDrawing drawing;
  SvgPanel& panel = drawing.panel();
  for (int k = 0; k < 3; ++k) {
    SurfaceScene scene({.range = std::pair{-1.0, 1.0}});
    scene.surface(mesh, mesh.vertices.colwise() + k * ex, constant(mesh, 0.3 * k));
    panel.scene(scene, k);
  }
  const std::vector<XmlElement> xml = parse_xml(drawing.to_svg());
  CHECK(count_elements(xml, "animate") == 3);
  CHECK(count_elements(xml, "linearGradient") == 1);
  CHECK(
      message_of([&] {
        panel.scene(SurfaceScene({.range = std::pair{0.0, 2.0}}), 3);
      }) ==
      "SvgPanel::scene: the colours go from 0 to 2, but those of the panel's first scene from -1 to 1; give all scenes "
      "of a panel the same range");
}

TEST_CASE("odd scenes give well-formed figures: nothing, points that are not finite, huge, flat and inside-out ones") {
  CHECK_NOTHROW(drawn(SurfaceScene()));
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300, 1e-310, 0.0}) {
    SurfaceMesh mesh = ball(1, 2);
    SurfaceScene scene;
    scene.surface(mesh, constant(mesh, value));
    Eigen::Matrix3Xd moved = mesh.vertices;
    moved(0, 3) = value;
    scene.surface(mesh, moved, constant(mesh, value));
    scene.surface(mesh, Eigen::Matrix3Xd::Zero(3, mesh.vertices.cols()), constant(mesh, value));
    mesh.triangles.row(0).swap(mesh.triangles.row(1));
    scene.surface(mesh, constant(mesh, value));
    SvgDrawing drawing;
    drawing.panel().scene(scene);
    const std::string svg = drawing.to_svg();
    CHECK_NOTHROW(parse_xml(svg));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("scenes that make no sense are refused with their numbers") {
  const SurfaceMesh mesh = ball(1, 1);
  SurfaceScene scene;
  CHECK(message_of([&] { scene.surface(mesh, {1, 2, 3}); }) == "SurfaceScene::surface: 3 values for 12 vertices");
  CHECK(message_of([&] {
          scene.surface(mesh, mesh.vertices.leftCols(4), {1, 2, 3, 4});
        }) == "SurfaceScene::surface: triangles name vertices 0 to 11, but there are 4 positions");
  CHECK_THROWS_AS(SurfaceScene({.from = ez, .up = -2 * ez}), std::invalid_argument);
  CHECK_THROWS_AS(SurfaceScene({.from = Eigen::Vector3d::Zero()}), std::invalid_argument);
  CHECK_THROWS_AS(SurfaceScene({.from = {std::nan(""), 0, 1}}), std::invalid_argument);
  CHECK(message_of([] {
          SurfaceScene({.range = std::pair{2.0, 2.0}});
        }) == "SurfaceScene: the range of colours goes from 2 to 2");
}
