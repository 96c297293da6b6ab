// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/verified.hpp"

#include "quoin/map/compose.hpp"
#include "quoin/map/linear_image.hpp"
#include "quoin/map/newton_correction.hpp"
#include "quoin/map/with_fallback.hpp"
#include "testing/laws.hpp"
#include "testing/refused_options.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>

using namespace quoin;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Two outputs, y_i + y_i^3 / 3 = x_i.
struct Cubic {
  Eigen::Index output_size() const { return 2; }
  static double solved(double x) {
    double y = 0;
    for (int i = 0; i < 60; ++i) y -= (y + y * y * y / 3 - x) / (1 + y * y);
    return y;
  }
  Answer evaluate(const Point<2>& x, VectorXd& y) const {
    y = VectorXd{{solved(x[0]), solved(x[1])}};
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<2>& x, VectorXd& y, MatrixXd& J) const {
    evaluate(x, y);
    J = (1 + y.array().square()).inverse().matrix().asDiagonal();
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }
  bool correction(const Point<2>& x, const VectorXd& guess, const ErrorNorm& norm, VectorXd& dy) const {
    const auto step_from = [&](const VectorXd& total, VectorXd& step) {
      const Eigen::ArrayXd y = (guess + total).array();
      step = -((y + y.cube() / 3 - x.array()) / (1 + guess.array().square())).matrix();
    };
    return newton_correction(step_from, guess, norm, dy);
  }
};

/// The cubic's answers plus an offset, with the words of a surrogate.
struct Shifted {
  Eigen::Vector2d offset = {0, 0};
  Answer answer = {.trust = Trust::unchecked, .level = 3};

  Eigen::Index output_size() const { return 2; }
  Answer evaluate(const Point<2>& x, VectorXd& y) const {
    MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<2>& x, VectorXd& y, MatrixXd& J) const {
    Cubic{}.evaluate(x, y, J);
    y += offset;
    return answer;
  }
  Answer try_evaluate(const Point<2>& x, VectorXd& y, MatrixXd& J) const {
    return answer.has_value() ? evaluate(x, y, J) : answer;
  }
};

