// SPDX-License-Identifier: BSD-3-Clause
#include "queries.hpp"

#include "arrays.hpp"
#include "map.hpp"
#include "python_error.hpp"
#include "quoin/grid/detail/query/query_numbers.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

/// What a query writes before it is known to succeed. A thread keeps one, so that queries allocate nothing; a query
/// that f makes while it is called by another takes its own.
class Outputs {
 public:
  Outputs() : taken_(!std::exchange(busy(), true)), own_(taken_ ? of_thread() : *new Matrices) {}
  ~Outputs() {
    if (taken_)
      busy() = false;
    else
      delete &own_;
  }
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  struct Matrices {
    Eigen::VectorXd y, v;
    Eigen::MatrixXd J, H;
  };
  Matrices* operator->() const { return &own_; }

 private:
  static bool& busy() {
    thread_local bool busy = false;
    return busy;
  }
  static Matrices& of_thread() {
    thread_local Matrices matrices;
    return matrices;
  }

  bool taken_;
  Matrices& own_;
};

/// Up to this many numbers are copied into an array of their own; more are handed over with their memory.
constexpr Eigen::Index copied = 512;

py::object array_from(Eigen::VectorXd& y) {
  if (y.size() <= copied) {
    auto array = new_array({y.size()});
    std::memcpy(array.mutable_data(), y.data(), sizeof(double) * static_cast<std::size_t>(y.size()));
    return array;
  }
  const Eigen::Index size = y.size();
  return owning_array(Eigen::MatrixXd(std::move(y)), {size}, {1});
}

// rows x columns, by columns as it lies
py::object array_from(Eigen::MatrixXd& J) {
  const Eigen::Index rows = J.rows(), columns = J.cols();
  if (J.size() <= copied) {
    auto array = new_array({rows, columns}, {1, rows});
    std::memcpy(array.mutable_data(), J.data(), sizeof(double) * static_cast<std::size_t>(J.size()));
    return array;
  }
  return owning_array(std::move(J), {rows, columns}, {1, rows});
}

py::object pair_of(py::object first, py::object second) {
  PyObject* pair = PyTuple_New(2);
  if (!pair) throw py::error_already_set();
  PyTuple_SET_ITEM(pair, 0, first.release().ptr());
  PyTuple_SET_ITEM(pair, 1, second.release().ptr());
  return py::reinterpret_steal<py::object>(pair);
}

/// The points of a query: one, or a batch.
struct Points {
  grid_detail::QueryNumbers<8> one;         ///< (dim,)
  std::optional<py::array_t<double>> many;  ///< (M, dim)
  std::vector<py::ssize_t> shape;           ///< of the batch, where it has more than one axis

  Points(py::handle x, int dim) : one(static_cast<std::size_t>(dim)) {
    if (is_doubles(x) && read_one(x, dim)) return;
    auto array = as_doubles(x, "x");
    if (array.ndim() == 1 && array.shape(0) == dim)
      std::memcpy(one.data(), array.data(), sizeof(double) * static_cast<std::size_t>(dim));
    else if (array.ndim() >= 2 && array.shape(array.ndim() - 1) == dim)
      take(std::move(array));
    else
      throw std::invalid_argument("x: shape " + shape_of(array) + ", expected (" + to_text(dim) + ",) or (..., " +
                                  to_text(dim) + ")");
  }

  /// An array (M, ...), of M answers, in the shape of the batch.
  py::object shaped(py::object array) const {
    if (shape.empty()) return array;
    auto of = py::reinterpret_borrow<py::array>(array);
    std::vector<py::ssize_t> whole = shape;
    whole.insert(whole.end(), of.shape() + 1, of.shape() + of.ndim());
    return of.reshape(whole);
  }

 private:
  void take(py::array_t<double>&& array) {
    if (array.ndim() > 2) {
      shape.assign(array.shape(), array.shape() + array.ndim() - 1);
      const py::ssize_t dim = array.shape(array.ndim() - 1);
      many = array.reshape({dim == 0 ? 0 : array.size() / dim, dim});
    } else {
      many = std::move(array);
    }
  }
  bool read_one(py::handle x, int dim) {
    const auto* array = py::detail::array_proxy(x.ptr());
    if (array->nd != 1 || array->dimensions[0] != dim) return false;
    const char* from = array->data;
    for (int i = 0; i < dim; ++i, from += array->strides[0])
      std::memcpy(&one[static_cast<std::size_t>(i)], from, sizeof(double));
    return true;
  }
};

PyMap& made_map(PyObject* self, PyObject* x) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  auto* held = static_cast<PyMap*>(instance->get_value_and_holder().value_ptr());
  if (held == nullptr) throw py::type_error("__init__ of the map has not been called");
  if (!held->map) [[unlikely]] {
    const py::object make = py::handle(self).attr("_make");
    call_python(make, py::handle(x));
    if (!held->map) throw std::logic_error("quoin: a map without a map was asked");
  }
  return *held;
}

struct Batch {
  py::array_t<double> Y, J;
  std::vector<Answer> answers;
};

