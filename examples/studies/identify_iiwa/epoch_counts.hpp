// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/program/checks.hpp"
#include "examples/studies/program/library.hpp"

#include <functional>
#include <string>
#include <vector>

/// How many epochs each form of inertias needs (Sutanto et al. 2020, Table 1, first column), as rates over many draws
/// of its first numbers.
namespace studies::iiwa {

/// The epochs that one form needed from one kind of start.
struct EpochCounts {
  ModelKind kind;
  Start start;
  int limit = 0;                 ///< epochs after which a draw was given up
  std::vector<int> needed = {};  ///< of each draw; 0: not within the limit

  Rate within(int epochs) const;  ///< needed at most so many
};

/// Learns every form from choice.draws starts of each kind, seeds from choice.seed on, to choice.learning.target, for
/// at most 20 epochs: at possible bodies; as published; NoStr so with small inertias; and, for a fifth of the draws, as
/// published with first moments drawn.
std::vector<EpochCounts> count_epochs(const ArmScene& scene, const identification::RobotMotion& motion,
                                      const StudyChoice& choice,
                                      const std::function<void(const std::string&)>& note = {});

/// A row for each form and start.
figures::JsonResults table_of(const std::vector<EpochCounts>& counts);

/// What is expected of them on the paper's motion.
std::vector<Check> checks_of(const std::vector<EpochCounts>& counts, bool binding);

}  // namespace studies::iiwa
