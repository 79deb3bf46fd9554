// Every built-in differentiable operator has a formula.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "opwright/dispatch/registry.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/tag.h"

namespace opwright {
namespace {

// Operators without a formula, and why.
const std::set<std::string> kWithout{
    "aten::resize_",  // the added elements have no values
    // Recorded as their decomposition, whose operators have formulas.
    "aten::grid_sampler_2d_backward",
    "aten::grid_sampler_3d_backward",
    // A backward raises an error, as in PyTorch.
    "aten::_ctc_loss_backward",
    "aten::_ctc_loss_backward.Tensor",
    "aten::_histogramdd_from_bin_cts",
    "aten::_histogramdd_from_bin_tensors",
    "aten::_unique",
    "aten::_unique2",
    "aten::bincount",
    "aten::geqrf",
    "aten::histogram.bin_ct",
    "aten::histogram.bins_tensor",
    "aten::linalg_ldl_factor_ex",
    "aten::unique_consecutive",
    "aten::unique_dim",
    "aten::unique_dim_consecutive",
};

bool has_tensors(const Operator& op) {
  bool takes = false;
  for (const Argument& argument : op.schema().arguments)
    takes |= to_text(argument.type).find("Tensor") != std::string::npos;
  bool gives = false;
  for (const Return& each : op.schema().returns)
    gives |= to_text(each.type).find("Tensor") != std::string::npos;
  return takes && gives;
}

bool can_be_differentiated(const Operator& op) {
  return has_tensors(op) && !op.tags().has(Tag::Nondifferentiable) && !op.tags().has(Tag::Out) &&
         !op.record(Slot::ImplicitComposite);
}

TEST(Formulas, StandBesideEveryOperatorThatCanBeDifferentiated) {
  int count = 0;
  for (const Operator* op : Registry::get().list("aten")) {
    if (!can_be_differentiated(*op)) continue;
    const bool has_formula = op->record(Slot::Autograd) != nullptr;
    EXPECT_EQ(has_formula, !kWithout.contains(op->name())) << op->name();
    count += has_formula ? 1 : 0;
  }
  EXPECT_GT(count, 350);
}

TEST(Formulas, AreNoneOfOperatorsThatHaveNoGradient) {
  for (const Operator* op : Registry::get().list("aten")) {
    if (op->tags().has(Tag::Nondifferentiable) || op->tags().has(Tag::Out)) {
      EXPECT_EQ(op->record(Slot::Autograd), nullptr) << op->name();
    }
  }
}

TEST(Formulas, AreRegisteredWithTheirLineOfTheYamlFile) {
  const Operator& op = Registry::get().require("aten::mul.Tensor");
  for (const auto& [slot, site] : Registry::get().implementations(op)) {
    if (slot == Slot::Autograd) {
      EXPECT_EQ(site.text().rfind("src/ops/functions.yaml:", 0), 0U) << site.text();
    }
  }
}

}  // namespace
}  // namespace opwright
