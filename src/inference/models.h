// Finds models by name or folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace mgdm::inference {

// The folder of a model. A path of a folder is returned as it is, or that of the newest checkpoint
// where it is the folder of a run; a name is searched in
// $MGDM_MODELS, in `place` if given, among the models installed beside the program and in models/.
// Unreadable places are skipped. The Error lists the places and the models there.
std::string find_model(const std::string& name, const std::filesystem::path& place = {});

// All models that have a name, with their folders.
std::map<std::string, std::string> named_models(const std::filesystem::path& place = {});

}  // namespace mgdm::inference
