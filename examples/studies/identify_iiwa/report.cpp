// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"
#include "examples/studies/identify_iiwa/identification_tables.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace studies::iiwa {
namespace {

using figures::format_number;

void add_study(studies::Report& report, const IdentificationStudy& study, PaperTable table, bool pinned) {
  const bool simulation = table == PaperTable::simulation;
  report.add_table(simulation ? "### Simulation, beside the paper's Table 1"
                              : "### A harder plant, simulated, beside the paper's Table 2, which is of a real robot",
                   rows_of(study, table), table_columns());
  if (const auto solved = study.of(ModelKind::least_squares); !solved.empty())
    report.notes.push_back(
        std::string(simulation ? "Simulation" : "Harder plant") +
        ", least squares: " + to_text(solved.front()->model.known->rank) + " base parameters of " +
        to_text(solved.front()->model.known->combination.cols() + solved.front()->model.known->rank) +
        " that these sines tell apart.");
  std::ranges::move(checks_of(study, table, pinned), std::back_inserter(report.checks));
}

void add_online(studies::Report& report, const std::vector<OnlineCurve>& curves) {
  figures::JsonResults table;
  for (const ModelKind kind : learned_kinds) {
    double first = 0, middle = 0, last = 0, count = 0;
    for (const OnlineCurve& curve : curves) {
      if (curve.kind != kind) continue;
      ++count;
      first += curve.errors.front();
      middle += curve.errors[curve.errors.size() / 2];
      last += curve.errors.back();
    }
    if (count == 0) continue;
    table.add(figures::ResultRow()
                  .set("table", "online")
                  .show("model", to_string(kind))
                  .show("error_first", first / count, "NMSE of the whole motion after 1 batch")
                  .show("error_half", middle / count, "after half of it")
                  .show("error_last", last / count, "after all"));
  }
  report.add_table("### Online, as in the paper's Fig. 1: one pass in the order of time, batches of 256", table);
}

void add_payload(studies::Report& report, const ArmResults& results, bool pinned) {
  const PayloadChoice& choice = results.payload_choice;
  constexpr double settling = 10;  // s
  figures::JsonResults table;
  for (const PayloadRun& run : results.payload) {
    const double impossible = run.impossible.empty() ? 0 : *std::ranges::max_element(run.impossible);
    table.add(
        figures::ResultRow()
            .set("table", "payload")
            .show("model", to_string(run.adaptation))
            .set("stable", run.stable)
            .show("tracking_before", run.mean_tracking(settling, choice.picked_up), "rms error of q before [rad]", 2)
            .show("tracking_with", run.mean_tracking(choice.picked_up + settling, choice.put_down), "with it", 2)
            .show("tracking_after", run.mean_tracking(choice.put_down + settling, choice.seconds), "after", 2)
            .show("prediction_before", run.mean_prediction(settling, choice.picked_up), "of tau before [N m]", 2)
            .show("prediction_with", run.mean_prediction(choice.picked_up + settling, choice.put_down), "with it", 2)
            .show("prediction_after", run.mean_prediction(choice.put_down + settling, choice.seconds), "after", 2)
            .show("impossible_bodies", impossible, "most impossible bodies"));
  }
  report.add_table("### A payload of " + format_number(choice.mass) + " kg, picked up at " +
                       format_number(choice.picked_up) + " s and put down at " + format_number(choice.put_down) +
                       " s; each time from 10 s on",
                   table);
  const auto run_of = [&](Adaptation adaptation) -> const PayloadRun& {
    return *std::ranges::find(results.payload, adaptation, &PayloadRun::adaptation);
  };
  const PayloadRun &none = run_of(Adaptation::none), &cov = run_of(Adaptation::covariance);
  const double with_none = none.mean_tracking(choice.picked_up + settling, choice.put_down);
  const double with_cov = cov.mean_tracking(choice.picked_up + settling, choice.put_down);
  report.checks.push_back({"with the payload, Cov tracks at least 3 times better than no adaptation: " +
                               format_number(with_none / with_cov),
                           cov.stable && with_cov <= with_none / 3, pinned});
  report.checks.push_back(
      {"no estimate of Cov is an impossible body: " + format_number(*std::ranges::max_element(cov.impossible)),
       *std::ranges::max_element(cov.impossible) == 0, true});
}

}  // namespace

studies::Report report_on(const ArmResults& results, bool pinned) {
  studies::Report report;
  if (results.simulation) add_study(report, *results.simulation, PaperTable::simulation, pinned);
  if (results.harder) add_study(report, *results.harder, PaperTable::robot, pinned);
  if (!results.online.empty()) add_online(report, results.online);
  if (!results.payload.empty()) add_payload(report, results, pinned);
  if (!can_learn(ModelKind::mlp))
    report.notes.push_back("MLP and DeLaN are left out: quoin was built without libtorch.");
  report.notes.push_back(
      "NMSE: mean squared error over the variance of what was wanted; joints averaged, axes of the end effector "
      "summed. "
      "Mean and standard deviation over seeds.");
  return report;
}

}  // namespace studies::iiwa
