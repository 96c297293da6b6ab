// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/fluidic_grab/identify_parts.hpp"

namespace studies::grab {

void write_trial(const TrialColumns& trial, double rate, const MatrixXd& reference, const MatrixXd& measured,
                 const std::vector<MatrixXd>& predicted, const figures::OutputFolder& out) {
  const VectorXd times = VectorXd::LinSpaced(measured.cols(), 0, rate * static_cast<double>(measured.cols() - 1));
  std::vector<std::string> header = {"t", "reference", "measured"};
  header.insert(header.end(), trial.predictions.begin(), trial.predictions.end());
  figures::CsvWriter csv(out / (trial.file + ".csv"), header);
  for (Index i = 0; i < measured.cols(); ++i) {
    std::vector<double> row = {times[i], reference(0, i), measured(0, i)};
    for (const MatrixXd& one : predicted) row.push_back(one(0, i));
    csv.row(row);
  }
  csv.close();
}

}  // namespace studies::grab
