// x[i], x[i] = y, len(x) and iteration of opwright.Tensor: views by ints, slices, None and
// Ellipsis; copies by index tensors, masks and sequences, like PyTorch.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <Python.h>

#include "bindings/object/element.h"
#include "bindings/object/method.h"
#include "bindings/object/numpy_objects.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "bindings/tensor/creation.h"
#include "bindings/tensor/index_tensor.h"
#include "opwright/base/warning.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/user_question.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright::python {
namespace {

constexpr const char* kNoDimensions =
    "a tensor of zero dimensions cannot be indexed by ints and slices; use item()";

// ---- Kinds of indices ----

bool is_numpy_bool(PyObject* object) {
  return is_numpy_number(object) && dtype_of_number(object) == DType::Bool;
}
bool is_bool(PyObject* object) {
  if (PyLong_CheckExact(object) || PySlice_Check(object)) return false;
  return PyBool_Check(object) || is_sym_bool(object) || is_numpy_bool(object);
}

// An int, a NumPy int, or an integer tensor without dimensions whose value can be read; a uint8
// tensor is a mask.
bool is_integer(PyObject* object) {
  if (PyLong_CheckExact(object)) return true;
  if (is_tensor(object)) {
    const LentTensor tensor(object);
    return tensor->dim() == 0 && is_integral(tensor->dtype()) && tensor->dtype() != DType::UInt8 &&
           !is_sample(*tensor);
  }
  if (is_numpy_array(object)) {
    const std::optional<DType> dtype = dtype_of_number(object);  // of one without dimensions only
    return dtype && is_integral(*dtype);
  }
  return PyIndex_Check(object);
}

int64_t read_index_integer(PyObject* object) {
  const nanobind::object index = own(PyNumber_Index(object));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  OPWRIGHT_CHECK_INDEX(overflow == 0 && value > kOpwSmallestInt,
                       "an index of more than 64 bits is out of range");
  return value;
}

// Python data combined with a tensor: without memory if the tensor has none.
Tensor made_beside(const Tensor& tensor, const Tensor& made) {
  return tensor.is_fake() && !made.is_fake() ? fake_copy_of(made) : made;
}

// ---- Applying an index, one entry after the other ----

class Indexer {
 public:
  explicit Indexer(Tensor tensor) : tensor_(std::move(tensor)) {}

  void apply_all(PyObject* const* entries, Py_ssize_t count) {
    const Py_ssize_t taken = count_dims(entries, count);
    OPWRIGHT_CHECK_INDEX(taken == 0 || tensor_.dim() > 0, kNoDimensions);
    OPWRIGHT_CHECK_INDEX(taken <= tensor_.dim(), "too many indices: ", taken,
                         " dimensions are indexed, the tensor has ", tensor_.dim());
    const int64_t skipped = tensor_.dim() - taken;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (entries[i] == Py_Ellipsis) {
        dim_ += skipped;
        dim_taken_ += skipped;
      } else {
        apply(entries[i]);
      }
    }
  }

  // A view of the tensor with all dimensions that index tensors apply to. Without index tensors it
  // is a new tensor, even if nothing was done.
  Tensor take() {
    return is_changed_ || !indices_.is_empty() ? std::move(tensor_) : alias(tensor_);
  }
  [[nodiscard]] const IndexTensorList& indices() const { return indices_; }

