// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/method.hpp"
#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/library.hpp"

#include <array>
#include <string>
#include <vector>

namespace benchmarks {

/// The relative errors to reach.
inline constexpr std::array<double, 3> targets{1e-2, 1e-4, 1e-6};

/// The errors and costs of a surrogate of one size.
struct Member {
  long evaluations;
  double value_error, jacobian_error;  // relative, root mean squares over the tests
  double query_seconds;
};

/// The results of a method at increasing sizes.
struct Curve {
  std::string method;
  int values_per_evaluation;
  std::vector<Member> members = {};

  /// The size with the fewest evaluations that meets a relative error, or null.
  const Member* reaching(double error, double Member::*which) const {
    const Member* least = nullptr;
    for (const Member& member : members)
      if (member.*which <= error && (!least || member.evaluations < least->evaluations)) least = &member;
    return least;
  }
};

/// Measures errors over the workload's tests, and the time of a query.
Member measure(const Workload& w, const Stage& stage);

/// Grows the method until it meets every target or ends.
Curve curve_of(const Workload& w, Method& method);

/// Fewest evaluations with which any of the named methods meets a relative error of the value; 0 if none does.
long fewest(const std::vector<Curve>& curves, const std::vector<std::string>& names, double error);

}  // namespace benchmarks
