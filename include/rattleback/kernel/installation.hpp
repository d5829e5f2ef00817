#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rattleback {

/// Where a file or folder that belongs to Rattleback may be: beside the program or library this code is in, in a folder
/// of the installation relative to that, or where that folder was meant to be installed.
std::vector<std::filesystem::path> places_to_look(const std::string& name, const std::string& installed_folder,
                                                  const std::string& absolute_folder);

}  // namespace rattleback
