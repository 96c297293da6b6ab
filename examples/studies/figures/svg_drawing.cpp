// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_drawing.hpp"

#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include "examples/studies/figures/color_map.hpp"
#include "examples/studies/figures/svg_shapes.hpp"
#include "examples/studies/figures/svg_view.hpp"
#include "quoin/robots/io/escape_xml.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace studies::figures {
namespace {

using detail::pixels;
using detail::SvgBox;
using detail::SvgView;
using detail::Tick;

constexpr double tick_size = 11.5;  // of the labels of ticks, pixels
constexpr double label_size = 12.5;
constexpr double legend_size = 12;    // of the text of a legend
constexpr double legend_line = 18;    // height of a line of a legend
constexpr double legend_symbol = 24;  // width
constexpr const char* ink = "#1f2328";
constexpr const char* quiet_ink = "#57606a";

std::string words_at(double x, double y, double size, const char* anchor, const std::string& color,
                     const std::string& words, const std::string& more = "") {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" font-size=\"" + pixels(size) + "\" text-anchor=\"" +
         anchor + "\" fill=\"" + color + '"' + more + '>' + words + "</text>\n";
}

}  // namespace

/// Renders one figure as text.
class SvgRenderer {
 public:
  explicit SvgRenderer(const SvgDrawing& drawing) : drawing_(drawing), options_(drawing.options_) {}

  std::string render() {
    for (const SvgPanel& panel : drawing_.panels_)
      for (const Item& item : panel.items_) frames_ = std::max(frames_, item.style.frame + 1);
    const int count = std::max(static_cast<int>(drawing_.panels_.size()), 1);
    const int columns = options_.columns > 0 ? std::min(options_.columns, count) : count;
    const double head = options_.title.empty() ? 0 : 34;
    const double width = columns * options_.panel_width;
    const double end = head + (count + columns - 1) / columns * options_.panel_height;
    const std::vector<std::vector<const Item*>> legend = legend_lines(width);
    const double height = end + (legend.empty() ? 0 : legend_line * static_cast<double>(legend.size()) + 10);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixels(width) + "\" height=\"" + pixels(height) +
           "\" viewBox=\"0 0 " + pixels(width) + ' ' + pixels(height) +
           "\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n";
    if (!options_.title.empty()) out_ += "<title>" + quoin::io::escape_xml(options_.title) + "</title>\n";
    out_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    if (!options_.title.empty())
      out_ += words_at(18, 26, 16, "start", ink, quoin::io::escape_xml(options_.title), " font-weight=\"600\"");
    int i = 0;
    for (const SvgPanel& panel : drawing_.panels_) {
      draw({i % columns * options_.panel_width, head + (i / columns) * options_.panel_height, options_.panel_width,
            options_.panel_height},
           panel, i);
      ++i;
    }
    draw_legend(legend, width, end);
    return out_ + "</svg>\n";
  }

 private:
  using Item = SvgPanel::Item;
  using Kind = SvgPanel::Kind;

  struct ColorScale {
    double height = 0;
    std::vector<Tick> ticks;
    double labels = 0;  // width
    double width = 0;   // of all of it
  };

  void draw(const SvgBox& cell, const SvgPanel& panel, int index) {
    const ColorScale colors = color_scale(panel, cell);
    const double left = 14, right = 20 + colors.width, bottom = 12, top = panel.options_.title.empty() ? 18 : 36;
    const SvgBox area{cell.x + left, cell.y + top, std::max(cell.width - left - right, 40.0),
                      std::max(cell.height - top - bottom, 40.0)};
    const auto [low, high] = ranges(panel);
    draw_items(SvgView(area, low, high), panel, index);
    if (!panel.options_.title.empty())
      out_ += words_at(area.x, area.y - 11, 13.5, "start", ink, quoin::io::escape_xml(panel.options_.title),
                       " font-weight=\"600\"");
    if (colors.width > 0) draw_color_bar(area, colors, *panel.color_bar_, index);
  }

