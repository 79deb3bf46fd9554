// Covers: src/pt2/container/zip_format.
#include "opwright/pt2/container/zip_image.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/pt2/container/zip_archive.h"

namespace opwright::pt2 {
namespace {

std::string bytes_of(const ZipImage& image) {
  std::string bytes;
  image.visit_parts([&](std::string_view part) { bytes.append(part); });
  return bytes;
}

TEST(ZipImage, WritesEntriesThatTheArchiveReads) {
  ZipImage image;
  image.add("m/a", "first");
  image.add("m/empty", "");
  image.add("m/\xc3\xa9", std::string_view("\0\xff", 2));
  const std::string bytes = bytes_of(image);

  const ZipArchive archive(bytes, "m.pt2");

  EXPECT_EQ(archive.entries().size(), 3U);
  EXPECT_EQ(archive.read("m/a"), "first");
  EXPECT_EQ(archive.read("m/empty"), "");
  EXPECT_EQ(archive.read("m/\xc3\xa9"), std::string_view("\0\xff", 2));
}

TEST(ZipImage, AlignsTheBytesOfEveryEntry) {
  ZipImage image;
  for (size_t length = 1; length <= 130; ++length) image.add(std::string(length, 'n'), "data");
  const std::string bytes = bytes_of(image);
  const ZipArchive archive(bytes, "m.pt2");

  for (const ZipEntry& entry : archive.entries())
    EXPECT_EQ((entry.data.data() - bytes.data()) % 64, 0) << entry.name;
}

TEST(ZipImage, CountsMoreEntriesThanSixteenBitsHold) {
  ZipImage image;
  for (size_t i = 0; i < 70000; ++i) image.add("m/" + std::to_string(i), "x");
  const std::string bytes = bytes_of(image);

  const ZipArchive archive(bytes, "m.pt2");

  EXPECT_EQ(archive.entries().size(), 70000U);
  EXPECT_EQ(archive.read("m/69999"), "x");
}

TEST(ZipImage, RefusesANameThatIsTooLong) {
  ZipImage image;
  EXPECT_ERROR(image.add(std::string(70000, 'n'), ""), "ValueError",
               "save: the name of an entry of the archive has 70000 bytes, too many for a zip "
               "file");
}

}  // namespace
}  // namespace opwright::pt2
