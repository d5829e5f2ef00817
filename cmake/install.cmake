# Headers and the CMake package, in the component development; programs and data are installed where they are made.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rattleback)
install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(TARGETS rattleback_core rattleback_everything EXPORT rattleback)
install(EXPORT rattleback FILE rattlebackTargets.cmake NAMESPACE rattleback:: DESTINATION ${package_folder}
  COMPONENT development)
configure_package_config_file(cmake/rattlebackConfig.cmake.in ${PROJECT_BINARY_DIR}/rattlebackConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 the interface may change with every minor version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rattlebackConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rattlebackConfig.cmake ${PROJECT_BINARY_DIR}/rattlebackConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT runtime FILES_MATCHING PATTERN "*.md")

# `make deb`: rattleback (the command), rattleback-mpi (ensembles under mpirun) and librattleback-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rattleback)
set(CPACK_PACKAGE_VENDOR "Rattleback")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "A Lagrangian and constraints on velocities in a text file become native code: runs,
ensembles, symmetry reduction, backward error analysis, and what is preserved.")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Rattleback developers <rattleback@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development)
if(RATTLEBACK_MPI)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME rattleback)
# SLEEF is loaded by the compiler, which the tool that finds dependencies does not see.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS libsleef3)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "rattleback-mpi, librattleback-dev")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}: the command")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME rattleback-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "rattleback (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_DESCRIPTION "${PROJECT_DESCRIPTION}: ensembles under mpirun")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME librattleback-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "rattleback (= ${PROJECT_VERSION}), libfmt-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libhdf5-dev, libqhull-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libboost-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: headers and libraries")
include(CPack)
