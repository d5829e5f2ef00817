#include "rattleback/base/installation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>

#include "base/folders.hpp"
#include "rattleback/base/error.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

/// A prefix is at most this far above a program or library: lib/x86_64-linux-gnu/rattleback/….
constexpr int deepest = 3;

const char* folder_of(Part part) {
  switch (part) {
    case Part::program: return program_folder;
    case Part::library: return library_folder;
    case Part::data: return data_folder;
  }
  return "";
}

/// The program or library that this code is in; empty if that cannot be told.
fs::path own_file() {
  Dl_info self{};
  link_map* library = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&places_to_look), &self, reinterpret_cast<void**>(&library),
              RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  // The program itself has no name there; its dli_fname is what was typed, which may be a name on the PATH.
  const bool is_program = library == nullptr || library->l_name[0] == '\0';
  std::error_code error;
  return fs::canonical(is_program ? "/proc/self/exe" : library->l_name, error);
}

}  // namespace

std::vector<fs::path> places_to_look(const std::string& name, Part part) {
  std::vector<fs::path> places;
  const fs::path folder = folder_of(part);
  if (const char* prefix = std::getenv("RATTLEBACK_PREFIX")) places.push_back(prefix / folder / name);
  if (const fs::path own = own_file(); !own.empty()) {
    places.push_back(own.parent_path() / name);
    fs::path above = own.parent_path();
    for (int i = 0; i < deepest && above.has_relative_path(); ++i) {
      above = above.parent_path();
      places.push_back(above / folder / name);
    }
  }
  if (const fs::path meant = installation_prefix / folder / name; std::ranges::find(places, meant) == places.end()) {
    places.push_back(meant);
  }
  return places;
}

fs::path shared_data(const std::string& name) {
  std::error_code error;
  std::string tried;
  for (const fs::path& candidate : places_to_look(name, Part::data)) {
    if (fs::exists(candidate, error)) return candidate;
    tried += fmt::format("\n  {}", candidate.string());
  }
  throw FileError(
      fmt::format("{} of Rattleback is not found; tried{}\nRATTLEBACK_PREFIX can name the folder it is "
                  "installed in.",
                  name, tried));
}

}  // namespace rattleback