double rms(const VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

const Point<2> at(0.8, -1.3);

template <class Make>
std::string message_of(const Make& make) {
  try {
    make();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

static_assert(Verifiable<Cubic, 2>);
static_assert(!Verifiable<Shifted, 2>);
static_assert(TryableMap<VerifiedMap<2, Shifted, Cubic>, 2>);

TEST_CASE("a verified answer measures the error of its map to 2 %, and the corrected value is off by 2 % of it") {
  std::mt19937 random(71);
  std::uniform_real_distribution<double> anywhere(-3, 3), digits(-9, -1);
  std::normal_distribution<double> normal;
  int verified_answers = 0;
  for (int i = 0; i < 500; ++i) {
    const Point<2> x(anywhere(random), anywhere(random));
    const Shifted map{std::pow(10, digits(random)) * Eigen::Vector2d(normal(random), normal(random))};
    VectorXd truth, y, corrected;
    MatrixXd J, J_truth;
    Cubic{}.evaluate(x, truth, J_truth);
    const Answer answer = verified<2>(map, Cubic{}).evaluate(x, y, J);
    const Answer better = verified<2>(map, Cubic{}, {.corrected = true}).evaluate(x, corrected);
    REQUIRE(better.trust == answer.trust);
    REQUIRE(y == truth + map.offset);
    REQUIRE(J == J_truth);
    if (answer.trust != Trust::verified) continue;
    ++verified_answers;
    const double error = rms(map.offset);
    CHECK(answer.level == 3);
    CHECK(answer.error == Approx(error).epsilon(0.02));
    CHECK(better.error == answer.error);
    CHECK(rms(corrected - truth) <= 0.02 * error);
  }
  CHECK(verified_answers >= 490);
}

TEST_CASE("an answer that is right to rounding is verified as such") {
  VectorXd y;
  const Answer answer = verified<2>(Shifted{}, Cubic{}).evaluate(at, y);
  CHECK(answer.trust == Trust::verified);
  CHECK(answer.error < 1e-14);
}

TEST_CASE("a functional is right to rounding only if the outputs that it does not see hardly move it") {
  VectorXd y;
  const MatrixXd second{{0, 1}};
  const Answer right = verified<2>(Shifted{}, Cubic{}, {.functional = second}).evaluate(at, y);
  CHECK(right.trust == Trust::verified);
  CHECK(right.error < 1e-14);

  // y_1 = x_1, y_2 = x_2 + y_1^2, at a guess of which the first step sees nothing of y_1 in y_2.
  struct Squared : Shifted {
    Answer evaluate(const Point<2>& x, VectorXd& guess, MatrixXd& J) const {
      J.setZero(2, 2);
      return evaluate(x, guess);
    }
    Answer evaluate(const Point<2>& x, VectorXd& guess) const {
      guess = VectorXd{{0, x[1]}};
      return answer;
    }
    bool correction(const Point<2>& x, const VectorXd& guess, const ErrorNorm& norm, VectorXd& dy) const {
      const auto step_from = [&](const VectorXd& total, VectorXd& step) {
        const VectorXd v = guess + total;
        step = VectorXd{{x[0] - v[0], x[1] + v[0] * v[0] - v[1]}};
      };
      return newton_correction(step_from, guess, norm, dy);
    }
  };
  const Squared f;
  const Answer moved = verified<2>(f, f, {.functional = second}).evaluate(at, y);
  CHECK(moved.trust == Trust::verified);
  CHECK(moved.error == Approx(at[0] * at[0]));
}

TEST_CASE("where the equation tells nothing reliable of a guess, the map's own answer comes back") {
  const Answer own{.trust = Trust::estimated, .level = 2, .error = 0.25, .jacobian_error = 0.5};
  for (const double offset : {5.0, 1e10, std::numeric_limits<double>::quiet_NaN()}) {
    CAPTURE(offset);
    VectorXd y, dy;
    CHECK_FALSE(Cubic{}.correction(at, Eigen::Vector2d::Constant(offset), ErrorNorm(2), dy));
    const Answer answer =
        verified<2>(Shifted{Eigen::Vector2d::Constant(offset), own}, Cubic{}, {.corrected = true}).evaluate(at, y);
    CHECK(answer.trust == Trust::estimated);
    CHECK(answer.error == 0.25);
    CHECK(answer.jacobian_error == 0.5);
  }
}

TEST_CASE("answers that are exact, of another branch or point, or that are none, are left as they are") {
  for (const Trust trust : {Trust::exact, Trust::nearest_branch, Trust::extended, Trust::outside, Trust::failed}) {
    VectorXd y;
    MatrixXd J;
    const auto map = verified<2>(Shifted{{0.01, 0}, {.trust = trust}}, Cubic{}, {.corrected = true});
    CHECK(map.try_evaluate(at, y, J).trust == trust);
    CHECK((y.size() == 2) == (trust != Trust::outside && trust != Trust::failed));
    if (y.size() == 2) CHECK(y[0] == Cubic::solved(at[0]) + 0.01);
  }
  for (const Trust trust : {Trust::certified, Trust::estimated, Trust::indicated, Trust::unchecked, Trust::coarser}) {
    VectorXd y;
    MatrixXd J;
    const auto map = verified<2>(Shifted{{0.01, 0}, {.trust = trust, .error = 1, .jacobian_error = 0.1}}, Cubic{});
    const Answer answer = map.try_evaluate(at, y, J);
    CHECK(answer.trust == Trust::verified);
    // A map's word on its Jacobian that was not to be relied on does not become reliable.
    CHECK((answer.jacobian_error == 0.1) == (trust <= Trust::estimated));
  }
}

TEST_CASE("verified stands between exact and certified, and a function of a verified value claims no error") {
  CHECK(Trust::exact < Trust::verified);
  CHECK(Trust::verified < Trust::certified);
  CHECK(to_string(Trust::verified) == std::string("verified"));
  const Answer answer{.trust = Trust::verified, .level = 2, .error = 0.1};
  CHECK(answer.has_value());
  CHECK(answer.without_error().trust == Trust::unchecked);
  CHECK(answer.without_error().level == 2);
  CHECK(Answer{.trust = Trust::exact, .error = 0}.without_error().trust == Trust::exact);
  CHECK(Answer{.trust = Trust::coarser}.without_error().trust == Trust::coarser);
  const auto map = verified<2>(Shifted{{0.01, 0}}, Cubic{});
  VectorXd y;
  CHECK(LinearImage<2, decltype(map)>(map, MatrixXd::Ones(1, 2)).evaluate(at, y).trust == Trust::unchecked);
  CHECK(compose<2, 2>(Cubic{}, map).evaluate(at, y).trust == Trust::unchecked);
}

TEST_CASE("the error of a verified functional is that of the functional, in its own norm") {
  const MatrixXd C{{1, 2}, {0, -1}, {3, 0}};
  const VectorXd weights{{1, 0, 2}};
  const Shifted map{{0.01, -0.02}, {.trust = Trust::estimated, .error = 1, .jacobian_error = 1}};
  const auto image = verified<2>(map, Cubic{}, {.functional = C, .output_weights = weights});
  VectorXd y, truth, corrected;
  MatrixXd J, J_truth;
  Cubic{}.evaluate(at, truth, J_truth);
  const Answer answer = image.evaluate(at, y, J);
  CHECK(image.output_size() == 3);
  CHECK(answer.trust == Trust::verified);
  CHECK(answer.error == Approx(weights.cwiseProduct(C * map.offset).norm()).epsilon(0.02));
  CHECK(std::isnan(answer.jacobian_error));
  CHECK((y - C * (truth + map.offset)).norm() < 1e-15);
  CHECK((J - C * J_truth).norm() < 1e-15);
  verified<2>(map, Cubic{}, {.corrected = true, .functional = C}).evaluate(at, corrected);
  CHECK((corrected - C * truth).norm() <= 0.02 * (C * map.offset).norm());
  const Shifted far{{1e10, 0}, map.answer};
  CHECK(verified<2>(far, Cubic{}, {.functional = C}).evaluate(at, y).trust == Trust::unchecked);
}

TEST_CASE("with f behind it, a verified map keeps to a tolerance") {
  for (const double offset : {1e-3, 1e-5}) {
    const auto map =
        with_fallback<2>(verified<2>(Shifted{Eigen::Vector2d::Constant(offset)}, Cubic{}), Cubic{}, {.value = 1e-4});
    VectorXd y;
    CHECK((map.evaluate(at, y).trust == Trust::exact) == (offset > 1e-4));
    CHECK(std::abs(y[0] - Cubic::solved(at[0])) <= 1e-4);
  }
}

TEST_CASE("a verified map obeys the laws of maps") {
  test::obeys_the_laws_of_maps<2>(verified<2>(Shifted{{0.01, 0.02}}, Cubic{}), {{0.3, -0.4}, {2, 1}, {-1, 0.1}});
  test::obeys_the_laws_of_maps<2>(
      verified<2>(Shifted{{0.01, 0.02}}, Cubic{}, {.functional = MatrixXd{{1, 2}, {0, -1}, {3, 0}}}),
      {{0.3, -0.4}, {2, 1}, {-1, 0.1}});
}

TEST_CASE("sizes that do not fit are refused with their numbers") {
  struct One : Cubic {
    Eigen::Index output_size() const { return 1; }
  };
  CHECK(message_of([] { verified<2>(Shifted{}, One{}); }) == "verified: the map has 2 outputs, f has 1");
  CHECK(message_of([] { verified<2>(Shifted{}, Cubic{}, {.functional = MatrixXd::Ones(1, 3)}); }) ==
        "verified: the functional is 1 x 3, the map has 2 outputs");
  CHECK(message_of([] { verified<2>(Shifted{}, Cubic{}, {.output_weights = VectorXd::Ones(3)}); }) ==
        "verified: 3 output weights for 2 outputs");
}

TEST_CASE("options of Newton's correction that mean nothing are refused with their name") {
  using Options = NewtonCorrectionOptions;
  const VectorXd guess = VectorXd::Ones(1);
  VectorXd dy;
  const auto step = [](const VectorXd&, VectorXd& s) { s.setZero(1); };
  quoin::test::RefusedOptions("newton_correction", Options{},
                              [&](const Options& o) { newton_correction(step, guess, ErrorNorm(1), dy, o); })
      .positive("contraction", &Options::contraction)
      .not_negative("remainder", &Options::remainder)
      .positive("residuals", &Options::residuals)
      .not_negative("rounding", &Options::rounding);
}
