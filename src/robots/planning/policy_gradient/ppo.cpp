// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/ppo.hpp"

namespace quoin::planning {

const char* to_string(PpoStop stop) {
  switch (stop) {
    case PpoStop::iterations_done: return "iterations done";
    case PpoStop::stopped_by_observer: return "stopped by observer";
    case PpoStop::not_finite: return "not finite";
  }
  return "unknown";
}

}  // namespace quoin::planning
