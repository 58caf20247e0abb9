#include "cli/painter.h"

#include <gtest/gtest.h>

namespace mgdm::cli {
namespace {

TEST(Painter, ColoursByConfidenceAndUnderlinesWhatChanged) {
  const inference::StepText step{.text = "1_23", .confidence = {0.99f, 0, 0.6f, 0.2f}};
  // Drawn with a frame, whose characters stay as they are.
  EXPECT_EQ(coloured("1 _\n2|3", step, "1_33"),
            "\x1b[32m1\x1b[0m \x1b[2m_\x1b[0m\n\x1b[4;33m2\x1b[0m|\x1b[31m3\x1b[0m");
  EXPECT_EQ(coloured("1", {.text = "1", .confidence = {0.5f}}, "1"), "\x1b[31m1\x1b[0m");
  // What was hidden before has not been changed.
  EXPECT_EQ(coloured("1", {.text = "1", .confidence = {0.95f}}, "_"), "\x1b[32m1\x1b[0m");
}

TEST(Painter, MarksWhatThePuzzleGives) {
  const inference::StepText step{.text = "12", .confidence = {1, 1}, .given = {true, false}};
  EXPECT_EQ(coloured("1 2", step, ""), "\x1b[1m1\x1b[0m \x1b[32m2\x1b[0m");
}

TEST(Painter, KnowsHowManyRowsALineTakes) {
  EXPECT_EQ(rows_of("", 10), 1u);
  EXPECT_EQ(rows_of("0123456789", 10), 1u);
  EXPECT_EQ(rows_of("0123456789a", 10), 2u);
  EXPECT_EQ(rows_of("\x1b[4;33m2\x1b[0m|\x1b[31m3\x1b[0m", 3), 1u);
  EXPECT_EQ(rows_of("\x1b[4;33m2\x1b[0m|\x1b[31m3\x1b[0m", 2), 2u);
}

TEST(ColourLegend, IsThereWhenColoursAre) {
  EXPECT_NE(colour_legend("always").find("\x1b[32mgreen"), std::string::npos);
  EXPECT_EQ(colour_legend("never"), "");
}

}  // namespace
}  // namespace mgdm::cli
