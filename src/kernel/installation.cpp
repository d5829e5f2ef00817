#include "rattleback/kernel/installation.hpp"

#include <dlfcn.h>
#include <link.h>

namespace rattleback {

std::vector<std::filesystem::path> places_to_look(const std::string& name, const std::string& installed_folder,
                                                  const std::string& absolute_folder) {
  std::vector<std::filesystem::path> places;
  Dl_info self{};
  link_map* library = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&places_to_look), &self, reinterpret_cast<void**>(&library),
              RTLD_DL_LINKMAP) != 0) {
    // The program itself has no name there; its dli_fname is what was typed, which may be a name on the PATH.
    const bool is_program = library == nullptr || library->l_name[0] == '\0';
    std::error_code error;
    const auto own = std::filesystem::canonical(is_program ? "/proc/self/exe" : library->l_name, error);
    if (!error) {
      places.push_back(own.parent_path() / name);
      places.push_back(own.parent_path() / ".." / installed_folder / name);
    }
  }
  places.push_back(std::filesystem::path(absolute_folder) / name);
  return places;
}

}  // namespace rattleback
