// SPDX-License-Identifier: BSD-3-Clause
// Three in one file, and what chooses kernels: they share much of what they instantiate.
#include "kernel_of_dim.hpp"
#include "surrogate_advice_of_dim.hpp"

namespace quoin::python {

template std::shared_ptr<AnyKernel> make_kernel_of<4>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<4>(const Map&, const Eigen::MatrixXd&);
template py::dict surrogate_advice<4>(const AnyGrid&, const Eigen::MatrixXd&, const SurrogateTask&);
template py::dict make_surrogate<4>(const AnyGrid&, const SurrogateOptions&, bool);
template void check_surrogate<4>(const Eigen::VectorXd&, const Eigen::VectorXd&, const SurrogateOptions&);
template std::shared_ptr<AnyKernel> make_kernel_of<5>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<5>(const Map&, const Eigen::MatrixXd&);
template py::dict surrogate_advice<5>(const AnyGrid&, const Eigen::MatrixXd&, const SurrogateTask&);
template py::dict make_surrogate<5>(const AnyGrid&, const SurrogateOptions&, bool);
template void check_surrogate<5>(const Eigen::VectorXd&, const Eigen::VectorXd&, const SurrogateOptions&);
template std::shared_ptr<AnyKernel> make_kernel_of<6>(const py::object&, const py::dict&);
template std::shared_ptr<Map> kernel_functional_of<6>(const Map&, const Eigen::MatrixXd&);
template py::dict surrogate_advice<6>(const AnyGrid&, const Eigen::MatrixXd&, const SurrogateTask&);
template py::dict make_surrogate<6>(const AnyGrid&, const SurrogateOptions&, bool);
template void check_surrogate<6>(const Eigen::VectorXd&, const Eigen::VectorXd&, const SurrogateOptions&);

}  // namespace quoin::python
