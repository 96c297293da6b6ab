// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_URDF
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "refused_robots.hpp"
#include "testing/hostile_files.hpp"
#include "testing/robots/urdf_robots.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace quoin::rigid_body {
using namespace robots;

TEST_CASE("XML that is deep, long or deceives about where its tags end is refused") {
  std::string deep, closed;
  for (int k = 0; k < 100000; ++k) deep += "<a>", closed += "</a>";
  refused(deep + closed, "file:1: not XML that is read: elements within elements, more than 100 deep");
  refused(deep, "more than 100 deep");
  const auto repeated = [](const std::string& piece) {
    std::string text = "<robot name='r'>\n";
    for (int k = 0; k < 100000; ++k) text += piece;
    return text;
  };
  refused(repeated("<a x='/>'>"), "more than 100 deep");
  refused(repeated("<a><!-- </a></a> -->"), "more than 100 deep");
  refused(repeated("<a><![CDATA[</a></a>]]>"), "more than 100 deep");
  refused(repeated("<a x='></a></a>'>"), "file:2: not XML that is read: '<' within a value");
  refused(repeated("<a x=b'>'/>"), "a value that stands in no quotes");
  refused(repeated("<a '>'/>"), "a quote that follows no '='");
  refused(repeated("<a <b />"), "'<' within a tag");
  refused(repeated("<?xml v='</a>'?><a>"), "'<' within a value");
  refused(repeated("<!d </a><a>"), "'<' within a tag");
  refused(tree(named("a")) + std::string(1 << 22, ' '), "bytes, and at most 4194304 are read");
  refused(tree(named("a") + std::string(1, '\0')), "is zero");
  CHECK(parse_urdf("\xef\xbb\xbf<?xml version=\"1.0\" encoding='UTF-8' ?>\n<!DOCTYPE robot>\n<!-- <a><b> -->" +
                   tree(named("a") + "<transmission name = \"a>b\" />"))
            .size() == 1);
  CHECK_THROWS_WITH(read_urdf("/dev/zero"), Catch::Contains("cannot read '/dev/zero': it has more than 4194304 bytes"));
}

TEST_CASE("mutilated robots are read or refused") {
  survives_mutilation(
      robot(joint("revolute", "<origin xyz='1 2 3' rpy='0 0 0.5'/><axis xyz='0 1 0'/>" + limit)),
      [](const std::string& text) { parse_urdf(text); }, 600);
  survives_mutilation(
      "<?xml version='1.0'?>" + tree(named("abc") + "<!-- a -->" + moving("j", "a", "b") + moving("k", "b", "c")),
      [](const std::string& text) { RigidBodyTree{parse_urdf(text)}; }, 600);
}

}  // namespace quoin::rigid_body
#endif
