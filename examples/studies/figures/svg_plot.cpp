// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_plot.hpp"

#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include "examples/studies/figures/color_map.hpp"
#include "examples/studies/figures/svg_layout.hpp"
#include "examples/studies/figures/svg_shapes.hpp"
#include "quoin/robots/io/escape_xml.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace studies::figures {
namespace {

using detail::Axis;
using detail::pixels;
using detail::Tick;

constexpr double label_size = 12.5;
constexpr const char* ink = "#1f2328";
constexpr const char* quiet_ink = "#57606a";
constexpr const char* grid_ink = "#e4e8ec";

std::string words_at(double x, double y, double size, const char* anchor, const std::string& color,
                     const std::string& words, const std::string& more = "") {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" font-size=\"" + pixels(size) + "\" text-anchor=\"" +
         anchor + "\" fill=\"" + color + '"' + more + '>' + words + "</text>\n";
}

std::string line_at(double x0, double y0, double x1, double y1) {
  return 'M' + pixels(x0) + ',' + pixels(y0) + 'L' + pixels(x1) + ',' + pixels(y1);
}

std::string minus_sign(std::string text) {
  if (!text.empty() && text.front() == '-') {
    text.replace(0, 1, "\u2212");
  }
  return text;
}

std::string power_markup(const std::string& base, int exponent) {
  return base + "<tspan dy=\"-0.4em\" font-size=\"75%\">" + minus_sign(quoin::to_text(exponent)) + "</tspan>";
}

// A common factor of the labels is written after the label of the axis.
std::string with_factor(const std::string& words, const Axis& axis) {
  const std::string escaped = quoin::io::escape_xml(words);
  if (axis.exponent == 0) {
    return escaped;
  }
  const std::string factor = power_markup("\u00d710", axis.exponent);
  return words.empty() ? factor : escaped + " (" + factor + "<tspan dy=\"0.3em\">)</tspan>";
}

std::string markup(const Tick& tick) {
  return tick.power ? power_markup(tick.label, tick.exponent) : minus_sign(tick.label);
}

}  // namespace

/// Renders one figure as text.
class SvgRenderer {
 public:
  explicit SvgRenderer(const SvgPlot& plot) : plot_(plot), options_(plot.options_) {}

  std::string render() {
    for (const SvgPanel& panel : plot_.panels_) {
      for (const SvgPanel::Item& item : panel.items_) {
        frames_ = std::max(frames_, item.style.frame + 1);
      }
    }
    const int count = std::max(static_cast<int>(plot_.panels_.size()), 1);
    const int columns = options_.columns > 0 ? std::min(options_.columns, count) : count;
    const int rows = (count + columns - 1) / columns;
    const double head = options_.title.empty() ? 0 : 34;
    const std::vector<double> edges = column_edges(columns);
    const double width = edges.back();
    const double height = head + rows * options_.panel_height;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixels(width) + "\" height=\"" + pixels(height) +
           "\" viewBox=\"0 0 " + pixels(width) + ' ' + pixels(height) +
           "\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n";
    if (!options_.title.empty()) {
      out_ += "<title>" + quoin::io::escape_xml(options_.title) + "</title>\n";
    }
    out_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    if (!options_.title.empty()) {
      out_ += words_at(18, 26, 16, "start", ink, quoin::io::escape_xml(options_.title), " font-weight=\"600\"");
    }
    int i = 0;
    for (const SvgPanel& panel : plot_.panels_) {
      const std::size_t column = static_cast<std::size_t>(i % columns);
      draw({edges[column], head + (i / columns) * options_.panel_height, edges[column + 1] - edges[column],
            options_.panel_height},
           panel, i);
      ++i;
    }
    return out_ + "</svg>\n";
  }

 private:
  using Item = SvgPanel::Item;
  using Kind = SvgPanel::Kind;

