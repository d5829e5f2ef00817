#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace rattleback::bench {

/// A new folder that goes with this object; the path is empty if there is no place for one.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    // mkdtemp(3) replaces the Xs by what makes the name new.
    std::string name = (std::filesystem::temp_directory_path() / "rattleback-bench-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rattleback::bench
