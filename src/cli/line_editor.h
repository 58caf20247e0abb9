// Reads lines that a person types: with editing and history by libedit, or plain lines where the
// program was built without it.
#pragma once

#include <optional>
#include <string>

namespace mgdm::cli {

// The next line, typed behind `prompt`; none at the end of the input.
std::optional<std::string> read_typed_line(const std::string& prompt);

}  // namespace mgdm::cli
