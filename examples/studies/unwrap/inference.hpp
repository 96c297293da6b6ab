// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/scene.hpp"
#include "quoin/robots/planning/aico/hierarchical_aico.hpp"

#include <Eigen/Core>

namespace studies::unwrap {

/// The start of the search for the end state.
enum class EndStart {
  straight,  ///< the arm straight, unwound: the wanted topology
  as_wound   ///< the mean of P(x_T | x_0), as in the paper: the topology nearby
};

/// The initial path of AICO.
enum class FirstPath {
  remapped,  ///< frame by frame as near to the writhe's path, and as far towards the end state, as Eqs. 14, 15 lead
  line,      ///< straight from start to end state in joint space
  at_rest    ///< no controls
};

struct InferenceOptions {
  int horizon = 50;
  double dt = 0.1;            ///< s
  double control_cost = 0.1;  ///< H = control_cost I
  double writhe = 1;          ///< rho of every row; 0: without the upper level
  double palm = 1e4, tips = 1e4, margins = 1e4, limits = 1e2, rest = 1e1;  ///< further rho, of m, rad and rad/s
  double margin = 0.02;                                                    ///< m
  EndStart end_start = EndStart::straight;
  FirstPath first_path = FirstPath::remapped;
  double remap_metric = 100;  ///< C = remap_metric I
  bool two_stages = true;     ///< the first one without collisions on the way
  planning::AicoOptions aico = {.max_iterations = 40,
                                .relative_tolerance = 0.03,
                                .initial_damping = 1,
                                .relinearizations = 3,
                                .check_curvature = false,  ///< the page's plans and times are of the sweeps alone
                                .covariances = false};
};

struct InferredPlan {
  planning::EndStateResult end_state;
  Eigen::MatrixXd first_path;  ///< 29 x 51: what AICO begins with
  Eigen::MatrixXd y;           ///< 20 x 51: the writhe's path, turns; empty where it is switched off
  Eigen::MatrixXd q;           ///< 29 x 51
  planning::AicoResult plan;   ///< of the last stage
  int iterations = 0;          ///< of AICO, in both stages
  long long checks = 0;        ///< configurations checked for collisions, in all stages
  long long end_checks = 0;    ///< of them, for the end state
  double seconds = 0;
};

/// Hierarchical AICO (Zarubin et al. 2012, section III-C): the end state, the writhe's path to its value there, and the
/// arm's motion along it; first without collisions on the way, then with them.
InferredPlan infer_plan(const Scene& scene, const InferenceOptions& options = {});

/// 1/2 sum u^T H u of a path in the plan's own time, 29 x 51, from rest.
double control_cost(const Eigen::MatrixXd& q, const InferenceOptions& options);

}  // namespace studies::unwrap