/// Points that a map answers at a time: memory for more of them takes longer than Ctrl-C may.
constexpr Eigen::Index at_once = 1 << 20;

Batch evaluate_batch(const std::shared_ptr<Map>& map, const py::array_t<double>& points, bool jacobians) {
  const Eigen::Index count = points.shape(0), rows = map->output_size(), dim = map->dim();
  const Eigen::Map<const Eigen::MatrixXd> X(points.data(), dim, count);
  Batch batch;
  batch.Y = new_array({count, rows});
  Eigen::Map<Eigen::MatrixXd> Y(batch.Y.mutable_data(), rows, count);
  if (jacobians) batch.J = new_array({count, rows, dim}, {rows * dim, 1, rows});
  Eigen::Map<Eigen::MatrixXd> J(jacobians ? batch.J.mutable_data() : nullptr, rows, jacobians ? count * dim : 0);
  const Query running(*map);
  for (Eigen::Index first = 0; first == 0 || first < count; first += at_once) {
    const Eigen::Index some = std::min(at_once, count - first);
    auto answers = jacobians ? map->evaluate_batch(X.middleCols(first, some), Y.middleCols(first, some),
                                                   J.middleCols(dim * first, dim * some))
                             : map->evaluate_batch(X.middleCols(first, some), Y.middleCols(first, some));
    if (first == 0)
      batch.answers = std::move(answers);
    else
      batch.answers.insert(batch.answers.end(), answers.begin(), answers.end());
  }
  return batch;
}

// As evaluate_batch with J; where that throws since a point has no answer, point by point: its row is NaN.
Batch try_evaluate_batch(const std::shared_ptr<Map>& map, const py::array_t<double>& points) {
  try {
    return evaluate_batch(map, points, true);
  } catch (const DomainError&) {
  } catch (const CornerFailure&) {
  }
  const Eigen::Index count = points.shape(0), rows = map->output_size(), dim = map->dim();
  Batch batch{.Y = new_array({count, rows}), .J = new_array({count, rows, dim}, {rows * dim, 1, rows}), .answers = {}};
  Eigen::Map<Eigen::MatrixXd> Y(batch.Y.mutable_data(), rows, count), J(batch.J.mutable_data(), rows, count * dim);
  Y.setConstant(std::numeric_limits<double>::quiet_NaN());
  J.setConstant(std::numeric_limits<double>::quiet_NaN());
  const double* first = points.data();
  const Outputs outputs;
  const Query running(*map);
  StopCheck stop(64);
  for (Eigen::Index m = 0; m < count; ++m) {
    stop();
    batch.answers.push_back(map->try_evaluate(first + m * dim, outputs->y, outputs->J));
    if (!batch.answers.back().has_value()) continue;
    Y.col(m) = outputs->y;
    J.middleCols(m * dim, dim) = outputs->J;
  }
  return batch;
}

py::object answer_class(const char* name) { return py::module_::import("quoin.answers").attr(name); }

py::object answer_of(const Answer& answer, py::object y, py::object J) {
  static const py::handle type = answer_class("_answer").release();
  return call_python(type, std::move(y), std::move(J), static_cast<int>(answer.trust), answer.level, answer.error,
                     answer.jacobian_error);
}

py::object answers_of(const Points& points, const Batch& batch) {
  const std::vector<Answer>& answers = batch.answers;
  static const py::handle type = answer_class("Answers").release();
  const auto count = static_cast<py::ssize_t>(answers.size());
  py::array_t<int> trust(count), level(count);
  auto error = new_array({count}), jacobian_error = new_array({count});
  for (py::ssize_t m = 0; m < count; ++m) {
    const Answer& answer = answers[static_cast<std::size_t>(m)];
    trust.mutable_at(m) = static_cast<int>(answer.trust);
    level.mutable_at(m) = answer.level;
    error.mutable_at(m) = answer.error;
    jacobian_error.mutable_at(m) = answer.jacobian_error;
  }
  return call_python(type, points.shaped(batch.Y), points.shaped(batch.J), points.shaped(trust), points.shaped(level),
                     points.shaped(error), points.shaped(jacobian_error));
}

/// Runs a query, and tells Python what it throws.
template <class Body>
PyObject* guarded(PyObject* self, PyObject* x, Body&& body) noexcept {
  try {
    PyMap& held = made_map(self, x);
    try {
      py::object result = body(held);
      warn_of_doubts(held);
      return result.release().ptr();
    } catch (...) {
      set_python_error(held.source);
    }
  } catch (...) {
    set_python_error();
  }
  return nullptr;
}

}  // namespace

PyObject* call_map(PyObject* self, PyObject* args, PyObject* keywords) noexcept {
  if (PyTuple_GET_SIZE(args) != 1 || (keywords != nullptr && PyDict_GET_SIZE(keywords) != 0)) {
    PyErr_SetString(PyExc_TypeError, "a map is called with one array: map(x)");
    return nullptr;
  }
  PyObject* x = PyTuple_GET_ITEM(args, 0);
  return guarded(self, x, [x](PyMap& held) -> py::object {
    const auto map = held.map;
    const Points points(x, map->dim());
    if (points.many) return points.shaped(evaluate_batch(map, *points.many, false).Y);
    const Outputs outputs;
    {
      const Query running(*map);
      map->evaluate(points.one.data(), outputs->y);
    }
    return array_from(outputs->y);
  });
}

