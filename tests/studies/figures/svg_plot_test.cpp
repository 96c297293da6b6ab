// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_plot.hpp"
#include "testing/files.hpp"
#include "testing/xml.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace studies::figures;

namespace {

std::vector<XmlElement> drawn(const SvgPlot& plot) { return parse_xml(plot.to_svg()); }

/// The texts set at the given anchor and size: "middle" for ticks of x, "end" for those of y.
std::vector<std::string> texts(const std::vector<XmlElement>& xml, const std::string& anchor, const std::string& size) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i].name == "text" && xml[i].attributes.at("text-anchor") == anchor &&
        xml[i].attributes.at("font-size") == size) {
      const bool power = i + 1 < xml.size() && xml[i + 1].name == "tspan";
      const std::string text = xml[i].text + (power ? "^" + xml[i + 1].text : "");
      found.push_back(text.substr(0, text.find_last_not_of('\n') + 1));
    }
  }
  return found;
}

/// The first path drawn in this colour.
std::string path_of(const std::vector<XmlElement>& xml, const std::string& color) {
  for (const XmlElement& element : xml) {
    if (element.name == "path" && element.attributes.contains("stroke") && element.attributes.at("stroke") == color) {
      return element.attributes.at("d");
    }
  }
  return "";
}

}  // namespace

TEST_CASE("a figure of everything is well-formed, has a white ground and all labels escaped") {
  SvgPlot plot({.title = "a < b & c", .columns = 2});
  SvgPanel& first = plot.panel({.title = "one", .x_label = "\"x\"", .y_label = "y"});
  first.line({0, 1, 2}, {1, 3, 2}, {.label = "<exact>", .marker = Marker::circle});
  first.markers({0, 1}, {1, 2}, {.label = "points"});
  first.band({0, 1, 2}, {0, 1, 1}, {1, 2, 3}, {.label = "band"});
  first.rectangle(0, 0, 1, 1);
  first.polygon(Eigen::Matrix2Xd{{0, 1, 0}, {0, 0, 1}});
  first.triangles(Eigen::Matrix2Xd{{0, 1, 0, 1}, {0, 0, 1, 1}}, Eigen::Matrix3Xi{{0, 1}, {1, 3}, {2, 2}});
  first.text(1, 1, "a & b");
  first.horizontal_line(1);
  first.vertical_line(1);
  for (const Marker marker : {Marker::ring, Marker::square, Marker::diamond, Marker::triangle, Marker::cross}) {
    plot.panel().markers({1, 2}, {3, 4}, {.marker = marker});
  }
  const std::vector<XmlElement> xml = drawn(plot);
  CHECK(xml[0].name == "svg");
  CHECK(xml[0].attributes.at("width") == "920");
  CHECK(xml[0].attributes.at("height") == "1054");
  CHECK(xml[2].attributes.at("fill") == "#ffffff");
  CHECK(count_elements(xml, "clipPath") == 6);
  CHECK(texts(xml, "start", "12") == std::vector<std::string>{"a &amp; b", "&lt;exact&gt;", "points", "band"});
}

