// SPDX-License-Identifier: BSD-3-Clause
// Three in one file: they share much of what they instantiate.
#include "kernel_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyKernel> make_kernel_of<1>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<1>(const Map&, const Eigen::MatrixXd&);
template std::shared_ptr<AnyKernel> make_kernel_of<2>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<2>(const Map&, const Eigen::MatrixXd&);
template std::shared_ptr<AnyKernel> make_kernel_of<3>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<3>(const Map&, const Eigen::MatrixXd&);

}  // namespace quoin::python