PyObject* value_and_jacobian(PyObject* self, PyObject* x) noexcept {
  return guarded(self, x, [x](PyMap& held) -> py::object {
    const auto map = held.map;
    const Points points(x, map->dim());
    if (points.many) {
      Batch batch = evaluate_batch(map, *points.many, true);
      return pair_of(points.shaped(std::move(batch.Y)), points.shaped(std::move(batch.J)));
    }
    const Outputs outputs;
    {
      const Query running(*map);
      map->evaluate(points.one.data(), outputs->y, outputs->J);
    }
    py::object y = array_from(outputs->y);
    return pair_of(std::move(y), array_from(outputs->J));
  });
}

PyObject* query(PyObject* self, PyObject* x) noexcept {
  return guarded(self, x, [x](PyMap& held) -> py::object {
    const auto map = held.map;
    const Points points(x, map->dim());
    if (points.many) return answers_of(points, try_evaluate_batch(map, *points.many));
    const Outputs outputs;
    const Answer answer = [&] {
      const Query running(*map);
      return map->try_evaluate(points.one.data(), outputs->y, outputs->J);
    }();
    if (!answer.has_value()) return answer_of(answer, py::none(), py::none());
    py::object y = array_from(outputs->y);
    return answer_of(answer, std::move(y), array_from(outputs->J));
  });
}

PyObject* second_derivatives(PyObject* self, PyObject* x) noexcept {
  return guarded(self, x, [x](PyMap& held) -> py::object {
    const auto map = held.map;
    const int dim = map->dim();
    const Points points(x, dim);
    if (points.many) throw std::invalid_argument("second_derivatives: one point, not a batch");
    const Outputs outputs;
    {
      const Query running(*map);
      map->evaluate(points.one.data(), outputs->y, outputs->J, outputs->H);
    }
    const Eigen::MatrixXd& H = outputs->H;
    auto full = new_array({H.rows(), dim, dim});
    auto numbers = full.mutable_unchecked<3>();
    for (int i = 0; i < H.rows(); ++i)
      for (int j = 0; j < dim; ++j)
        for (int k = 0; k < dim; ++k) numbers(i, j, k) = H(i, second_derivative_index(dim, j, k));
    return full;
  });
}

namespace {
using Product = Answer (Map::*)(const double*, const Eigen::VectorXd&, Eigen::VectorXd&) const;

// One point and one vector, or as many vectors as points.
py::object product(PyMap& held, PyObject* x, PyObject* vectors, const char* name, bool transposed) {
  const auto map = held.map;
  const Eigen::Index from = transposed ? map->output_size() : map->dim();
  const Eigen::Index to = transposed ? map->dim() : map->output_size();
  const Product multiply = transposed ? &Map::vjp : &Map::times;
  const Points points(x, map->dim());
  const Outputs outputs;
  if (!points.many) {
    outputs->v = vector_of(vectors, from, name);
    {
      const Query running(*map);
      ((*map).*multiply)(points.one.data(), outputs->v, outputs->y);
    }
    return array_from(outputs->y);
  }
  auto array = as_doubles(vectors, name);
  if (!points.shape.empty() && array.ndim() > 2 && array.shape(array.ndim() - 1) == from)
    array = array.reshape({array.size() / from, from});
  const auto V = matrix_of(array, from, name);
  const Eigen::Index count = points.many->shape(0);
  if (V.cols() != count)
    throw std::invalid_argument(std::string(name) + ": " + to_text(V.cols()) + " vectors for " + to_text(count) +
                                " points");
  auto products = new_array({count, to});
  const double* first = points.many->data();
  double* written = products.mutable_data();
  const Query running(*map);
  StopCheck stop(64);
  for (Eigen::Index m = 0; m < count; ++m) {
    stop();
    outputs->v = V.col(m);
    ((*map).*multiply)(first + m * map->dim(), outputs->v, outputs->y);
    std::memcpy(written + m * to, outputs->y.data(), sizeof(double) * static_cast<std::size_t>(to));
  }
  return points.shaped(products);
}

PyObject* product_of(PyObject* self, PyObject* const* args, Py_ssize_t count, const char* usage, const char* name,
                     bool transposed) noexcept {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, usage);
    return nullptr;
  }
  return guarded(self, args[0],
                 [&](PyMap& held) -> py::object { return product(held, args[0], args[1], name, transposed); });
}
}  // namespace

PyObject* jvp(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept {
  return product_of(self, args, count, "jvp takes a point and a vector: jvp(x, w)", "w", false);
}

PyObject* vjp(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept {
  return product_of(self, args, count, "vjp takes a point and a vector: vjp(x, v)", "v", true);
}

}  // namespace quoin::python
