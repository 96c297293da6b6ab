// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include "quoin/map/stop.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"
#include "quoin/robots/optimization/constrained_least_squares.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"
#include "quoin/robots/planning/collocation/plan.hpp"
#include "quoin/robots/planning/correct_by_rollouts.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"

#include <set>
#include <string>

using namespace quoin;

namespace {

template <class Result>
void says_converged_where_it_did() {
  static_assert(SolverOutcome<Result>);
  Result result;
  if constexpr (requires { result.constraints_hold; }) result.constraints_hold = true;
  for (int word = 0; word <= static_cast<int>(Stop::solver_error); ++word) {
    result.stop = static_cast<Stop>(word);
    CHECK(result.converged() == (result.stop == Stop::converged));
  }
}

TEST_CASE("results of solvers have one shape, and say converged of one word alone") {
  says_converged_where_it_did<optimization::LeastSquaresResult>();
  says_converged_where_it_did<optimization::ConstrainedLeastSquaresResult>();
  says_converged_where_it_did<optimization::NlpResult>();
  says_converged_where_it_did<planning::IlqrResult>();
  says_converged_where_it_did<planning::TranscriptionResult>();
  says_converged_where_it_did<planning::CorrectedPlan>();
  says_converged_where_it_did<planning::CollocationPlan>();
}

TEST_CASE("each reason to stop has a word of its own") {
  std::set<std::string> words;
  for (int word = 0; word <= static_cast<int>(Stop::solver_error); ++word)
    words.insert(to_string(static_cast<Stop>(word)));
  CHECK(words.size() == static_cast<std::size_t>(Stop::solver_error) + 1);
  CHECK(words.count("unknown") == 0);
  CHECK(std::string(to_string(static_cast<Stop>(static_cast<int>(Stop::solver_error) + 1))) == "unknown");
}

}  // namespace
