// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/support/trust_tally.hpp"

#include <quoin/quoin.hpp>

#include <catch2/catch.hpp>

using namespace benchmarks;

namespace {

constexpr std::uint64_t first_seed =
    7'000'000;  // beyond those of any release, and of those that settings were chosen on

template <int Dim>
TrustTally to_tolerance(const Families& families, int seeds, bool by_ancestors) {
  return tally_along_curves<Dim>(families, first_seed, seeds, 300, [&](auto f, double tolerance) {
    return AdaptiveGrid<Dim>(std::move(f), {.tolerance = tolerance, .accept_by_ancestors = by_ancestors});
  });
}

/// A grid in level mode, and what it can say without a call of f once its parents' cells are there.
template <int Dim>
class AtLevel {
 public:
  template <class Map>
  AtLevel(Map f, int level) : grid_(std::move(f)), above_(grid_.at_level(level - 1)), view_(grid_.at_level(level)) {}
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    above_.evaluate(x, y);
    view_.evaluate(x, y, J);
    return view_.error_estimate(x);
  }

 private:
  AdaptiveGrid<Dim> grid_;
  GridView<Dim> above_, view_;
};

template <int Dim>
void check_level_mode() {
  TrustTally tally;
  for (const int level : {1, 2, 3})
    for (const double narrowest : {0.3, 1.0})
      tally += tally_along_curves<Dim>({DrawnFunctions<Dim>::smooth(), narrowest, 4, 1}, first_seed, 10, 300,
                                       [&](auto f, double) { return AtLevel<Dim>(std::move(f), level); });
  CAPTURE(Dim, tally.over_estimate, tally.jacobian_over_estimate, tally.answers);
  CHECK(tally.estimates == tally.answers);
  CHECK(TrustTally::percent(tally.over_estimate, tally.estimates) < 1);
  CHECK(TrustTally::percent(tally.jacobian_over_estimate, tally.estimates) < 1);
}

template <int Dim>
void check_rates() {
  TrustTally smooth, wide, rough;
  for (const int outputs : {1, 16}) {
    wide += to_tolerance<Dim>({DrawnFunctions<Dim>::smooth(), 1, 4, outputs}, 8, false);
    smooth += to_tolerance<Dim>({DrawnFunctions<Dim>::smooth(), 0.3, 1, outputs}, 8, false);
    rough += to_tolerance<Dim>({DrawnFunctions<Dim>::rough(), 0.5, 4, outputs}, 4, false);
  }
  smooth += wide;
  CAPTURE(Dim, smooth.over_tolerance, smooth.jacobian_over_estimate, smooth.over_estimate, rough.over_tolerance);
  CHECK(smooth.estimates == smooth.answers);
  CHECK(TrustTally::percent(smooth.over_tolerance, smooth.answers) < 0.1);
  CHECK(TrustTally::percent(smooth.over_estimate, smooth.estimates) < 1);
  CHECK(TrustTally::percent(smooth.jacobian_over_estimate, smooth.estimates) < 1);
  CHECK(wide.worst_over_tolerance <= 3);
  CHECK(TrustTally::percent(rough.over_tolerance, rough.answers) < 0.5);
  CHECK(rough.worst_over_tolerance <= 10);
}

}  // namespace

TEST_CASE(
    "To a tolerance fewer than one smooth answer in a thousand is over it, and of what they say one in a hundred") {
  check_rates<1>();
  check_rates<2>();
  check_rates<3>();
}

TEST_CASE("At a level fewer than one smooth answer in a hundred errs by more than its parent's surplus says") {
  check_level_mode<1>();
  check_level_mode<2>();
  check_level_mode<3>();
}

TEST_CASE("Accepting by ancestors saves evaluations, and lets kinks through by far more than the tolerance") {
  const Families rough{DrawnFunctions<2>::rough(), 0.5, 4, 16};
  const TrustTally measured = to_tolerance<2>(rough, 8, false), ancestors = to_tolerance<2>(rough, 8, true);
  CHECK(ancestors.evaluations < measured.evaluations);
  CHECK(ancestors.worst_over_tolerance > 20);
  CHECK(measured.worst_over_tolerance < 10);
}
