// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/values.hpp"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace studies::figures {

class SurfaceScene;

/// Colours distinguishable with every kind of colour vision (Okabe and Ito 2008), in the
/// order in which series take them.
namespace palette {
inline constexpr const char* blue = "#0072b2";
inline constexpr const char* vermilion = "#d55e00";
inline constexpr const char* green = "#009e73";
inline constexpr const char* purple = "#b4568f";
inline constexpr const char* orange = "#e69f00";
inline constexpr const char* sky = "#56b4e9";
inline constexpr const char* black = "#1f2328";
inline constexpr const char* grey = "#8c959f";
inline constexpr const char* light = "#d8dee4";
}  // namespace palette

enum class AxisScale { linear, logarithmic };
enum class Marker { none, circle, ring, square, diamond, triangle, cross };
enum class Anchor { start, middle, end };
enum class Legend { automatic, outside, none };

/// The style of a drawn item. Lengths are pixels of the figure.
struct SvgStyle {
  std::string color = {};  ///< of lines, markers and text; empty: the next of the palette (text: black)
  std::string fill = {};   ///< of areas; empty: `color`, at `fill_opacity`; "none": no filling
  std::string label = {};  ///< in the legend; empty: not in the legend
  double width = 2;        ///< of lines; 0: no line
  std::string dash = {};   ///< such as "6 4"; empty: solid
  double opacity = 1;
  double fill_opacity = 0.2;
  Marker marker = Marker::none;
  double marker_size = 6;         ///< diameter
  double font_size = 12;          ///< of text
  Anchor anchor = Anchor::start;  ///< of text: which of its ends is at the point
  int frame = -1;                 ///< of an animated figure: shown in this frame alone; -1: always
};

struct PanelOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  AxisScale x_scale = AxisScale::linear;
  AxisScale y_scale = AxisScale::linear;
  std::optional<std::pair<double, double>> x_range = {};  ///< unset: all the data, with a margin
  std::optional<std::pair<double, double>> y_range = {};
  bool equal_aspect = false;  ///< one unit of x as long as one of y; the shorter range is widened
  bool axes = true;           ///< false: a drawing without frame, ticks or grid
  bool integer_x = false;     ///< ticks at whole numbers only, as for iterations
  bool integer_y = false;
  Legend legend = Legend::automatic;  ///< automatic: in the emptiest corner; outside if none is empty
};

/// One pair of axes in an SvgPlot, with items drawn in the order of the calls. Coordinates are data; points
/// that are not finite (or, on a logarithmic axis, not positive) interrupt a line. Series of different lengths
/// throw std::invalid_argument.
class SvgPanel {
 public:
  explicit SvgPanel(PanelOptions options = {}) : options_(std::move(options)) {}

  /// A line through the points; with style.marker, markers as well; with style.width = 0, markers alone.
  void line(const Values& x, const Values& y, SvgStyle style = {});
  /// A line through the columns of a 2 x P matrix.
  void line(const Eigen::Matrix2Xd& points, SvgStyle style = {}) { line(points.row(0), points.row(1), style); }
  /// Markers alone; a circle if the style names none.
  void markers(const Values& x, const Values& y, SvgStyle style = {});
  /// The area between two curves over the same x.
  void band(const Values& x, const Values& low, const Values& high, SvgStyle style = {});
  /// A closed polygon, outlined (width 0: no outline) and filled.
  void polygon(const Eigen::Matrix2Xd& points, SvgStyle style = {});
  /// A cell [x0, x1] x [y0, y1].
  void rectangle(double x0, double y0, double x1, double y1, SvgStyle style = {});
  /// Triangles (3 x E) over points (2 x V), as one shape: a mesh in the plane.
  void triangles(const Eigen::Matrix2Xd& points, const Eigen::Matrix3Xi& elements, SvgStyle style = {});
  /// Shaded surfaces in space, seen as the scene says; x and y get the same scale. The panel's colour bar is that of
  /// the first scene; scenes added later (in other frames) must have its range, else std::invalid_argument.
  void scene(const SurfaceScene& scene, int frame = -1);
  /// A short text at a point; it does not affect the range of the axes.
  void text(double x, double y, const std::string& words, SvgStyle style = {});
  /// A line across the whole panel; the range of the axes includes it.
  void horizontal_line(double y, SvgStyle style = {});
  void vertical_line(double x, SvgStyle style = {});

 private:
  friend class SvgLayout;
  friend class SvgRenderer;
  enum class Kind { curve, area, faces, words, horizontal, vertical };
  struct Item {
    Kind kind;
    std::vector<Eigen::Matrix2Xd> parts;  // polylines or polygons
    std::string words;
    SvgStyle style;
    std::vector<unsigned> colors;  // 0xrrggbb, of each part (faces)
  };
  struct ColorBar {
    double low;
    double high;
    std::string label;
    bool shown;
  };

  void add(Kind kind, std::vector<Eigen::Matrix2Xd> parts, SvgStyle style, const std::string& words = {});

  PanelOptions options_;
  std::vector<Item> items_;
  std::optional<ColorBar> color_bar_;
  int next_color_ = 0;
};

}  // namespace studies::figures
