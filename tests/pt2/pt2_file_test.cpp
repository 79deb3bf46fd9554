// Archives from strangers: damaged, of other kinds, or made to use much memory.
// Covers: src/pt2/archive/archive_graph, src/pt2/archive/archive_tensors,
// src/pt2/archive/call_tree, src/pt2/archive/graph_json, src/pt2/archive/program_json,
// src/pt2/archive/tensor_json, src/pt2/replay/recorded_result, src/pt2/replay/replay,
// src/pt2/saved_program.
#include "opwright/pt2/pt2_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/program/export/exported_program.h"
#include "pt2/small_archive.h"

namespace opwright::pt2 {
namespace {

using testing::replaced;
using testing::SmallArchive;

std::string read_text(const SmallArchive& archive) {
  return to_text(*read_pt2(archive.bytes(), "net.pt2"));
}
// The archive with one part of another text.
SmallArchive with(std::string SmallArchive::* part, std::string text) {
  SmallArchive archive;
  archive.*part = std::move(text);
  return archive;
}
// The archive with a text of its program replaced.
SmallArchive with_model(std::string_view from, std::string_view to) {
  return with(&SmallArchive::model, replaced(testing::kSmallModel, from, to));
}
SmallArchive with_weights(std::string_view from, std::string_view to) {
  return with(&SmallArchive::weights, replaced(testing::kSmallWeights, from, to));
}
SmallArchive with_entry(std::string name, std::string data = "x") {
  SmallArchive archive;
  archive.more.emplace_back(std::move(name), std::move(data));
  return archive;
}
// Only that entry, without a program.
std::string only(std::string_view name) { return testing::ZipWriter().add({name, "x"}).finish(); }

enum class ReadOutcome : uint8_t { Program, Refused };

// Anything but a program or an error fails the test.
ReadOutcome outcome_of(const std::string& bytes) {
  try {
    EXPECT_FALSE(to_text(*read_pt2(bytes, "net.pt2")).empty());
    return ReadOutcome::Program;
  } catch (const Error& error) {
    EXPECT_FALSE(std::string_view(error.text()).empty());
    EXPECT_NE(std::string_view(error.kind()), "AssertionError") << error.message();
    return ReadOutcome::Refused;
  }
}

TEST(Pt2File, ReadsASmallArchive) {
  EXPECT_EQ(read_text(SmallArchive()),
            R"(program
inputs
  parameter w: %w float32[3] grad
  user x: %x float32[s77, 3]
outputs
  user: %add
sizes
  symbol s77 in [2, 64], hint 4, from x.size(0)
operators
  aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
  aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
  aten::relu(Tensor self) -> Tensor
graph(captured %w: float32[3] grad, %x: float32[s77, 3]) -> (%add) {
  symbol s77 in [2, 64], hint 4, from x.size(0)
  %mul: float32[s77, 3] = aten::mul.Tensor(%x, %w)  # net.py:7
  %relu: float32[s77, 3] = aten::relu(%mul)
  %add: float32[s77, 3] = aten::add.Scalar(%relu, 1)
}
)");
}

TEST(Pt2File, AFileCutAnywhereIsRefused) {
  const std::string bytes = SmallArchive().bytes();
  ASSERT_EQ(outcome_of(bytes), ReadOutcome::Program);
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(outcome_of(bytes.substr(0, size)), ReadOutcome::Refused) << size;
  }
}

TEST(Pt2File, AnyChangedByteGivesAProgramOrAnError) {
  const std::string bytes = SmallArchive().bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      (void)outcome_of(changed);
    }
  }
}

// With checksums that match, so that the readers of the texts see the change.
TEST(Pt2File, AnyChangedByteOfItsTextsGivesAProgramOrAnError) {
  const SmallArchive archive;
  for (size_t at = 0; at < archive.model.size(); ++at) {
    for (const char sign : {'0', '"', '}'}) {
      SmallArchive changed = archive;
      changed.model[at] = sign;
      (void)outcome_of(changed.bytes());
    }
  }
  for (size_t at = 0; at < archive.weights.size(); ++at) {
    for (const char sign : {'0', '9', '-', '"', ']'}) {
      SmallArchive changed = archive;
      changed.weights[at] = sign;
      (void)outcome_of(changed.bytes());
    }
  }
}

