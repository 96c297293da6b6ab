// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/output_error.hpp"

#include "testing/refused_options.hpp"
#include "testing/robots/driven_rod.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace quoin::identification;
using namespace quoin::identification::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double noise = 1.5e-3;  // m: about what a camera leaves (Marchese, Tedrake, Rus 2015)

OutputErrorOptions by(OutputErrorCriterion criterion) { return {.criterion = criterion}; }
constexpr auto both = {OutputErrorCriterion::sum_of_norms, OutputErrorCriterion::least_squares};

std::string course_of(OutputErrorCriterion criterion, const OutputErrorFit& fit) {
  std::ostringstream text;
  text << to_string(criterion) << ": " << to_string(fit.stop) << " after " << fit.iterations << ", cost "
       << fit.initial_norms << " -> " << fit.norms;
  return text.str();
}

}  // namespace

TEST_CASE("the rod's sensitivities, delay and initial state included, are exact", "[output_error]") {
  const DrivenRod rod;
  const VectorXd p = DrivenRod::truth();
  const VectorXd direction{{0.02, 0.003, -0.02, 0.01, 0.01, 0.1, 0.2}};
  MatrixXd Y, J, moved;
  rod(p, Y, &J);
  const auto remainder = [&](double t) {
    rod(p + t * direction, moved, nullptr);
    return ((moved - Y).reshaped() - t * J * direction).norm();
  };
  const double order = std::log2(remainder(2e-3) / remainder(1e-3));
  CHECK(order > 1.95);
  CHECK(order < 2.05);
}

TEST_CASE("from exact measurements both criteria find the parameters, the delay and the initial state",
          "[output_error]") {
  const DrivenRod rod;
  const MatrixXd measured = rod.measured(0, 1);
  for (const auto criterion : both) {
    const auto fit = fit_output_error(guesses(true), rod, measured, by(criterion));
    INFO(course_of(criterion, fit));
    CHECK(fit.converged());
    CHECK(fit.iterations <= 25);
    CHECK(fit.initial_norms > 1);
    CHECK(fit.norms < 1e-8);
    CHECK((fit.p - DrivenRod::truth()).cwiseAbs().maxCoeff() < 1e-8);
    CHECK(fit.identifiability.complete());
    CHECK(fit.identifiability.singular_values.size() == 6);
    CHECK(fit.at_bounds.empty());
    CHECK(fit.points == 200);
    CHECK((fit.predicted - measured).norm() < 1e-8);
  }
}

TEST_CASE("with noise of 1.5 mm what remains is the noise, and the parameters are as near as their deviations say",
          "[output_error]") {
  const DrivenRod rod;
  const MatrixXd measured = rod.measured(noise, 3);
  for (const auto criterion : both) {
    const auto fit = fit_output_error(guesses(true), rod, measured, by(criterion));
    INFO(course_of(criterion, fit));
    CHECK(fit.converged());
    CHECK(fit.iterations <= 15);
    // The mean norm of two normal numbers is sqrt(pi / 2) of their deviation, its own deviation sqrt(2 - pi / 2) of it.
    const double mean = noise * std::sqrt(std::numbers::pi / 2);
    CHECK(std::abs(fit.norms / 200 - mean) < 4 * noise * std::sqrt((2 - std::numbers::pi / 2) / 200));
    CHECK(fit.residual_deviation == Approx(noise).epsilon(0.15));
    for (int j = 1; j < 7; ++j) {
      INFO("parameter " << j << ": " << fit.p[j] << " +- " << fit.deviations[j]);
      CHECK(std::abs(fit.p[j] - DrivenRod::truth()[j]) < 4 * fit.deviations[j]);
      CHECK(fit.deviations[j] < 0.15 * std::abs(DrivenRod::truth()[j]));
    }
    CHECK(fit.deviations[0] == 0);
    const auto& log = fit.starts.front().log;
    REQUIRE(log.size() == static_cast<std::size_t>(fit.iterations) + 1);
    for (std::size_t i = 1; i < log.size(); ++i) CHECK(log[i] < log[i - 1]);
  }
}

