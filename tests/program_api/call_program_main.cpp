// Loads a program and makes the calls of its input, all in one process: for tests in Python.
//
//   call_program net.opw libfirst.so ... <calls >results
//
// A call is the line "call N" and N tensors, each a line "dtype ndim sizes..." and its elements,
// dense. A result is written the same way, or as the line "error kind: text".
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/runtime/program.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor.h"

namespace {

using opwright::DType;
using opwright::Tensor;

DType read_dtype(std::istream& in) {
  std::string name;
  in >> name;
  for (const opwright::DTypeName& entry : opwright::kDTypes) {
    if (name == entry.name) return entry.dtype;
  }
  throw std::runtime_error("unknown dtype " + name);
}

std::streamsize bytes_of(const Tensor& tensor) {
  return static_cast<std::streamsize>(static_cast<size_t>(tensor.numel()) *
                                      opwright::item_size(tensor.dtype()));
}

Tensor read_tensor(std::istream& in) {
  const DType dtype = read_dtype(in);
  size_t ndim = 0;
  in >> ndim;
  std::vector<int64_t> sizes(ndim);
  for (int64_t& size : sizes) in >> size;
  in.ignore(1);
  Tensor tensor = opwright::empty(sizes, dtype);
  in.read(static_cast<char*>(tensor.mutable_data()), bytes_of(tensor));
  return tensor;
}

void write_tensor(std::ostream& out, const Tensor& given) {
  const Tensor tensor = given.contiguous();
  out << opwright::dtype_name_or_null(tensor.dtype()) << ' ' << tensor.dim();
  for (const int64_t size : tensor.sizes()) out << ' ' << size;
  out << '\n';
  out.write(static_cast<const char*>(tensor.data()), bytes_of(tensor));
}

void answer(const opwright::Program& program, std::istream& in, std::ostream& out) {
  size_t count = 0;
  in >> count;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < count; ++i) inputs.push_back(read_tensor(in));
  try {
    const std::vector<Tensor> results = program(inputs);
    out << "call " << results.size() << '\n';
    for (const Tensor& result : results) write_tensor(out, result);
  } catch (const opwright::Error& error) {
    out << "error " << error.kind() << ": " << error.message() << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    for (int i = 2; i < argc; ++i) opwright::load_library(argv[i]);
    const opwright::Program program = opwright::load_program(argv[1]);
    for (std::string word; std::cin >> word;) answer(program, std::cin, std::cout);
  } catch (const opwright::Error& error) {
    std::cout << "error " << error.kind() << ": " << error.message() << '\n';
    return 1;
  }
  return 0;
}