TEST(Pt2File, ChangedNumbersAndNamesGiveAProgramOrAnError) {
  constexpr auto kTexts = std::to_array<std::string_view>(
      {"-1", "0", "9223372036854775807", "-9223372036854775808", "4611686018427387904",
       "-4611686018427387905", "1e308", "null", "\"\"", "[]", "{}", "[[]]", "true"});
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    SmallArchive changed;
    std::string& text = random() % 4 == 0 ? changed.weights : changed.model;
    const size_t digit = text.find_first_of("0123456789", random() % text.size());
    if (digit == std::string::npos) continue;
    const size_t end = text.find_first_not_of("0123456789", digit);
    text.replace(digit, end - digit, kTexts[random() % kTexts.size()]);
    (void)outcome_of(changed.bytes());
  }
}

TEST(Pt2File, OtherFormatsAndVersionsAreRefusedWithBoth) {
  EXPECT_ERROR(read_text(with(&SmallArchive::format, "pt3")), "NotImplementedError",
               "net.pt2: net/archive_format is 'pt3', supported is 'pt2'");
  EXPECT_ERROR(read_text(with(&SmallArchive::version, "1")), "NotImplementedError",
               "net.pt2: net/archive_version is '1', supported is '0'");
  EXPECT_ERROR(read_text(with(&SmallArchive::byteorder, "big")), "NotImplementedError",
               "net.pt2: net/byteorder is 'big', supported is 'little'");
  EXPECT_ERROR(read_text(with_model(R"("major": 8)", R"("major": 9)")), "NotImplementedError",
               "net.pt2, net/models/model.json: the archive has schema version 9.20, supported is "
               "8 (newest known: 8.20); export the program again with torch 2.9 to 2.13");
}

TEST(Pt2File, ANewerMinorVersionIsRead) {
  EXPECT_EQ(read_text(with_model(R"("minor": 20)", R"("minor": 21)")), read_text(SmallArchive()));
}

TEST(Pt2File, ALeastSizeOf0Or1MayBeNarrowed) {
  const SmallArchive archive = with_model(R"("min_val": 2)", R"("min_val": 0)");
  EXPECT_NE(read_text(archive).find("symbol s77 in [1, 64]"), std::string::npos)
      << read_text(archive);
  SmallArchive reshaped = archive;
  reshaped.model =
      replaced(archive.model, "torch.ops.aten.relu.default", "torch.ops.aten.squeeze.default");
  EXPECT_NE(read_text(reshaped).find("symbol s77 in [2, 64]"), std::string::npos)
      << read_text(reshaped);
}

TEST(Pt2File, TheRootFolderMayHaveAnyName) {
  for (const char* root : {"models", "my_models", "models.json"})
    EXPECT_EQ(read_text(with(&SmallArchive::root, root)), read_text(SmallArchive())) << root;
}

TEST(Pt2File, OnlyTheFolderOfModelsHasPrograms) {
  for (const char* name : {"net/extra/models/notes.json", "net/models/more/notes.json"})
    EXPECT_EQ(read_text(with_entry(name)), read_text(SmallArchive())) << name;
}

TEST(Pt2File, TheStateOfTheThreadDoesNotChangeTheProgram) {
  const std::string wanted = read_text(SmallArchive());
  const GradModeScope scope(false);
  EXPECT_EQ(read_text(SmallArchive()), wanted);
}

TEST(Pt2File, RangesOfExpressionsLimitTheirSymbol) {
  const SmallArchive archive =
      with_model(R"("s77": {"min_val": 2, "max_val": 64})",
                 R"("s77": {"min_val": 2, "max_val": 64}, "4*s77": {"min_val": 10, "max_val": 43},
                    "s77 + 1": {"min_val": null, "max_val": 10})");
  EXPECT_NE(read_text(archive).find("symbol s77 in [3, 9]"), std::string::npos)
      << read_text(archive);
  EXPECT_ERROR(read_text(with_model(R"("s77": {"min_val": 2)", R"("s77*s8": {"min_val": 2)")),
               "NotImplementedError",
               "net.pt2, net/models/model.json, range_constraints: the size 's77*s8' of an input "
               "is not supported; sizes of inputs may be numbers, symbols, and linear in one "
               "symbol");
}

