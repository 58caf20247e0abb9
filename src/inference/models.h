// Finds models by name or folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace mgdm::inference {

// Finds the folder of a model. A model's folder is returned as it is, and for a run's folder its
// newest checkpoint. A name is searched in $MGDM_MODELS, in `place` if given, among the models
// installed beside the program and in models/. Unreadable places are skipped. The Error lists the
// places and the models there.
std::string find_model(const std::string& name, const std::filesystem::path& place = {});

// All models that have a name, with their folders.
std::map<std::string, std::string> named_models(const std::filesystem::path& place = {});

}  // namespace mgdm::inference
