#pragma once

#include <filesystem>
#include <string>

namespace rattleback {

/// A folder or file of data that belongs to Rattleback, beside the program or where an installation puts it. Throws
/// FileError with the places that were tried.
std::filesystem::path shared_folder(const std::string& name);

}  // namespace rattleback