TEST(Pt2File, SizesBeyond64BitsAreRefused) {
  constexpr std::string_view kSize =
      R"json(Symbol('s77', positive=True, integer=True)", "hint": {"as_int": 4})json";
  EXPECT_ERROR(
      read_text(with_model(kSize, "Mul(Integer(4611686018427387904), Symbol('s77'))\"")),
      "OverflowError",
      "the size 4611686018427387904*s77 + 0 does not fit in 64 bits at s77 = 2\n  in net.pt2");
  EXPECT_ERROR(
      read_text(with_model(kSize, "Add(Symbol('s77'), Integer(4611686018427387905))\"")),
      "OverflowError",
      "net.pt2, input 'x': the size 'Add(Symbol('s77'), Integer(4611686018427387905))' of an "
      "input has numbers beyond 2^62");
}

TEST(Pt2File, ErrorsOfTheSessionNameTheArchive) {
  EXPECT_ERROR(
      read_text(with_model(R"("hint": {"as_int": 4})", R"("hint": {"as_int": 65})")), "ValueError",
      "net.pt2: the example has 65 for s77 = Dim(\"s77\", min=2, max=64) in dimension 0 of "
      "'x'");
}

// ---- The structure of the call ----

TEST(Pt2File, AnArchiveWithoutTheStructureOfTheCallIsRefused) {
  EXPECT_ERROR(read_text(with_model(R"("fqn": "")", R"("fqn": "layer")")), "ValueError",
               "net.pt2, net/models/model.json: graph_module.module_call_graph: the signature of "
               "the root module is missing, which has the structure of the call; save the program "
               "with torch.export.save");
}

std::string arguments_with_name(std::string_view name) {
  const SmallArchive archive = with_model(R"("forward_arg_names": ["x"])",
                                          concatenate(R"("forward_arg_names": [")", name, R"("])"));
  return read_pt2(archive.bytes(), "net.pt2")->structure().arguments;
}

TEST(Pt2File, AParameterOfAnotherAlphabetIsQuoted) {
  EXPECT_EQ(arguments_with_name("x_1"), "((x_1=*,), {})");
  EXPECT_EQ(arguments_with_name("größe"), R"((("größe"=*,), {}))");
}

TEST(Pt2File, AParameterThatIsNoIdentifierIsRefused) {
  for (const char* name : {"x=*, y", "1x", "a b", ""}) {
    EXPECT_ERROR(arguments_with_name(name), "ValueError",
                 concatenate("net.pt2, in_spec: the parameter '", name,
                             "' of the function has a name that is not an identifier"));
  }
}

// The archive returns a tuple of the result and an empty container.
SmallArchive with_empty(std::string_view type, std::string_view context,
                        std::string_view children = "") {
  constexpr std::string_view kLeafJson =
      R"({\"type\": null, \"context\": null, \"children_spec\": []})";
  return with_model(
      concatenate(R"("out_spec": "[1, )", kLeafJson),
      concatenate(R"("out_spec": "[1, {\"type\": \"builtins.tuple\", \"context\": \"null\", )",
                  R"(\"children_spec\": [)", kLeafJson, R"(, {\"type\": \")", type,
                  R"(\", \"context\": \")", context, R"(\", \"children_spec\": [)", children,
                  "]}]}"));
}

std::string empty_results_of(const SmallArchive& archive) {
  return read_pt2(archive.bytes(), "net.pt2")->structure().results;
}

TEST(Pt2File, AnEmptyDictStaysADict) {
  constexpr std::string_view kNoKeys =
      R"({\\\"default_factory_module\\\": \\\"builtins\\\", \\\"dict_context\\\": []})";
  EXPECT_EQ(empty_results_of(with_empty("builtins.dict", "[]")), "(*, {})");
  EXPECT_EQ(empty_results_of(with_empty("collections.OrderedDict", "[]")), "(*, OrderedDict({}))");
  EXPECT_EQ(empty_results_of(with_empty("collections.defaultdict", kNoKeys)), "(*, {})");
  EXPECT_ERROR_CONTAINS(
      empty_results_of(with_empty("collections.defaultdict", kNoKeys, R"({\"type\": null})")),
      "ValueError", "there are 1 children and 0 names");
}

// ---- Strides ----

// The archive reads `x`, recorded with such strides, by strides.
SmallArchive with_strided_read(std::string_view strides) {
  SmallArchive archive = with_model(
      R"("torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "mul"}}, "kind": 1}])",
      R"("torch.ops.aten.as_strided.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
{"name": "size", "arg": {"as_ints": [2]}, "kind": 1}, {"name": "stride", "arg": {"as_ints": [1]}, "kind": 1}])");
  archive.model = replaced(archive.model, R"([{"as_int": 3}, {"as_int": 1}])", strides);
  return archive;
}

