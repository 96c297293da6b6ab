// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/tracking/line_lengths.hpp"
#include "numbers_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

constexpr double rounding = 1e-9;       // of the largest slope: a length that does not change may grow by so much
constexpr double most_asymmetry = 0.5;  // of it: surrogates and friction are no reason

}  // namespace

void check_line_lengths(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& u) {
  const double largest = slopes.cwiseAbs().maxCoeff();
  const std::string at = "lengths, at pulls " + text_of(u) + ": ";
  const auto length = [](Eigen::Index i) { return "length " + to_text(i); };
  if (largest == 0) throw std::invalid_argument(at + "none changes with any pull: these outputs are no lengths");
  for (Eigen::Index i = 0; i < slopes.rows(); ++i)
    if (slopes(i, i) > rounding * largest)
      throw std::invalid_argument(at + length(i) + " grows by " + rounded(slopes(i, i)) +
                                  " a unit of its own pull, and should become shorter: give lengths in the order of "
                                  "the pulls, and lengths, not strokes");
  for (Eigen::Index i = 0; i < slopes.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::abs(slopes(i, j) - slopes(j, i)) > most_asymmetry * largest)
        throw std::invalid_argument(at + length(j) + " changes by " + rounded(slopes(j, i)) + " a unit of pull " +
                                    to_text(i) + ", " + length(i) + " by " + rounded(slopes(i, j)) +
                                    " a unit of pull " + to_text(j) +
                                    "; a body that keeps energy has both the same: give lengths in the order of the "
                                    "pulls");
}

}  // namespace quoin::planning
