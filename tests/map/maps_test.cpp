// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/compose.hpp"
#include "quoin/map/derivative_check.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/linear_image.hpp"
#include "quoin/map/restrict_to.hpp"
#include "quoin/map/with_fallback.hpp"
#include "quoin/util/errors.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

using namespace quoin;
using namespace quoin::test;

namespace {

/// f_0 = sin(x_0) x_1, f_1 = exp(x_0 - x_1), with one entry of the Jacobian off by a relative error.
auto smooth(double relative_error = 0) {
  return exact_function<2>(2, [=](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
    y << std::sin(x[0]) * x[1], std::exp(x[0] - x[1]);
    J << std::cos(x[0]) * x[1], std::sin(x[0]), y[1], -y[1] * (1 + relative_error);
  });
}

auto linear(double relative_error = 0) {
  return exact_function<2>(2, [=](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
    J << 1, 2, 3, 4;
    y = J * x;
    J(1, 0) *= 1 + relative_error;
  });
}

struct ThrowingMap {
  Eigen::Index output_size() const { return 1; }
  Answer evaluate(const Point<2>&, Eigen::VectorXd&) const { throw DomainError("nowhere"); }
  Answer evaluate(const Point<2>&, Eigen::VectorXd&, Eigen::MatrixXd&) const { throw DomainError("nowhere"); }
};

struct NoJacobian {
  Eigen::Index output_size() const { return 1; }
  Answer evaluate(const Point<2>&, Eigen::VectorXd&) const { return {}; }
};
struct NotConst {
  Eigen::Index output_size() { return 1; }
  Answer evaluate(const Point<2>&, Eigen::VectorXd&) { return {}; }
  Answer evaluate(const Point<2>&, Eigen::VectorXd&, Eigen::MatrixXd&) { return {}; }
};
struct NoAnswer {
  Eigen::Index output_size() const { return 1; }
  void evaluate(const Point<2>&, Eigen::VectorXd&) const {}
  void evaluate(const Point<2>&, Eigen::VectorXd&, Eigen::MatrixXd&) const {}
};
struct Surrogate {  // a map that tells how far it can be trusted
  Trust trust;
  Eigen::Index output_size() const { return 2; }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
    y = 2 * x;
    return {.trust = trust, .level = 3, .error = 0.1};
  }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    J = 2 * Eigen::Matrix2d::Identity();
    return evaluate(x, y);
  }
  Answer try_evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    if (trust == Trust::failed) return {.trust = trust};
    return evaluate(x, y, J);
  }
};

}  // namespace

static_assert(DifferentiableMap<decltype(smooth()), 2>);
static_assert(!TryableMap<decltype(smooth()), 2>);
static_assert(TryableMap<Surrogate, 2>);
static_assert(!DifferentiableMap<NoJacobian, 2>);
static_assert(!DifferentiableMap<NotConst, 2>);
static_assert(!DifferentiableMap<NoAnswer, 2>);
static_assert(!DifferentiableMap<int, 2>);
static_assert(!DifferentiableMap<decltype(Waves<2>(1).jet<0>()), 2>);
static_assert(DifferentiableMap<decltype(Waves<2>(1).jet<2>()), 2>);
static_assert(DifferentiableMap<decltype(compose<2, 2>(smooth(), linear())), 2>);

TEST_CASE("exact functions obey the laws of maps") {
  const auto points = random_points<2>(5, Point<2>::Constant(-1), Point<2>::Constant(1), 1);
  obeys_the_laws_of_maps<2>(smooth(), points);
  obeys_the_laws_of_maps<2>(Waves<2>(4).jet<1>(), points);
  obeys_the_laws_of_maps<2>(Waves<2>(4).jet<3>(), points);
  Eigen::VectorXd y;
  CHECK(smooth().evaluate(points[0], y).trust == Trust::exact);
  CHECK(smooth().evaluate(points[0], y).error == 0);
  CHECK_THROWS_WITH(exact_function<2>(0, [](auto&&...) {}), Catch::Contains("output size is 0"));
}

TEST_CASE("the derivative check passes right Jacobians and measures their second order") {
  const DerivativeCheck check = check_derivatives<2>(smooth(), Point<2>(0.3, 0.4));
  CHECK(check.passed);
  CHECK(check.slope > 1.9);
  CHECK(check.slope < 2.1);
  CHECK(check.relative_error < 1e-7);
  CHECK_THAT(check.message, Catch::Contains("is right"));
}