TEST_CASE("the deviations reported are those of the estimates over many recordings", "[output_error]") {
  const DrivenRod rod;
  constexpr int recordings = 120;
  for (const auto criterion : both) {
    MatrixXd found(7, recordings), reported(7, recordings);
    for (int r = 0; r < recordings; ++r) {
      auto parameters = guesses(true);
      for (int j = 0; j < 7; ++j) parameters[static_cast<std::size_t>(j)].initial = DrivenRod::truth()[j];
      const auto fit = fit_output_error(parameters, rod, rod.measured(noise, 100 + r), by(criterion));
      found.col(r) = fit.p - DrivenRod::truth();
      reported.col(r) = fit.deviations;
    }
    for (int j = 1; j < 7; ++j) {
      const double ratio = std::sqrt(found.row(j).squaredNorm() / reported.row(j).squaredNorm());
      INFO(to_string(criterion) << ", parameter " << j << ": ratio " << ratio);
      CHECK(ratio > 0.78);  // the deviation of 120 samples is itself uncertain by 1 / sqrt(240): 6.5 %
      CHECK(ratio < 1.22);
    }
  }
}

TEST_CASE("a common scale is named, its parameters get no deviation, and the rest is found all the same",
          "[output_error]") {
  const DrivenRod rod;
  const auto parameters = guesses(false);
  for (const auto criterion : both) {
    const auto fit = fit_output_error(parameters, rod, rod.measured(noise, 5), by(criterion));
    INFO(to_string(criterion) << ": " << to_string(fit.stop) << " after " << fit.iterations);
    CHECK(fit.converged());
    REQUIRE(fit.identifiability.weak.size() == 1);
    const auto& weak = fit.identifiability.weak.front();
    INFO(weak.sentence);
    CHECK(weak.relative_singular_value < 1e-12);
    CHECK(weak.sentence.starts_with("not identifiable: m, b, k, c together (relative singular value "));
    VectorXd scaled(7);
    scaled << fit.p[0] / 0.15, fit.p[1] / 0.012, fit.p[2] / 0.11, fit.p[3] / 0.08, 0, 0, 0;
    CHECK(std::abs(weak.components.dot(scaled.normalized())) > 1 - 1e-10);
    CHECK((fit.deviations.head(4).array() == infinity).all());
    CHECK((fit.deviations.tail(3).array() < 0.05).all());
    // The steps do not run away along the unidentified scale: it stays between those of the guesses. Apart from the
    // scale the fit is that of a rod of known mass.
    CHECK(fit.p[0] > 0.12);
    CHECK(fit.p[0] < 0.18);
    const auto weighed = fit_output_error(guesses(true), rod, rod.measured(noise, 5), by(criterion));
    VectorXd same = fit.p;
    same.head(4) *= 0.15 / fit.p[0];
    CHECK(((same - weighed.p).array().abs() <= 1e-3 * weighed.deviations.array() + 1e-12).all());
    CHECK(std::abs(fit.p[4] - DrivenRod::truth()[4]) < 4 * fit.deviations[4]);
  }
}

TEST_CASE("a parameter that the outputs do not show stays where it is and is named alone", "[output_error]") {
  const DrivenRod rod;
  auto parameters = guesses(true);
  parameters.push_back({.name = "paint", .initial = 7, .scale = 3});
  const OutputPrediction prediction = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
    rod(p.head(7), Y, J);
    if (J) J->conservativeResize(Eigen::NoChange, 8), J->col(7).setZero();
    return true;
  };
  const auto fit = fit_output_error(parameters, prediction, rod.measured(noise, 5));
  REQUIRE(fit.identifiability.weak.size() == 1);
  CHECK(fit.identifiability.weak.front().sentence == "not identifiable: paint (relative singular value 0)");
  CHECK(fit.p[7] == 7);
  CHECK(fit.deviations[7] == infinity);
  CHECK(fit.deviations.head(7).allFinite());
}

TEST_CASE("what is held stays, and is no part of what may be unidentifiable", "[output_error]") {
  const DrivenRod rod;
  auto parameters = guesses(true);
  parameters[2].lower = parameters[2].upper = 0.11;
  const auto fit = fit_output_error(parameters, rod, rod.measured(noise, 5));
  CHECK(fit.p[0] == 0.15);
  CHECK(fit.p[2] == 0.11);
  CHECK(fit.identifiability.complete());
  CHECK(fit.identifiability.singular_values.size() == 5);
  CHECK(fit.identifiability.directions.row(2).norm() == 0);
  CHECK(fit.deviations[2] == 0);
}

