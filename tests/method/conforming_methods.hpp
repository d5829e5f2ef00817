#pragma once

#include <string>
#include <vector>

namespace rattleback::test {

/// Every method that the conformance suite examines. A new one joins with a line.
inline const std::vector<std::string> conforming_methods{
    "dla:midpoint",
    "dla:trapezoidal",
    "dla:sym=0.25",
    "dla:alpha=0",
    "dla:alpha=0.3",
    "dla:midpoint:constraints=trapezoidal",
    "dla:trapezoidal:constraints=alpha=0.3",
    "dla:trapezoidal:constraints=midpoint:order=4",
    "dla:midpoint:order=4",
    "dla:trapezoidal:order=4",
    "dla:midpoint:order=6",
    "dla:sym=0.25:order=6:stages=13",
    "dla:midpoint:order=8",
    "dla:midpoint:order=8:stages=21",
    "dla:midpoint:order=10",
    "dla:midpoint:project=energy",
    "dla:exact",
    "del:midpoint",
    "del:trapezoidal",
    "del:alpha=0.3",
    "del:midpoint:order=6",
    "gni:midpoint",
    "gni:trapezoidal",
    "gni:midpoint:order=4",
    "gni:midpoint:project=energy",
    "rdla:midpoint",
    "rdla:trapezoidal",
    "rdla:alpha=0.3",
    "rdla:midpoint:order=4",
    "rdla:forces=general",
    "rdla:forces=general:constraints=trapezoidal",
    "hdel:midpoint",
    "hdel:trapezoidal",
    "hdel:midpoint:quadrature=simpson:order=4",
    "hdel:nodes=t",
    "hdel:nodes=t:order=4",
    "pthdel:midpoint",
    "pthdel:trapezoidal",
    "pthdel:midpoint:order=4",
    "pthdel:through",
    "conformal:MT:ell=2",
    "conformal:midpoint:ell=4:order=4",
    "free:midpoint",
    "free:trapezoidal",
    "free:midpoint:order=4:C=0.1",
    "free-modified:midpoint",
    "rk4",
    "rk4-index0",
    "rk4:project=energy",
};

}  // namespace rattleback::test
