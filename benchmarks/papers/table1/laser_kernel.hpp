// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "quoin/kernel/interleave.hpp"

#include <vector>

/// The laser problem planned through a kernel.
namespace studies::laser {

/// Options of planning through the kernel.
struct KernelChoice {
  int jet_order = 1;        ///< K: 1 to 3
  double length_scale = 3;  ///< for every line's control
  double spacing = 0.125;   ///< of the lattice whose corners are the samples
  std::vector<KernelThreshold> stages = KernelSchedule<int>{}.stages;
};

/// A kernel over f_s. The basis of shapes is that of its samples: the kernel's answers lie in their span, so that no
/// equilibrium is solved for the basis.
template <int SpaceDim>
struct KernelOfShapes {
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  /// The maps that dynamics and cost query, from the kernel in its present state.
  struct Maps {
    KernelView<lines> shapes;       ///< f~
    soft_arm::ShapeBasis basis;     ///< of all jets that the kernel holds
    KernelView<lines> coordinates;  ///< [q; l]
    KernelView<lines> tip;          ///< [tip; layer before]
  };

  soft_arm::Statics<SpaceDim> statics;
  AdaptiveGrid<lines> grid;  ///< keeps the samples: its corners
  KernelSurrogate<lines, GridView<lines>> kernel;

  KernelOfShapes(const Arm<SpaceDim>& arm, const KernelChoice& choice);
  Maps maps(const Arm<SpaceDim>& arm) const;
};

/// The same planner on a kernel sampled where the plans go, from zero controls.
template <int SpaceDim>
Plan plan_through_kernel(const Arm<SpaceDim>& arm, KernelOfShapes<SpaceDim>& shapes, const KernelChoice& choice,
                         const PlanObserver& observer = {});

template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const KernelOfShapes<SpaceDim>& shapes, const Plan& plan, int samples);

}  // namespace studies::laser
