// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/compose.hpp"
#include "quoin/map/linear_image.hpp"
#include "quoin/map/restrict_to.hpp"
#include "testing/fingerprint_laws.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace quoin;

namespace {

/// x -> (a x_0, x_1), with or without a fingerprint.
struct Scaled {
  double a = 1;
  Eigen::Index output_size() const { return 2; }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
    y = Eigen::Vector2d(a * x[0], x[1]);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    J = Eigen::Vector2d(a, 1).asDiagonal();
    return evaluate(x, y);
  }
};
struct Named : Scaled {
  Fingerprint fingerprint() const { return Fingerprint("scaled").add("a", a); }
};

std::string rounded(const Eigen::MatrixXd& numbers) { return Fingerprint("f").add_rounded("numbers", numbers).text(); }

}  // namespace

TEST_CASE(
    "a fingerprint takes numbers, text, fingerprints, matrices and ranges, and counts every bit and their order") {
  const auto text = [](const auto& value) { return Fingerprint("f").add("value", value).text(); };
  CHECK(text(std::vector{1, 2, 3}) == text(std::array{1, 2, 3}));
  CHECK(text(std::vector{1, 2, 3}) != text(std::vector{1, 3, 2}));
  CHECK(text(std::vector<std::vector<int>>{{1, 2}, {3}}) != text(std::vector<std::vector<int>>{{1}, {2, 3}}));
  CHECK(text(std::vector<std::vector<int>>{{}, {}}) != text(std::vector<std::vector<int>>{{}}));
  CHECK(text(1.0) != text(std::nextafter(1.0, 2.0)));
  CHECK(text(std::vector{1.0}) != text(std::vector{std::nextafter(1.0, 2.0)}));
  CHECK(text(Fingerprint("inner").add("a", 1)) != text(Fingerprint("inner").add("a", 2)));
  CHECK(text(Fingerprint("inner").add("a", 1)) == text(Fingerprint("inner").add("a", 1)));
  CHECK(text("a") != text("b"));
}

TEST_CASE("numbers that are rounded lose their last bits and nothing else") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd numbers = Eigen::MatrixXd::NullaryExpr(3, 200, [&] { return normal(random); });
  numbers.col(0) << 0.5, 0, -0.25;  // exact in binary digits: a last bit moves them below a power of two
  const std::string text = rounded(numbers);
  const double last_bits = 4 * std::numeric_limits<double>::epsilon();
  for (Eigen::Index i = 0; i < numbers.size(); ++i)
    for (const double sign : {-1., 1.}) {
      INFO("number " << i << ", " << numbers(i));
      Eigen::MatrixXd other = numbers;
      other(i) += sign * last_bits * std::max(1.0, std::abs(numbers(i)));
      CHECK(rounded(other) == text);
      other(i) = numbers(i) + sign * 2e-9 * std::max(1e-3, std::abs(numbers(i)));
      CHECK(rounded(other) != text);
    }
  Eigen::MatrixXd all = numbers;
  for (double& number : all.reshaped()) number *= 1 + last_bits * normal(random);
  CHECK(rounded(all) == text);
}

TEST_CASE("numbers that are rounded may be zero, tiny, huge or not finite") {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  std::set<std::string> texts;
  for (const double number : {0., least, 1e-308, 1e-300, 1., 1e300, most, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    INFO(number);
    CHECK(texts.insert(rounded(Eigen::MatrixXd::Constant(1, 1, number))).second);
  }
  CHECK(rounded(Eigen::Vector2d(-0.0, 1)) == rounded(Eigen::Vector2d(0, 1)));
  CHECK(rounded(Eigen::MatrixXd(3, 0)) != rounded(Eigen::MatrixXd(2, 0)));
  CHECK(Fingerprint("f").add_rounded("numbers", std::vector{1., 2.}).text() == rounded(Eigen::Vector2d(1, 2)));
}

TEST_CASE("maps over a map have a fingerprint if it has one, of it and of what they add") {
  static_assert(Fingerprinted<Named> && !Fingerprinted<Scaled>);
  const Point<2> base(3, 4);
  using Restricted = decltype(restrict_to(Named{}, std::array{1}, base));
  static_assert(Fingerprinted<Restricted> && Fingerprinted<LinearImage<2, Named>>);
  static_assert(!Fingerprinted<decltype(restrict_to(Scaled{}, std::array{1}, base))>);
  static_assert(!Fingerprinted<LinearImage<2, Scaled>>);
  static_assert(!Fingerprinted<decltype(compose<2, 2>(Named{}, Scaled{}))>);

  struct Slice {
    double a = 1;
    std::array<int, 1> axes = {1};
    Point<2> base = Point<2>(3, 4);
  };
  check_fingerprint<Slice>(
      {}, [](const Slice& s) { return restrict_to(Named{{s.a}}, s.axes, s.base).fingerprint().text(); },
      {{"the map", [](Slice& s) { s.a = 2; }},
       {"the axis", [](Slice& s) { s.axes = {0}; }},
       {"a coordinate that is held", [](Slice& s) { s.base[0] = 5; }}},
      {{"the coordinate along the axis", [](Slice& s) { s.base[1] = 5; }}});

  struct Image {
    double a = 1;
    Eigen::MatrixXd C = Eigen::MatrixXd::Ones(1, 2);
  };
  check_fingerprint<Image>({}, [](const Image& i) { return LinearImage<2, Named>({{i.a}}, i.C).fingerprint().text(); },
                           {{"the map", [](Image& i) { i.a = 2; }}, {"C", [](Image& i) { i.C(0, 1) = 2; }}}, {});

  struct Both {
    double outer = 1, inner = 2;
  };
  check_fingerprint<Both>(
      {}, [](const Both& b) { return compose<2, 2>(Named{{b.outer}}, Named{{b.inner}}).fingerprint().text(); },
      {{"the outer", [](Both& b) { b.outer = 3; }},
       {"the inner", [](Both& b) { b.inner = 3; }},
       {"their order", [](Both& b) { std::swap(b.outer, b.inner); }}},
      {});
}
