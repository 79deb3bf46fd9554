// Operator binaries as files: opens one, checks it, and lists what it registers.
#pragma once

#include <string>
#include <vector>

#include "opwright/dispatch/library_block.h"

namespace opwright {

// The path as the loader knows it: without links and dots. `path` itself if there is no such file.
std::string absolute_path(const std::string& path);

// Opens the file and returns its OpwBinary, checked. The file is never closed. OSError if it does
// not exist or cannot be opened (naming a missing dependency); ImportError if it is not an operator
// binary, has another ABI version (both are named), or is damaged.
const OpwBinary& open_binary(const std::string& path);

// Rejects lists that no binary of this ABI can have: wrong sizes, missing fields, a loop, gaps in
// import numbers. `path` is used in the message.
void check_binary(const OpwBinary& binary, const std::string& path);

// The first device that it adds; null if none.
const OpwDevicePlugin* first_device(const OpwBinary& binary) noexcept;

// Runs the bodies of all blocks, oldest first, for `host`.
BlockContents collect_binary(const OpwBinary& binary, const OpwHost& host);

}  // namespace opwright
