#include "bindings/autograd/saved_tensor_hooks.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

}  // namespace

// The hooks of one `with` block.
class PythonHooks final : public SavedTensorHooks, public Counted<PythonHooks> {
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

using PythonHooksPtr = IntrusivePtr<PythonHooks>;

namespace {

// The blocks that this thread has entered. Not destroyed with the thread: Python may be gone then.
constinit thread_local std::vector<PythonHooksPtr>* entered_hooks = nullptr;

std::vector<PythonHooksPtr>& entered_hooks_of_thread() {
  if (!entered_hooks) entered_hooks = new std::vector<PythonHooksPtr>;
  return *entered_hooks;
}

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

struct SavedHooksScope::Entered {
  std::vector<PythonHooksPtr> blocks;
};

SavedHooksScope::SavedHooksScope() : current_(saved_tensor_hooks()) {
  if (entered_hooks && !entered_hooks->empty()) {
    entered_ = std::make_unique<Entered>(Entered{*entered_hooks});
  }
}

SavedHooksScope::~SavedHooksScope() {
  set_saved_tensor_hooks(current_);
  if (!entered_hooks) return;
  std::vector<PythonHooksPtr> left;
  if (entered_) left = std::move(entered_->blocks);
  std::swap(*entered_hooks, left);
}

void bind_saved_tensor_hooks(nb::module_& m) {
  m.def(
      "push_saved_tensor_hooks",
      [](nb::object pack, nb::object unpack) {
        OPWRIGHT_CHECK_TYPE(PyCallable_Check(pack.ptr()) && PyCallable_Check(unpack.ptr()),
                            "saved_tensors_hooks takes two functions");
        auto hooks = make_intrusive<PythonHooks>(std::move(pack), std::move(unpack));
        hooks->outer = set_saved_tensor_hooks(hooks.get());
        entered_hooks_of_thread().push_back(std::move(hooks));
      },
      nb::arg("pack"), nb::arg("unpack"));
  m.def("pop_saved_tensor_hooks", [] {
    std::vector<PythonHooksPtr>& entered = entered_hooks_of_thread();
    OPWRIGHT_CHECK(!entered.empty(), "saved_tensors_hooks: left without having been entered");
    const PythonHooksPtr hooks = std::move(entered.back());
    entered.pop_back();
    set_saved_tensor_hooks(hooks->outer);
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