TEST_CASE("the derivative check catches an entry that is wrong by a thousandth, wherever it is") {
  for (const Point<2>& x : random_points<2>(10, Point<2>::Constant(-1), Point<2>::Constant(1), 1)) {
    for (const double error : {1e-3, -1e-3, 0.5}) {
      const DerivativeCheck check = check_derivatives<2>(smooth(error), x);
      CHECK_FALSE(check.passed);
      CHECK(check.slope < 1.5);
      CHECK(check.relative_error > 1e-4 * std::abs(error));
      CHECK_THAT(check.message, Catch::Contains("is wrong"));
      CHECK_FALSE(check_derivatives<2>(linear(error), x).passed);
    }
  }
}

TEST_CASE("the derivative check passes linear and constant functions, whose remainder is rounding") {
  const DerivativeCheck check = check_derivatives<2>(linear(), Point<2>(0.3, 0.4));
  CHECK(check.passed);
  CHECK(std::isnan(check.slope));
  const auto constant = exact_function<2>(1, [](const Point<2>&, auto y, auto J) {
    y[0] = 1e6;
    J.setZero();
  });
  CHECK(check_derivatives<2>(constant, Point<2>(0.3, 0.4)).passed);
}

TEST_CASE("the derivative check fails what is not finite") {
  const auto spoiled = [](double value, double slope) {
    return exact_function<2>(1, [=](const Point<2>& x, auto y, auto J) {
      y[0] = x[0] > 0.305 ? value : x[0];
      J << 1, slope;
    });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK_FALSE(check_derivatives<2>(spoiled(1, nan), Point<2>(0.3, 0.4)).passed);
  CHECK_FALSE(check_derivatives<2>(spoiled(nan, 0), Point<2>(0.3, 0.4)).passed);
  CHECK_FALSE(check_derivatives<2>(spoiled(infinity, 0), Point<2>(0.3, 0.4)).passed);
  CHECK_THAT(check_derivatives<2>(spoiled(1, nan), Point<2>(0.3, 0.4)).message, Catch::Contains("not finite"));
}

TEST_CASE("a slice is the map along the named axes, in the order named") {
  const auto map = Waves<4>(5).jet<1>();
  const Point<4> base(0.1, 0.2, 0.3, 0.4);
  const auto slice = restrict_to(map, std::array{3, 1}, base);
  static_assert(DifferentiableMap<decltype(slice), 2> && TryableMap<decltype(slice), 2>);
  CHECK(slice.output_size() == 5);
  Eigen::VectorXd y, y_full;
  Eigen::MatrixXd J, J_full;
  slice.evaluate(Point<2>(7, 8), y, J);
  map.evaluate(Point<4>(0.1, 8, 0.3, 7), y_full, J_full);
  CHECK(y == y_full);
  CHECK(J.col(0) == J_full.col(3));
  CHECK(J.col(1) == J_full.col(1));
  CHECK(slice.try_evaluate(Point<2>(7, 8), y, J).trust == Trust::exact);
  obeys_the_laws_of_maps<2>(slice, {Point<2>(0.5, -0.5)});
  CHECK_THROWS_WITH(restrict_to(map, std::array{0, 4}, base),
                    Catch::Contains("axis 4") && Catch::Contains("4 dimensions"));
  CHECK_THROWS_WITH(restrict_to(map, std::array{-1}, base), Catch::Contains("axis -1"));
  CHECK_THROWS_WITH(restrict_to(map, std::array{2, 0, 2}, base), Catch::Contains("axis 2 is named twice"));
}

TEST_CASE("a composition has the chain rule's Jacobian and trusts its weaker part") {
  const auto map = compose<2, 2>(smooth(), linear());
  obeys_the_laws_of_maps<2>(map, {Point<2>(0.2, -0.1), Point<2>(-0.3, 0.1)});
  Eigen::VectorXd y, between, expected;
  Eigen::MatrixXd J;
  map.evaluate(Point<2>(0.2, -0.1), y);
  linear().evaluate(Point<2>(0.2, -0.1), between);
  smooth().evaluate(Point<2>(between), expected);
  CHECK(y == expected);
  const auto trust = [&](const auto& outer, const auto& inner) {
    return compose<2, 2>(outer, inner).evaluate(Point<2>(0.2, -0.1), y, J);
  };
  CHECK(trust(smooth(), linear()).trust == Trust::exact);
  CHECK(trust(Surrogate{Trust::certified}, linear()).error == 0.1);
  CHECK(trust(smooth(), Surrogate{Trust::certified}).trust == Trust::unchecked);
  CHECK(std::isnan(trust(smooth(), Surrogate{Trust::certified}).error));
  CHECK(trust(Surrogate{Trust::unchecked}, Surrogate{Trust::coarser}).trust == Trust::coarser);
  CHECK(trust(Surrogate{Trust::extended}, Surrogate{Trust::coarser}).trust == Trust::extended);
  CHECK_THROWS_WITH((compose<2, 3>(Waves<3>(1).jet<1>(), linear())),
                    Catch::Contains("2 outputs") && Catch::Contains("3"));
}

TEST_CASE("a composition that cannot answer says which way its part failed") {
  struct Outside : ThrowingMap {
    Eigen::Index output_size() const { return 2; }
    Answer try_evaluate(const Point<2>&, Eigen::VectorXd&, Eigen::MatrixXd&) const { return {.trust = Trust::outside}; }
  };
  Eigen::VectorXd y = Eigen::VectorXd::Constant(1, 7);
  Eigen::MatrixXd J;
  CHECK(compose<2, 2>(smooth(), Outside{}).try_evaluate({0.2, -0.1}, y, J).trust == Trust::outside);
  CHECK(compose<2, 2>(Outside{}, linear()).try_evaluate({0.2, -0.1}, y, J).trust == Trust::outside);
  CHECK(compose<2, 2>(ThrowingMap{}, linear()).try_evaluate({0.2, -0.1}, y, J).trust == Trust::failed);
  CHECK(y == Eigen::VectorXd::Constant(1, 7));
}

TEST_CASE("a linear image is C times the map, and claims no error that C does not keep") {
  const Eigen::MatrixXd C = (Eigen::MatrixXd(3, 2) << 1, -2, 0.5, 3, 0, 1).finished();
  const LinearImage<2, decltype(smooth())> image(smooth(), C);
  obeys_the_laws_of_maps<2>(image, {Point<2>(0.2, -0.1), Point<2>(-0.3, 0.1)});
  Eigen::VectorXd y, f;
  image.evaluate({0.2, -0.1}, y);
  smooth().evaluate({0.2, -0.1}, f);
  CHECK((y - C * f).norm() < 1e-15);
  CHECK_THROWS_WITH((LinearImage<2, decltype(smooth())>(smooth(), Eigen::MatrixXd::Ones(1, 3))),
                    Catch::Contains("1 x 3") && Catch::Contains("2 outputs"));
}

TEST_CASE("try_evaluate answers for any map without throwing, and leaves the outputs of those that can say no") {
  Eigen::VectorXd y = Eigen::VectorXd::Constant(3, 5.0);
  Eigen::MatrixXd J = Eigen::MatrixXd::Constant(3, 3, 5.0);
  const Point<2> x(0, 0);
  CHECK(try_evaluate<2>(ThrowingMap{}, x, y, J).trust == Trust::failed);
  CHECK(try_evaluate<2>(Surrogate{Trust::failed}, x, y, J).trust == Trust::failed);
  CHECK(restrict_to(Surrogate{Trust::failed}, std::array{0}, x).try_evaluate(Point<1>(0), y, J).trust == Trust::failed);
  CHECK((y.size() == 3 && y[0] == 5 && J.rows() == 3 && J(0, 0) == 5));
  CHECK(try_evaluate<2>(smooth(), x, y, J).trust == Trust::exact);
  CHECK(y.size() == 2);
}

TEST_CASE("the second map answers where the first does not know its error to be allowed") {
  struct Certain {
    double error;
    Eigen::Index output_size() const { return 2; }
    Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
      Eigen::MatrixXd J;
      return evaluate(x, y, J);
    }
    Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
      smooth().evaluate(x, y, J);
      y.array() += 1;
      return {.trust = Trust::estimated, .error = error * std::abs(x[0]), .jacobian_error = 10 * error};
    }
  };
  Eigen::VectorXd y, exact;
  Eigen::MatrixXd J;
  const auto by_first = [&](const auto& map, const Point<2>& x) {
    const Answer answer = map.evaluate(x, y, J);
    smooth().evaluate(x, exact);
    Eigen::VectorXd tried = Eigen::VectorXd::Constant(1, 7.0);
    Eigen::MatrixXd J_tried;
    CHECK(map.try_evaluate(x, tried, J_tried).trust == answer.trust);
    CHECK(tried == y);
    CHECK(J_tried == J);
    Eigen::VectorXd alone;
    map.evaluate(x, alone);
    CHECK(alone == y);
    CHECK((answer.trust == Trust::estimated) == (y != exact));
    return answer.trust == Trust::estimated;
  };
  const auto map = with_fallback<2>(Certain{0.1}, smooth(), {.value = 0.05});
  CHECK(by_first(map, {0.4, 0.1}));
  CHECK_FALSE(by_first(map, {0.6, 0.1}));
  CHECK_FALSE(by_first(with_fallback<2>(Certain{0.1}, smooth(), {.value = 0.05, .jacobian = 0.5}), {0.4, 0.1}));
  CHECK_FALSE(by_first(with_fallback<2>(Certain{std::nan("")}, smooth(), {.value = 0.05}), {0.4, 0.1}));
  obeys_the_laws_of_maps<2>(map, {Point<2>(0.2, -0.1), Point<2>(0.8, 0.1)});

  y = Eigen::VectorXd::Constant(1, 7.0);
  CHECK(with_fallback<2>(ThrowingMap{}, ThrowingMap{}, {.value = 1}).try_evaluate({0, 0}, y, J).trust == Trust::failed);
  CHECK(y[0] == 7);
  CHECK_THROWS_WITH(with_fallback<2>(smooth(), smooth(), {.value = 0}), Catch::Contains("allowed errors 0"));
  CHECK_THROWS_WITH(with_fallback<2>(smooth(), Waves<2>(3).jet<1>(), {.value = 1}), Catch::Contains("3"));
}

