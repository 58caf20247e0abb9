// Losses by noise level and position as Markdown, JSON and SVG.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "evaluation/loss_table.h"

namespace mgdm::evaluation {

// A row per noise level, then the hardest positions: Markdown.
std::string loss_text(const std::string& task, const evaluation::LossProfile& profile);

// docs/formats.md has the members. Cells in which nothing was counted are null.
nlohmann::ordered_json loss_json(const std::string& task, std::size_t examples,
                                 const evaluation::LossProfile& profile);

// The loss against the noise level, or against the position in the answer, as SVG; one curve per
// planning distance where there are several.
enum class Axis { kLevel, kPosition };
std::string loss_figure(const std::string& task, const evaluation::LossProfile& profile, Axis axis);

}  // namespace mgdm::evaluation
