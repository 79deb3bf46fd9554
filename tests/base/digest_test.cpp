#include "opwright/base/digest.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace opwright {
namespace {

std::string digest_of(std::string_view text) { return Digest().add(text).finish_as_hex(); }

std::string counting_bytes(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += static_cast<char>(i % 251);
  return text;
}

// The expected values come from hashlib.blake2b(text, digest_size=32).
TEST(Digest, IsThatOfBlake2b) {
  EXPECT_EQ(digest_of(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(digest_of("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(digest_of(std::string(128, '\0')),
            "378d0caaaa3855f1b38693c1d6ef004fd118691c95c959d4efa950d6d6fcf7c1");
  EXPECT_EQ(digest_of(std::string(129, '\0')),
            "baadfb64c3bd2cd187b54accc5e61a0720ed86bf48c28017873536cf9015d1b8");
  EXPECT_EQ(digest_of(counting_bytes(1000)),
            "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331");
}

TEST(Digest, IsTheSameHoweverTheTextIsCut) {
  const std::string text = counting_bytes(600);
  const std::string whole = digest_of(text);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Digest().add(text.substr(0, cut)).add(text.substr(cut)).finish_as_hex(), whole);
  }
}

TEST(Digest, TellsPartsApart) {
  EXPECT_EQ(Digest().add_part("ab").add_part("c").finish_as_hex(),
            "40e58a12aa0f4130a2e1a0220aa00ea999528b01acb53f47e329fc015dd48543");  // of "2:ab1:c"
  EXPECT_NE(Digest().add_part("ab").add_part("c").finish_as_hex(),
            Digest().add_part("a").add_part("bc").finish_as_hex());
}

}  // namespace
}  // namespace opwright
