// libFuzzer: registration lists with any damage that leaves pointers valid. Each ends in an error
// or is registered and removed again; nothing leaks, nothing is dropped twice.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>

#include "opwright/dispatch/library_block.h"
#include "opwright/dispatch/registry.h"
#include "opwright/host/binary.h"
#include "opwright/host/binary_host.h"

namespace {

using namespace opwright;  // NOLINT(google-build-using-namespace): a program of one file

// Takes decisions from the input; zeros after its end.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  uint32_t word() {
    return byte() | static_cast<uint32_t>(byte()) << 8 | static_cast<uint32_t>(byte()) << 24;
  }
  bool one_in(uint8_t n) { return byte() % n == 0; }
  std::string text() {
    static constexpr const char* kTexts[] = {"fuzz",
                                             "audio",
                                             "clip(Tensor x) -> Tensor",
                                             "clip",
                                             "other::clip",
                                             "CPU",
                                             "Fake",
                                             "Vmap",
                                             "nowhere",
                                             "",
                                             "clip(Tensor",
                                             "f(int a) -> int",
                                             "aten::mul.Tensor",
                                             "no::such",
                                             "(Tensor arg0) -> Tensor"};
    if (!one_in(6)) return kTexts[byte() % std::size(kTexts)];
    std::string any;
    for (int i = byte() % 24; i > 0; --i) any.push_back(static_cast<char>(byte()));
    return any.c_str();  // up to the first zero
  }
  // A pointer into texts that live as long as the input, or null.
  const char* pointer() {
    if (one_in(12)) return nullptr;
    texts_.push_back(text());
    return texts_.back().c_str();
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  std::deque<std::string> texts_;
};

Input* input = nullptr;
int owned_selves = 0;

int run_body(const OpwLibrary* /*block*/, OpwRegistrar* registrar) {
  for (int i = input->byte() % 4; i > 0; --i) {
    int status = 0;
    if (input->one_in(2)) {
      status = registrar->define(registrar, input->pointer(), input->word(), input->pointer(),
                                 input->word());
    } else {
      const bool owns = input->one_in(2);
      owned_selves += owns ? 1 : 0;
      const OpwImplementation implementation{
          .struct_size =
              input->one_in(8) ? input->word() : static_cast<uint32_t>(sizeof(OpwImplementation)),
          .line = input->word(),
          .function = input->one_in(10) ? nullptr
                                        : +[](const OpwRecord*, const OpwValue*, uint32_t,
                                              OpwValue*, uint32_t) { return 0; },
          .self = nullptr,
          .drop = owns ? +[](void*) { --owned_selves; } : nullptr,
          .name = input->pointer(),
          .slot = input->pointer(),
          .signature = input->one_in(3) ? input->pointer() : nullptr,
          .file = input->pointer()};
      status = registrar->implement(registrar, &implementation);
    }
    if (status != 0) return 1;
  }
  return input->one_in(20) ? 1 : 0;  // a failure without an error, sometimes
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input from(data, size);
  input = &from;
  owned_selves = 0;
  const size_t operators_before = Registry::get().list().size();
  std::deque<OpwLibrary> blocks;
  std::deque<OpwImport> imports;
  for (int i = from.byte() % 5; i > 0; --i) {
    blocks.push_back(
        {.struct_size = from.one_in(10) ? from.word() : static_cast<uint32_t>(sizeof(OpwLibrary)),
         .kind = from.byte() % 4u,
         .name_space = from.pointer(),
         .slot = from.pointer(),
         .file = from.pointer(),
         .line = from.word(),
         .body = from.one_in(12) ? nullptr : &run_body,
         .context = nullptr,
         .next = blocks.empty() ? nullptr : &blocks[from.byte() % blocks.size()]});
  }
  if (!blocks.empty() && from.one_in(6)) blocks.front().next = &blocks.back();  // a loop
  for (int i = from.byte() % 4; i > 0; --i) {
    imports.push_back(
        {.struct_size = from.one_in(10) ? from.word() : static_cast<uint32_t>(sizeof(OpwImport)),
         .index = from.one_in(4) ? from.word() : static_cast<uint32_t>(imports.size()),
         .name = from.pointer(),
         .signature = from.one_in(10) ? nullptr : +[]() { return "(Tensor arg0) -> Tensor"; },
         .next = imports.empty() ? nullptr : &imports.back()});
  }
  const OpwBinary binary{
      .struct_size = from.one_in(10) ? from.word() : static_cast<uint32_t>(sizeof(OpwBinary)),
      .abi_major = static_cast<uint16_t>(from.one_in(10) ? from.byte() : OPW_ABI_MAJOR),
      .abi_minor = static_cast<uint16_t>(from.one_in(10) ? from.byte() : OPW_ABI_MINOR),
      .libraries = blocks.empty() ? nullptr : &blocks.back(),
      .imports = imports.empty() ? nullptr : &imports.back(),
      .num_imports = from.one_in(6) ? from.word() : static_cast<uint32_t>(imports.size()),
      .devices = nullptr};
  try {
    check_binary(binary, "fuzzed.so");
    BinaryHost host(binary, "fuzzed.so");
    const auto registered = register_contents(
        collect_binary(binary, host), host, "fuzzed.so",
        [](void* context) { static_cast<BinaryHost*>(context)->resolve_imports(); }, &host);
  } catch (const Error&) {
    // the damage was detected and reported
  }
  if (Registry::get().list().size() != operators_before || owned_selves != 0) std::abort();
  input = nullptr;
  return 0;
}