TEST_CASE("where both maps are known, what the first is further off than it says counts against it from then on") {
  struct Wrong {
    Trust trust = Trust::estimated;
    double off = 0.1;  // of which it says a tenth
    Eigen::Index output_size() const { return 2; }
    Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
      Eigen::MatrixXd J;
      return evaluate(x, y, J);
    }
    Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
      smooth().evaluate(x, y, J);
      y.array() += off * x[0];
      J.col(0).array() += off;
      return {.trust = trust, .error = off * std::abs(x[0]) / 10, .jacobian_error = off};
    }
  };
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const auto map = with_fallback<2>(Wrong{}, smooth(), {.value = 0.005});
  const auto copy = map;
  CHECK(map.evaluate({0.4, 0.1}, y, J).trust == Trust::estimated);
  CHECK(map.excess() == 1);
  CHECK(map.evaluate({0.6, 0.1}, y, J).trust == Trust::exact);
  CHECK(map.excess() == Approx(10));
  CHECK(copy.excess() == map.excess());
  CHECK(map.evaluate({0.4, 0.1}, y, J).trust == Trust::exact);
  CHECK(map.evaluate({0.04, 0.1}, y, J).trust == Trust::estimated);
  const auto tried = with_fallback<2>(Wrong{}, smooth(), {.value = 0.005});
  tried.try_evaluate({0.6, 0.1}, y, J);
  CHECK(tried.excess() == Approx(10));
  // The second map's own error may be the reason, and so may be the few samples of an indication.
  const auto excused = with_fallback<2>(Wrong{}, Wrong{.off = 0.2}, {.value = 0.005});
  excused.evaluate({0.6, 0.1}, y, J);
  CHECK(excused.excess() == Approx(8));
  const auto indicated = with_fallback<2>(Wrong{Trust::indicated}, smooth(), {.value = 0.005});
  CHECK(indicated.evaluate({0.4, 0.1}, y, J).trust == Trust::exact);
  CHECK(indicated.excess() == 1);
  CHECK(with_fallback<2>(Wrong{Trust::indicated}, smooth(), {}).evaluate({0.4, 0.1}, y, J).trust == Trust::indicated);
  const auto discontinuous = with_fallback<2>(Wrong{Trust::discontinuous}, smooth(), {.value = 0.005});
  CHECK(discontinuous.evaluate({0.4, 0.1}, y, J).trust == Trust::exact);
  CHECK(discontinuous.excess() == 1);
}
