// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"
#include "examples/studies/identify_iiwa/identification_tables.hpp"
#include "examples/studies/program/statistics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace studies::iiwa {
namespace {

using figures::format_number;

void add_study(studies::Report& report, const IdentificationStudy& study, PaperTable table, bool binding) {
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
  std::ranges::move(checks_of(study, table, binding), std::back_inserter(report.checks));
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

void add_feedback(studies::Report& report, const std::vector<FeedbackLevel>& levels, bool binding) {
  figures::JsonResults table;
  for (const FeedbackLevel& level : levels)
    for (figures::ResultRow& row : rows_of(level.study, PaperTable::simulation))
      table.add(std::move(row.set("table", "feedback").set("frequency", level.frequency)));
  report.add_table("### The same models under other feedback of the joints, beside the paper's Table 1", table,
                   with_tracking({{"frequency", "rad/s"}, {"model"}, {"seeds"}}));
  // As the paper's table has them: MLP and DeLaN 0.000 in q, 0.001 in dq/dt.
  constexpr double stiff = 80;           // rad/s
  const FeedbackLevel* first = nullptr;  // errors fall from there on
  for (const FeedbackLevel& level : levels)
    if (level.frequency >= stiff && (!first || level.frequency < first->frequency)) first = &level;
  Rate firm;
  for (const ModelKind kind : {ModelKind::mlp, ModelKind::delan})
    for (const Trial* trial : first ? first->study.of(kind) : std::vector<const Trial*>())
      firm.count(trial->sines_stable && trial->q < 0.0005 && trial->qd < 0.0015);
  if (firm.draws > 0) {
    report.checks.push_back(at_least(std::string("networks under feedback of ") + format_number(first->frequency) +
                                         " rad/s err on the sines by no more than the paper prints for "
                                         "them, 0.000 in q and 0.001 in dq/dt",
                                     firm, 0.5));
    report.checks.back().binding = binding;
  }
}

void add_payload(studies::Report& report, const std::vector<PayloadTrial>& trials) {
  constexpr double settling = 10;  // s
  const PayloadChoice any;
  struct Span {
    const char *key, *title;
    double from, to;
  };
  const Span before{"before", "before", settling, any.picked_up},
      with{"with", "with it", any.picked_up + settling, any.put_down},
      after{"after", "after", any.put_down + settling, any.seconds};
  const auto median_of = [&](Adaptation adaptation, const Span& span,
                             double (PayloadRun::*mean)(double, double) const) {
    std::vector<double> values;
    for (const PayloadTrial& trial : trials) values.push_back((trial.of(adaptation).*mean)(span.from, span.to));
    return median(values);
  };
  const auto impossible = [](const PayloadRun& run) {
    return run.impossible.empty() ? 0 : *std::ranges::max_element(run.impossible);
  };
  figures::JsonResults table;
  for (const Adaptation adaptation : all_adaptations) {
    figures::ResultRow row;
    row.set("table", "payload").show("model", to_string(adaptation)).show("payloads", std::ssize(trials));
    for (const Span& span : {before, with, after})
      row.show("tracking_" + std::string(span.key), median_of(adaptation, span, &PayloadRun::mean_tracking),
               std::string("rms error of q [rad], ") + span.title, 2);
    for (const Span& span : {before, with, after})
      row.show("prediction_" + std::string(span.key), median_of(adaptation, span, &PayloadRun::mean_prediction),
               std::string("of tau [N m], ") + span.title, 2);
    Rate stable;
    double most = 0;
    for (const PayloadTrial& trial : trials) {
      stable.count(trial.of(adaptation).stable);
      most = std::max(most, impossible(trial.of(adaptation)));
    }
    table.add(row.show("impossible_bodies", most, "most impossible bodies").show("stable", studies::in_words(stable)));
  }
  report.add_table("### Payloads of 2 to 4 kg, picked up at " + format_number(any.picked_up) + " s and put down at " +
                       format_number(any.put_down) + " s; medians, each time from 10 s on",
                   table);
  Rate better, than_free;
  double most = 0;
  for (const PayloadTrial& trial : trials) {
    const auto error = [&](Adaptation adaptation) { return trial.of(adaptation).mean_tracking(with.from, with.to); };
    const PayloadRun& cov = trial.of(Adaptation::covariance);
    better.count(cov.stable && error(Adaptation::covariance) <= error(Adaptation::none) / 3);
    than_free.count(cov.stable && error(Adaptation::covariance) < error(Adaptation::unstructured));
    most = std::max(most, impossible(cov));
  }
  report.checks.push_back(at_least("with a payload, Cov tracks 3 times better than no adaptation", better, 0.75));
  report.checks.push_back(at_least("with a payload, Cov tracks better than NoStr", than_free, 0.75));
  report.checks.push_back({"no estimate of Cov is an impossible body: " + format_number(most), most == 0});
}

}  // namespace

studies::Report report_on(const ArmResults& results, bool as_in_paper) {
  studies::Report report;
  if (!results.epochs.empty()) {
    report.add_table("### Epochs to 0.1 in every joint, draws of each start", table_of(results.epochs));
    std::ranges::move(checks_of(results.epochs, as_in_paper), std::back_inserter(report.checks));
  }
  if (results.simulation) add_study(report, *results.simulation, PaperTable::simulation, as_in_paper);
  if (!results.feedback.empty()) add_feedback(report, results.feedback, as_in_paper);
  if (!results.online.empty()) add_online(report, results.online);
  if (results.harder) add_study(report, *results.harder, PaperTable::robot, as_in_paper);
  if (!results.payload.empty()) add_payload(report, results.payload);
  if (results.simulation && results.simulation->of(ModelKind::mlp).empty() && can_learn(ModelKind::mlp))
    report.notes.push_back("MLP and DeLaN are left out: no seeds of networks are wanted.");
  if (!can_learn(ModelKind::mlp))
    report.notes.push_back("MLP and DeLaN are left out: quoin was built without libtorch.");
  report.notes.push_back(
      "NMSE: mean squared error over the variance of what was wanted; joints averaged, axes of the end effector "
      "summed. "
      "Mean and standard deviation over seeds.");
  return report;
}

}  // namespace studies::iiwa