 private:
  // The dimensions of the tensor that the entries index. Rejects invalid entries, and reads index
  // tensors.
  Py_ssize_t count_dims(PyObject* const* entries, Py_ssize_t count) {
    Py_ssize_t taken = 0;
    int ellipses = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* entry = entries[i];
      if (entry == Py_Ellipsis) {
        ++ellipses;
      } else if (is_bool(entry)) {
        continue;
      } else if (PySlice_Check(entry) || is_integer(entry)) {
        ++taken;
      } else if (entry != Py_None) {
        OPWRIGHT_CHECK_INDEX(is_index_tensor(entry), "a tensor cannot be indexed by ",
                             class_name(entry),
                             "; ints, slices, None, Ellipsis, bools, tensors, sequences of ints or "
                             "bools and tuples of these are indices");
        given_.push_back(read_index_tensor(entry, tensor_.device()));
        if (!is_tensor(entry)) given_.back() = made_beside(tensor_, given_.back());
        taken += count_index_dims(given_.back());
      }
    }
    OPWRIGHT_CHECK_INDEX(ellipses <= 1, "an index can have one Ellipsis, got ", ellipses);
    return taken;
  }

  void apply(PyObject* entry) {
    if (entry == Py_None) {
      replace(unsqueeze(tensor_, dim_++));
    } else if (is_bool(entry)) {
      apply_bool(entry);
    } else if (PySlice_Check(entry)) {
      apply_slice(entry);
    } else if (is_integer(entry)) {
      apply_integer(is_sym_int(entry) ? *read_sym_int(entry) : SymInt(read_index_integer(entry)));
    } else {
      apply_tensor(given_[num_applied_++]);
    }
  }

  // A dimension of one element or none, copied like those of index tensors.
  void apply_bool(PyObject* entry) {
    const int keeps = PyObject_IsTrue(entry);
    require_no_error(keeps);
    replace(unsqueeze(tensor_, dim_));
    const Tensor index = zeros({keeps}, DType::Int64, std::nullopt, tensor_.device());
    indices_.add(dim_, made_beside(tensor_, index));
    ++dim_;
  }

  void apply_tensor(const Tensor& index) {
    const int64_t taken = count_index_dims(index);
    if (taken == 0) {  // a truth value in a tensor
      replace(unsqueeze(tensor_, dim_));
      indices_.add(dim_++, index.unsqueeze(0));
      return;
    }
    indices_.add(dim_, index);
    dim_ += taken;
    dim_taken_ += taken;
  }

  void apply_integer(const SymInt& index) {
    const SymInt size = tensor_.sym_size(dim_);
    if (!size.is_symbolic() && !index.is_symbolic()) {
      OPWRIGHT_CHECK_INDEX(index.word() >= -size.word() && index.word() < size.word(), "index ",
                           index, " is out of range for dimension ", dim_taken_, " with size ",
                           size);
    }
    replace(select(tensor_, dim_, index));
    ++dim_taken_;
  }

  void apply_slice(PyObject* entry) {
    if (has_symbols(entry)) return apply_symbolic_slice(entry);
    Py_ssize_t start = 0;
    Py_ssize_t stop = 0;
    Py_ssize_t step = 0;
    require_no_error(PySlice_Unpack(entry, &start, &stop, &step));
    OPWRIGHT_CHECK_VALUE(step > 0, "the step of a slice must be positive, got ", step);
    if (start != 0 || stop != PY_SSIZE_T_MAX || step != 1)
      replace(slice(tensor_, dim_, bound(start), end_bound(stop), SymInt(step)));
    ++dim_;
    ++dim_taken_;
  }

  static bool has_symbols(PyObject* entry) {
    const auto* parts = reinterpret_cast<const PySliceObject*>(entry);
    return is_symbol(parts->start) || is_symbol(parts->stop) || is_symbol(parts->step);
  }

  // A symbolic number, or a tensor without data, whose item() is one.
  static bool is_symbol(PyObject* part) {
    if (!is_tensor(part)) return is_sym_int(part);
    const LentTensor tensor(part);
    return tensor->is_fake() || impl(*tensor).is_wrapper();
  }

  void apply_symbolic_slice(PyObject* entry) {
    const auto* parts = reinterpret_cast<const PySliceObject*>(entry);
    const auto read = [](PyObject* part) -> std::optional<SymInt> {
      if (part == Py_None) return std::nullopt;
      const nanobind::object number =
          is_tensor(part) ? own(read_single_element(*LentTensor(part), "a slice")) : share(part);
      const std::optional<SymInt> value = read_sym_int(number.ptr());
      OPWRIGHT_CHECK_TYPE(value, "the parts of a slice must be ints or None, got ",
                          class_name(part));
      return value;
    };
    replace(slice(tensor_, dim_, read(parts->start), read(parts->stop),
                  read(parts->step).value_or(SymInt(1))));
    ++dim_;
    ++dim_taken_;
  }

  // Beyond any size, and an int that a SymInt can hold.
  static SymInt bound(Py_ssize_t value) {
    return SymInt(std::max<int64_t>(value, kOpwSmallestInt));
  }

  // The size itself if there is no end: a symbol stays as it is.
  static std::optional<SymInt> end_bound(Py_ssize_t stop) {
    if (stop == PY_SSIZE_T_MAX) return std::nullopt;
    return bound(stop);
  }

  void replace(Tensor next) {
    tensor_ = std::move(next);
    is_changed_ = true;
  }

  Tensor tensor_;
  int64_t dim_ = 0;        // of tensor_ as it is now
  int64_t dim_taken_ = 0;  // of the tensor as it was, for errors
  bool is_changed_ = false;
  std::vector<Tensor> given_;  // index tensors in the order of the entries
  size_t num_applied_ = 0;     // of these
  IndexTensorList indices_;
};