TEST_CASE("unsquared norms resist outliers that ruin least squares", "[output_error]") {
  const DrivenRod rod;
  const MatrixXd measured = with_outliers(rod.measured(noise, 8));
  const auto error = [&](OutputErrorCriterion criterion) {
    const auto fit = fit_output_error(guesses(true), rod, measured, by(criterion));
    CHECK(fit.converged());
    return (fit.p - DrivenRod::truth()).cwiseQuotient(DrivenRod::truth()).head(5).norm();
  };
  const double norms = error(OutputErrorCriterion::sum_of_norms), squares = error(OutputErrorCriterion::least_squares);
  INFO("relative errors " << norms << ", " << squares);
  CHECK(norms < 0.15);
  CHECK(squares > 4 * norms);
}

TEST_CASE("the sum of norms is least at the geometric median, in the plane and in space", "[output_error]") {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (const int size : {2, 3}) {
    const MatrixXd points = MatrixXd::NullaryExpr(size, 41, [&] { return std::pow(normal(random), 3); });
    const OutputPrediction still = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
      Y = p.replicate(1, points.cols());
      if (J) *J = MatrixXd::Identity(size, size).replicate(points.cols(), 1);
      return true;
    };
    const std::vector<OutputErrorParameter> place(static_cast<std::size_t>(size), {.name = "place"});
    const auto fit =
        fit_output_error(place, still, points, {.block_size = size, .relative_tolerance = 1e-14, .smoothing = 1e-7});
    CHECK(fit.converged());
    const MatrixXd away = points.colwise() - fit.p;
    CHECK(away.colwise().normalized().rowwise().sum().norm() < 1e-5);  // of 41 unit vectors
    CHECK(fit.norms == Approx(away.colwise().norm().sum()));
    const auto squares = fit_output_error(
        place, still, points,
        {.block_size = size, .criterion = OutputErrorCriterion::least_squares, .relative_tolerance = 1e-14});
    CHECK((squares.p - points.rowwise().mean()).norm() < 1e-6);
    CHECK(fit.norms < squares.norms);
  }
}

TEST_CASE("missing points do not count: seventy frames are a hundred of which thirty were not seen", "[output_error]") {
  const DrivenRod all;
  DrivenRod shorter;
  shorter.frames = 70;
  MatrixXd measured = all.measured(noise, 9);
  for (const auto criterion : both) {
    const auto expected = fit_output_error(guesses(true), shorter, measured.leftCols(70), by(criterion));
    MatrixXd holes = measured;
    holes.row(0).tail(30).setConstant(std::nan(""));  // one coordinate of the middle, both of the tip
    holes.bottomRightCorner(2, 30).setConstant(std::nan(""));
    const auto fit = fit_output_error(guesses(true), all, holes, {.criterion = criterion, .smoothing = 1e-5});
    const auto same =
        fit_output_error(guesses(true), shorter, measured.leftCols(70), {.criterion = criterion, .smoothing = 1e-5});
    CHECK(fit.points == 140);
    CHECK((fit.p - same.p).norm() < 1e-10);
    CHECK(fit.norms == Approx(same.norms));
    CHECK((fit.deviations - same.deviations).norm() < 1e-8);
    // and the smoothing chosen from the measurements is small enough not to matter
    CHECK(((fit.p - expected.p).array().abs() <= 0.01 * same.deviations.array()).all());
  }
}

TEST_CASE("a simulation that fails shortens the step instead of ending the fit", "[output_error]") {
  const DrivenRod rod;
  int failures = 0;
  const OutputPrediction fragile = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
    rod(p, Y, J);
    if (p[6] < -0.3) {
      if (++failures % 2) return false;
      Y(0, 50) = std::nan("");  // a simulation that diverges reports it in either way
    }
    return true;
  };
  const auto fit = fit_output_error(guesses(true), fragile, rod.measured(0, 1));
  CHECK(failures > 0);
  CHECK(fit.converged());
  CHECK((fit.p - DrivenRod::truth()).norm() < 1e-7);

  const auto never = fit_output_error(
      guesses(true), [](const VectorXd&, MatrixXd&, MatrixXd*) { return false; }, rod.measured(0, 1));
  CHECK(never.stop == quoin::Stop::initial_failed);
  CHECK(never.norms == infinity);
  const auto blind = fit_output_error(
      guesses(true), [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) { return rod(p, Y, J) && !J; },
      rod.measured(0, 1));
  CHECK(blind.stop == quoin::Stop::derivatives_failed);
  CHECK(blind.identifiability.singular_values.size() == 0);
  CHECK(blind.predicted.cols() == 100);
}

