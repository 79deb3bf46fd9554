// The 128-bit int that holds any sum or product of two 64-bit ints.
#pragma once

namespace opwright {

__extension__ typedef __int128 WideInt;

}  // namespace opwright
