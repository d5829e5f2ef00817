#pragma once

// What a disk may hold after the power failed, from the operations that tests/faults/shim.cpp has recorded.
//
// What was synchronised is there. Of what was written since, nothing may be there, or everything, or only the new size
// with zeros. Names (made, renamed, removed) reach the disk in their order, at any time until their folder is
// synchronised, and do not wait for data.

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace rattleback::test {

/// Files by their paths below a folder; folders end with a slash.
using Files = std::map<std::string, std::string>;

inline Files files_in(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_directory()) {
      files[name + "/"] = "";
    } else {
      files[name] = content(entry.path());
    }
  }
  return files;
}

inline void put_files(const Files& files, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files) {  // a folder sorts before what is in it
    if (name.ends_with('/')) {
      std::filesystem::create_directories(folder / name);
    } else {
      std::ofstream(folder / name, std::ios::binary) << text;
    }
  }
}

/// What the file system calls files by.
using Inodes = std::map<std::string, unsigned long long>;

inline Inodes inodes_of(const Files& files, const std::filesystem::path& folder) {
  Inodes inodes;
  for (const auto& [name, text] : files) {
    struct stat status{};
    ::stat((folder / name).c_str(), &status);
    inodes[name] = status.st_ino;
  }
  return inodes;
}

struct Operation {
  std::string kind;
  unsigned long long inode = 0;
  std::size_t place = 0;  ///< of a write; the new size of a truncation
  std::string data;
  std::string path;
  std::string target;  ///< of a renaming
};

inline std::vector<Operation> recorded_operations(const std::string& log, const std::string& folder) {
  const auto below = [&](std::string path) { return path == folder ? "" : path.substr(folder.size() + 1); };
  std::vector<Operation> list;
  std::istringstream in(content(log));
  for (std::string line; std::getline(in, line);) {
    Operation o;
    std::istringstream words(line);
    words >> o.kind;
    if (o.kind == "write") {
      std::size_t size = 0;
      words >> o.inode >> o.place >> size;
      o.data.resize(size);
      in.read(o.data.data(), static_cast<std::streamsize>(size));
    } else if (o.kind == "truncate") {
      words >> o.inode >> o.place;
    } else if (o.kind == "create") {
      words >> o.inode;
      o.path = below(line.substr(line.find('/')));
    } else if (o.kind == "synchronise") {
      words >> o.inode;
    } else if (o.kind != "close" && o.kind != "nothing" && o.kind != "open") {
      o.path = below(line.substr(line.find('/')));
    }
    if (o.kind == "rename") {
      std::getline(in, line);
      o.target = below(line);
    }
    list.push_back(std::move(o));
  }
  return list;
}

class PowerlessDisk {
 public:
  /// With what was there before the operations.
  PowerlessDisk(const Files& files, const Inodes& inodes) {
    for (const auto& [name, text] : files) now_[name] = std::make_shared<File>(File{text, text});
    for (const auto& [name, inode] : inodes) inodes_[inode] = now_.at(name);
    settled_ = now_;
    since_ = {now_};
  }

  void apply(const Operation& o) {
    if (o.kind == "create") {
      now_[o.path] = inodes_[o.inode] = std::make_shared<File>();
    } else if (o.kind == "write") {
      std::string& text = inodes_.at(o.inode)->current;
      text.resize(std::max(text.size(), o.place + o.data.size()));
      text.replace(o.place, o.data.size(), o.data);
    } else if (o.kind == "truncate") {
      inodes_.at(o.inode)->current.resize(o.place);
    } else if (o.kind == "synchronise") {
      inodes_.at(o.inode)->synchronised = inodes_.at(o.inode)->current;
    } else if (o.kind == "rename") {
      now_[o.target] = now_.at(o.path);
      now_.erase(o.path);
    } else if (o.kind == "unlink") {
      now_.erase(o.path);
    } else if (o.kind == "mkdir") {
      now_[o.path + "/"] = std::make_shared<File>();
    } else if (o.kind == "rmdir") {
      now_.erase(o.path + "/");
    } else if (o.kind == "settle") {
      settle(o.path);
    }
    since_.push_back(now_);
  }

  /// What may be there; `all`: with every time at which names may have reached the disk, not only the extremes.
  std::set<Files> states(bool all) const {
    std::set<Files> found;
    for (const Kept kept : {Kept::nothing, Kept::sizes, Kept::everything}) {
      found.insert(state(now_, kept));
      found.insert(state(settled_, kept));
      for (std::size_t j = 0; all && j < since_.size(); ++j) found.insert(state(since_[j], kept));
    }
    return found;
  }

 private:
  struct File {
    std::string synchronised;
    std::string current;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;
  enum class Kept { nothing, sizes, everything };

  static std::string folder_of(std::string name) {
    if (name.ends_with('/')) name.pop_back();
    const std::size_t slash = name.rfind('/');
    return slash == std::string::npos ? "" : name.substr(0, slash);
  }

  void settle(const std::string& folder) {
    std::erase_if(settled_, [&](const auto& entry) { return folder_of(entry.first) == folder; });
    for (const auto& [name, file] : now_) {
      if (folder_of(name) == folder) settled_[name] = file;
    }
    since_.clear();
  }

  static Files state(const Names& names, Kept kept) {
    Files files;
    for (const auto& [name, file] : names) {
      const std::string folder = folder_of(name);
      if (!folder.empty() && !names.contains(folder + "/")) continue;
      std::string text = kept == Kept::everything ? file->current : file->synchronised;
      if (kept == Kept::sizes) text.resize(file->current.size(), '\0');
      files[name] = text;
    }
    return files;
  }

  Names now_;
  Names settled_;
  std::vector<Names> since_;  ///< names after each operation since a folder was synchronised
  std::map<unsigned long long, std::shared_ptr<File>> inodes_;
};

}  // namespace rattleback::test
