# SPDX-License-Identifier: BSD-3-Clause
"""Models from measurements: parameters of any simulation, linear systems, and the inertias of robots.

Networks for forces (C++'s force_networks) are not bound: what learns networks in Python is better there.
"""

from typing import TYPE_CHECKING

from quoin._parts import need
from quoin._renamed import renamed_names

need("identification", "identification", "rigid_body")

from quoin.identification._excitations import (  # noqa: E402
    BretschneiderWave,
    JointReference,
    RobotMotion,
    SineExcitation,
    bretschneider_spectrum,
    normalized_errors,
    smoothed_motion,
)
from quoin.identification._force_fits import (  # noqa: E402
    Adam,
    FitStep,
    FitUpdate,
    ForceFit,
    fit_forces,
    fit_step,
    normalizing_weights,
)
from quoin.identification._force_models import RegressedForces, predicted_forces  # noqa: E402
from quoin.identification._force_regression import (  # noqa: E402
    ForceRegression,
    FormFit,
    Identifiability,
    RegressionSolution,
)
from quoin.identification._identifiability import ParameterIdentifiability, WeakDirection, parameter_identifiability  # noqa: E402
from quoin.identification._inertias import (  # noqa: E402
    INERTIA_FORMS,
    InertiaFloor,
    PhysicalConsistency,
    RandomBodies,
    RobotEstimate,
    linear_parameters,
    linear_parameters_with_derivative,
    parameter_count,
    physical_consistency,
    pseudo_inertia_matrix,
    theta_of,
)
from quoin.identification._learning import (  # noqa: E402
    LearningResult,
    LearningRound,
    LearningStop,
    PlanAttempt,
    iterative_learning,
)
from quoin.identification._linear_fits import (  # noqa: E402
    LinearSystemFit,
    fit_linear_system,
    fit_percentage,
)
from quoin.identification._output_error import (  # noqa: E402
    OutputErrorFit,
    OutputErrorParameter,
    OutputErrorStart,
    fit_output_error,
)
from quoin.identification._simulated_motion import SimulatedMotion  # noqa: E402

if not TYPE_CHECKING:
    __getattr__ = renamed_names(
        __name__,
        {name: "quoin.Stop" for name in ("FitStop", "FormStop", "LeastSquaresStop", "OutputErrorStop")},
    )

__all__ = [
    "Adam",
    "BretschneiderWave",
    "FitStep",
    "FitUpdate",
    "ForceFit",
    "ForceRegression",
    "FormFit",
    "INERTIA_FORMS",
    "Identifiability",
    "InertiaFloor",
    "JointReference",
    "LearningResult",
    "LearningRound",
    "LearningStop",
    "LinearSystemFit",
    "OutputErrorFit",
    "OutputErrorParameter",
    "OutputErrorStart",
    "ParameterIdentifiability",
    "PhysicalConsistency",
    "PlanAttempt",
    "RandomBodies",
    "RegressedForces",
    "RegressionSolution",
    "RobotEstimate",
    "RobotMotion",
    "SimulatedMotion",
    "SineExcitation",
    "WeakDirection",
    "bretschneider_spectrum",
    "fit_forces",
    "fit_linear_system",
    "fit_output_error",
    "fit_percentage",
    "fit_step",
    "iterative_learning",
    "linear_parameters",
    "linear_parameters_with_derivative",
    "normalized_errors",
    "normalizing_weights",
    "parameter_count",
    "parameter_identifiability",
    "physical_consistency",
    "predicted_forces",
    "pseudo_inertia_matrix",
    "smoothed_motion",
    "theta_of",
]
