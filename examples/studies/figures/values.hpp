// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <initializer_list>
#include <vector>

namespace studies::figures {

/// A list of doubles from a std::vector, a braced list, an Eigen vector or expression. For arguments only: it copies.
class Values {
 public:
  Values() = default;
  Values(std::initializer_list<double> list) : Values(list.begin(), list.size()) {}
  Values(const std::vector<double>& list) : Values(list.data(), list.size()) {}

  template <class Derived>
  Values(const Eigen::DenseBase<Derived>& expression)
      : values_(expression.derived().template cast<double>().reshaped()) {}

  Eigen::Index size() const { return values_.size(); }
  double operator[](Eigen::Index i) const { return values_[i]; }
  const Eigen::VectorXd& vector() const { return values_; }

 private:
  Values(const double* data, std::size_t size)
      : values_(Eigen::Map<const Eigen::VectorXd>(data, static_cast<Eigen::Index>(size))) {}

  Eigen::VectorXd values_;
};

}  // namespace studies::figures
