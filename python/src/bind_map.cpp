// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "map.hpp"
#include "queries.hpp"

namespace quoin::python {
namespace {

// Docstrings begin with the signature, from which Python takes __text_signature__.
PyMethodDef methods[] = {
    {"value_and_jacobian", value_and_jacobian, METH_O,
     "value_and_jacobian($self, x, /)\n--\n\n"
     "Value and Jacobian at one point, or at many.\n\n"
     "Parameters\n----------\n"
     "x : (dim,) or (..., dim) array\n    The points. A C-contiguous array of float64 is read where it lies.\n\n"
     "Returns\n-------\n"
     "y : (N,) or (..., N) array\n"
     "J : (N, dim) or (..., N, dim) array\n    ``J[i, j]`` is the derivative of output i by variable j.\n\n"
     "Raises\n------\n"
     "DomainError\n    A point is outside the domain, and the map has no answer there.\n"
     "CornerFailure\n    f failed at a corner that the answer needs; its exception is the cause."},
    {"query", query, METH_O,
     "query($self, x, /)\n--\n\n"
     "Value, Jacobian, and how far they can be trusted; nothing is raised where there is no answer.\n\n"
     "Parameters\n----------\n"
     "x : (dim,) or (..., dim) array\n    The points. A batch raises as `value_and_jacobian` does.\n\n"
     "Returns\n-------\n"
     "Answer or Answers\n"
     "    Where the point is outside, or f failed, ``y`` and ``J`` are None and ``trust`` says which."},
    {"second_derivatives", second_derivatives, METH_O,
     "second_derivatives($self, x, /)\n--\n\n"
     "The second derivatives of all outputs at one point.\n\n"
     "Parameters\n----------\n"
     "x : (dim,) array\n\n"
     "Returns\n-------\n"
     "H : (N, dim, dim) array\n\n"
     "Raises\n------\n"
     "ValueError\n    The map has no second derivatives."},
    {"jvp", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(jvp)), METH_FASTCALL,
     "jvp($self, x, w, /)\n--\n\n"
     "J(x) w, without forming J where the map can.\n\n"
     "Parameters\n----------\n"
     "x : (dim,) or (..., dim) array\n"
     "w : (dim,) or (..., dim) array\n\n"
     "Returns\n-------\n"
     "(N,) or (..., N) array"},
    {"vjp", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(vjp)), METH_FASTCALL,
     "vjp($self, x, v, /)\n--\n\n"
     "J(x)^T v, without forming J where the map can.\n\n"
     "Parameters\n----------\n"
     "x : (dim,) or (..., dim) array\n"
     "v : (N,) or (..., N) array\n\n"
     "Returns\n-------\n"
     "(dim,) or (..., dim) array"},
};

// nullptr for an object whose __init__ has not run. The collector knows an object before pybind11 has laid it out; for
// the first one of a class written in Python that makes objects itself, and may so set the collector off.
PyMap* held_by(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  if (!instance->simple_layout && instance->nonsimple.values_and_holders == nullptr) return nullptr;
  return static_cast<PyMap*>(instance->get_value_and_holder().value_ptr());
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (const PyMap* held = held_by(self)) Py_VISIT(held->source.ptr());
  return 0;
}

// While the map ends without the GIL, the collector of another thread must not find what is half gone: pybind11 forgets
// this before 2.11.
void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  py::detail::pybind11_object_dealloc(self);
}

int clear(PyObject* self) {
  if (PyMap* held = held_by(self)) held->source = py::object();
  return 0;
}

}  // namespace

void bind_map(py::module_& module) {
  py::class_<PyMap> map(module, "Map", py::custom_type_setup([](PyHeapTypeObject* heap) {
                          heap->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
                          heap->ht_type.tp_traverse = traverse;
                          heap->ht_type.tp_clear = clear;
                          heap->ht_type.tp_dealloc = dealloc;
                          heap->ht_type.tp_call = call_map;
                        }),
                        "A map from dim variables to N outputs. Its queries release the GIL.");
  map.def(py::init<>())
      .def(py::init<const PyMap&>(), py::arg("other"))
      .def_property_readonly(
          "dim", [](py::handle self) { return map_of(self).map->dim(); }, "The number of variables.")
      .def_property_readonly(
          "output_size", [](py::handle self) { return map_of(self).map->output_size(); }, "N, the number of outputs.");
  module.def("source_of", [](const PyMap& held) -> py::object { return held.source ? held.source : py::none(); });
  module.def("fingerprint_of", [](py::handle self) {
    const auto fingerprint = map_of(self).map->fingerprint();
    return fingerprint ? py::object(py::str(fingerprint->text())) : py::none();
  });
  for (PyMethodDef& method : methods) {
    const auto descriptor =
        py::reinterpret_steal<py::object>(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(map.ptr()), &method));
    if (!descriptor) throw py::error_already_set();
    map.attr(method.ml_name) = descriptor;
  }
}

}  // namespace quoin::python
