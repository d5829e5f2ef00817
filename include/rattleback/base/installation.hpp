#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rattleback {

/// What an installation is made of.
enum class Part : std::uint8_t { program, library, data };

/// Where a file or folder that belongs to Rattleback may be: in the prefix that the environment variable
/// RATTLEBACK_PREFIX names; beside the program or library this code is in; in the installation around that; or where
/// that part was meant to be installed.
std::vector<std::filesystem::path> places_to_look(const std::string& name, Part part);

/// A folder or file of data that belongs to Rattleback. Throws FileError with the places that were tried.
std::filesystem::path shared_data(const std::string& name);

}  // namespace rattleback
