// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/learned_models.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/identification/robot_estimate.hpp"

#include <cstdint>

namespace studies::iiwa {

/// First inertias, drawn as in the code of Sutanto et al. 2020 (facebookresearch/differentiable-robot-model, read in
/// 2026: `rigid_body_parametrizations.py` and the `l4dc` settings): the numbers of each form by themselves, so that the
/// bodies of two forms differ. With N(s) normal of mean 0 and deviation s, and U uniform in [0, 1):
/// - mass: NoStr U (`UnconstrainedMassValue`); all others t^2 + 0.01 kg, t = U (`PositiveMassValue`);
/// - h: the mass times the centre in the description, which the published settings know and do not learn (here it is a
///   start, since the paper learns h); or, with Start::published_moments, |N(1)| kg m in each entry (`MCoM3DNet`, a
///   class of theirs that no published setting uses);
/// - I_C: NoStr 9 times N(1) (`NoStructureNet`; with Start::published_small N(0.01)); Symm, and the factors of SPD and
///   Cov, 6 times N(0.01); Tri three turns of N(0.01), two roots of moments of N(0.1), the number of the angle N(0.01).
///   Moments are at least 1e-7 kg m^2, Cov's default there.
///
/// described: linear parameters of the bodies, 13 x n. One random stream for all joints, the same with all starts; no
/// friction. Throws std::invalid_argument for Start::bodies.
identification::RobotEstimate published_start(identification::InertiaForm form,
                                              const identification::RobotParameters& described, std::uint64_t seed,
                                              Start start);

}  // namespace studies::iiwa
