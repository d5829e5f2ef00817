#!/usr/bin/env bash
# Installs the Debian packages Rattleback is built from: only those that are missing, and without
# root it prints the one command that would install them.
#
#   scripts/install-packages.sh           what building needs
#   scripts/install-packages.sh --test    also what tests need: a browser, shells, ccache so that the next build is quick
#   scripts/install-packages.sh --python  also what the Python package needs
#   scripts/install-packages.sh --deb     also what making Debian packages needs
#   scripts/install-packages.sh --clang   also what sanitizers and fuzzers need
#   scripts/install-packages.sh --format  also what formatting and linting need
set -euo pipefail

packages=(
  build-essential cmake ninja-build pkg-config
  llvm-19-dev libzstd-dev zlib1g-dev libsleef-dev
  libboost-dev libeigen3-dev libsundials-dev libhdf5-dev libqhull-dev
  libopenmpi-dev openmpi-bin
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  libgtest-dev
)
# The page of reports is bundled with node; one from elsewhere than Debian brings its own npm.
command -v npm >/dev/null || packages+=(nodejs npm)
for option in "$@"; do
  case "$option" in
    --test) packages+=(chromium ccache man-db mandoc fish zsh python3-dev pybind11-dev python3-numpy python3-pytest
      python3-pandas python3-sympy python3-scipy python3-matplotlib mypy) ;;
    --python) packages+=(python3-dev pybind11-dev python3-numpy) ;;
    --deb) packages+=(dpkg-dev file) ;;
    --clang) packages+=(clang-19 libclang-rt-19-dev libomp-19-dev) ;; # SUNDIALS asks for OpenMP of the compiler
    --format) packages+=(clang-format-19 clang-tidy-19) ;;
    *) echo "unknown option $option (known: --test, --python, --deb, --clang, --format)" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" -ne 0 ]; then
  echo "These packages are missing: ${missing[*]}" >&2
  echo "Install them with:" >&2
  echo "  sudo sh -c '$command'" >&2
  exit 1
fi
echo "Installing missing packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