TEST_CASE("bounds hold, and what ended on one is named", "[output_error]") {
  const DrivenRod rod;
  auto parameters = guesses(true);
  parameters[2].upper = 0.1;  // the truth is 0.11
  for (const auto criterion : both) {
    const auto fit = fit_output_error(parameters, rod, rod.measured(noise, 5), by(criterion));
    CHECK(fit.converged());
    CHECK(fit.p[2] == 0.1);
    CHECK(fit.at_bounds == std::vector<std::string>{"k"});
    // Held there from the beginning, it is the same problem.
    auto held = parameters;
    held[2].lower = held[2].upper;
    const auto same = fit_output_error(held, rod, rod.measured(noise, 5), by(criterion));
    CHECK(fit.norms == Approx(same.norms).epsilon(1e-6));
  }
}

TEST_CASE("a parameter that ends within rounding of its bound, by its scale, is named as at it", "[output_error]") {
  const VectorXd times = VectorXd::LinSpaced(10, 0, 1);
  const auto line = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
    Y = p[0] * times.transpose();
    if (J != nullptr) *J = times;
    return true;
  };
  const auto fit_of = [&](double slope) {
    return fit_output_error({{.name = "slope", .initial = 0.3, .lower = 0, .upper = 1, .scale = 0.1}}, line,
                            slope * times.transpose(),
                            {.block_size = 1, .criterion = OutputErrorCriterion::least_squares});
  };
  const auto at = fit_of(1e-20);
  CHECK(at.p[0] < 1e-13);
  CHECK(at.at_bounds == std::vector<std::string>{"slope"});
  CHECK(fit_of(1e-6).at_bounds.empty());
}

TEST_CASE("trials share the model and have initial states of their own", "[output_error]") {
  DrivenRod first, second;
  second.phase = 2;
  second.frames = 60;
  auto parameters = guesses(true);
  parameters.push_back({.name = "q(0) of trial 2", .initial = 0, .scale = 0.3});
  parameters.push_back({.name = "v(0) of trial 2", .initial = 0, .scale = 1});
  const OutputPrediction prediction = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
    MatrixXd Y1, Y2, J1, J2;
    VectorXd other = p.head(7);
    other.tail(2) = p.tail(2);
    first(p.head(7), Y1, &J1);
    second(other, Y2, &J2);
    Y.resize(4, 160);
    Y << Y1, Y2;
    if (!J) return true;
    J->setZero(4 * 160, 9);
    J->topLeftCorner(400, 7) = J1;
    J->bottomLeftCorner(240, 5) = J2.leftCols(5);
    J->bottomRightCorner(240, 2) = J2.rightCols(2);
    return true;
  };
  VectorXd truth(9);
  truth << DrivenRod::truth(), -0.4, 0.5;
  MatrixXd measured;
  prediction(truth, measured, nullptr);
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, noise);
  measured += MatrixXd::NullaryExpr(4, 160, [&] { return normal(random); });
  const auto fit = fit_output_error(parameters, prediction, measured);
  const auto alone = fit_output_error(guesses(true), first, measured.leftCols(100));
  CHECK(fit.converged());
  for (int j = 1; j < 9; ++j) CHECK(std::abs(fit.p[j] - truth[j]) < 4 * fit.deviations[j]);
  for (int j = 1; j < 5; ++j) CHECK(fit.deviations[j] < alone.deviations[j]);
}

