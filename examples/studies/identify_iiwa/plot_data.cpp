// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/identify_iiwa/arm_results.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace studies::iiwa {
namespace {

using figures::CsvWriter;
using figures::ResultRow;

/// What the numbers of models and adaptations in the tables stand for.
void write_names(const figures::OutputFolder& out) {
  figures::JsonResults names;
  const auto add = [&](const char* of, int number, const char* name) {
    names.add(ResultRow().set("of", of).set("number", number).set("name", name));
  };
  add("model", static_cast<int>(ModelKind::given), to_string(ModelKind::given));
  for (const ModelKind kind : learned_kinds) add("model", static_cast<int>(kind), to_string(kind));
  for (const Adaptation adaptation : all_adaptations)
    add("adaptation", static_cast<int>(adaptation), to_string(adaptation));
  names.write(out / "names.json");
}

void write_convergence(const IdentificationStudy& study, const figures::OutputFolder& out, const std::string& name) {
  CsvWriter csv(out / (name + ".csv"), {"model", "seed", "epoch", "worst_nmse", "mean_nmse"});
  for (const ModelKind kind : learned_kinds) {
    if (!learns_in_steps(kind)) continue;
    for (const Trial* trial : study.of(kind)) {
      const Eigen::MatrixXd& errors = trial->model.course.errors;
      for (Eigen::Index e = 0; e < errors.cols(); ++e)
        csv.row({static_cast<double>(kind), static_cast<double>(trial->model.seed), static_cast<double>(e),
                 errors.col(e).maxCoeff(), errors.col(e).mean()});
    }
  }
  csv.close();
}

/// The end effector's error on the reaches, of the first seed.
void write_reaching(const IdentificationStudy& study, const figures::OutputFolder& out, const std::string& name) {
  constexpr double period = 0.004;  // s
  CsvWriter csv(out / (name + ".csv"), {"model", "time", "error"});
  std::vector<ModelKind> kinds(learned_kinds.begin(), learned_kinds.end());
  kinds.push_back(ModelKind::given);
  for (const ModelKind kind : kinds) {
    const std::vector<const Trial*> trials = study.of(kind);
    if (trials.empty()) continue;
    const ReachingRun& run = trials.front()->reaching;
    for (Eigen::Index k = 0; k < run.path.cols(); k += 10)
      csv.row(
          {static_cast<double>(kind), static_cast<double>(k) * period, (run.path.col(k) - run.wanted.col(k)).norm()});
  }
  csv.close();
}

void write_online(const std::vector<OnlineCurve>& curves, const figures::OutputFolder& out) {
  CsvWriter csv(out / "online.csv", {"model", "seed", "batch", "mean_nmse"});
  for (const OnlineCurve& curve : curves)
    for (std::size_t i = 0; i < curve.batches.size(); ++i)
      csv.row({static_cast<double>(curve.kind), static_cast<double>(curve.seed), curve.batches[i], curve.errors[i]});
  csv.close();
}

void write_feedback(const std::vector<FeedbackLevel>& levels, const figures::OutputFolder& out) {
  CsvWriter csv(out / "feedback.csv", {"model", "seed", "frequency", "stable", "q", "qd", "x", "xd"});
  for (const FeedbackLevel& level : levels)
    for (const Trial& trial : level.study.trials)
      csv.row({static_cast<double>(trial.model.kind), static_cast<double>(trial.model.seed), level.frequency,
               trial.sines_stable ? 1.0 : 0.0, trial.q, trial.qd, trial.x, trial.xd});
  csv.close();
}

void write_payload(const PayloadTrial& trial, const figures::OutputFolder& out) {
  CsvWriter csv(out / "payload.csv", {"adaptation", "time", "tracking", "prediction", "impossible_bodies"});
  for (const PayloadRun& run : trial.runs)
    for (std::size_t i = 0; i < run.time.size(); ++i)
      csv.row(
          {static_cast<double>(run.adaptation), run.time[i], run.tracking[i], run.prediction[i], run.impossible[i]});
  csv.close();
  const ResultRow row = ResultRow().set("picked_up", trial.choice.picked_up).set("put_down", trial.choice.put_down);
  figures::JsonResults({row}).write(out / "payload.json");
}

}  // namespace

std::string write_data(const ArmResults& results, const figures::OutputFolder& out) {
  std::string drawn;
  write_names(out);
  if (results.simulation) {
    write_convergence(*results.simulation, out, "convergence");
    write_reaching(*results.simulation, out, "tracking");
    drawn +=
        "  convergence.svg            normalized errors while learning, all seeds\n"
        "  tracking.svg               the end effector's error on five reaches\n";
  }
  if (!results.feedback.empty()) {
    write_feedback(results.feedback, out);
    drawn += "  feedback.svg               errors on the sines under other feedback of the joints\n";
  }
  if (results.harder) {
    write_convergence(*results.harder, out, "convergence_harder");
    write_reaching(*results.harder, out, "tracking_harder");
    drawn += "  *_harder.svg               the same on the harder plant\n";
  }
  if (!results.online.empty()) {
    write_online(results.online, out);
    drawn += "  online.svg                 learning in the order of time (Fig. 1)\n";
  }
  if (!results.payload.empty()) {
    write_payload(results.payload.front(), out);
    drawn += "  payload.svg                the first payload, picked up and put down\n";
  }
  return drawn;
}

}  // namespace studies::iiwa
