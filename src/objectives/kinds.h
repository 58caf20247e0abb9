// The objectives, one per file. make_objective chooses among them.
#pragma once

#include <memory>

#include "objectives/objective.h"

namespace mgdm::objectives {

std::unique_ptr<Objective> make_absorbing(const Settings& settings);  // mgdm, rdm, d3pm_absorbing
std::unique_ptr<Objective> make_uniform(const Settings& settings);    // d3pm_uniform
std::unique_ptr<Objective> make_vdm(const Settings& settings, const nn::Parameters* parameters);
std::unique_ptr<Objective> make_autoregressive(const Settings& settings);
std::unique_ptr<Objective> make_teacherless(const Settings& settings);

}  // namespace mgdm::objectives
