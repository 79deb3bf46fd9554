// opwright.OperatorPacket: all overloads of a name as one Python callable.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <Python.h>

namespace opwright::python {

void add_packet_types(PyObject* module);

// The use of a packet. Functions of the package and methods of Tensor also accept the forms of
// call_forms.h and return a list of tensors as a tuple; methods bind to their tensor.
enum class PacketUse : uint8_t { Operators, Function, Method };

// Borrowed; one permanent object for each name and use.
PyObject* packet_object(std::string_view name, PacketUse use = PacketUse::Operators);

// Calls a packet of the core: call_packet("aten::add", {x, y}). `name` is a literal. A new
// reference, or null with the exception.
PyObject* call_packet(std::string_view name, std::initializer_list<PyObject*> args) noexcept;

}  // namespace opwright::python