  // Beside others a panel whose legend stands outside is as much wider, so that panels can be compared.
  std::vector<double> column_edges(int columns) const {
    std::vector<double> widths(static_cast<std::size_t>(columns), options_.panel_width);
    for (std::size_t i = 0; columns > 1 && i < plot_.panels_.size(); ++i) {
      const SvgLayout layout({0, 0, options_.panel_width, options_.panel_height}, plot_.panels_[i]);
      double& width = widths[i % widths.size()];
      if (layout.legend_outside()) width = std::max(width, options_.panel_width + layout.legend_box().width);
    }
    std::vector<double> edges{0};
    for (const double width : widths) edges.push_back(edges.back() + width);
    return edges;
  }

  void draw(const SvgBox& cell, const SvgPanel& panel, int index) {
    const SvgLayout layout(cell, panel);
    if (panel.options_.axes) {
      draw_grid(layout);
    }
    draw_items(layout, panel, index);
    if (panel.options_.axes) {
      draw_axes(layout, panel.options_, cell);
    }
    if (!panel.options_.title.empty()) {
      out_ += words_at(layout.area().x, layout.area().y - 11, 13.5, "start", ink,
                       quoin::io::escape_xml(panel.options_.title), " font-weight=\"600\"");
    }
    if (panel.color_bar_ && panel.color_bar_->shown) {
      draw_color_bar(layout, panel.color_bar_->label, index);
    }
    draw_legend(layout);
  }

  void draw_grid(const SvgLayout& layout) {
    std::string path;
    for (const Tick& tick : layout.x().ticks) {
      const double x = layout.x().pixel(tick.position);
      path += tick.label.empty() ? "" : line_at(x, layout.y().pixel_low, x, layout.y().pixel_high);
    }
    for (const Tick& tick : layout.y().ticks) {
      const double y = layout.y().pixel(tick.position);
      path += tick.label.empty() ? "" : line_at(layout.x().pixel_low, y, layout.x().pixel_high, y);
    }
    out_ += "<path d=\"" + path + "\" stroke=\"" + grid_ink + "\" stroke-width=\"1\" fill=\"none\"/>\n";
  }

  void draw_axes(const SvgLayout& layout, const PanelOptions& options, const SvgBox& cell) {
    const Axis& x = layout.x();
    const Axis& y = layout.y();
    std::string path =
        'M' + pixels(x.pixel_low) + ',' + pixels(y.pixel_high) + 'V' + pixels(y.pixel_low) + 'H' + pixels(x.pixel_high);
    std::string labels;
    for (const Tick& tick : x.ticks) {
      const double at = x.pixel(tick.position);
      path += line_at(at, y.pixel_low, at, y.pixel_low + (tick.label.empty() ? 2.5 : 4.5));
      labels +=
          tick.label.empty() ? "" : words_at(at, y.pixel_low + 18, svg_tick_size, "middle", quiet_ink, markup(tick));
    }
    for (const Tick& tick : y.ticks) {
      const double at = y.pixel(tick.position);
      path += line_at(x.pixel_low, at, x.pixel_low - (tick.label.empty() ? 2.5 : 4.5), at);
      labels +=
          tick.label.empty() ? "" : words_at(x.pixel_low - 8, at + 4, svg_tick_size, "end", quiet_ink, markup(tick));
    }
    out_ += "<path d=\"" + path + "\" stroke=\"" + quiet_ink + "\" stroke-width=\"1\" fill=\"none\"/>\n" + labels;
    const double centre_x = (x.pixel_low + x.pixel_high) / 2;
    const double centre_y = (y.pixel_low + y.pixel_high) / 2;
    const std::string x_words = with_factor(options.x_label, x);
    const std::string y_words = with_factor(options.y_label, y);
    if (!options.x_label.empty()) {
      out_ += words_at(centre_x, y.pixel_low + 40, label_size, "middle", ink, x_words);
    } else if (!x_words.empty()) {
      out_ += words_at(x.pixel_high, y.pixel_low + 31, svg_tick_size, "end", quiet_ink, x_words);
    }
    if (!options.y_label.empty()) {
      out_ += words_at(0, 0, label_size, "middle", ink, y_words,
                       " transform=\"translate(" + pixels(cell.x + 20) + ',' + pixels(centre_y) + ") rotate(-90)\"");
    } else if (!y_words.empty()) {
      out_ += words_at(x.pixel_low - 8, y.pixel_high - 8, svg_tick_size, "end", quiet_ink, y_words);
    }
  }