TEST_CASE("several starts leave a local minimum, the same ones for the same seed", "[output_error]") {
  const Eigen::RowVectorXd t = Eigen::RowVectorXd::LinSpaced(60, 0, 6);
  const OutputPrediction turning = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
    const Eigen::ArrayXd angle = p[0] * t.transpose().array();
    Y.resize(2, t.size());
    Y.row(0) = angle.cos().matrix();
    Y.row(1) = 0.5 * angle.sin().matrix();
    if (!J) return true;
    J->resize(2 * t.size(), 1);
    for (Eigen::Index i = 0; i < t.size(); ++i)
      (*J)(2 * i, 0) = -t[i] * std::sin(angle[i]), (*J)(2 * i + 1, 0) = 0.5 * t[i] * std::cos(angle[i]);
    return true;
  };
  MatrixXd measured;
  turning(VectorXd::Constant(1, 5), measured, nullptr);
  const std::vector<OutputErrorParameter> rate = {
      {.name = "rate", .initial = 2, .lower = 0.5, .upper = 9, .scale = 5, .spread = 4}};
  const auto one = fit_output_error(rate, turning, measured);
  CHECK(one.converged());
  CHECK(std::abs(one.p[0] - 5) > 0.5);
  const auto many = fit_output_error(rate, turning, measured, {.starts = 40, .seed = 3});
  CHECK(std::abs(many.p[0] - 5) < 1e-8);
  REQUIRE(many.starts.size() == 40);
  CHECK(many.starts.front().initial[0] == 2);
  CHECK(many.starts.front().p == one.p);
  for (const auto& start : many.starts) {
    CHECK(start.norms >= many.norms);
    CHECK(start.norms <= start.initial_norms);
    CHECK(start.initial[0] >= 0.5);
    CHECK(start.initial[0] <= 6);
  }
  const auto again = fit_output_error(rate, turning, measured, {.starts = 40, .seed = 3});
  CHECK(again.p == many.p);
  CHECK(again.starts[7].initial == many.starts[7].initial);
  const auto others = fit_output_error(rate, turning, measured, {.starts = 40, .seed = 4});
  CHECK(others.starts[7].initial != many.starts[7].initial);
}

TEST_CASE("what does not fit is refused with its numbers", "[output_error]") {
  const DrivenRod rod;
  const MatrixXd measured = rod.measured(0, 1);
  using Catch::Matchers::Contains;
  const auto refused = [&](auto change, const char* why) {
    auto parameters = guesses(true);
    MatrixXd E = measured;
    OutputErrorOptions options;
    change(parameters, E, options);
    const OutputPrediction prediction = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
      VectorXd all = DrivenRod::truth();
      all.head(p.size()) = p;
      return rod(all, Y, J);
    };
    CHECK_THROWS_WITH(fit_output_error(parameters, prediction, E, options), Contains(why));
  };
  refused([](auto& p, auto&, auto&) { p.clear(); }, "no parameters");
  refused([](auto& p, auto&, auto&) { p[1].lower = 1; }, "bounds of b are 1 and 0.1");
  refused([](auto& p, auto&, auto&) { p[1].scale = 0; }, "scale of b");
  refused([](auto& p, auto&, auto&) { p[1].initial = std::nan(""); }, "initial value of b");
  refused([](auto& p, auto&, auto&) { p.pop_back(); }, "must be 400 x 6");
  refused([](auto&, auto& E, auto&) { E = E.topRows(2).eval(); }, "prediction is 4 x 100");
  refused([](auto&, auto& E, auto&) { E = E.topRows(3).eval(); }, "blocks of 2");
  refused([](auto&, auto& E, auto&) { E.setConstant(std::nan("")); }, "nothing was measured");
  refused([](auto&, auto&, auto& o) { o.block_size = 1; }, "block_size is 1");
  refused([](auto&, auto&, auto& o) { o.starts = 0; }, "starts = 0");
}

TEST_CASE("options of the output error that mean nothing are refused with their name", "[output_error]") {
  using Options = OutputErrorOptions;
  const DrivenRod rod;
  const MatrixXd measured = rod.measured(0, 1);
  const auto parameters = guesses(true);
  const OutputPrediction never = [](const VectorXd&, MatrixXd&, MatrixXd*) -> bool { throw std::logic_error("asked"); };
  quoin::test::RefusedOptions("fit_output_error", Options{},
                              [&](const Options& o) { fit_output_error(parameters, never, measured, o); })
      .positive("starts", &Options::starts)
      .not_negative("max_iterations", &Options::max_iterations)
      .not_negative("relative_tolerance", &Options::relative_tolerance)
      .not_negative("smoothing", &Options::smoothing)
      .not_negative("initial_damping", &Options::initial_damping)
      .positive("max_damping", &Options::max_damping)
      .not_negative("weak_threshold", &Options::weak_threshold);
}
