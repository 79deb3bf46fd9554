// A shared library like any other.
int answer() { return 42; }
