// The SVG elements that figures use. Coordinates are pixels from the top left, rounded to 0.01, so
// that the same drawing has the same bytes on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mgdm::formats {

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  std::string_view colour = "#374151";
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  double rotate = 0;  // degrees clockwise, around the anchor
};

struct Stroke {
  std::string_view colour;
  double width = 1;
  std::string_view dash = "";  // SVG's stroke-dasharray
};

struct Pixel {
  double x = 0, y = 0;
};

class SvgCanvas {
 public:
  // The background is white, because a page may be dark. Screen readers read `description`.
  SvgCanvas(int width, int height, std::string_view description);

  void line(Pixel from, Pixel to, const Stroke& stroke);
  void polyline(const std::vector<Pixel>& points, const Stroke& stroke);
  void rectangle(Pixel top_left, double width, double height, std::string_view fill);
  void circle(Pixel centre, double radius, std::string_view fill);
  void text(Pixel where, std::string_view text, const TextStyle& style);  // where: on the baseline

  std::string finish() &&;

 private:
  std::string out_;
};

// An estimate for layout: the font that will show the figure is not known.
double text_width(std::string_view text, double size);

// Escapes markup, and replaces characters that XML forbids by U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace mgdm::formats
