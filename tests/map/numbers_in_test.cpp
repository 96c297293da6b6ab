// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/util/numbers_in.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using quoin::NumbersIn;

namespace {

template <class T>
bool all_finite_in(const T& x) {
  return NumbersIn<T>::all_finite(x);
}
template <class T>
std::size_t count_in(const T& x) {
  return NumbersIn<T>::count(x);
}

struct AsksItself {
  double number;
  bool all_finite() const { return std::isfinite(number); }
};
struct Opaque {
  double number;
};

}  // namespace

TEST_CASE("numbers are found in numbers, arrays, ranges, optionals, pairs, tuples and what looks into itself") {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    const auto tells = [&](auto holding) {
      CHECK(all_finite_in(holding(1.0)));
      CHECK_FALSE(all_finite_in(holding(bad)));
    };
    tells([](double x) { return x; });
    tells([](double x) { return static_cast<float>(x); });
    tells([](double x) { return Eigen::VectorXd(Eigen::Vector3d(1, x, 2)); });
    tells([](double x) { return Eigen::Matrix2d{{1, 2}, {x, 3}}; });
    tells([](double x) { return Eigen::ArrayXXf(Eigen::ArrayXXf::Constant(2, 2, static_cast<float>(x))); });
    tells([](double x) { return std::vector<double>{1, x}; });
    tells([](double x) { return std::array<double, 2>{x, 1}; });
    tells([](double x) { return std::list<Eigen::VectorXd>{Eigen::Vector2d(1, 2), Eigen::Vector2d(x, 2)}; });
    tells([](double x) { return std::map<std::string, std::vector<double>>{{"a", {1}}, {"b", {2, x}}}; });
    tells([](double x) { return std::optional<double>(x); });
    tells([](double x) { return std::pair<int, std::optional<Eigen::Vector2d>>(1, Eigen::Vector2d(x, 1)); });
    tells([](double x) { return std::tuple<std::string, double>("text", x); });
    tells([](double x) { return std::vector<AsksItself>{{1}, {x}}; });
    CHECK(all_finite_in(Opaque{bad}));
  }
  CHECK(all_finite_in(std::optional<double>()));
  CHECK(all_finite_in(std::string("nan")));
  CHECK(all_finite_in(std::filesystem::path("a/b/c")));
  CHECK(all_finite_in(Eigen::VectorXd()));
}

TEST_CASE("numbers are counted in arrays and in ranges of numbers alone") {
  CHECK(count_in(Eigen::MatrixXd(Eigen::MatrixXd::Zero(3, 4))) == 12);
  CHECK(count_in(Eigen::Vector3d(1, 2, 3)) == 3);
  CHECK(count_in(std::vector<double>{1, 2}) == 2);
  CHECK(count_in(2.0) == 1);
  CHECK(count_in(std::vector<Eigen::VectorXd>(3)) == 0);
  CHECK(count_in(std::pair<double, double>(1, 2)) == 0);
  CHECK(count_in(Opaque{1}) == 0);
}
