#pragma once

#include <exception>
#include <new>
#include <string>

#include "rattleback/base/work.hpp"

namespace rattleback {

/// Does a part of an ensemble that may fail without the rest: what went wrong in words, empty if nothing did. What
/// concerns all parts, an interruption or a machine that gives no memory, is thrown on.
std::string trouble_of(auto&& work) {
  try {
    work();
  } catch (const Interrupted&) {
    throw;
  } catch (const SystemFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace rattleback