TEST_CASE("linear ticks are round numbers within the range, at least three") {
  SvgPlot plot;
  plot.panel({.x_range = std::pair{0.0, 1.0}, .y_range = std::pair{-37.0, 411.0}}).line({0, 1}, {0, 1});
  const std::vector<XmlElement> xml = drawn(plot);
  CHECK(texts(xml, "middle", "11.5") == std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(texts(xml, "end", "11.5") == std::vector<std::string>{"0", "100", "200", "300", "400"});
  for (const double high : {1.1, 1.7, 2.3, 3.9, 5.2, 6.6, 8.8}) {
    SvgPlot other({.panel_width = 260, .panel_height = 200});
    other.panel({.x_range = std::pair{0.05, high}, .y_range = std::pair{-0.3, high}}).line({0, 1}, {0, 1});
    CHECK(texts(drawn(other), "middle", "11.5").size() >= 3);
    CHECK(texts(drawn(other), "end", "11.5").size() >= 3);
  }
}

TEST_CASE("integer axes have whole ticks only") {
  SvgPlot plot;
  plot.panel({.integer_x = true}).line({0, 1, 2}, {0, 1, 0});
  CHECK(texts(drawn(plot), "middle", "11.5") == std::vector<std::string>{"0", "1", "2"});
}

TEST_CASE("large and small numbers share one power of ten") {
  SvgPlot plot;
  plot.panel({.x_label = "corners"}).line({0, 1e6}, {0, 2e-7});
  const std::string svg = plot.to_svg();
  CHECK(svg.find("corners (\u00d710<tspan dy=\"-0.4em\" font-size=\"75%\">6</tspan>") != std::string::npos);
  CHECK(svg.find("\u00d710<tspan dy=\"-0.4em\" font-size=\"75%\">\u22127</tspan>") != std::string::npos);
}

TEST_CASE("a logarithmic axis labels decades, and within one or two also 2 and 5") {
  SvgPlot wide;
  wide.panel({.y_scale = AxisScale::logarithmic, .y_range = std::pair{1e-4, 1.0}}).line({0, 1}, {1, 1});
  CHECK(texts(drawn(wide), "end", "11.5") ==
        std::vector<std::string>{"10^\u22124", "10^\u22123", "10^\u22122", "10^\u22121", "10^0"});
  SvgPlot narrow;
  narrow.panel({.x_scale = AxisScale::logarithmic, .x_range = std::pair{0.9, 11.0}}).line({1, 10}, {0, 1});
  CHECK(texts(drawn(narrow), "middle", "11.5") == std::vector<std::string>{"1", "2", "5", "10"});
  SvgPlot huge;
  huge.panel({.y_scale = AxisScale::logarithmic, .y_range = std::pair{1e-200, 1e200}}).line({0, 1}, {1, 1});
  CHECK(texts(drawn(huge), "end", "11.5").size() >= 3);
  CHECK(texts(drawn(huge), "end", "11.5").size() <= 12);
}

TEST_CASE("points map linearly to pixels, y upwards, and points that are not finite interrupt the line") {
  SvgPlot plot;
  const double nan = std::nan("");
  plot.panel({.axes = false}).line({0, 1, 2, nan, 4, 5}, {0, 1, 2, 3, 4, 5}, {.color = "#123456"});
  const std::string path = path_of(drawn(plot), "#123456");
  CHECK(std::count(path.begin(), path.end(), 'M') == 2);
  CHECK(std::count(path.begin(), path.end(), 'L') == 3);
  double x[3], y[3];
  REQUIRE(std::sscanf(path.c_str(), "M%lf,%lfL%lf,%lfL%lf,%lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]) == 6);
  CHECK(x[1] - x[0] == Approx(x[2] - x[1]).margin(0.02));
  CHECK(x[1] > x[0]);
  CHECK(y[1] < y[0]);
}

TEST_CASE("equal aspect makes a circle round in any panel") {
  for (const double width : {300.0, 900.0}) {
    SvgPlot plot({.panel_width = width, .panel_height = 300});
    SvgPanel& panel = plot.panel({.x_label = "x", .equal_aspect = true});
    panel.line({-1, 1}, {0, 0}, {.color = "#111111"});
    panel.line({0, 0}, {-1, 1}, {.color = "#222222"});
    const std::vector<XmlElement> xml = drawn(plot);
    double a[4], b[4];
    REQUIRE(std::sscanf(path_of(xml, "#111111").c_str(), "M%lf,%lfL%lf,%lf", a, a + 1, a + 2, a + 3) == 4);
    REQUIRE(std::sscanf(path_of(xml, "#222222").c_str(), "M%lf,%lfL%lf,%lf", b, b + 1, b + 2, b + 3) == 4);
    CHECK(a[2] - a[0] == Approx(b[1] - b[3]).margin(0.05));
  }
}

TEST_CASE("an animated figure shows its frames one after another and one of them where nothing moves") {
  SvgPlot plot({.frame_seconds = 0.25, .still_frame = 1});
  SvgPanel& panel = plot.panel();
  for (int k = 0; k < 4; ++k) {
    panel.line({0, 1}, {0, 1.0 + k}, {.frame = k});
  }
  const std::vector<XmlElement> xml = drawn(plot);
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

TEST_CASE("a legend names each label once, and only where asked for") {
  SvgPlot plot;
  SvgPanel& panel = plot.panel();
  for (int i = 0; i < 5; ++i) {
    panel.rectangle(i, i, i + 1, i + 1, {.label = "cells"});
  }
  CHECK(texts(drawn(plot), "start", "12") == std::vector<std::string>{"cells"});
  SvgPlot silent;
  silent.panel({.legend = Legend::none}).line({0, 1}, {0, 1}, {.label = "a"});
  CHECK(texts(drawn(silent), "start", "12").empty());
}

TEST_CASE("a legend stands in the panel where there is room and beside it where there is none") {
  const auto legend_x = [](const SvgPlot& plot) {
    for (const XmlElement& element : drawn(plot)) {
      if (element.name == "text" && element.text.find("noise") == 0) {
        return std::stod(element.attributes.at("x"));
      }
    }
    return -1.0;
  };
  const auto frame_end = [](const SvgPlot& plot) {
    for (const XmlElement& element : drawn(plot)) {
      if (element.name == "rect" && element.depth == 2) {
        return std::stod(element.attributes.at("x")) + std::stod(element.attributes.at("width"));
      }
    }
    return -1.0;
  };
  SvgPlot roomy;
  roomy.panel().line({0, 1}, {0, 1}, {.label = "noise"});
  CHECK(legend_x(roomy) < frame_end(roomy));
  SvgPlot full;
  std::vector<double> x, y;
  for (int i = 0; i < 400; ++i) {
    x.push_back(i % 20);
    y.push_back(i / 20);
  }
  full.panel().markers(x, y, {.label = "noise"});
  CHECK(legend_x(full) > frame_end(full));
  CHECK(legend_x(full) < 460);
}

TEST_CASE("odd data give well-formed figures: nothing, one point, constants, only NaN, huge, negative on a log axis") {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> cases = {{},
                                                  {3},
                                                  {3, 3, 3},
                                                  {nan, nan},
                                                  {1e300, -1e300},
                                                  {-1, 0, -5},
                                                  {infinity, 1, 2},
                                                  {1e-310, 2e-310},
                                                  {1e15, 1e15 + 1}};
  for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic}) {
    for (const std::vector<double>& values : cases) {
      SvgPlot plot;
      SvgPanel& panel = plot.panel({.x_scale = scale, .y_scale = scale, .equal_aspect = true});
      panel.line(values, values, {.label = "a", .marker = Marker::circle});
      panel.band(values, values, values);
      const std::string svg = plot.to_svg();
      CHECK_NOTHROW(parse_xml(svg));
      CHECK(svg.find("nan") == std::string::npos);
      CHECK(svg.find("inf") == std::string::npos);
      CHECK(svg.size() < 40000);
    }
  }
  CHECK_NOTHROW(drawn(SvgPlot()));
}

TEST_CASE("series of different lengths, unknown vertices and unwritable files are refused") {
  SvgPlot plot;
  SvgPanel& panel = plot.panel();
  CHECK(message_of([&] { panel.line({1, 2}, {1, 2, 3}); }) == "SvgPanel::line: 2 values of x, but 3 of y");
  CHECK_THROWS_AS(panel.band({1, 2}, {1, 2}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(panel.triangles(Eigen::Matrix2Xd::Zero(2, 2), Eigen::Vector3i(0, 1, 2)), std::invalid_argument);
  CHECK_THROWS_AS(plot.write("/dev/null/a.svg"), std::runtime_error);
}
