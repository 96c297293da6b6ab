// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/unwrap/scene.hpp"
#include "quoin/planning/aico/hierarchical_aico.hpp"

#include <Eigen/Core>

namespace quoin::unwrap {

/// Where the search for the end state begins.
enum class EndStart {
  straight,  ///< the arm straight on, unwound: the topology that is wanted
  as_wound   ///< the mean of P(x_T | x_0), as the paper has it: whatever topology is near
};

struct InferenceOptions {
  int horizon = 50;
  double dt = 0.1;            // s
  double control_cost = 0.1;  ///< H = this times 1
  double writhe = 1e3;        ///< precisions rho; writhe 0: switched off
  double palm = 1e4, tips = 1e4, margins = 1e4, limits = 1e2, rest = 1e1;
  double margin = 0.02;  ///< m
  EndStart end_start = EndStart::straight;
  double relative_tolerance = 1e-3;
  int max_iterations = 40;  ///< of each of the two stages
};

/// What came of it.
struct InferredPlan {
  planning::EndStateResult end_state;
  planning::HierarchyResult first, second;  ///< writhe alone; with everything
  Eigen::MatrixXd q;                        ///< 29 x 51
  int iterations = 0;                       ///< of AICO, in both stages
  long long checks = 0;                     ///< configurations that were looked at for collisions
  double seconds = 0;
};

/// Hierarchical AICO: the end state, the writhe's path to its, and the arm's motion after that; first without collisions on
/// the way, then with them.
InferredPlan infer_plan(const Scene& scene, const InferenceOptions& options = {});

/// 1/2 sum u^T H u of a path of 29 x (T+1), from rest.
double control_cost(const Eigen::MatrixXd& q, const InferenceOptions& options);

}  // namespace quoin::unwrap
