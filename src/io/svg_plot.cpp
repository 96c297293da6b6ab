// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/io/svg_plot.hpp"

#include "file_access.hpp"
#include "number_text.hpp"
#include "svg_axis.hpp"
#include "svg_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace quoin::io {
namespace {

using detail::Axis;
using detail::pixels;
using detail::Tick;

constexpr double tick_size = 11.5;
constexpr double label_size = 12.5;
constexpr double legend_size = 12;
constexpr double legend_line = 18;
constexpr double legend_symbol = 24;
constexpr const char* ink = "#1f2328";
constexpr const char* quiet_ink = "#57606a";
constexpr const char* grid_ink = "#e4e8ec";

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  bool contains(double px, double py) const { return px > x && px < x + width && py > y && py < y + height; }
};

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
  return base + "<tspan dy=\"-0.4em\" font-size=\"75%\">" + minus_sign(std::to_string(exponent)) + "</tspan>";
}

std::string markup(const Tick& tick) {
  return tick.power ? power_markup(tick.label, tick.exponent) : minus_sign(tick.label);
}

}  // namespace

/// Turns one figure into text.
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
    const double width = columns * options_.panel_width;
    const double height = head + rows * options_.panel_height;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixels(width) + "\" height=\"" + pixels(height) +
           "\" viewBox=\"0 0 " + pixels(width) + ' ' + pixels(height) +
           "\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n";
    if (!options_.title.empty()) {
      out_ += "<title>" + detail::escape_xml(options_.title) + "</title>\n";
    }
    out_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    if (!options_.title.empty()) {
      out_ += words_at(18, 26, 16, "start", ink, detail::escape_xml(options_.title), " font-weight=\"600\"");
    }
    int i = 0;
    for (const SvgPanel& panel : plot_.panels_) {
      draw({(i % columns) * options_.panel_width, head + (i / columns) * options_.panel_height, options_.panel_width,
            options_.panel_height},
           panel, i);
      ++i;
    }
    return out_ + "</svg>\n";
  }

 private:
  using Item = SvgPanel::Item;
  using Kind = SvgPanel::Kind;

  struct Layout {
    Axis x;
    Axis y;
    Box area;
    std::vector<const Item*> legend;
    Box legend_box;
  };

  void draw(const Box& cell, const SvgPanel& panel, int index) {
    Layout layout;
    layout.legend = legend_items(panel);
    const double legend_width = width_of(layout.legend);
    bool outside = panel.options_.legend == Legend::outside;
    lay_out(layout, cell, panel, outside ? legend_width : 0);
    if (!layout.legend.empty() && !outside && !place_legend(layout, panel)) {
      outside = true;
      lay_out(layout, cell, panel, legend_width);
    }
    if (outside) {
      layout.legend_box = {layout.area.x + layout.area.width + 10, layout.area.y, legend_width,
                           legend_line * static_cast<double>(layout.legend.size()) + 8};
    }
    if (panel.options_.axes) {
      draw_grid(layout);
    }
    draw_items(layout, panel, index);
    if (panel.options_.axes) {
      draw_axes(layout, panel.options_, cell);
    }
    if (!panel.options_.title.empty()) {
      out_ += words_at(layout.area.x, layout.area.y - 11, 13.5, "start", ink, detail::escape_xml(panel.options_.title),
                       " font-weight=\"600\"");
    }
    draw_legend(layout, outside);
  }

  std::vector<const Item*> legend_items(const SvgPanel& panel) const {
    std::vector<const Item*> items;
    for (const Item& item : panel.items_) {
      const bool known = std::any_of(items.begin(), items.end(),
                                     [&](const Item* other) { return other->style.label == item.style.label; });
      if (panel.options_.legend != Legend::none && !item.style.label.empty() && !known) {
        items.push_back(&item);
      }
    }
    return items;
  }

  static double width_of(const std::vector<const Item*>& legend) {
    double width = 0;
    for (const Item* item : legend) {
      width = std::max(width, detail::text_width(item->style.label, legend_size) + legend_symbol + 24);
    }
    return width;
  }

  static void set_range(Axis& axis, const SvgPanel& panel, int row) {
    const PanelOptions& options = panel.options_;
    axis.logarithmic = (row == 0 ? options.x_scale : options.y_scale) == AxisScale::logarithmic;
    axis.integer = row == 0 ? options.integer_x : options.integer_y;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Item& item : panel.items_) {
      const bool counts = item.kind == Kind::curve || item.kind == Kind::area ||
                          item.kind == (row == 0 ? Kind::vertical : Kind::horizontal);
      for (const Eigen::Matrix2Xd& part : item.parts) {
        for (Eigen::Index i = 0; counts && i < part.cols(); ++i) {
          const double position = axis.position(part(row, i));
          low = position < low ? position : low;
          high = position > high ? position : high;
        }
      }
    }
    if (low > high) {
      low = 0;
      high = 1;
    }
    if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high)) || high == low) {
      const double half = axis.logarithmic || low == 0 ? 0.5 : 0.1 * std::abs(low);
      low -= half;
      high += half;
    }
    const double margin = (row == 0 ? 0.03 : 0.06) * (high - low);
    axis.low = low - margin;
    axis.high = high + margin;
    const auto& range = row == 0 ? options.x_range : options.y_range;
    if (range) {
      const double first = axis.position(range->first);
      const double second = axis.position(range->second);
      if (std::isfinite(first) && std::isfinite(second) && first != second) {
        axis.low = std::min(first, second);
        axis.high = std::max(first, second);
      }
    }
  }

  static void widen(Axis& axis, double units_per_pixel) {
    const double extra = units_per_pixel * std::abs(axis.pixel_high - axis.pixel_low) - (axis.high - axis.low);
    axis.low -= extra / 2;
    axis.high += extra / 2;
  }

  static void lay_out(Layout& layout, const Box& cell, const SvgPanel& panel, double legend_width) {
    const PanelOptions& options = panel.options_;
    const double top = options.title.empty() ? 18 : 36;
    const double right = 20 + (legend_width > 0 ? legend_width + 6 : 0);
    const double bottom = !options.axes ? 12 : options.x_label.empty() ? 34 : 54;
    // The left margin holds the labels of y, which depend on the range, which with equal aspect depends on the area.
    double labels = 30;
    for (int round = 0; round < 3; ++round) {
      const double left = !options.axes ? 14 : 18 + labels + (options.y_label.empty() ? 4 : 22);
      layout.area = {cell.x + left, cell.y + top, std::max(cell.width - left - right, 40.0),
                     std::max(cell.height - top - bottom, 40.0)};
      set_range(layout.x, panel, 0);
      set_range(layout.y, panel, 1);
      layout.x.pixel_low = layout.area.x;
      layout.x.pixel_high = layout.area.x + layout.area.width;
      layout.y.pixel_low = layout.area.y + layout.area.height;
      layout.y.pixel_high = layout.area.y;
      if (options.equal_aspect) {
        const double scale = std::max((layout.x.high - layout.x.low) / layout.area.width,
                                      (layout.y.high - layout.y.low) / layout.area.height);
        widen(layout.x, scale);
        widen(layout.y, scale);
      }
      if (!options.axes) {
        return;
      }
      const double spacing = set_x_ticks(layout.x);
      layout.y.set_ticks(options.equal_aspect ? spacing : 42);  // equal units, equal steps
      labels = 0;
      for (const Tick& tick : layout.y.ticks) {
        labels = std::max(labels, tick.width(tick_size));
      }
    }
  }

  /// Ticks as dense as their labels allow; returns the pixels that each has.
  static double set_x_ticks(Axis& axis) {
    double spacing = 56;
    axis.set_ticks(spacing);
    double widest = 0;
    for (const Tick& tick : axis.ticks) {
      widest = std::max(widest, tick.width(tick_size));
    }
    if (widest + 22 > spacing) {
      spacing = widest + 22;
      axis.set_ticks(spacing);
    }
    return spacing;
  }

  static Eigen::Matrix2Xd to_pixels(const Layout& layout, const Eigen::Matrix2Xd& points) {
    Eigen::Matrix2Xd mapped(2, points.cols());
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      mapped(0, i) = layout.x.pixel(layout.x.position(points(0, i)));
      mapped(1, i) = layout.y.pixel(layout.y.position(points(1, i)));
    }
    return mapped;
  }

  /// Puts the legend where it covers nothing; false if there is no such place.
  static bool place_legend(Layout& layout, const SvgPanel& panel) {
    const double width = width_of(layout.legend);
    const double height = legend_line * static_cast<double>(layout.legend.size()) + 8;
    const Box& area = layout.area;
    const double left = area.x + 8;
    const double right = area.x + area.width - width - 8;
    const double upper = area.y + 6;
    const double lower = area.y + area.height - height - 8;
    const double middle = area.x + (area.width - width) / 2;
    const double centre = area.y + (area.height - height) / 2;
    if (right < left || lower < upper) {
      return false;
    }
    const std::vector<Eigen::Vector2d> samples = sampled_points(layout, panel);
    constexpr double clear = 5;
    const std::array<std::pair<double, double>, 8> places = {{{right, upper}, {left, upper}, {right, lower}, {left, lower},
                                                              {middle, upper}, {middle, lower}, {right, centre}, {left, centre}}};
    for (const auto& [x, y] : places) {
      const Box box{x - clear, y - clear, width + 2 * clear, height + 2 * clear};
      if (std::none_of(samples.begin(), samples.end(),
                       [&](const Eigen::Vector2d& point) { return box.contains(point.x(), point.y()); })) {
        layout.legend_box = {x, y, width, height};
        return true;
      }
    }
    return false;
  }

  /// Points of everything drawn, close enough that no box of a legend's size slips between them.
  static std::vector<Eigen::Vector2d> sampled_points(const Layout& layout, const SvgPanel& panel) {
    std::vector<Eigen::Vector2d> samples;
    const auto add_segment = [&](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
      if (!a.allFinite() || !b.allFinite()) {
        return;
      }
      const int pieces = std::clamp(static_cast<int>((b - a).norm() / 6), 1, 500);
      for (int k = 0; k <= pieces; ++k) {
        samples.push_back(a + (b - a) * (static_cast<double>(k) / pieces));
      }
    };
    for (const Item& item : panel.items_) {
      for (const Eigen::Matrix2Xd& part : item.parts) {
        const Eigen::Matrix2Xd points = to_pixels(layout, part);
        if (item.kind == Kind::horizontal) {
          add_segment({layout.x.pixel_low, points(1, 0)}, {layout.x.pixel_high, points(1, 0)});
        } else if (item.kind == Kind::vertical) {
          add_segment({points(0, 0), layout.y.pixel_low}, {points(0, 0), layout.y.pixel_high});
        } else if (item.kind == Kind::words) {
          const double width = detail::text_width(item.words, item.style.font_size);
          const double shift = item.style.anchor == Anchor::start ? 0 : item.style.anchor == Anchor::end ? width : width / 2;
          const Eigen::Vector2d start(points(0, 0) - shift, points(1, 0) - 4);
          add_segment(start, start + Eigen::Vector2d(width, 0));
        } else {
          for (Eigen::Index i = 0; i < points.cols(); ++i) {
            const bool joined = item.kind == Kind::area || item.style.width > 0;
            const Eigen::Index next = i + 1 < points.cols() ? i + 1 : item.kind == Kind::area ? 0 : i;
            add_segment(points.col(i), points.col(joined ? next : i));
          }
          // The inside of an area that is larger than a legend: its centre line suffices for bands and cells alike.
          for (Eigen::Index i = 0; item.kind == Kind::area && i < points.cols() / 2; ++i) {
            add_segment(points.col(i), points.col(points.cols() - 1 - i));
          }
        }
      }
    }
    return samples;
  }

  void draw_grid(const Layout& layout) {
    std::string path;
    for (const Tick& tick : layout.x.ticks) {
      const double x = layout.x.pixel(tick.position);
      path += tick.label.empty() ? "" : line_at(x, layout.y.pixel_low, x, layout.y.pixel_high);
    }
    for (const Tick& tick : layout.y.ticks) {
      const double y = layout.y.pixel(tick.position);
      path += tick.label.empty() ? "" : line_at(layout.x.pixel_low, y, layout.x.pixel_high, y);
    }
    out_ += "<path d=\"" + path + "\" stroke=\"" + grid_ink + "\" stroke-width=\"1\" fill=\"none\"/>\n";
  }

  void draw_axes(const Layout& layout, const PanelOptions& options, const Box& cell) {
    const Axis& x = layout.x;
    const Axis& y = layout.y;
    std::string path = 'M' + pixels(x.pixel_low) + ',' + pixels(y.pixel_high) + 'V' + pixels(y.pixel_low) + 'H' +
                       pixels(x.pixel_high);
    std::string labels;
    for (const Tick& tick : x.ticks) {
      const double at = x.pixel(tick.position);
      path += line_at(at, y.pixel_low, at, y.pixel_low + (tick.label.empty() ? 2.5 : 4.5));
      labels += tick.label.empty() ? "" : words_at(at, y.pixel_low + 18, tick_size, "middle", quiet_ink, markup(tick));
    }
    for (const Tick& tick : y.ticks) {
      const double at = y.pixel(tick.position);
      path += line_at(x.pixel_low, at, x.pixel_low - (tick.label.empty() ? 2.5 : 4.5), at);
      labels += tick.label.empty() ? "" : words_at(x.pixel_low - 8, at + 4, tick_size, "end", quiet_ink, markup(tick));
    }
    out_ += "<path d=\"" + path + "\" stroke=\"" + quiet_ink + "\" stroke-width=\"1\" fill=\"none\"/>\n" + labels;
    const double centre_x = (x.pixel_low + x.pixel_high) / 2;
    const double centre_y = (y.pixel_low + y.pixel_high) / 2;
    // A common factor of the labels belongs to the words beside them.
    const auto with_factor = [](const std::string& words, const Axis& axis) {
      const std::string escaped = detail::escape_xml(words);
      if (axis.exponent == 0) {
        return escaped;
      }
      const std::string factor = power_markup("\u00d710", axis.exponent);
      return words.empty() ? factor : escaped + " (" + factor + "<tspan dy=\"0.3em\">)</tspan>";
    };
    const std::string x_words = with_factor(options.x_label, x);
    const std::string y_words = with_factor(options.y_label, y);
    if (!options.x_label.empty()) {
      out_ += words_at(centre_x, y.pixel_low + 40, label_size, "middle", ink, x_words);
    } else if (!x_words.empty()) {
      out_ += words_at(x.pixel_high, y.pixel_low + 31, tick_size, "end", quiet_ink, x_words);
    }
    if (!options.y_label.empty()) {
      out_ += words_at(0, 0, label_size, "middle", ink, y_words,
                       " transform=\"translate(" + pixels(cell.x + 20) + ',' + pixels(centre_y) + ") rotate(-90)\"");
    } else if (!y_words.empty()) {
      out_ += words_at(x.pixel_low - 8, y.pixel_high - 8, tick_size, "end", quiet_ink, y_words);
    }
  }

  void draw_items(const Layout& layout, const SvgPanel& panel, int index) {
    const std::string clip = "area" + std::to_string(index);
    out_ += "<clipPath id=\"" + clip + "\"><rect x=\"" + pixels(layout.area.x) + "\" y=\"" + pixels(layout.area.y) +
            "\" width=\"" + pixels(layout.area.width) + "\" height=\"" + pixels(layout.area.height) +
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
    const auto part = [&](int k) { return detail::fixed(static_cast<double>(k) / frames_, 6); };
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
           times + "\" dur=\"" + detail::shortest(frames_ * options_.frame_seconds) +
           "s\" repeatCount=\"indefinite\"/>\n";
  }

  void draw_item(const Layout& layout, const Item& item, const std::string& clip) {
    const Axis& x = layout.x;
    const Axis& y = layout.y;
    if (item.kind == Kind::area) {
      std::vector<Eigen::Matrix2Xd> parts;
      for (const Eigen::Matrix2Xd& part : item.parts) {
        parts.push_back(to_pixels(layout, part));
      }
      out_ += "<path d=\"" + detail::polygon_path(parts) + '"' + detail::fill_attributes(item.style) + clip + "/>\n";
      return;
    }
    Eigen::Matrix2Xd points = to_pixels(layout, item.parts.front());
    switch (item.kind) {
      case Kind::curve:
        if (item.style.width > 0) {
          out_ += "<path d=\"" + detail::polyline_path(points) + '"' + detail::stroke_attributes(item.style) + clip +
                  "/>\n";
        }
        if (item.style.marker != Marker::none) {
          // Markers are not clipped, so that those on the frame are whole; those beyond it are left out.
          const Box& area = layout.area;
          const Box around{area.x - 1, area.y - 1, area.width + 2, area.height + 2};
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
        const char* anchor = item.style.anchor == Anchor::start ? "start" : item.style.anchor == Anchor::end ? "end" : "middle";
        out_ += words_at(points(0, 0), points(1, 0), item.style.font_size, anchor, detail::escape_xml(item.style.color),
                         detail::escape_xml(item.words));
        break;
      }
      case Kind::horizontal:
        points = Eigen::Matrix2Xd(Eigen::Matrix2d{{x.pixel_low, x.pixel_high}, {points(1, 0), points(1, 0)}});
        out_ += "<path d=\"" + detail::polyline_path(points) + '"' + detail::stroke_attributes(item.style) + clip + "/>\n";
        break;
      case Kind::vertical:
        points = Eigen::Matrix2Xd(Eigen::Matrix2d{{points(0, 0), points(0, 0)}, {y.pixel_low, y.pixel_high}});
        out_ += "<path d=\"" + detail::polyline_path(points) + '"' + detail::stroke_attributes(item.style) + clip + "/>\n";
        break;
      case Kind::area: break;
    }
  }

  void draw_legend(const Layout& layout, bool outside) {
    if (layout.legend.empty()) {
      return;
    }
    const Box& box = layout.legend_box;
    if (!outside) {
      out_ += "<rect x=\"" + pixels(box.x) + "\" y=\"" + pixels(box.y) + "\" width=\"" + pixels(box.width) +
              "\" height=\"" + pixels(box.height) +
              "\" rx=\"4\" fill=\"#ffffff\" fill-opacity=\"0.9\" stroke=\"" + grid_ink + "\"/>\n";
    }
    double y = box.y + 4 + legend_line / 2;
    for (const Item* item : layout.legend) {
      const double x = box.x + 8;
      const Eigen::Matrix2Xd ends{{x, x + legend_symbol}, {y, y}};
      if (item->kind == Kind::area) {
        Eigen::Matrix2Xd swatch{{x + 2, x + legend_symbol - 2, x + legend_symbol - 2, x + 2}, {y - 5, y - 5, y + 5, y + 5}};
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
      out_ += words_at(x + legend_symbol + 8, y + 4, legend_size, "start", ink, detail::escape_xml(item->style.label));
      y += legend_line;
    }
  }

  const SvgPlot& plot_;
  const SvgPlotOptions& options_;
  std::string out_;
  int frames_ = 0;
};

std::string SvgPlot::to_svg() const { return SvgRenderer(*this).render(); }

void SvgPlot::write(const std::filesystem::path& file) const {
  std::ofstream out = detail::open_for_writing(file);
  out << to_svg();
  detail::check_written(out, file);
}

}  // namespace quoin::io
