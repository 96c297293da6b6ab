// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/detail/lattice.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>

using namespace quoin;
using namespace quoin::grid_detail;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <int Dim>
Point<Dim> all(double value) {
  return Point<Dim>::Constant(value);
}

template <int Dim>
Lattice<Dim> unbounded(const Point<Dim>& origin, const Point<Dim>& spacing, int deepest) {
  return Lattice<Dim>(origin, spacing, all<Dim>(-infinity), all<Dim>(infinity), deepest);
}

template <int Dim>
void keys_tell_addresses_apart() {
  std::mt19937_64 random(Dim);
  using L = Lattice<Dim>;
  std::set<std::pair<std::uint64_t, std::uint64_t>> keys;
  std::set<Address<Dim>> addresses;
  const auto add = [&](const Address<Dim>& address) {
    const LatticeKey key = L::key(address);
    keys.insert({key.high, key.low});
    addresses.insert(address);
  };
  // Extremes and their neighbours on every axis, small addresses around zero, random ones of all sizes.
  for (int i = 0; i < Dim; ++i)
    for (const std::int64_t value : {L::min_address, L::min_address + 1, std::int64_t{-1}, std::int64_t{0},
                                     std::int64_t{1}, L::max_address - 1, L::max_address})
      for (const std::int64_t others : {L::min_address, std::int64_t{-1}, std::int64_t{0}, L::max_address}) {
        Address<Dim> address;
        address.fill(others);
        address[i] = value;
        add(address);
      }
  for (int n = 0; n < 5000; ++n) {
    Address<Dim> address;
    for (std::int64_t& a : address) a = static_cast<std::int64_t>(random()) >> (64 - 2 - random() % (L::bits - 2));
    add(address);
  }
  CHECK(keys.size() == addresses.size());
  CHECK(keys.size() > 1000);
}

template <int Dim>
void lattice_points_find_themselves(const Point<Dim>& origin, const Point<Dim>& spacing, int deepest,
                                    std::int64_t reach) {
  const Lattice<Dim> lattice = unbounded<Dim>(origin, spacing, deepest);
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> cells(-reach, reach);
  int wrong_cell = 0, off_corner = 0;
  for (int level = 0; level <= deepest; level += 3)
    for (int n = 0; n < 500; ++n) {
      Address<Dim> address;
      for (std::int64_t& a : address) a = cells(random) * lattice.stride(level);
      const CellPosition<Dim> found = lattice.locate(lattice.point(address), level);
      REQUIRE(found.inside);
      wrong_cell += found.lower != address;
      off_corner += !(found.t.array() == 0).all();
    }
  CHECK(wrong_cell == 0);
  CHECK(off_corner == 0);
}

