// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/figures/surface_scene.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "testing/writing_laws.hpp"

#include <catch2/catch.hpp>

#include <sstream>

using namespace quoin;
using namespace studies::figures;

namespace {

/// More than a thousand of every counted item, and numbers with decimals.
std::string everything(const ScratchFolder& folder) {
  CsvWriter csv(folder / "rows.csv", {"x"});
  csv.row({12345.678});

  SvgDrawing drawing({.title = "drawing", .columns = 2, .panel_width = 1234.5, .frame_seconds = 0.25});
  Eigen::Matrix2Xd points(2, 50);
  points << Eigen::RowVectorXd::LinSpaced(50, 0, 12345.5), Eigen::RowVectorXd::LinSpaced(50, 0.5, 9000.5);
  drawing.panel().line(points, {.label = "line", .width = 1.5, .frame = 1});
  const SurfaceMesh ball = geodesic_ellipsoid({1, 2, 3}, 2);
  SurfaceScene scene({.range = std::pair{-2500.5, 2500.5}});
  scene.surface(ball, Eigen::VectorXd::LinSpaced(ball.vertices.cols(), -2500, 2500));
  drawing.panel().scene(scene);
  drawing.write(folder / "drawing.svg");

  JsonResults results;
  results.add(ResultRow().set("seconds", 1234.5).set("count", 1234567).set("list", std::vector<double>{0.5, 2.5}));
  results.write(folder / "results.json");

  std::ostringstream log;
  double now = 0;
  Progress progress(log, "work", 12345, {.terminal = false, .line_seconds = 1, .seconds = [&] { return now; }});
  now = 61.5;
  progress.update(1234);

  std::string text = log.str() + results.markdown() + format_number(0.01234) + format_number(123456.7, 7) +
                     format_number(1.5e-9) + format_seconds(0.25);
  for (const char* name : {"rows.csv", "drawing.svg", "results.json"}) text += read_all(folder / name);
  return text;
}

}  // namespace

TEST_CASE("no picture and no table depends on the locale") { does_not_depend_on_the_locale(everything); }
