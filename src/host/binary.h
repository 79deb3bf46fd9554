// Operator binaries as files: opening one, checking what it says about itself, and listing what it
// registers.
#pragma once

#include <string>
#include <vector>

#include "opwright/dispatch/library_block.h"

namespace opwright {

// As the loader knows the file: without links and dots. The path itself where there is no such
// file.
std::string absolute_path(const std::string& path);

// Opens the file and returns what its exported symbol gives, checked. The file is never closed.
// Errors: OSError for a file that is not there or cannot be opened (a missing dependency is named),
// ImportError for one that is not an operator binary, is of another ABI version (both named), or is
// damaged.
const OpwBinary& open_binary(const std::string& path);

// Refuses lists that no binary of this ABI can have: wrong sizes, missing fields, a loop, import
// numbers with gaps. `path` is for the message.
void check_binary(const OpwBinary& binary, const std::string& path);

// The devices that it adds; null: none.
const OpwDevicePlugin* first_device(const OpwBinary& binary) noexcept;

// Runs the bodies of all blocks, oldest first, for `host`.
BlockContents collect_binary(const OpwBinary& binary, const OpwHost& host);

}  // namespace opwright
