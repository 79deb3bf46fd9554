// Fakes of types of higher layers that the thread state only points to.
#pragma once

namespace opwright {

class Interpreter {};
class Mode {};

}  // namespace opwright
