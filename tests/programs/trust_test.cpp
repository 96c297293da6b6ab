// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/support/along_tally.hpp"
#include "benchmarks/support/trust_tally.hpp"

#include <quoin/quoin.hpp>

#include <catch2/catch.hpp>

using namespace benchmarks;

namespace {

constexpr std::uint64_t first_seed =
    7'000'000;  // beyond those of any release, and of those that settings were chosen on

template <int Dim, int K>
TrustTally to_tolerance(const Families& families, int seeds, bool by_ancestors) {
  return tally_along_curves<Dim, K>(families, first_seed, seeds, 300, [&](auto f, double tolerance) {
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
      tally += tally_along_curves<Dim, 1>({DrawnFunctions<Dim>::smooth(), narrowest, 4, 1}, first_seed, 10, 300,
                                          [&](auto f, double) { return AtLevel<Dim>(std::move(f), level); });
  CAPTURE(Dim, tally.over_estimate, tally.jacobian_over_estimate, tally.answers);
  CHECK(tally.estimates == tally.answers);
  CHECK(TrustTally::percent(tally.over_estimate, tally.estimates) < 1);
  CHECK(TrustTally::percent(tally.jacobian_over_estimate, tally.estimates) < 1);
}

/// Shares in percent, and the largest error of an answer on smooth functions wider than a cell, in tolerances.
struct Bounds {
  double over, over_estimate, rough_over, worst_wide;
};

template <int Dim, int K>
void check_rates(int seeds, const Bounds& bounds) {
  TrustTally smooth, wide, rough;
  for (const int outputs : {1, 16}) {
    wide += to_tolerance<Dim, K>({DrawnFunctions<Dim>::smooth(), 1, 4, outputs}, seeds, false);
    smooth += to_tolerance<Dim, K>({DrawnFunctions<Dim>::smooth(), 0.3, 1, outputs}, seeds, false);
    rough += to_tolerance<Dim, K>({DrawnFunctions<Dim>::rough(), 0.5, 4, outputs}, seeds / 2, false);
  }
  smooth += wide;
  CAPTURE(Dim, K, smooth.over_tolerance, smooth.jacobian_over_estimate, smooth.over_estimate, rough.over_tolerance);
  CHECK(smooth.estimates == smooth.answers);
  CHECK(TrustTally::percent(smooth.over_tolerance, smooth.answers) < bounds.over);
  CHECK(TrustTally::percent(smooth.over_estimate, smooth.estimates) < bounds.over_estimate);
  CHECK(TrustTally::percent(smooth.jacobian_over_estimate, smooth.estimates) < 1);
  CHECK(wide.worst_over_tolerance <= bounds.worst_wide);
  CHECK(TrustTally::percent(rough.over_tolerance, rough.answers) < bounds.rough_over);
  CHECK(rough.worst_over_tolerance <= 10);
}

template <int Dim>
void check_derivatives_of_families() {
  const DrawnFunctions<Dim> drawn(0.3, 4);
  for (const auto& names :
       {DrawnFunctions<Dim>::smooth(), DrawnFunctions<Dim>::rough(), DrawnFunctions<Dim>::jumping()})
    for (std::size_t family = 0; family < names.size(); ++family) {
      Draw random(first_seed, family, Dim);
      const auto functions = drawn.draw(names[family], 8, random);
      // Value and gradient of each function, differentiated by its gradient and Hessian.
      const auto slopes = exact_function<Dim>(
          8 * (1 + Dim), [&](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
            for (std::size_t r = 0; r < functions.size(); ++r) {
              const DrawnJet<Dim> jet = functions[r](x);
              const auto row = static_cast<Eigen::Index>(r) * (1 + Dim);
              y.segment<1 + Dim>(row) << jet.value, jet.gradient;
              J.middleRows<1 + Dim>(row) << jet.gradient.transpose(), jet.hessian;
            }
          });
      for (int i = 0; i < 4; ++i) {
        const auto check = check_derivatives<Dim>(slopes, random.in_box<Dim>(-2, 2), {.largest_step = 1e-3});
        CAPTURE(Dim, names[family]);
        INFO(check.message);
        CHECK(check.verdict != DerivativeVerdict::wrong);
        // The slopes of a layer's far ends are less than the rounding of its values.
        if (names[family] != std::string("layer")) CHECK(check.passed);
        CHECK_FALSE(check.slope > 2.2);  // it is NaN where all eight are zero, beyond their jumps
      }
    }
}

}  // namespace

TEST_CASE("The first and second derivatives of drawn functions are those of their values and gradients") {
  check_derivatives_of_families<1>();
  check_derivatives_of_families<2>();
  check_derivatives_of_families<3>();
  check_derivatives_of_families<4>();
}

TEST_CASE(
    "To a tolerance fewer than one smooth answer in a thousand is over it, and of what they say one in a hundred") {
  constexpr Bounds bounds{.over = 0.1, .over_estimate = 1, .rough_over = 0.5, .worst_wide = 3};
  check_rates<1, 1>(8, bounds);
  check_rates<2, 1>(8, bounds);
  check_rates<3, 1>(8, bounds);
  check_rates<1, 2>(4, bounds);
  check_rates<2, 2>(4, bounds);
  check_rates<3, 2>(4, bounds);
}

TEST_CASE("At a level fewer than one smooth answer in a hundred errs by more than its parent's surplus says") {
  check_level_mode<1>();
  check_level_mode<2>();
  check_level_mode<3>();
}

TEST_CASE("Accepting by ancestors saves evaluations, and lets kinks through by far more than the tolerance") {
  const Families rough{DrawnFunctions<2>::rough(), 0.5, 4, 16};
  const TrustTally measured = to_tolerance<2, 1>(rough, 8, false), ancestors = to_tolerance<2, 1>(rough, 8, true);
  CHECK(ancestors.evaluations < measured.evaluations);
  CHECK(ancestors.worst_over_tolerance > 20);
  CHECK(measured.worst_over_tolerance < 10);
}

TEST_CASE("Along a curve the levels tell the largest error to a factor of two, on smooth functions nine times in ten") {
  const auto check = [](const AlongTally& smooth, const AlongTally& rough) {
    for (const auto* ratios : {&smooth.values, &smooth.jacobians}) {
      CHECK(ratios->size() > 150);
      CHECK(AlongTally::share_above(*ratios, 2) < 10);
      CHECK(AlongTally::share_above(*ratios, 10) < 1);
      CHECK(AlongTally::median(*ratios) > 0.7);
      CHECK(AlongTally::median(*ratios) < 1.3);
    }
    for (const auto* ratios : {&rough.values, &rough.jacobians}) CHECK(AlongTally::share_above(*ratios, 2) < 25);
  };
  check(tally_error_along<1, 1>(DrawnFunctions<1>::smooth(), 0.3, 4, first_seed, 10),
        tally_error_along<1, 1>(DrawnFunctions<1>::rough(), 0.5, 4, first_seed, 10));
  check(tally_error_along<2, 1>(DrawnFunctions<2>::smooth(), 0.3, 4, first_seed, 10),
        tally_error_along<2, 1>(DrawnFunctions<2>::rough(), 0.5, 4, first_seed, 10));
  check(tally_error_along<3, 1>(DrawnFunctions<3>::smooth(), 0.3, 4, first_seed, 4),
        tally_error_along<3, 1>(DrawnFunctions<3>::rough(), 0.5, 4, first_seed, 4));
}
