#include "opwright/pt2/container/zip_archive.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/error.h"
#include "pt2/zip_writer.h"

namespace opwright::pt2 {
namespace {

using testing::ZipWriter;

std::string two_entries() {
  return ZipWriter().add({"m/a", "first"}).add({"m/b", "second"}).finish();
}

// The entries as text, read with their checksums verified.
std::string read(const std::string& bytes) {
  const ZipArchive archive(bytes, "m.pt2");
  std::string text;
  for (const ZipEntry& entry : archive.entries()) {
    text.append(entry.name).append("=").append(archive.read(entry.name)).append(";");
  }
  return text;
}

TEST(ZipArchive, ReadsStoredEntries) { EXPECT_EQ(read(two_entries()), "m/a=first;m/b=second;"); }

TEST(ZipArchive, FindsAnEntryByItsName) {
  const std::string bytes = two_entries();
  const ZipArchive archive(bytes, "m.pt2");
  EXPECT_EQ(archive.find("m/b")->data, "second");
  EXPECT_EQ(archive.find("m/c"), nullptr);
  EXPECT_ERROR(archive.read("m/c"), "ValueError", "m.pt2: the archive has no entry 'm/c'");
}

TEST(ZipArchive, RefusesWhatIsNoZipFile) {
  EXPECT_ERROR(read("OPWRIGHT"), "ValueError", "m.pt2: not a zip file");
  EXPECT_ERROR(read("PK\3\4"), "ValueError",
               "m.pt2: not a complete zip file: it has no end record");
}

TEST(ZipArchive, RefusesCompressedAndEncryptedEntries) {
  EXPECT_ERROR(read(ZipWriter().add({"a", "x", 8}).finish()), "ValueError",
               "m.pt2: the entry 'a' is compressed; store it, as torch.export.save does");
  EXPECT_ERROR(read(ZipWriter().add({"a", "x", 0, 1}).finish()), "ValueError",
               "m.pt2: the entry 'a' is encrypted");
}

TEST(ZipArchive, RefusesNamesThatLeaveTheArchive) {
  for (const std::string_view name : {"../a", "a/../../b", "/a", "a\\b", ""}) {
    EXPECT_ERROR(read(ZipWriter().add({name, "x"}).finish()), "ValueError",
                 concatenate("m.pt2: the entry '", name, "' has a name that leaves the archive"));
  }
  EXPECT_EQ(read(ZipWriter().add({"a..b/c", "x"}).finish()), "a..b/c=x;");
}

TEST(ZipArchive, RefusesRepeatedNamesAndOverlaps) {
  EXPECT_ERROR(read(ZipWriter().add({"a", "x"}).add({"a", "y"}).finish()), "ValueError",
               "m.pt2: the entry 'a' occurs twice");
  const std::string inner = ZipWriter().add({"b", "x"}).finish().substr(0, 32);
  EXPECT_ERROR(read(ZipWriter().add({"a", inner}).add_header({"b", "x"}, 31).finish()),
               "ValueError", "m.pt2: the entry 'b' overlaps another one");
}

TEST(ZipArchive, RefusesAnEntryThatItsOwnHeaderContradicts) {
  EXPECT_ERROR(read(ZipWriter().add({"a", "x"}).add_header({"b", "x"}, 0).finish()), "ValueError",
               "m.pt2: the entry 'b' has another name or is compressed by its own header");
  EXPECT_ERROR(read(ZipWriter().add({"a", "x", 0, 0, "b"}).finish()), "ValueError",
               "m.pt2: the entry 'a' has another name or is compressed by its own header");
}

TEST(ZipArchive, RefusesAnEntryInTheDirectory) {
  std::string bytes = ZipWriter().add({"a", "x"}).finish();
  const size_t header = bytes.find("PK\1\2");
  bytes[header + 20] = 2;
  bytes[header + 24] = 2;
  EXPECT_ERROR(read(bytes), "ValueError", "m.pt2: the entry 'a' overlaps the directory");
}

TEST(ZipArchive, RefusesSizesThatDoNotFit) {
  std::string bytes = ZipWriter().add({"a", "x"}).finish();
  const size_t header = bytes.find("PK\1\2");
  bytes.replace(header + 20, 8, "\xfe\xff\xff\xff\xfe\xff\xff\xff");
  EXPECT_ERROR(read(bytes), "ValueError",
               "m.pt2: the archive is truncated or damaged: 4294967294 bytes at 31 are beyond the "
               "end of 101");
  bytes.replace(header + 20, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_ERROR(read(bytes), "ValueError", "m.pt2: an entry has no zip64 sizes");
}

TEST(ZipArchive, RefusesCountsThatDoNotMatch) {
  const ZipWriter writer = ZipWriter().add({"m/a", "first"}).add({"m/b", "second"});
  EXPECT_ERROR(read(writer.finish_with({.count = 3})), "ValueError",
               "m.pt2: the directory has 98 bytes, too few for 3 entries");
  EXPECT_ERROR(read(writer.finish_with({.count = 1})), "ValueError",
               "m.pt2: the directory has 49 bytes after its 1 entries");
  EXPECT_ERROR(read(writer.finish_zip64(uint64_t{1} << 63)), "ValueError",
               "m.pt2: the directory has 98 bytes, too few for 9223372036854775808 entries");
}

TEST(ZipArchive, ReadsAZip64EndRecord) {
  const ZipWriter writer = ZipWriter().add({"m/a", "first"}).add({"m/b", "second"});
  EXPECT_EQ(read(writer.finish_zip64(2)), "m/a=first;m/b=second;");
  std::string bytes = writer.finish_zip64(2);
  EXPECT_ERROR(read(bytes.replace(bytes.find("PK\6\7"), 4, "PK\6\x08")), "ValueError",
               "m.pt2: the zip64 end record is missing");
}

TEST(ZipArchive, TheEndRecordIsFollowedByItsCommentAlone) {
  const ZipWriter writer = ZipWriter().add({"a", "x"});
  EXPECT_EQ(read(writer.finish_with({.count = 1, .comment = "made by hand"})), "a=x;");
  EXPECT_ERROR(read(writer.finish_with({.count = 1, .comment = "PK", .comment_size = 3})),
               "ValueError",
               "m.pt2: not a complete zip file: its end record is followed by 2 bytes, but states "
               "3");
  EXPECT_ERROR(read(writer.finish_with({.count = 1, .disk = 1})), "ValueError",
               "m.pt2: the archive is one of several parts; join them first");
}

TEST(ZipArchive, ReportsADamagedEntry) {
  std::string bytes = two_entries();
  bytes[bytes.find("second")] = 'S';
  EXPECT_ERROR(read(bytes), "ValueError",
               "m.pt2: the entry 'm/b' is damaged: its checksum does not match");
}

TEST(ZipArchive, EveryTruncationIsAnError) {
  const std::string bytes = two_entries();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto error = opwright::testing::error_of([&] { (void)read(bytes.substr(0, size)); });
    ASSERT_TRUE(error) << size;
    EXPECT_STREQ(error->kind(), "ValueError");
  }
}

TEST(ZipArchive, AChangedByteIsAnErrorOrChangesNoEntry) {
  const std::string bytes = two_entries();
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    try {
      const std::string text = read(changed);
      EXPECT_TRUE(text.ends_with("=first;m/b=second;") || text.find("=second;") != text.npos) << at;
    } catch (const Error& error) {
      EXPECT_STREQ(error.kind(), "ValueError") << at;
    }
  }
}

}  // namespace
}  // namespace opwright::pt2
