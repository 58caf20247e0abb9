#include "formats/svg_canvas.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"

namespace mgdm::formats {
namespace {

// At most two decimals, no trailing zeros, no "-0".
std::string px(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string stroke_attributes(const Stroke& stroke) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, px(stroke.width));
  if (!stroke.dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dash);
  return text;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += ' ';
        break;
      default:
        if (static_cast<unsigned char>(c) < ' ')
          out += "\uFFFD";
        else
          out += c;
    }
  }
  return out;
}

double text_width(std::string_view text, double size) {
  return 0.55 * size * static_cast<double>(count_code_points(text));
}

SvgCanvas::SvgCanvas(int width, int height, std::string_view description) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\">\n"
      "<title>{2}</title>\n",
      width, height, xml_escaped(description));
  rectangle({0, 0}, width, height, "#ffffff");
}

void SvgCanvas::line(Pixel from, Pixel to, const Stroke& stroke) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", px(from.x),
                      px(from.y), px(to.x), px(to.y), stroke_attributes(stroke));
}

void SvgCanvas::polyline(const std::vector<Pixel>& points, const Stroke& stroke) {
  out_ += "<polyline points=\"";
  for (const Pixel& point : points) out_ += fmt::format("{},{} ", px(point.x), px(point.y));
  if (!points.empty()) out_.pop_back();
  out_ += fmt::format("\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"{}\" {}/>\n",
                      stroke.dash.empty() ? "round" : "butt", stroke_attributes(stroke));
}

void SvgCanvas::rectangle(Pixel top_left, double width, double height, std::string_view fill) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                      px(top_left.x), px(top_left.y), px(width), px(height), fill);
}

void SvgCanvas::circle(Pixel centre, double radius, std::string_view fill) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", px(centre.x),
                      px(centre.y), px(radius), fill);
}

void SvgCanvas::text(Pixel where, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", px(where.x),
                      px(where.y), px(style.size), style.colour);
  if (style.anchor != Anchor::kStart)
    out_ += fmt::format(" text-anchor=\"{}\"", style.anchor == Anchor::kEnd ? "end" : "middle");
  if (style.bold) out_ += " font-weight=\"600\"";
  if (style.rotate != 0)
    out_ +=
        fmt::format(" transform=\"rotate({} {} {})\"", px(style.rotate), px(where.x), px(where.y));
  out_ += fmt::format(">{}</text>\n", xml_escaped(text));
}

std::string SvgCanvas::finish() && { return std::move(out_) + "</svg>\n"; }

}  // namespace mgdm::formats
