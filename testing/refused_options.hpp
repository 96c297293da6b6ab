// SPDX-License-Identifier: BSD-3-Clause
// Options that mean nothing, one field at a time, and whether they are refused by the names of who was asked and field.
#pragma once

#include <catch2/catch.hpp>

#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin::test {

/// Gives each field in turn NaN, where it has one, and numbers below what it may be, drawn over all sizes:
///
///     RefusedOptions("ilqr", IlqrOptions{}, [&](const IlqrOptions& o) { ilqr(problem, guess, o); })
///         .not_negative("max_iterations", &IlqrOptions::max_iterations)
///         .positive("initial_penalty", &IlqrOptions::initial_penalty);
template <class Options>
class RefusedOptions {
 public:
  template <class Call>
  RefusedOptions(std::string who, Options valid, Call call)
      : who_(std::move(who)), valid_(std::move(valid)), call_(std::move(call)) {}

  /// field: a pointer to a member, or a function of Options& that returns the number.
  template <class Field>
  RefusedOptions& not_negative(const std::string& name, const Field& field) {
    return refuses(name, field, false);
  }
  template <class Field>
  RefusedOptions& positive(const std::string& name, const Field& field) {
    return refuses(name, field, true);
  }

 private:
  template <class Field>
  RefusedOptions& refuses(const std::string& name, const Field& field, bool zero) {
    using Number = std::remove_reference_t<std::invoke_result_t<const Field&, Options&>>;
    std::vector<Number> bad{std::numeric_limits<Number>::lowest(), Number(-1)};
    if (zero) bad.push_back(0);
    std::uniform_real_distribution<double> exponent(-300, 300);
    if constexpr (std::floating_point<Number>) {
      bad.push_back(std::numeric_limits<Number>::quiet_NaN());
      bad.push_back(-std::numeric_limits<Number>::infinity());
      for (int i = 0; i < 3; ++i) bad.push_back(-std::pow(10., exponent(random_)));
    }
    for (const Number value : bad) {
      Options options = valid_;
      std::invoke(field, options) = value;
      CAPTURE(name, value);
      CHECK_THROWS_AS(call_(options), std::invalid_argument);
      CHECK_THROWS_WITH(call_(options), Catch::Contains(who_) && Catch::Contains(name));
    }
    return *this;
  }

  std::string who_;
  Options valid_;
  std::function<void(const Options&)> call_;
  std::mt19937 random_{1};
};

}  // namespace quoin::test
