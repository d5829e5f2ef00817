#pragma once

#include "../io/replaceable.hpp"

namespace rattleback::report {

/// What write_page() makes.
extern const ResultKind page_result;
/// What markdown() makes.
extern const ResultKind markdown_result;

}  // namespace rattleback::report
