#include "plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "rattleback/base/installation.hpp"

namespace rattleback {

void* load_plugin(const Plugin& plugin, const std::function<void*(void* entry)>& begin) {
  std::string tried;
  for (const auto& path : places_to_look(plugin.library, Part::library)) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      tried += fmt::format("\n  {}: no such file", path.string());
      continue;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | (plugin.global_symbols ? RTLD_GLOBAL : RTLD_LOCAL));
    void* entry = library == nullptr ? nullptr : dlsym(library, plugin.entry);
    if (entry == nullptr) {
      tried += fmt::format("\n  {}: {}", path.string(), dlerror());
    } else if (void* object = begin(entry)) {
      return object;
    } else {
      tried += fmt::format("\n  {}: belongs to another version of Rattleback", path.string());
    }
  }
  throw PluginMissing(tried);
}

}  // namespace rattleback
