// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin {

/// Gives a vector or matrix this size, as resize() does, and leaves it empty if there is no memory. Eigen 3.4 frees the
/// old memory before it allocates: after std::bad_alloc the object would free it again.
template <class Dense>
void resize_strong(Dense& dense, Eigen::Index rows, Eigen::Index columns = 1) {
  if (dense.rows() == rows && dense.cols() == columns) return;
  Dense().swap(dense);
  dense.resize(rows, columns);
}

}  // namespace quoin
