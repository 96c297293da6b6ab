// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_drawing.hpp"
#include "examples/studies/figures/svg_view.hpp"
#include "testing/files.hpp"
#include "testing/xml.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace studies::figures;

namespace {

std::vector<XmlElement> drawn(const SvgDrawing& drawing) { return parse_xml(drawing.to_svg()); }

/// What a line through x and y looks like.
Eigen::Matrix2Xd points(std::initializer_list<double> x, std::initializer_list<double> y) {
  Eigen::Matrix2Xd both(2, static_cast<Eigen::Index>(x.size()));
  std::ranges::copy(x, both.row(0).begin());
  std::ranges::copy(y, both.row(1).begin());
  return both;
}

/// The texts of this size.
std::vector<std::string> texts(const std::vector<XmlElement>& xml, const std::string& size) {
  std::vector<std::string> found;
  for (const XmlElement& element : xml)
    if (element.name == "text" && element.attributes.at("font-size") == size)
      found.push_back(element.text.substr(0, element.text.find_last_not_of('\n') + 1));
  return found;
}

/// The first path drawn in this colour.
std::string path_of(const std::vector<XmlElement>& xml, const std::string& color) {
  for (const XmlElement& element : xml)
    if (element.name == "path" && element.attributes.contains("stroke") && element.attributes.at("stroke") == color)
      return element.attributes.at("d");
  return "";
}

std::vector<std::string> labels(double low, double high, double length = 240) {
  std::vector<std::string> found;
  for (const detail::Tick& tick : detail::ticks(low, high, length, 42)) found.push_back(tick.label);
  return found;
}

}  // namespace

TEST_CASE("a figure of everything is well-formed, has a white ground and all labels escaped") {
  SvgDrawing drawing({.title = "a < b & c", .columns = 2});
  SvgPanel& first = drawing.panel({.title = "\"one\""});
  first.line(points({0, 1, 2}, {1, 3, 2}), {.label = "<exact>", .marker = Marker::circle});
  first.markers(points({0, 1}, {1, 2}), {.label = "points"});
  first.polygon(points({0, 1, 0}, {0, 0, 1}), {.label = "area"});
  first.triangles(points({0, 1, 0, 1}, {0, 0, 1, 1}), Eigen::Matrix3Xi{{0, 1}, {1, 3}, {2, 2}});
  first.text(1, 1, "a & b");
  drawing.panel().markers(points({1, 2}, {3, 4}), {.marker = Marker::cross});
  drawing.panel();
  const std::vector<XmlElement> xml = drawn(drawing);
  CHECK(xml[0].name == "svg");
  CHECK(xml[0].attributes.at("width") == "920");
  CHECK(xml[0].attributes.at("height") == "742");  // title, two rows of panels, a line of the legend
  CHECK(xml[2].attributes.at("fill") == "#ffffff");
  CHECK(count_elements(xml, "clipPath") == 3);
  CHECK(texts(xml, "12") == std::vector<std::string>{"a &amp; b", "&lt;exact&gt;", "points", "area"});
  CHECK(texts(xml, "13.5") == std::vector<std::string>{"&quot;one&quot;"});
}

TEST_CASE("ticks are round numbers within the range, at least three, in few letters") {
  CHECK(labels(-6, 6) == std::vector<std::string>{"\u22125", "0", "5"});
  CHECK(labels(0, 1) == std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(-37, 411) == std::vector<std::string>{"0", "100", "200", "300", "400"});
  CHECK(labels(-2e-7, 2e-7) == std::vector<std::string>{"\u22122e-7", "\u22121e-7", "0", "1e-7", "2e-7"});
  CHECK(labels(-1e300, 1e300).size() >= 3);
  CHECK(labels(1e15, 1e15 + 1).size() <= 12);
  for (const double high : {1.1, 1.7, 2.3, 3.9, 5.2, 6.6, 8.8}) CHECK(labels(-0.3, high, 126).size() >= 3);
}

