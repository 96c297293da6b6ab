// SPDX-License-Identifier: BSD-3-Clause
// Three in one file, and what chooses kernels: they share much of what they instantiate.
#include "kernel_of_dim.hpp"
#include "surrogate_advice_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyKernel> make_kernel_of<1>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<1>(const Map&, const Eigen::MatrixXd&);
template py::dict surrogate_advice<1>(const AnyGrid&, const Eigen::MatrixXd&, const SurrogateTask&);
template py::dict make_surrogate<1>(const AnyGrid&, const SurrogateOptions&, bool);
template void check_surrogate<1>(const Eigen::VectorXd&, const Eigen::VectorXd&, const SurrogateOptions&);
template std::shared_ptr<AnyKernel> make_kernel_of<2>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<2>(const Map&, const Eigen::MatrixXd&);
template py::dict surrogate_advice<2>(const AnyGrid&, const Eigen::MatrixXd&, const SurrogateTask&);
template py::dict make_surrogate<2>(const AnyGrid&, const SurrogateOptions&, bool);
template void check_surrogate<2>(const Eigen::VectorXd&, const Eigen::VectorXd&, const SurrogateOptions&);
template std::shared_ptr<AnyKernel> make_kernel_of<3>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<3>(const Map&, const Eigen::MatrixXd&);
template py::dict surrogate_advice<3>(const AnyGrid&, const Eigen::MatrixXd&, const SurrogateTask&);
template py::dict make_surrogate<3>(const AnyGrid&, const SurrogateOptions&, bool);
template void check_surrogate<3>(const Eigen::VectorXd&, const Eigen::VectorXd&, const SurrogateOptions&);

}  // namespace quoin::python
