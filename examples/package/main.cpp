// A program of one's own: reads a model, of the catalogue or a file, and integrates it.   rolling [MODEL]

#include <cstdio>
#include <exception>

#include <rattleback/rattleback.hpp>

int main(int argc, char** argv) {
  try {
    const rattleback::Model model = rattleback::load_model(argc > 1 ? argv[1] : "quadratic-particle");
    const rattleback::State start = model.initial.value();
    const auto path =
        rattleback::integrate(model.system, "dla", {.q = start.q, .v = start.v, .step = 0.1, .steps = 1000});
    std::printf("%s (rattleback %s, %s):", model.title.c_str(), rattleback::version,
                rattleback::compiler_available() ? "compiled" : "interpreted");
    for (const double q : path.nodes.back().q) std::printf(" %.12g", q);
    std::printf("\nlargest error of the energy: %.2e\n", path.result.statistics.max_energy_error());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
