// SPDX-License-Identifier: BSD-3-Clause
#include "map.hpp"

#include "gil.hpp"
#include "quoin/util/request.hpp"

#include <stdexcept>
#include <string>

namespace quoin::python {

Answer Map::evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
  return Map::try_evaluate(x, y, J, H);
}

Answer Map::try_evaluate(const double*, Eigen::VectorXd&, Eigen::MatrixXd&, Eigen::MatrixXd&) const {
  throw std::invalid_argument("this map has no second derivatives");
}

Answer Map::times(const double* x, const Eigen::VectorXd& w, Eigen::VectorXd& Jw) const {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const Answer answer = evaluate(x, y, J);
  Jw = J * w;
  return answer.without_error();
}

Answer Map::vjp(const double* x, const Eigen::VectorXd& v, Eigen::VectorXd& Jtv) const {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const Answer answer = evaluate(x, y, J);
  Jtv = J.transpose() * v;
  return answer.without_error();
}

std::vector<Answer> Map::evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X,
                                        Eigen::Ref<Eigen::MatrixXd> Y) const {
  std::vector<Answer> answers;
  Eigen::VectorXd y;
  StopCheck stop(16);
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    stop();
    answers.push_back(evaluate(X.col(m).data(), y));
    Y.col(m) = y;
  }
  return answers;
}

std::vector<Answer> Map::evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                        Eigen::Ref<Eigen::MatrixXd> J) const {
  std::vector<Answer> answers;
  Eigen::VectorXd y;
  Eigen::MatrixXd J_of_one;
  StopCheck stop(16);
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    stop();
    answers.push_back(evaluate(X.col(m).data(), y, J_of_one));
    Y.col(m) = y;
    J.middleCols(m * dim(), dim()) = J_of_one;
  }
  return answers;
}

void Map::hint(const Eigen::Ref<const Eigen::MatrixXd>&) const {}

void PyMap::drop(std::shared_ptr<Map> map) {
  if (map.use_count() != 1) return;
  const bool at_work = map->is_at_work();
  end_without_gil(std::move(map), at_work);
}

void warn(const PyMap& doubtful) {
  Running& of_grid = doubtful.map->running();
  if (of_grid.told_doubts) return;
  const std::string doubts = doubtful.map->doubts();
  if (doubts.empty()) return;
  of_grid.told_doubts = true;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, doubts.c_str(), 1) < 0) throw py::error_already_set();
}

PyMap& map_of(py::handle object) {
  if (!py::isinstance<PyMap>(object))
    throw py::type_error("expected a map, as a grid's view, a kernel or rows of one (arm[9:11]), not " +
                         py::repr(py::type::of(object).attr("__name__")).cast<std::string>());
  auto& held = object.cast<PyMap&>();
  if (!held.map) call_python(object.attr("_make"), py::none());
  if (!held.map) throw std::logic_error("quoin: a map without a map was asked");
  return held;
}

}  // namespace quoin::python
