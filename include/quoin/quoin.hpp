// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/compose.hpp"
#include "quoin/core/derivative_check.hpp"
#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/discrete_dynamics.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/exact_function.hpp"
#include "quoin/core/fall_back.hpp"
#include "quoin/core/linear_image.hpp"
#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/restrict_to.hpp"
#include "quoin/core/weighted_norm.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/interleave.hpp"
#include "quoin/grid/resolution.hpp"