  void draw_items(const SvgLayout& layout, const SvgPanel& panel, int index) {
    const std::string clip = "area" + quoin::to_text(index);
    out_ += "<clipPath id=\"" + clip + "\"><rect x=\"" + pixels(layout.area().x) + "\" y=\"" + pixels(layout.area().y) +
            "\" width=\"" + pixels(layout.area().width) + "\" height=\"" + pixels(layout.area().height) +
            "\"/></clipPath>\n";
    int open_frame = -1;
    for (const Item& item : panel.items_) {
      if (item.style.frame != open_frame) {
        out_ += open_frame >= 0 ? "</g>\n" : "";
        open_frame = std::max(item.style.frame, -1);
        out_ += open_frame >= 0 ? frame_start(open_frame) : "";
      }
      draw_item(layout, item, " clip-path=\"url(#" + clip + ")\"");
    }
    out_ += open_frame >= 0 ? "</g>\n" : "";
  }

  std::string frame_start(int frame) const {
    const int still = options_.still_frame >= 0 ? std::min(options_.still_frame, frames_ - 1) : frames_ - 1;
    std::string group = std::string("<g visibility=\"") + (frame == still ? "visible" : "hidden") + "\">";
    if (frames_ == 1) {
      return group + '\n';
    }
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

  void draw_item(const SvgLayout& layout, const Item& item, const std::string& clip) {
    const Axis& x = layout.x();
    const Axis& y = layout.y();
    if (item.kind == Kind::area || item.kind == Kind::faces) {
      std::vector<Eigen::Matrix2Xd> parts;
      for (const Eigen::Matrix2Xd& part : item.parts) {
        parts.push_back(layout.to_pixels(part));
      }
      if (item.kind == Kind::faces) {
        out_ += "<g" + clip + ">\n" + detail::face_paths(parts, item.colors) + "</g>\n";
        return;
      }
      out_ += "<path d=\"" + detail::polygon_path(parts) + '"' + detail::fill_attributes(item.style) + clip + "/>\n";
      return;
    }
    Eigen::Matrix2Xd points = layout.to_pixels(item.parts.front());
    switch (item.kind) {
      case Kind::curve:
        if (item.style.width > 0) {
          out_ += "<path d=\"" + detail::polyline_path(points) + '"' + detail::stroke_attributes(item.style) + clip +
                  "/>\n";
        }
        if (item.style.marker != Marker::none) {
          // Markers are not clipped, so that those on the frame are whole; those beyond it are left out.
          const SvgBox& area = layout.area();
          const SvgBox around{area.x - 1, area.y - 1, area.width + 2, area.height + 2};
          for (Eigen::Index i = 0; i < points.cols(); ++i) {
            if (!around.contains(points(0, i), points(1, i))) {
              points(0, i) = std::numeric_limits<double>::quiet_NaN();
            }
          }
          out_ += "<path d=\"" + detail::marker_path(item.style.marker, item.style.marker_size, points) + '"' +
                  detail::marker_attributes(item.style) + "/>\n";
        }
        break;
      case Kind::words: {
        if (!points.allFinite()) {
          break;
        }
        const char* anchor = item.style.anchor == Anchor::start ? "start"
                             : item.style.anchor == Anchor::end ? "end"
                                                                : "middle";
        out_ += words_at(points(0, 0), points(1, 0), item.style.font_size, anchor,
                         quoin::io::escape_xml(item.style.color), quoin::io::escape_xml(item.words));
        break;
      }
      case Kind::horizontal:
        points = Eigen::Matrix2Xd(Eigen::Matrix2d{{x.pixel_low, x.pixel_high}, {points(1, 0), points(1, 0)}});
        out_ +=
            "<path d=\"" + detail::polyline_path(points) + '"' + detail::stroke_attributes(item.style) + clip + "/>\n";
        break;
      case Kind::vertical:
        points = Eigen::Matrix2Xd(Eigen::Matrix2d{{points(0, 0), points(0, 0)}, {y.pixel_low, y.pixel_high}});
        out_ +=
            "<path d=\"" + detail::polyline_path(points) + '"' + detail::stroke_attributes(item.style) + clip + "/>\n";
        break;
      case Kind::area:
      case Kind::faces: break;
    }
  }

  void draw_color_bar(const SvgLayout& layout, const std::string& label, int index) {
    const SvgBox& box = layout.color_box();
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
    std::string path;
    std::string labels;
    double widest = 0;
    for (const Tick& tick : layout.colors().ticks) {
      const double y = layout.colors().pixel(tick.position);
      path += line_at(end, y, end + (tick.label.empty() ? 2.5 : 4.5), y);
      labels += tick.label.empty() ? "" : words_at(end + 8, y + 4, svg_tick_size, "start", quiet_ink, markup(tick));
      widest = std::max(widest, tick.width(svg_tick_size));
    }
    out_ += "<path d=\"" + path + "\" stroke=\"" + quiet_ink + "\" stroke-width=\"1\" fill=\"none\"/>\n" + labels;
    const std::string words = with_factor(label, layout.colors());
    if (!label.empty()) {
      out_ += words_at(0, 0, label_size, "middle", ink, words,
                       " transform=\"translate(" + pixels(end + 8 + widest + 20) + ',' +
                           pixels(box.y + box.height / 2) + ") rotate(-90)\"");
    } else if (!words.empty()) {
      out_ += words_at(box.x, box.y - 8, svg_tick_size, "start", quiet_ink, words);
    }
  }

  void draw_legend(const SvgLayout& layout) {
    if (layout.legend().empty()) {
      return;
    }
    const SvgBox& box = layout.legend_box();
    if (!layout.legend_outside()) {
      out_ += "<rect x=\"" + pixels(box.x) + "\" y=\"" + pixels(box.y) + "\" width=\"" + pixels(box.width) +
              "\" height=\"" + pixels(box.height) + "\" rx=\"4\" fill=\"#ffffff\" fill-opacity=\"0.9\" stroke=\"" +
              grid_ink + "\"/>\n";
    }
    double y = box.y + 4 + svg_legend_line / 2;
    for (const Item* item : layout.legend()) {
      const double x = box.x + 8;
      const Eigen::Matrix2Xd ends{{x, x + svg_legend_symbol}, {y, y}};
      if (item->kind == Kind::area) {
        Eigen::Matrix2Xd swatch{{x + 2, x + svg_legend_symbol - 2, x + svg_legend_symbol - 2, x + 2},
                                {y - 5, y - 5, y + 5, y + 5}};
        out_ += "<path d=\"" + detail::polygon_path({swatch}) + '"' + detail::fill_attributes(item->style) + "/>\n";
      } else {
        if (item->style.width > 0) {
          out_ += "<path d=\"" + detail::polyline_path(ends) + '"' + detail::stroke_attributes(item->style) + "/>\n";
        }
        if (item->style.marker != Marker::none) {
          const Eigen::Matrix2Xd centre = ends.rowwise().mean();
          out_ += "<path d=\"" + detail::marker_path(item->style.marker, item->style.marker_size, centre) + '"' +
                  detail::marker_attributes(item->style) + "/>\n";
        }
      }
      out_ += words_at(x + svg_legend_symbol + 8, y + 4, svg_legend_size, "start", ink,
                       quoin::io::escape_xml(item->style.label));
      y += svg_legend_line;
    }
  }

  const SvgPlot& plot_;
  const SvgPlotOptions& options_;
  std::string out_;
  int frames_ = 0;
};

std::string SvgPlot::to_svg() const { return SvgRenderer(*this).render(); }

void SvgPlot::write(const std::filesystem::path& file) const { quoin::write_file(file, to_svg()); }

}  // namespace studies::figures