// Whether a list is an index for each dimension instead of one index, as in PyTorch: it is short,
// and an entry is no number.
bool is_list_of_indices(PyObject* index) {
  constexpr Py_ssize_t kFewest = 32;
  if (!PyList_Check(index) || PyList_GET_SIZE(index) >= kFewest) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(index); ++i) {
    PyObject* entry = PyList_GET_ITEM(index, i);
    if (PyLong_CheckExact(entry) || PyBool_Check(entry)) continue;
    if (is_tensor(entry) || PySlice_Check(entry) || entry == Py_None || entry == Py_Ellipsis ||
        (PySequence_Check(entry) && !PyUnicode_Check(entry)))
      return true;
  }
  return false;
}

Indexer index_by(PyObject* self, PyObject* index) {
  const LentTensor tensor(self);
  Indexer indexer(*tensor);
  nanobind::object entries;
  if (is_list_of_indices(index)) [[unlikely]] {
    warn("UserWarning",
         "Using a non-tuple sequence for multidimensional indexing is deprecated: x[seq] means "
         "x[tuple(seq)], as in PyTorch; write that, or x[torch.tensor(seq)] for one index");
    entries = own(PyList_AsTuple(index));
    index = entries.ptr();
  }
  if (PyTuple_Check(index)) {
    indexer.apply_all(&PyTuple_GET_ITEM(index, 0), PyTuple_GET_SIZE(index));
  } else {
    indexer.apply_all(&index, 1);
  }
  return indexer;
}

// ---- Slots ----

PyObject* subscript(PyObject* self, PyObject* index) {
  return guarded([&] {
    Indexer indexer = index_by(self, index);
    Tensor view = indexer.take();
    if (indexer.indices().is_empty()) return require(wrap(std::move(view)));
    return require(wrap(opwright::index(view, indexer.indices().as_argument())));
  });
}

PyObject* item_at(PyObject* self, Py_ssize_t index) {
  return guarded([&] {
    const LentTensor tensor(self);
    OPWRIGHT_CHECK_INDEX(tensor->dim() > 0, kNoDimensions);
    const int64_t size = specialise_for_user(tensor->sym_size(0));  // iteration needs the number
    OPWRIGHT_CHECK_INDEX(index >= 0 && index < size, "index ", index,
                         " is out of range for dimension 0 with size ", size);
    return require(wrap(select(*tensor, 0, index)));
  });
}

bool shows_the_same(const Tensor& a, const Tensor& b) {
  if (a.is_symbolic() || b.is_symbolic() || a.dtype() != b.dtype() ||
      &storage_of(a) != &storage_of(b)) {
    return false;
  }
  const Geometry first = geometry_of(a);
  const Geometry second = geometry_of(b);
  return first.offset == second.offset && first.sizes == second.sizes &&
         first.strides == second.strides;
}

// Drops leading sizes of 1, like NumPy, if there are more dimensions than in the target.
Tensor without_leading(Tensor value, int64_t ndim) {
  while (value.dim() > ndim && !value.is_symbolic() && value.size(0) == 1)
    value = select(value, 0, 0);
  return value;
}

// `x[0] += 1` assigns the view that it has just written: then there is nothing left to do.
void assign_tensor(Tensor& view, Tensor value) {
  if (shows_the_same(view, value)) return;
  view.copy_(without_leading(std::move(value), view.dim()));
}

