// The vocabulary as files of the `tokenizers` library: every character is a token.
#pragma once

#include <filesystem>

#include "data/vocabulary.h"

namespace mgdm::model_files {

// tokenizer.json, tokenizer_config.json and special_tokens_map.json; of a vocabulary by a tokenizer
// the files that it came from. An Error when the alphabet is
// not ASCII: those files hold text, our tokens are bytes.
void write_tokenizer_files(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
                           std::int64_t max_length);

}  // namespace mgdm::model_files