TEST(Pt2File, ATensorOfOtherStridesIsNotReadByStrides) {
  EXPECT_NE(read_text(with_strided_read(R"([{"as_int": 3}, {"as_int": 1}])")).find("as_strided"),
            std::string::npos);
  EXPECT_ERROR(read_text(with_strided_read(R"([{"as_int": 1}, {"as_int": 4}])")),
               "NotImplementedError",
               "'x' is read by strides, and has strides [3, 1] and offset 0, but in the archive "
               "strides [1, 4] and offset 0; make it contiguous in the model\n"
               "  in relu = torch.ops.aten.as_strided.default\n  in net.pt2");
}

TEST(Pt2File, OtherKindsOfArchivesAreRefusedByName) {
  EXPECT_ERROR(read_pt2(only("net/data/aotinductor/model/x.so"), "net.pt2"), "NotImplementedError",
               "net.pt2: a package of AOTInductor, which has machine code and no program; save the "
               "exported program with torch.export.save");
  EXPECT_ERROR(read_pt2(only("net/data.pkl"), "net.pt"), "NotImplementedError",
               "net.pt: a file of torch.save or torch.jit.save, which is a pickle, and pickles are "
               "never read; save a program with torch.export.save");
  EXPECT_ERROR(read_pt2(only("serialized_exported_program.json"), "net.pt2"), "NotImplementedError",
               "net.pt2: an archive of torch 2.7 or older, whose weights are pickled; export the "
               "program again with torch 2.9 to 2.13");
  EXPECT_ERROR(read_pt2(only("net/readme"), "net.zip"), "ValueError",
               "net.zip: not an archive of torch.export.save: it has no entry models/<name>.json");
  EXPECT_ERROR(read_text(with_entry("net/models/other.json")), "NotImplementedError",
               "net.pt2: the archive has 2 programs; save each to a file of its own");
}

TEST(Pt2File, PickledPartsAreRefusedByName) {
  EXPECT_ERROR(read_text(with_entry("net/data/weights/model.pt")), "NotImplementedError",
               "net.pt2: the tensors of 'net/data/weights/model.pt' are pickled, as torch 2.8 and "
               "older write them, and pickles are never read; export the program again with torch "
               "2.9 to 2.13");
  EXPECT_ERROR(
      read_text(with_weights(R"("use_pickle": false)", R"("use_pickle": true)")),
      "NotImplementedError",
      "net.pt2, net/data/weights/model_weights_config.json: config.w: 'w' is pickled (a tensor "
      "subclass or an object of Python), and pickles are never read; export the model with plain "
      "tensors");
  EXPECT_ERROR(read_text(with_model(R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})",
                                    R"({"custom_obj": {"arg": {"name": "obj", "class_fqn": "C"},
                                   "custom_obj_name": "tokenizer"}})")),
               "NotImplementedError",
               "net.pt2, net/models/model.json: graph_module.signature.input_specs[1]: the script "
               "object 'tokenizer', whose state is pickled, is not supported");
}

