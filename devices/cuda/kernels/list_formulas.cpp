// list_formulas <folder> <parts> <source>...: generates kernels for the formulas of the core's
// loops.
//
// Every string in the sources that parses as a formula becomes a functor. Writes
// <folder>/formulas_<n>.h and .cu for n below <parts>; formula_table.cpp, which finds the kernels
// of a text; and formula_list.h, all functors for the tests. A string that happens to parse as a
// formula does no harm.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/cuda/kernels/formula_text.h"

namespace {

using opwright::cuda::FormulaText;
using opwright::cuda::write_formula;

// The strings of a C++ source, adjacent ones joined; comments are skipped.
std::set<std::string> find_strings(const std::string& source) {
  std::set<std::string> strings;
  std::string current;
  const auto close = [&] {
    if (!current.empty()) strings.insert(current);
    current.clear();
  };
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '/' && source.compare(i, 2, "//") == 0) {
      i = std::min(source.find('\n', i), source.size()) - 1;
    } else if (c == '"') {
      for (++i; i < source.size() && source[i] != '"'; ++i) {
        if (source[i] == '\\') ++i;
        if (i < source.size()) current.push_back(source[i]);
      }
    } else if (c != ' ' && c != '\n') {
      close();
      if (c == '\'') i += source.compare(i + 1, 1, "\\") == 0 ? 3 : 2;
    }
  }
  close();
  return strings;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << "list_formulas: cannot read " << path << "\n";
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Formula {
  std::string text;
  std::optional<FormulaText> of_numbers;
  std::optional<FormulaText> of_bools;
};

std::vector<Formula> find_formulas(const std::set<std::string>& strings) {
  std::vector<Formula> formulas;
  for (const std::string& text : strings) {
    Formula formula{text, write_formula(text, false), write_formula(text, true)};
    if (formula.of_numbers || formula.of_bools) formulas.push_back(std::move(formula));
  }
  return formulas;
}

void write_functor(std::ofstream& out, const Formula& formula, size_t number) {
  out << "\n// " << formula.text << "\nstruct Formula" << number << " {\n";
  const auto list_arguments = [](const std::string& type) {
    std::string list;
    for (const char name : std::string("xyzabc"))
      list += (list.empty() ? "" : ", ") + ("[[maybe_unused]] " + type + " ") + name;
    return list;
  };
  int num_operands = 0;
  if (formula.of_numbers) {
    num_operands = formula.of_numbers->num_operands;
    out << "  template <class T>\n  OPWRIGHT_ANYWHERE static auto of_numbers("
        << list_arguments("T") << ") {\n    using namespace formula;\n    "
        << formula.of_numbers->body << "\n  }\n";
  }
  if (formula.of_bools) {
    num_operands = formula.of_bools->num_operands;
    out << "  OPWRIGHT_ANYWHERE static bool of_bools(" << list_arguments("bool") << ") {\n    "
        << "using T [[maybe_unused]] = bool;\n    " << formula.of_bools->body << "\n  }\n";
  }
  out << "  static constexpr int kNumOperands = " << num_operands << ";\n  static constexpr bool "
      << "kTakesFloats = " << (formula.of_numbers && formula.of_numbers->takes_floats)
      << ";\n  static constexpr bool kTakesInts = "
      << (formula.of_numbers && formula.of_numbers->takes_ints)
      << ";\n  static constexpr bool kTakesBools = " << formula.of_bools.has_value() << ";\n};\n";
}

void write_parts(const std::string& folder, const std::vector<Formula>& formulas, size_t parts) {
  for (size_t part = 0; part < parts; ++part) {
    const std::string name = "formulas_" + std::to_string(part);
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::ofstream functors(path.string().append(".h"));
    functors << "// Written by list_formulas.\n#pragma once\n\n"
             << "#include \"devices/cuda/kernels/formula_functions.h\"\n\n"
             << "namespace opwright::cuda {\n";
    std::ofstream kernels(path.string().append(".cu"));
    kernels << "// Written by list_formulas.\n#include \"formulas/" << name << ".h\"\n\n"
            << "#include \"devices/cuda/kernels/loop_kernel.h\"\n\nnamespace opwright::cuda {\n";
    for (size_t i = part; i < formulas.size(); i += parts) {
      write_functor(functors, formulas[i], i);
      kernels << "extern const FormulaKernels kFormula" << i << ";\nconst FormulaKernels kFormula"
              << i << " = make_formula_kernels<Formula" << i << ">();\n";
    }
    functors << "\n}  // namespace opwright::cuda\n";
    kernels << "\n}  // namespace opwright::cuda\n";
  }
}

// All functors, and a line for each with a macro that the user defines.
void write_list(const std::string& folder, const std::vector<Formula>& formulas, size_t parts) {
  std::ofstream out(folder + "/formula_list.h");
  out << "// Written by list_formulas.\n";
  for (size_t part = 0; part < parts; ++part)
    out << "#include \"formulas/formulas_" << part << ".h\"\n";
  out << "\n#define OPWRIGHT_FORMULA_LIST(OPWRIGHT_FORMULA)";
  for (size_t i = 0; i < formulas.size(); ++i)
    out << " \\\n  OPWRIGHT_FORMULA(Formula" << i << ", \"" << formulas[i].text << "\")";
  out << "\n";
}

void write_table(const std::string& folder, const std::vector<Formula>& formulas) {
  std::ofstream out(folder + "/formula_table.cpp");
  out << "// Written by list_formulas.\n#include \"devices/cuda/kernels/formula_table.h\"\n\n"
      << "namespace opwright::cuda {\n";
  for (size_t i = 0; i < formulas.size(); ++i)
    out << "extern const FormulaKernels kFormula" << i << ";\n";
  out << "\nconst FormulaEntry kFormulaTable[] = {\n";
  for (size_t i = 0; i < formulas.size(); ++i)
    out << "    {\"" << formulas[i].text << "\", &kFormula" << i << "},\n";
  out << "};\nconst size_t kNumFormulas = " << formulas.size() << ";\n\n"
      << "}  // namespace opwright::cuda\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: list_formulas <folder> <parts> <source>...\n";
    return 1;
  }
  std::set<std::string> strings{"x", "a"};
  for (int i = 3; i < argc; ++i) strings.merge(find_strings(read_file(argv[i])));
  const std::vector<Formula> formulas = find_formulas(strings);  // sorted, since it is a set
  write_parts(argv[1], formulas, static_cast<size_t>(std::atoi(argv[2])));
  write_list(argv[1], formulas, static_cast<size_t>(std::atoi(argv[2])));
  write_table(argv[1], formulas);
  return 0;
}
