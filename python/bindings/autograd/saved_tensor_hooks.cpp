#include "bindings/autograd/saved_tensor_hooks.h"

#include <optional>
#include <utility>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/autograd/saved_copies.h"
#include "opwright/autograd/saved_hooks.h"
#include "opwright/dispatch/mode.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

class PackedObject final : public PackedTensor {
 public:
  PackedObject(nb::object packed, nb::object unpack)
      : packed_(packed.release().ptr()), unpack_(unpack.release().ptr()) {}
  ~PackedObject() override {
    drop_reference(packed_);
    drop_reference(unpack_);
  }

  Tensor unpack() override {
    const LockScope lock;
    const nb::object returned = own(PyObject_CallOneArg(unpack_, packed_));
    OPWRIGHT_CHECK_TYPE(is_tensor(returned.ptr()), "unpack_hook must return a tensor, got ",
                        class_name(returned.ptr()));
    return handle_of(returned.ptr());
  }

 private:
  PyObject* packed_;
  PyObject* unpack_;
};

// The hooks of one `with` block.
class PythonHooks final : public SavedTensorHooks {
 public:
  PythonHooks(nb::object pack, nb::object unpack)
      : pack_(std::move(pack)), unpack_(std::move(unpack)) {}

  PackedTensorPtr pack(const Tensor& tensor) override {
    const LockScope lock;
    const nb::object given = own(wrap(tensor));
    return make_intrusive<PackedObject>(own(PyObject_CallOneArg(pack_.ptr(), given.ptr())),
                                        unpack_);
  }
  SavedTensorHooks* outer = nullptr;

 private:
  nb::object pack_;
  nb::object unpack_;
};

// A `with` block in which saved tensors may be written.
class CopiesBlock {
 public:
  CopiesBlock() : copies_(IntrusivePtr<SavedCopies>::take(new SavedCopies)) {}
  CopiesBlock(const CopiesBlock&) = delete;
  CopiesBlock& operator=(const CopiesBlock&) = delete;

  void enter() {
    mode_.emplace(*copies_);
    outer_ = set_saved_tensor_hooks(copies_.get());
  }
  void leave() {
    set_saved_tensor_hooks(outer_);
    mode_.reset();
    copies_->close();
  }
  [[nodiscard]] const SavedCopies& copies() const noexcept { return *copies_; }

 private:
  IntrusivePtr<SavedCopies> copies_;
  std::optional<ModeScope> mode_;
  SavedTensorHooks* outer_ = nullptr;
};

}  // namespace

void bind_saved_tensor_hooks(nb::module_& m) {
  m.def(
      "push_saved_tensor_hooks",
      [](nb::object pack, nb::object unpack) {
        OPWRIGHT_CHECK_TYPE(PyCallable_Check(pack.ptr()) && PyCallable_Check(unpack.ptr()),
                            "saved_tensors_hooks takes two functions");
        auto* hooks = new PythonHooks(std::move(pack), std::move(unpack));
        hooks->outer = set_saved_tensor_hooks(hooks);
      },
      nb::arg("pack"), nb::arg("unpack"));
  m.def("pop_saved_tensor_hooks", [] {
    auto* hooks = static_cast<PythonHooks*>(saved_tensor_hooks());
    OPWRIGHT_CHECK(hooks, "saved_tensors_hooks: left without having been entered");
    set_saved_tensor_hooks(hooks->outer);
    delete hooks;
  });
  nb::class_<CopiesBlock>(m, "SavedCopies", "A block in which saved tensors may be written.")
      .def(nb::init<>())
      .def("enter", &CopiesBlock::enter)
      .def("leave", &CopiesBlock::leave)
      .def_prop_ro("num_saved", [](const CopiesBlock& self) { return self.copies().num_saved(); })
      .def_prop_ro("num_copies",
                   [](const CopiesBlock& self) { return self.copies().num_copies(); });
}

}  // namespace opwright::python