TEST(Pt2File, SampleInputsAreNotRead) {
  EXPECT_EQ(read_text(with_entry("net/data/sample_inputs/model.pt", "\x80\x02no pickle")),
            read_text(SmallArchive()));
}

TEST(Pt2File, AStoredTensorThatItsEntryCannotHoldIsRefusedByName) {
  EXPECT_ERROR(read_text(with_weights(R"("as_int": 3)", R"("as_int": 4)")), "ValueError",
               "the stored tensor 'w', float32[4], needs 16 bytes, but its entry "
               "'net/data/weights/weight_0' has 12\n  in net.pt2");
  EXPECT_ERROR(read_text(with_weights(R"("storage_offset": {"as_int": 0})",
                                      R"("storage_offset": {"as_int": 1})")),
               "ValueError",
               "the stored tensor 'w', float32[3], needs 16 bytes, but its entry "
               "'net/data/weights/weight_0' has 12\n  in net.pt2");
  EXPECT_ERROR(
      read_text(with_weights(R"("as_int": 3)", R"("as_int": 4611686018427387903)")), "ValueError",
      "the stored tensor 'w': fake tensor: a float32 tensor of sizes [4611686018427387903] "
      "has more than 2^62 bytes\n  in net.pt2");
  EXPECT_ERROR(read_text(with_weights(R"("as_int": 3)", R"("as_int": -3)")), "ValueError",
               "the stored tensor 'w' has a size that is not a number of 0 or more\n  in net.pt2");
  EXPECT_ERROR(read_text(with(&SmallArchive::weight, "")), "ValueError",
               "net.pt2: 'w' has no bytes in the archive; it was exported from fake tensors");
  EXPECT_ERROR(read_text(with_weights("weight_0", "weight_1")), "ValueError",
               "net.pt2: the archive has no entry 'net/data/weights/weight_1' for 'w'");
}

TEST(Pt2File, TensorsOfOtherKindsAreRefused) {
  constexpr std::string_view kConfig = "net.pt2, net/data/weights/model_weights_config.json: ";
  EXPECT_ERROR(read_text(with_weights(R"("layout": 7)", R"("layout": 1)")), "ValueError",
               concatenate(kConfig,
                           "config.w.tensor_meta.layout: only strided tensors are "
                           "supported, got layout 1"));
  EXPECT_ERROR(
      read_text(with_weights(R"("dtype": 7)", R"("dtype": 99)")), "ValueError",
      concatenate(kConfig, "config.w.tensor_meta.dtype: the dtype number 99 is not supported"));
  EXPECT_ERROR_CONTAINS(read_text(with_weights(R"("type": "cpu")", R"("type": "quantum")")),
                        "ValueError", "unknown device 'quantum'; known: cpu");
}

TEST(Pt2File, MissingOperatorsAndFunctionsAreNamed) {
  EXPECT_ERROR(read_text(with_model("torch.ops.aten.relu.default", "torch.ops.audio.clip.default")),
               "NotImplementedError",
               "there is no operator audio::clip\n  If it comes from an operator binary, load it "
               "first: opwright.load_library(\"libaudio.so\").\n  in relu = "
               "torch.ops.audio.clip.default\n  in net.pt2");
  EXPECT_ERROR(read_text(with_model("torch.ops.aten.relu.default", "os.system")),
               "NotImplementedError",
               "the function 'os.system' is not supported\n  in relu = os.system\n  in net.pt2");
  EXPECT_ERROR(
      read_text(with_model("torch.ops.aten.relu.default", "torch.ops.higher_order.flex_attention")),
      "NotImplementedError",
      "the higher-order operator 'flex_attention' is not supported; export the model without it\n"
      "  in relu = torch.ops.higher_order.flex_attention\n  in net.pt2");
}

TEST(Pt2File, AnErrorOfANodeNamesItsLine) {
  EXPECT_ERROR_CONTAINS(read_text(with_model(R"({"as_tensor": {"name": "p_w"}}, "kind")",
                                             R"({"as_tensor": {"name": "none"}}, "kind")")),
                        "ValueError",
                        "the value 'none' is used before it is computed\n  in mul = "
                        "torch.ops.aten.mul.Tensor at net.py:7");
}