TEST_CASE("points map linearly to pixels, y upwards, and points that are not finite interrupt the line") {
  SvgDrawing drawing;
  const double nan = std::nan("");
  drawing.panel().line(points({0, 1, 2, nan, 4, 5}, {0, 1, 2, 3, 4, 5}), {.color = "#123456"});
  const std::string path = path_of(drawn(drawing), "#123456");
  CHECK(std::count(path.begin(), path.end(), 'M') == 2);
  CHECK(std::count(path.begin(), path.end(), 'L') == 3);
  double x[3], y[3];
  REQUIRE(std::sscanf(path.c_str(), "M%lf,%lfL%lf,%lfL%lf,%lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]) == 6);
  CHECK(x[1] - x[0] == Approx(x[2] - x[1]).margin(0.02));
  CHECK(x[1] - x[0] == Approx(y[0] - y[1]).margin(0.02));
  CHECK(x[1] > x[0]);
}

TEST_CASE("a circle is round in any panel, and a range that is asked for fills it") {
  for (const double width : {300.0, 900.0}) {
    SvgDrawing drawing({.panel_width = width, .panel_height = 300});
    SvgPanel& panel = drawing.panel({.x_range = std::pair{-1.0, 1.0}});
    panel.line(points({-1, 1}, {0, 0}), {.color = "#111111"});
    panel.line(points({0, 0}, {-0.1, 0.1}), {.color = "#222222"});
    const std::vector<XmlElement> xml = drawn(drawing);
    double a[4], b[4];
    REQUIRE(std::sscanf(path_of(xml, "#111111").c_str(), "M%lf,%lfL%lf,%lf", a, a + 1, a + 2, a + 3) == 4);
    REQUIRE(std::sscanf(path_of(xml, "#222222").c_str(), "M%lf,%lfL%lf,%lf", b, b + 1, b + 2, b + 3) == 4);
    CHECK(a[2] - a[0] == Approx(10 * (b[1] - b[3])).margin(0.2));
    CHECK(a[2] - a[0] == Approx(width - 34).margin(0.05));
  }
}

TEST_CASE("markers beyond the panel are left out, and those on its edge are whole") {
  SvgDrawing drawing;
  drawing.panel({.x_range = std::pair{0.0, 1.0}, .y_range = std::pair{0.0, 1.0}})
      .markers(points({0.5, 0.5, 5}, {0, 0.5, 5}), {.color = "#123456", .marker = Marker::cross});
  const std::string path = path_of(drawn(drawing), "#123456");
  CHECK(std::count(path.begin(), path.end(), 'M') == 4);  // two crosses
}

TEST_CASE("an animated figure shows its frames one after another and one of them where nothing moves") {
  SvgDrawing drawing({.frame_seconds = 0.25, .still_frame = 1});
  SvgPanel& panel = drawing.panel();
  for (int k = 0; k < 4; ++k) panel.line(points({0, 1}, {0, 1.0 + k}), {.frame = k});
  const std::vector<XmlElement> xml = drawn(drawing);
  std::vector<std::string> shown;
  std::vector<std::string> times;
  for (const XmlElement& element : xml) {
    if (element.name == "g") {
      shown.push_back(element.attributes.at("visibility"));
    } else if (element.name == "animate") {
      CHECK(element.attributes.at("dur") == "1s");
      CHECK(element.attributes.at("calcMode") == "discrete");
      times.push_back(element.attributes.at("keyTimes") + " " + element.attributes.at("values"));
    }
  }
  CHECK(shown == std::vector<std::string>{"hidden", "visible", "hidden", "hidden"});
  CHECK(times == std::vector<std::string>{"0;0.250000 visible;hidden", "0;0.250000;0.500000 hidden;visible;hidden",
                                          "0;0.500000;0.750000 hidden;visible;hidden", "0;0.750000 hidden;visible"});
}

TEST_CASE("the legend names each label of all panels once, below them, within the figure") {
  SvgDrawing drawing;
  for (int i = 0; i < 2; ++i) {
    SvgPanel& panel = drawing.panel();
    for (int k = 0; k < 3; ++k) panel.polygon(points({0, 1, 0}, {0, 0, 1.0 + k}), {.label = "cells"});
    for (int k = 0; k < 12; ++k)
      panel.line(points({0, 1}, {0, 1}), {.label = "a line with the number " + std::to_string(k)});
  }
  const std::vector<XmlElement> xml = drawn(drawing);
  CHECK(texts(xml, "12").size() == 13);
  const double width = std::stod(xml[0].attributes.at("width")), height = std::stod(xml[0].attributes.at("height"));
  double lines = 0, last = 0;
  for (const XmlElement& element : xml) {
    if (element.name != "text") continue;
    const double x = std::stod(element.attributes.at("x")), y = std::stod(element.attributes.at("y"));
    CHECK(y > 340);
    CHECK(y < height);
    CHECK(x > 0);
    CHECK(x + detail::text_width(element.text.substr(0, element.text.find('\n')), 12) < width);
    lines += y > last;
    last = y;
  }
  CHECK(lines == 4);
  CHECK(height == 340 + 4 * 18 + 10);
}

TEST_CASE("odd data give well-formed figures: nothing, one point, constants, only NaN, huge") {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& values : std::vector<std::initializer_list<double>>{
           {}, {3}, {3, 3, 3}, {nan, nan}, {1e300, -1e300}, {infinity, 1, 2}, {1e-310, 2e-310}, {1e15, 1e15 + 1}}) {
    SvgDrawing drawing;
    SvgPanel& panel = drawing.panel();
    panel.line(points(values, values), {.label = "a", .marker = Marker::circle});
    panel.polygon(points(values, values));
    const std::string svg = drawing.to_svg();
    CHECK_NOTHROW(parse_xml(svg));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(svg.size() < 40000);
  }
  CHECK_NOTHROW(drawn(SvgDrawing()));
}

TEST_CASE("unknown vertices and unwritable files are refused") {
  SvgDrawing drawing;
  SvgPanel& panel = drawing.panel();
  CHECK(message_of([&] { panel.triangles(Eigen::Matrix2Xd::Zero(2, 2), Eigen::Vector3i(0, 1, 2)); }) ==
        "SvgPanel::triangles: triangle 0 names point 2, but there are 2");
  CHECK_THROWS_AS(drawing.write("/dev/null/a.svg"), std::runtime_error);
}
