#pragma once

#include <functional>
#include <stdexcept>

namespace rattleback {

/// A library of Rattleback's own that is loaded when it is first needed, so that nobody waits for what it links to, nor
/// needs it, who does not use it.
struct Plugin {
  const char* library;          ///< its file name
  const char* entry;            ///< the function it exports
  bool global_symbols = false;  ///< whether libraries that are loaded later look for its symbols
};

/// It cannot be loaded. what() has the places that were tried, a line for each.
class PluginMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Loads a plug-in and returns what `begin` makes of its entry point. Null from `begin` says that the plug-in belongs
/// to another version. Throws PluginMissing.
void* load_plugin(const Plugin& plugin, const std::function<void*(void* entry)>& begin);

}  // namespace rattleback