TEST(Pt2File, ATextThatIsNestedTooDeepIsRefused) {
  const std::string deep(100'000, '[');
  EXPECT_ERROR(read_text(with(&SmallArchive::model, deep)), "ValueError",
               "net.pt2, net/models/model.json: not valid JSON at line 1, column 258: it is nested "
               "deeper than 256");
  // The keys of the dict of arguments by name.
  EXPECT_ERROR_CONTAINS(
      read_text(with_model(R"(\"context\": \"[]\")", R"(\"context\": \")" + deep + R"(\")")),
      "ValueError", "it is nested deeper than 256");
}

TEST(Pt2File, ASizeThatIsNestedTooDeepIsRefused) {
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += "Add(";
  EXPECT_ERROR_CONTAINS(read_text(with_model("Symbol('s77'", nested)), "ValueError",
                        "less nesting is expected at character 261");
}

TEST(Pt2File, TooManyPartsOfATensorAreRefused) {
  constexpr std::string_view kRelu =
      R"("torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "mul"}}, "kind": 1})";
  constexpr std::string_view kPlaces =
      R"(, "inputs": [{"name": "end", "arg": {"as_int": )"
      R"(1099511627776}, "kind": 1}], "outputs": [{"as_tensor": {"name": "many"}}], "metadata": {}, "name": "many"},
{"target": )";
  constexpr std::string_view kMany =
      R"(, "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "many"}}, "kind": 1})";
  const auto parts_by = [&](std::string_view target, std::string_view more) {
    return with_model(kRelu, concatenate("\"torch.ops.aten.arange.default\"", kPlaces, "\"",
                                         "torch.ops.aten.", target, "\"", kMany, more));
  };
  constexpr std::string_view kRefusal =
      "1099511627776 parts of int64[1099511627776] are too many for a graph, which may have 65536";
  EXPECT_ERROR_CONTAINS(read_text(parts_by("unbind.int", "")), "ValueError",
                        concatenate("unbind: ", kRefusal));
  EXPECT_ERROR_CONTAINS(
      read_text(
          parts_by("split.Tensor", R"(, {"name": "split_size", "arg": {"as_int": 1}, "kind": 1})")),
      "ValueError", concatenate("split: ", kRefusal));
  EXPECT_ERROR_CONTAINS(
      read_text(parts_by("tensor_split.sections",
                         R"(, {"name": "sections", "arg": {"as_int": 1099511627776}, "kind": 1})")),
      "ValueError", concatenate("tensor_split: ", kRefusal));
}

TEST(Pt2File, LongPathsOfManyLeavesAreRefused) {
  const std::string key(2000, 'k');
  const SmallArchive archive = with_model(
      R"({\"type\": null, \"context\": null, \"children_spec\": []}]}, {\"type\": \"builtins.dict\")",
      R"({\"type\": \"builtins.dict\", \"context\": \"[\\\")" + key +
          R"(\\\"]\", \"children_spec\": [{\"type\": null, \"context\": null, \"children_spec\": []}]}]}, {\"type\": \"builtins.dict\")");
  EXPECT_ERROR_CONTAINS(
      read_text(archive), "ValueError",
      "net.pt2, in_spec: the path of leaf 0 has 2005 characters, at most 1024 are "
      "supported; it begins with x[\"kkk");
}

TEST(Pt2File, AWeightThatIsNotAlignedIsCopied) {
  const std::string path = ::testing::TempDir() + "unaligned.pt2";
  for (const char* name : {"a", "ab", "abc", "abcd"}) {
    SmallArchive archive;
    archive.byteorder = "little";
    testing::ZipWriter zip;
    zip.add({name, ""}).add({"net/models/model.json", archive.model});
    zip.add({"net/data/weights/model_weights_config.json", archive.weights});
    zip.add({"net/data/weights/weight_0", archive.weight});
    std::ofstream(path, std::ios::binary) << zip.finish();
    EXPECT_EQ(to_text(*load_pt2(path)), read_text(SmallArchive()));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace opwright::pt2
