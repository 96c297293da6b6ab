// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/nonlinear_program.hpp"

namespace quoin::optimization {

const char* to_string(NlpStop stop) {
  switch (stop) {
    case NlpStop::converged: return "converged";
    case NlpStop::acceptable: return "acceptable";
    case NlpStop::iteration_limit: return "iteration limit";
    case NlpStop::time_limit: return "time limit";
    case NlpStop::infeasible: return "infeasible";
    case NlpStop::evaluation_failed: return "evaluation failed";
    case NlpStop::stalled: return "stalled";
    case NlpStop::stopped_by_observer: return "stopped by observer";
    case NlpStop::solver_error: return "solver error";
    case NlpStop::saddle: return "saddle";
  }
  return "unknown";
}

}  // namespace quoin::optimization
