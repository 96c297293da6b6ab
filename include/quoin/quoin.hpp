// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/discrete_dynamics.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/point.hpp"