template <class Make>
std::string refusal(Make&& make) {
  try {
    make();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("keys are equal if and only if addresses are, out to the ends of their range") {
  keys_tell_addresses_apart<1>();
  keys_tell_addresses_apart<2>();
  keys_tell_addresses_apart<3>();
  keys_tell_addresses_apart<4>();
  keys_tell_addresses_apart<5>();
  keys_tell_addresses_apart<6>();
}

TEST_CASE("a corner shared by two levels has one address") {
  const Lattice<3> lattice = unbounded<3>({0.1, -0.2, 0.3}, {0.5, 0.25, 2.0}, 8);
  const Point<3> x(0.1 - 3 * 0.5, -0.2 + 5 * 0.25, 0.3 - 2.0);
  const Address<3> coarse = lattice.locate(x, 0).lower;
  for (int level = 1; level <= 8; ++level) CHECK(lattice.locate(x, level).lower == coarse);
  CHECK(coarse == Address<3>{-3 * 256, 5 * 256, -1 * 256});
  CHECK((lattice.point(coarse) - x).norm() < 1e-15);
}

TEST_CASE("a lattice point's own coordinates find its cell with t = 0 exactly") {
  lattice_points_find_themselves<1>(all<1>(0.1), all<1>(0.1), 12, 1000);
  lattice_points_find_themselves<2>({1.0 / 3, -7.7}, {0.3, 1e-3}, 12, 1000);
  lattice_points_find_themselves<3>({1e3 + 0.1, -1e-9, 0.7}, {0.7, 1e-6, 1e6}, 9, 100000);
  lattice_points_find_themselves<4>(all<4>(-123.456), {0.1, 0.2, 0.3, 0.7}, 12, 1000);
  lattice_points_find_themselves<6>(all<6>(0.9), all<6>(0.35), 10, 200);
}

TEST_CASE("far from the origin, lattice points still find their own cell") {
  lattice_points_find_themselves<2>({1e8, -1e8}, {0.1, 0.3}, 6, 100000000);
  lattice_points_find_themselves<3>(all<3>(0), all<3>(0.1), 0, std::int64_t{1} << 36);
}

TEST_CASE("a point beside a lattice point has its own place, to the ulp, and the lattice point's cell") {
  for (const double origin : {0.0, 1e6, -1.7e9}) {
    const Lattice<1> lattice = unbounded<1>(all<1>(origin), all<1>(0.125), 10);
    for (int level = 0; level <= 4; ++level) {
      const double corner = origin + 5.0 / 64;
      const CellPosition<1> at = lattice.locate(all<1>(corner), level);
      double x = corner;
      for (int ulp = 0; ulp < 20; ++ulp, x = std::nextafter(x, 1e300)) {
        const CellPosition<1> beside = lattice.locate(all<1>(x), level);
        REQUIRE(beside.lower == at.lower);
        REQUIRE(beside.t[0] == at.t[0] + (x - corner) / (0.125 / (1 << level)));
      }
    }
  }
}

TEST_CASE("points between lattice points lie in their cell, at their place") {
  const Point<2> origin(0.2, -0.1), spacing(0.3, 1.7);
  const Lattice<2> lattice = unbounded<2>(origin, spacing, 10);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coordinate(-50, 50);
  for (int n = 0; n < 2000; ++n) {
    const Point<2> x(coordinate(random), coordinate(random));
    const int level = n % 11;
    const CellPosition<2> found = lattice.locate(x, level);
    REQUIRE(found.inside);
    REQUIRE((found.t.array() >= 0).all());
    REQUIRE((found.t.array() <= 1).all());
    const Point<2> again = lattice.point(found.lower) + found.t.cwiseProduct(lattice.spacing(level));
    REQUIRE((again - x).norm() < 1e-12);
    for (int i = 0; i < 2; ++i) REQUIRE(found.lower[i] % lattice.stride(level) == 0);
  }
}

TEST_CASE("the upper face of the domain belongs to the last cell, the lower face to the first") {
  const Lattice<2> lattice({0.1, 0.0}, {0.1, 0.5}, {-0.2, -1.0}, {0.7, 1.5}, 4);
  for (int level = 0; level <= 4; ++level) {
    const CellPosition<2> top = lattice.locate({0.7, 1.5}, level);
    REQUIRE(top.inside);
    CHECK((top.t - all<2>(1.0)).norm() < 1e-13);  // 0.7 is an ulp beside 0.1 + 6 * 0.1
    CHECK(top.lower == Address<2>{6 * 16 - lattice.stride(level), 3 * 16 - lattice.stride(level)});
    const CellPosition<2> bottom = lattice.locate({-0.2, -1.0}, level);
    REQUIRE(bottom.inside);
    CHECK(bottom.t.norm() < 1e-13);
    CHECK(bottom.lower == Address<2>{-3 * 16, -2 * 16});
    CHECK_FALSE(lattice.locate({0.7 + 1e-9, 0}, level).inside);
    CHECK_FALSE(lattice.locate({0, -1 - 1e-9}, level).inside);
  }
}

TEST_CASE("what is not a number, or infinite, lies nowhere") {
  const Lattice<2> lattice = unbounded<2>(all<2>(0), all<2>(1), 4);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(lattice.locate({nan, 0}, 2).inside);
  CHECK_FALSE(lattice.locate({0, nan}, 2).inside);
  CHECK_FALSE(lattice.locate({infinity, 0}, 2).inside);
  CHECK_FALSE(lattice.locate({0, -infinity}, 2).inside);
  CHECK_FALSE(lattice.locate({1e300, 0}, 2).inside);
  CHECK_THROWS_WITH(lattice.throw_outside({nan, 0}, "evaluate"), Catch::Contains("is not finite"));
}

TEST_CASE("an unbounded lattice ends where its keys end, and keeps them in range") {
  const Lattice<5> lattice = unbounded<5>(all<5>(0), all<5>(1), 4);
  const double reach = std::ldexp(1.0, Lattice<5>::bits - 1 - 4);
  CHECK(lattice.lower() == all<5>(-reach));
  CHECK(lattice.upper() == all<5>(reach - 1));
  const CellPosition<5> corner = lattice.locate(lattice.upper(), 4);
  REQUIRE(corner.inside);
  for (const std::int64_t a : corner.lower) CHECK(a + lattice.stride(4) <= Lattice<5>::max_address);
  CHECK_FALSE(lattice.locate(all<5>(reach), 4).inside);
  CHECK_THROWS_AS(lattice.throw_outside(all<5>(reach), "evaluate"), DomainError);
}

TEST_CASE("a bound that is no lattice point is refused, and the nearest one is named") {
  const auto upper = [](double value) {
    return refusal([=] { Lattice<1>(all<1>(0.25), all<1>(0.5), all<1>(-0.75), all<1>(value), 4); });
  };
  CHECK(upper(1.25).empty());
  CHECK_THAT(upper(1.3), Catch::Contains("upper[0] = 1.3") && Catch::Contains("nearest is 1.25"));
  CHECK_THAT(upper(1.25 + 1e-7), Catch::Contains("nearest is 1.25"));
  // Far away as well, where half a cell is a small part of the coordinate.
  const std::string far = refusal([] { Lattice<1>(all<1>(0), all<1>(1), all<1>(0), all<1>(4e9 + 0.5), 4); });
  CHECK_THAT(far, Catch::Contains("no lattice point"));
}

TEST_CASE("a bound that is a lattice point up to rounding is part of the domain") {
  const double upper = 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1;  // 0.7999999999999999
  const Lattice<1> below(all<1>(0), all<1>(0.1), all<1>(0), all<1>(upper), 4);
  CHECK(below.locate(all<1>(upper), 3).inside);
  const Lattice<1> above(all<1>(0), all<1>(0.1), all<1>(0), all<1>(0.1 * 3), 4);  // 0.30000000000000004
  CHECK(above.locate(all<1>(0.1 * 3), 3).inside);
  const Lattice<1> rough(all<1>(0), all<1>(0.5), all<1>(-1 - 2e-10), all<1>(1 + 2e-10), 4);
  for (int level = 0; level <= 4; ++level) {
    CHECK(rough.locate(all<1>(1 + 2e-10), level).inside);
    CHECK(rough.locate(all<1>(-1 - 2e-10), level).inside);
  }
}

TEST_CASE("a lattice that cannot be is refused with its numbers") {
  const auto make = [](double origin, double spacing, double lower, double upper, int deepest) {
    return refusal([=] { Lattice<2>(all<2>(origin), all<2>(spacing), all<2>(lower), all<2>(upper), deepest); });
  };
  CHECK(make(0, 1, -1, 1, 8).empty());
  CHECK_THAT(make(0, 0, -1, 1, 8), Catch::Contains("spacing[0] = 0"));
  CHECK_THAT(make(0, -2, -1, 1, 8), Catch::Contains("spacing[0] = -2"));
  CHECK_THAT(make(0, infinity, -1, 1, 8), Catch::Contains("spacing[0]"));
  CHECK_THAT(make(0, -3e-8, -1, 1, 8), Catch::Contains("spacing[0] = -3e-08 is not positive"));
  CHECK_THAT(make(0, 1e-310, 0, 1e-310, 8), Catch::Contains("spacing[0] = 1e-310 is not in 1e-50 .. 1e+50"));
  CHECK_THAT(make(0, 1e60, 0, 1e60, 8), Catch::Contains("spacing[0] = 1e+60"));
  CHECK_THAT(make(std::nan(""), 1, -1, 1, 8), Catch::Contains("origin[0]"));
  CHECK_THAT(make(0, 1, 1, 1, 8), Catch::Contains("lower[0] = 1"));
  CHECK_THAT(make(0, 1, 2, 1, 8), Catch::Contains("not below upper = 1"));
  CHECK_THAT(make(0, 1, std::nan(""), 1, 8), Catch::Contains("lower[0]"));
  CHECK_THAT(make(0, 1, -1, 1, -1), Catch::Contains("deepest_level = -1"));
  CHECK_THAT(make(0, 1, -1, 1, 61), Catch::Contains("deepest_level = 61") && Catch::Contains("0..60"));
  CHECK(make(0, 1, 0, 1, 60).empty());
  CHECK_THAT(make(0, 1, 0, 3, 60), Catch::Contains("beyond the range of the keys"));
}
