// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/parameter_identifiability.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace quoin::identification {
namespace {

std::string sentence_of(const Eigen::VectorXd& components, const std::vector<std::string>& names, double relative) {
  const double least = 0.1 * components.cwiseAbs().maxCoeff();
  std::string sentence = "not identifiable: ";
  int named = 0;
  for (Eigen::Index j = 0; j < components.size(); ++j) {
    if (std::abs(components[j]) < least) continue;
    if (named++ > 0) sentence += ", ";
    sentence += names[static_cast<std::size_t>(j)];
  }
  if (named > 1) sentence += " together";
  return sentence + " (relative singular value " + to_text(relative) + ")";
}

}  // namespace

ParameterIdentifiability parameter_identifiability(const Eigen::Ref<const Eigen::MatrixXd>& jacobian,
                                                   const std::vector<std::string>& names, const Eigen::VectorXd& scales,
                                                   const std::vector<bool>& held, double threshold) {
  const Eigen::Index count = jacobian.cols();
  const auto size = static_cast<std::size_t>(count);
  if (names.size() != size || scales.size() != count || (!held.empty() && held.size() != size)) {
    throw std::invalid_argument("parameter_identifiability: the Jacobian has " + to_text(count) +
                                " columns, there are " + to_text(names.size()) + " names, " + to_text(scales.size()) +
                                " scales and " + to_text(held.size()) + " marks of what is held");
  }
  if (!(scales.array() > 0).all()) throw std::invalid_argument("parameter_identifiability: scales must be positive");
  if (!jacobian.allFinite()) throw std::invalid_argument("parameter_identifiability: the Jacobian is not finite");
  OptionsOf{"parameter_identifiability"}.not_negative("threshold", threshold);

  std::vector<Eigen::Index> free;
  for (Eigen::Index j = 0; j < count; ++j)
    if (held.empty() || !held[static_cast<std::size_t>(j)]) free.push_back(j);
  const auto n = static_cast<Eigen::Index>(free.size());
  ParameterIdentifiability known;
  if (n == 0) return known;

  // Rows of zeros make it at least square: too few outputs leave directions without effect.
  Eigen::MatrixXd scaled = Eigen::MatrixXd::Zero(std::max(jacobian.rows(), n), n);
  for (Eigen::Index k = 0; k < n; ++k) scaled.col(k).head(jacobian.rows()) = jacobian.col(free[k]) * scales[free[k]];
  const Eigen::MatrixXd R = Eigen::HouseholderQR<Eigen::MatrixXd>(scaled).matrixQR().topRows(n);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(R.triangularView<Eigen::Upper>().toDenseMatrix(), Eigen::ComputeFullV);
  known.singular_values = svd.singularValues();
  known.directions.setZero(count, n);
  for (Eigen::Index k = 0; k < n; ++k) known.directions.row(free[k]) = svd.matrixV().row(k);

  const double greatest = known.singular_values[0];
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    const double relative = greatest > 0 ? known.singular_values[k] / greatest : 0;
    if (relative >= threshold) break;
    const Eigen::VectorXd components = known.directions.col(k);
    known.weak.push_back({relative, components, sentence_of(components, names, relative)});
  }
  return known;
}

}  // namespace quoin::identification
