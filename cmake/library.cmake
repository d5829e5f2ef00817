# What the libraries of Rattleback have in common.

# Headers that nearly every file needs, parsed once for each way of compiling.
set(rattleback_common_headers <fmt/format.h> <algorithm> <cmath> <cstdint> <functional> <map> <memory> <optional>
  <span> <stdexcept> <string> <string_view> <utility> <vector>)

# rattleback_precompile(TARGET KEY … OPTIONS … [HEADERS …] [FROM …]): uses the common headers and these, which are in the
# libraries FROM. They are parsed by a target of their own for each KEY, which is made when it is first needed: it has no
# macros but those that all its users have.
function(rattleback_precompile target)
  cmake_parse_arguments(ARG "" "KEY" "OPTIONS;HEADERS;FROM" ${ARGN})
  if(NOT RATTLEBACK_PRECOMPILE)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "rattleback_parsed_${ARG_KEY}${ARG_HEADERS}" parsed)
  if(NOT TARGET ${parsed})
    add_library(${parsed} OBJECT ${PROJECT_SOURCE_DIR}/cmake/nothing.cpp)
    get_target_property(is_test ${target} RATTLEBACK_IS_TEST)
    set_target_properties(${parsed} PROPERTIES RATTLEBACK_IS_TEST ${is_test})
    target_compile_options(${parsed} PRIVATE ${ARG_OPTIONS})
    target_link_libraries(${parsed} PRIVATE rattleback_options fmt::fmt ${ARG_FROM})
    target_precompile_headers(${parsed} PRIVATE ${rattleback_common_headers} ${ARG_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${parsed})
endfunction()

# How everything of ours is compiled. LIGHT: what runs once for each command is compiled quickly; what is hot is compiled
# at run time, or is in the other libraries. TEST: the code of tests; LIGHT ones compute nothing themselves.
function(rattleback_compile target)
  cmake_parse_arguments(ARG "LIGHT;TEST" "" "PRECOMPILE;FROM" ${ARGN})
  set_target_properties(${target} PROPERTIES RATTLEBACK_IS_TEST ${ARG_TEST})
  set(key hot)
  set(options $<$<CONFIG:Release>:-O2>)
  if(ARG_LIGHT OR ARG_TEST)
    set(key light)
    set(options $<$<CONFIG:Release>:-O1>)
    if(RATTLEBACK_SANITIZE AND NOT "Eigen3::Eigen" IN_LIST ARG_FROM) # Eigen is unbearably slow without
      set(options -O0)
    endif()
  endif()
  if(ARG_TEST AND ARG_LIGHT)
    set(key light_test)
    set(options $<$<CONFIG:Release>:-O0>)
  elseif(ARG_TEST)
    set(key test)
  endif()
  target_compile_options(${target} PRIVATE ${options})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rattleback_options>)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # As the libraries, or they could not share what was parsed.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  rattleback_precompile(${target} KEY ${key} OPTIONS ${options} HEADERS ${ARG_PRECOMPILE} FROM ${ARG_FROM})
endfunction()

# rattleback_library(NAME [LIGHT] SOURCES … [PUBLIC …] [PRIVATE …] [HEADERS …] [PRECOMPILE … FROM …])
# HEADERS are libraries of which nothing but headers is used: who links to ours needs nothing of them.
function(rattleback_library name)
  cmake_parse_arguments(ARG "LIGHT" "" "SOURCES;PUBLIC;PRIVATE;HEADERS;PRECOMPILE;FROM" ${ARGN})
  set(target rattleback_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(rattleback::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/src)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  foreach(library ${ARG_HEADERS})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set(light)
  if(ARG_LIGHT)
    set(light LIGHT)
  endif()
  rattleback_compile(${target} ${light} PRECOMPILE ${ARG_PRECOMPILE} FROM ${ARG_FROM})
  # Files that need the same headers and templates are compiled several at once.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  install(TARGETS ${target} EXPORT rattleback ARCHIVE COMPONENT development)
endfunction()

# A library that is loaded when it is first needed, so that others do without what it links to.
function(rattleback_plugin name)
  cmake_parse_arguments(ARG "" "COMPONENT" "SOURCES" ${ARGN})
  set(target rattleback_${name})
  add_library(${target} MODULE ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME rattleback-${name} CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  target_link_libraries(${target} PRIVATE rattleback_options)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/rattleback COMPONENT ${ARG_COMPONENT})
endfunction()
