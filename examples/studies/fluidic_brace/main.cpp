// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_report.hpp"
#include "examples/studies/fluidic_brace/brace_study.hpp"
#include "examples/studies/program/example_program.hpp"
#include "examples/studies/program/number_option.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <variant>

namespace {

using namespace studies;
using namespace studies::brace;

struct Options {
  StudyChoice study;
  std::filesystem::path out = "out/fluidic_brace";
  std::filesystem::path json;
  bool quick = false;

  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const { return study.spread == StudyChoice{}.spread; }
};

std::variant<Options, int> parse_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "A soft fluidic arm of four segments leans on a ball to reach a point beside it (Marchese, Tedrake, Rus 2015, "
      "section 6): braces are searched from the tip backwards, formed and held, and the rest of the arm is planned "
      "again; beside the same reach without a brace, on plants other than the model. Draws Fig. 15.",
      "fluidic_brace");
  app.add_option("--plants", options.study.plants, "At random; 10, with --quick 3, if not set")
      ->check(CLI::Range(1, 1000));
  app.add_option("--spread", options.study.spread, "Of the plants' masses, stiffnesses and dampings")
      ->check(studies::between(0.0, 0.5))
      ->capture_default_str();
  app.add_option("--starts", options.study.starts, "Of each search; 24, with --quick 10, if not set")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "In seconds: fewer plants and starts");
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick) {
    if (app.count("--plants") == 0) options.study.plants = 3;
    if (app.count("--starts") == 0) options.study.starts = 10;
  }
  return options;
}

studies::Report run(const Options& options, const figures::OutputFolder& out) {
  const BraceResults results = run_study(options.study);
  studies::Report report = report_on(results, options.study.motion, options.pinned());
  report.files = draw(results, options.study.motion, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("fluidic_brace", parse_options(argc, argv), run); }