  /// Least and greatest x and y of all that is drawn, with a margin, or as the panel has them.
  static std::pair<Eigen::Vector2d, Eigen::Vector2d> ranges(const SvgPanel& panel) {
    Eigen::Vector2d low = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Item& item : panel.items_) {
      if (item.kind == Kind::words) continue;
      for (const Eigen::Matrix2Xd& part : item.parts)
        for (Eigen::Index i = 0; i < part.size(); ++i)
          if (const double value = part.data()[i]; std::isfinite(value)) {
            low[i % 2] = std::min(low[i % 2], value);
            high[i % 2] = std::max(high[i % 2], value);
          }
    }
    for (int axis = 0; axis < 2; ++axis) {
      if (low[axis] > high[axis]) low[axis] = 0, high[axis] = 1;
      if (high[axis] - low[axis] <= 1e-12 * std::max(std::abs(low[axis]), std::abs(high[axis]))) {
        const double half = low[axis] == 0 ? 0.5 : 0.1 * std::abs(low[axis]);
        low[axis] -= half;
        high[axis] += half;
      }
      const double margin = (axis == 0 ? 0.03 : 0.06) * (high[axis] - low[axis]);
      low[axis] -= margin;
      high[axis] += margin;
      const auto& wanted = axis == 0 ? panel.options_.x_range : panel.options_.y_range;
      if (wanted && wanted->first < wanted->second) low[axis] = wanted->first, high[axis] = wanted->second;
    }
    return {low, high};
  }

  void draw_items(const SvgView& view, const SvgPanel& panel, int index) {
    const std::string name = "area" + quoin::to_text(index);
    out_ += "<clipPath id=\"" + name + "\"><rect x=\"" + pixels(view.area.x) + "\" y=\"" + pixels(view.area.y) +
            "\" width=\"" + pixels(view.area.width) + "\" height=\"" + pixels(view.area.height) + "\"/></clipPath>\n";
    int open_frame = -1;
    for (const Item& item : panel.items_) {
      if (item.style.frame != open_frame) {
        out_ += open_frame >= 0 ? "</g>\n" : "";
        open_frame = std::max(item.style.frame, -1);
        out_ += open_frame >= 0 ? frame_start(open_frame) : "";
      }
      draw_item(view, item, " clip-path=\"url(#" + name + ")\"");
    }
    out_ += open_frame >= 0 ? "</g>\n" : "";
  }

  std::string frame_start(int frame) const {
    const int still = options_.still_frame >= 0 ? std::min(options_.still_frame, frames_ - 1) : frames_ - 1;
    std::string group = std::string("<g visibility=\"") + (frame == still ? "visible" : "hidden") + "\">";
    if (frames_ == 1) return group + '\n';
    const auto part = [&](int k) { return quoin::to_fixed(static_cast<double>(k) / frames_, 6); };
    std::string values = "visible";
    std::string times = "0";
    if (frame > 0) {
      values = "hidden;visible";
      times += ';' + part(frame);
    }
    if (frame + 1 < frames_) {
      values += ";hidden";
      times += ';' + part(frame + 1);
    }
    return group + "<animate attributeName=\"visibility\" calcMode=\"discrete\" values=\"" + values + "\" keyTimes=\"" +
           times + "\" dur=\"" + quoin::to_text(frames_ * options_.frame_seconds) +
           "s\" repeatCount=\"indefinite\"/>\n";
  }

  void draw_item(const SvgView& view, const Item& item, const std::string& clip) {
    if (item.kind == Kind::area || item.kind == Kind::faces) {
      std::vector<Eigen::Matrix2Xd> parts;
      for (const Eigen::Matrix2Xd& part : item.parts) parts.push_back(view.to_pixels(part));
      out_ += item.kind == Kind::faces ? "<g" + clip + ">\n" + detail::face_paths(parts, item.colors) + "</g>\n"
                                       : path(detail::polygon_path(parts), detail::fill_attributes(item.style) + clip);
      return;
    }
    const Eigen::Matrix2Xd points = view.to_pixels(item.parts.front());
    if (item.kind == Kind::words) {
      if (!points.allFinite()) return;
      const char* anchor = item.style.anchor == Anchor::start ? "start"
                           : item.style.anchor == Anchor::end ? "end"
                                                              : "middle";
      out_ += words_at(points(0, 0), points(1, 0), item.style.font_size, anchor,
                       quoin::io::escape_xml(item.style.color), quoin::io::escape_xml(item.words));
      return;
    }
    // Markers are not clipped, so that those on the edge are whole; those beyond it are left out.
    const SvgBox around{view.area.x - 1, view.area.y - 1, view.area.width + 2, view.area.height + 2};
    Eigen::Matrix2Xd within = points;
    for (Eigen::Index i = 0; i < points.cols(); ++i)
      if (!around.contains(points(0, i), points(1, i))) within.col(i).setConstant(std::nan(""));
    draw_curve(points, within, item.style, clip);
  }

  void draw_curve(const Eigen::Matrix2Xd& line, const Eigen::Matrix2Xd& markers, const SvgStyle& style,
                  const std::string& clip) {
    if (style.width > 0) out_ += path(detail::polyline_path(line), detail::stroke_attributes(style) + clip);
    if (style.marker != Marker::none)
      out_ += path(detail::marker_path(style.marker, style.marker_size, markers), detail::marker_attributes(style));
  }

  static std::string path(const std::string& points, const std::string& attributes) {
    return "<path d=\"" + points + '"' + attributes + "/>\n";
  }

  static ColorScale color_scale(const SvgPanel& panel, const SvgBox& cell) {
    ColorScale scale;
    if (!panel.color_bar_ || !panel.color_bar_->shown) return scale;
    scale.height = std::clamp(cell.height - 110, 40.0, 240.0);
    scale.ticks = detail::ticks(panel.color_bar_->low, panel.color_bar_->high, scale.height, 42);
    for (const Tick& tick : scale.ticks)
      scale.labels = std::max(scale.labels, detail::text_width(tick.label, tick_size));
    scale.width = 34 + scale.labels + (panel.color_bar_->label.empty() ? 0 : 24);
    return scale;
  }

  void draw_color_bar(const SvgBox& area, const ColorScale& scale, const SvgPanel::ColorBar& bar, int index) {
    const SvgBox box{area.x + area.width + 14, area.y + (area.height - scale.height) / 2, 12, scale.height};
    const std::string name = "colors" + quoin::to_text(index);
    out_ += "<linearGradient id=\"" + name + "\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n";
    constexpr int stops = 16;
    for (int k = 0; k <= stops; ++k) {
      const double part = static_cast<double>(k) / stops;
      out_ += "<stop offset=\"" + quoin::to_text(part) + "\" stop-color=\"" +
              detail::hex_color(detail::lit_color(detail::diverging_color(2 * part - 1), 1, 0)) + "\"/>\n";
    }
    out_ += "</linearGradient>\n<rect x=\"" + pixels(box.x) + "\" y=\"" + pixels(box.y) + "\" width=\"" +
            pixels(box.width) + "\" height=\"" + pixels(box.height) + "\" fill=\"url(#" + name + ")\" stroke=\"" +
            quiet_ink + "\" stroke-width=\"0.6\"/>\n";
    const double end = box.x + box.width;
    std::string marks, labels;
    for (const Tick& tick : scale.ticks) {
      const double y = box.y + (bar.high - tick.value) / (bar.high - bar.low) * box.height;
      marks += 'M' + pixels(end) + ',' + pixels(y) + 'L' + pixels(end + 4.5) + ',' + pixels(y);
      labels += words_at(end + 8, y + 4, tick_size, "start", quiet_ink, tick.label);
    }
    out_ += path(marks, std::string(" stroke=\"") + quiet_ink + "\" stroke-width=\"1\" fill=\"none\"") + labels;
    if (!bar.label.empty())
      out_ += words_at(0, 0, label_size, "middle", ink, quoin::io::escape_xml(bar.label),
                       " transform=\"translate(" + pixels(end + 28 + scale.labels) + ',' +
                           pixels(box.y + box.height / 2) + ") rotate(-90)\"");
  }

  static double legend_width(const Item& item) {
    return legend_symbol + 32 + detail::text_width(item.style.label, legend_size);
  }

  /// Each label once, as many in a line as have room.
  std::vector<std::vector<const Item*>> legend_lines(double width) const {
    std::vector<std::vector<const Item*>> lines;
    std::vector<std::string> known;
    double room = 0;
    for (const SvgPanel& panel : drawing_.panels_)
      for (const Item& item : panel.items_) {
        if (item.style.label.empty() || std::ranges::count(known, item.style.label) > 0) continue;
        known.push_back(item.style.label);
        if (lines.empty() || legend_width(item) > room) {
          lines.emplace_back();
          room = width - 16;
        }
        lines.back().push_back(&item);
        room -= legend_width(item);
      }
    return lines;
  }

  void draw_legend(const std::vector<std::vector<const Item*>>& lines, double width, double top) {
    double y = top + legend_line / 2;
    for (const std::vector<const Item*>& line : lines) {
      double x = (width + 24) / 2;  // a label ends with a gap of 24, the last one's is beyond the middle
      for (const Item* item : line) x -= legend_width(*item) / 2;
      for (const Item* item : line) {
        const double end = x + legend_symbol;
        if (item->kind == Kind::area) {
          const Eigen::Matrix2Xd swatch{{x + 2, end - 2, end - 2, x + 2}, {y - 5, y - 5, y + 5, y + 5}};
          out_ += path(detail::polygon_path({swatch}), detail::fill_attributes(item->style));
        } else {
          const Eigen::Matrix2Xd symbol{{x, end}, {y, y}};
          draw_curve(symbol, symbol.rowwise().mean(), item->style, "");
        }
        out_ += words_at(end + 8, y + 4, legend_size, "start", ink, quoin::io::escape_xml(item->style.label));
        x += legend_width(*item);
      }
      y += legend_line;
    }
  }

  const SvgDrawing& drawing_;
  const SvgDrawingOptions& options_;
  std::string out_;
  int frames_ = 0;
};

std::string SvgDrawing::to_svg() const { return SvgRenderer(*this).render(); }

void SvgDrawing::write(const std::filesystem::path& file) const { quoin::write_file(file, to_svg()); }

}  // namespace studies::figures