Scalar read_scalar(PyObject* number) {
  if (PyBool_Check(number)) return {number == Py_True};
  if (PyLong_Check(number)) return {read_index_integer(number)};
  if (PyFloat_Check(number)) return {PyFloat_AS_DOUBLE(number)};
  const Py_complex value = PyComplex_AsCComplex(number);
  if (value.real == -1 && PyErr_Occurred()) throw_python_error();
  return {Complex<double>(value.real, value.imag)};
}

// A size as a tensor: it stays a symbol.
Tensor tensor_of_size(PyObject* value, const Tensor& target) {
  return scalar_tensor(Scalar(*read_sym_int(value)), target.dtype(), Layout::Strided,
                       target.device());
}

// Converts a number or data to assign it to elements of `view`.
Tensor read_assigned(const Tensor& view, PyObject* value) {
  if (is_tensor(value)) return handle_of(value);
  if (!PyFloat_Check(value) && !PyLong_Check(value) && !PyComplex_Check(value))
    return made_beside(view, tensor_over_data(value, {}, "assignment to a tensor"));
  const Scalar number = read_scalar(value);
  OPWRIGHT_CHECK_TYPE(!number.is_complex() || is_complex(view.dtype()), "the complex number ",
                      number, " cannot be stored in a tensor of ", view.dtype());
  return made_beside(view, scalar_tensor(number, view.dtype(), std::nullopt, view.device()));
}

void put(Tensor& view, const IndexTensorList& indices, PyObject* value) {
  const Tensor values =
      without_leading(read_assigned(view, value), indices.count_result_dims(view.dim()));
  view.index_put_(indices.as_argument(), values.to(view.device(), view.dtype()));
}

int assign_subscript(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(
      [&] {
        OPWRIGHT_CHECK_TYPE(value, "elements of a tensor cannot be deleted");
        nanobind::object size;
        if (is_sym_int(value)) {
          size = own(wrap(tensor_of_size(value, *LentTensor(self))));
          value = size.ptr();
        }
        Indexer indexer = index_by(self, index);
        Tensor view = indexer.take();
        if (!indexer.indices().is_empty()) {
          put(view, indexer.indices(), value);
        } else if (is_tensor(value)) {
          assign_tensor(view, handle_of(value));
        } else if (is_numpy_number(value)) {
          view.fill_(read_scalar(own(PyObject_CallMethod(value, "item", nullptr)).ptr()));
        } else if (PyFloat_Check(value) || PyLong_Check(value) || PyComplex_Check(value)) {
          view.fill_(read_scalar(value));
        } else {
          assign_tensor(view,
                        made_beside(view, tensor_over_data(value, {}, "assignment to a tensor")));
        }
        return 0;
      },
      -1);
}

Py_ssize_t length(PyObject* self) {
  return guarded(
      [&]() -> Py_ssize_t {
        const LentTensor tensor(self);
        OPWRIGHT_CHECK_TYPE(tensor->dim() > 0, "len: a tensor of zero dimensions has no length");
        return specialise_for_user(tensor->sym_size(0));
      },
      -1);
}

// Over the parts of unbind(), whose views refuse writes under autograd.
PyObject* iterate(PyObject* self) {
  return guarded([&] {
    OPWRIGHT_CHECK_TYPE(LentTensor(self)->dim() > 0,
                        "iteration over a tensor of zero dimensions; use item()");
    const nanobind::object parts = own(PyObject_CallMethod(self, "unbind", nullptr));
    return PyObject_GetIter(parts.ptr());
  });
}

const PyType_Slot kIndexSlots[] = {
    {Py_mp_subscript, as_slot(subscript)}, {Py_mp_ass_subscript, as_slot(assign_subscript)},
    {Py_mp_length, as_slot(length)},       {Py_sq_item, as_slot(item_at)},
    {Py_sq_length, as_slot(length)},       {Py_tp_iter, as_slot(iterate)},
};

}  // namespace

void add_index_slots(TensorSlots& out) {
  out.slots.insert(out.slots.end(), std::begin(kIndexSlots), std::end(kIndexSlots));
}

}  // namespace opwright::python
