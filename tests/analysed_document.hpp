#pragma once

// What any document of `analyse` must satisfy.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace rattleback::test {

using nlohmann::json;

/// "holds" has small residuals; otherwise there is a point at which they are large.
inline void expect_certificate(const json& c, std::size_t entries) {
  SCOPED_TRACE(c.dump());
  EXPECT_GT(c.at("points"), 0);
  EXPECT_GT(c.at("tolerance"), 0.0);
  EXPECT_LE(c.at("tolerance"), 1e-6);
  const bool holds = c.at("holds");
  EXPECT_EQ(holds, c.at("residual").get<double>() <= c.at("tolerance").get<double>());
  EXPECT_EQ(c.contains("counterexample"), !holds);
  EXPECT_EQ(c.at(holds ? "worst" : "counterexample").size(), entries);
}

inline void expect_potential(const json& p) {
  SCOPED_TRACE(p.dump());
  EXPECT_EQ(p.contains("expression"), p.at("closed_form").get<bool>());
  EXPECT_EQ(p.at("single_valued"), p.at("periods").empty());
  EXPECT_LT(p.at("residual"), 1e-9);
}

inline void expect_chaplygin(const json& c) {
  const std::size_t k = c.at("fibre").size();
  const std::size_t m = c.at("shape").size();
  for (const json& s : c.at("shape")) {
    EXPECT_EQ(std::count(c.at("fibre").begin(), c.at("fibre").end(), s), 0) << s;
  }
  const json& group = c.at("group");
  ASSERT_EQ(group.at("generators").size(), k);
  for (const json& g : group.at("generators")) EXPECT_EQ(g.at("generator").size(), k + m);
  const json& constants = group.at("structure_constants");
  ASSERT_EQ(constants.size(), k * k * k);
  bool vanish = true;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      for (std::size_t i = 0; i < k; ++i) {
        const double x = constants.at((a * k + b) * k + i);
        EXPECT_EQ(x, -constants.at((b * k + a) * k + i).get<double>());
        vanish = vanish && x == 0.0;
      }
    }
  }
  EXPECT_EQ(group.at("abelian"), vanish);
  ASSERT_EQ(c.at("connection").size(), k);
  for (const json& row : c.at("connection")) EXPECT_EQ(row.size(), m);
  EXPECT_TRUE(c.at("force").empty() || c.at("force").size() == m);
  ASSERT_TRUE(c.at("reduction_defect").is_number());
  EXPECT_LT(c.at("reduction_defect"), 1e-9);
}

/// What any document of any system must satisfy.
inline void expect_consistent(const json& d) {
  SCOPED_TRACE(d.at("model").get<std::string>());
  EXPECT_LE(d.at("symmetry").at("dimension"), d.at("symmetry").at("known").size());
  EXPECT_LE(d.at("symmetry").at("inside_constraints"), d.at("symmetry").at("dimension"));
  const bool found = !d.at("chaplygin").is_null();
  EXPECT_NE(found, d.contains("reasons"));
  if (!found) {
    EXPECT_FALSE(d.at("reasons").empty());
    EXPECT_FALSE(d.contains("measure") || d.contains("hamiltonizable") || d.contains("not_examined"));
    return;
  }
  expect_chaplygin(d.at("chaplygin"));
  EXPECT_NE(d.contains("measure"), d.contains("not_examined"));
  EXPECT_EQ(d.contains("measure"), d.contains("hamiltonizable"));
  if (!d.contains("measure")) return;
  const std::size_t m = d.at("chaplygin").at("shape").size();
  const json& measure = d.at("measure");
  const json& hamiltonizable = d.at("hamiltonizable");
  EXPECT_EQ(d.at("chaplygin").at("tensor").size(), m * m * (m - 1) / 2);
  EXPECT_EQ(measure.at("one_form").size(), m);
  expect_certificate(measure.at("closed"), m);
  expect_certificate(hamiltonizable.at("phi_simple"), 2 * m);
  EXPECT_EQ(measure.at("exists"), measure.at("closed").at("holds"));
  EXPECT_EQ(measure.at("exists"), measure.contains("density"));
  EXPECT_EQ(hamiltonizable.at("holds"),
            measure.at("exists").get<bool>() && hamiltonizable.at("phi_simple").at("holds").get<bool>());
  EXPECT_EQ(hamiltonizable.at("holds"), hamiltonizable.contains("multiplier"));
  if (measure.contains("density")) expect_potential(measure.at("density"));
  if (hamiltonizable.contains("multiplier")) {
    expect_potential(hamiltonizable.at("multiplier"));
    for (const char* form : {"lagrangian", "hamiltonian", "poincare_lagrangian", "poincare_hamiltonian", "energy"}) {
      EXPECT_EQ(hamiltonizable.contains(form), hamiltonizable.at("multiplier").at("closed_form").get<bool>()) << form;
    }
  }
  if (d.contains("measure_by_translations")) {
    const json& by = d.at("measure_by_translations");
    const std::size_t n = m + d.at("chaplygin").at("fibre").size();
    expect_certificate(by.at("vertical"), n - by.at("translations").size());
    EXPECT_EQ(by.at("exists"), by.at("vertical").at("holds").get<bool>() && by.at("closed").at("holds").get<bool>());
  }
}

}  // namespace rattleback::test
