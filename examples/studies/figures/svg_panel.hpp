// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace studies::figures {

class SurfaceScene;

/// Colours distinguishable with every kind of colour vision (Okabe and Ito 2008), the same as in pictures.py.
namespace palette {
inline constexpr const char* blue = "#0072b2";
inline constexpr const char* vermilion = "#d55e00";
inline constexpr const char* green = "#009e73";
inline constexpr const char* purple = "#b4568f";
inline constexpr const char* sky = "#56b4e9";
inline constexpr const char* black = "#1f2328";
inline constexpr const char* grey = "#8c959f";
inline constexpr const char* light = "#d8dee4";
}  // namespace palette

enum class Marker { none, circle, cross };
enum class Anchor { start, middle, end };

/// The style of a drawn item. Lengths are pixels of the figure.
struct SvgStyle {
  std::string color = palette::black;  ///< of lines, markers and text
  std::string fill = {};               ///< of areas; empty: `color`
  std::string label = {};              ///< in the legend; empty: not in the legend
  double width = 2;                    ///< of lines; 0: no line
  std::string dash = {};               ///< such as "6 4"; empty: solid
  Marker marker = Marker::none;
  double marker_size = 6;         ///< diameter
  double font_size = 12;          ///< of text
  Anchor anchor = Anchor::start;  ///< of text: which of its ends is at the point
  int frame = -1;                 ///< of an animated figure: shown in this frame alone; -1: always
};

struct PanelOptions {
  std::string title = {};
  std::optional<std::pair<double, double>> x_range = {};  ///< unset: all that is drawn, with a margin
  std::optional<std::pair<double, double>> y_range = {};
};

/// One panel of an SvgDrawing, with items drawn in the order of the calls. One unit of x is as long as one of y, and
/// the shorter range is widened. Points that are not finite interrupt a line.
class SvgPanel {
 public:
  explicit SvgPanel(PanelOptions options = {}) : options_(std::move(options)) {}

  /// A line through the columns; with style.marker, markers as well.
  void line(const Eigen::Matrix2Xd& points, SvgStyle style = {});
  /// Markers alone; circles if the style names none.
  void markers(const Eigen::Matrix2Xd& points, SvgStyle style = {});
  /// A closed polygon, outlined (width 0: no outline) and filled.
  void polygon(const Eigen::Matrix2Xd& points, SvgStyle style = {});
  /// Triangles (3 x E) over points (2 x V), as one shape: a mesh in the plane. Throws std::invalid_argument if one of
  /// them names a point that is not there.
  void triangles(const Eigen::Matrix2Xd& points, const Eigen::Matrix3Xi& elements, SvgStyle style = {});
  /// Shaded surfaces in space, seen as the scene says. The panel's colour bar is that of the first scene; scenes added
  /// later (in other frames) must have its range, else std::invalid_argument.
  void scene(const SurfaceScene& scene, int frame = -1);
  /// A short text at a point; it does not affect the ranges.
  void text(double x, double y, const std::string& words, SvgStyle style = {});

 private:
  friend class SvgRenderer;
  enum class Kind { curve, area, faces, words };
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
};

}  // namespace studies::figures
