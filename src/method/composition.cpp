// Symmetric compositions Φ_{γ₁h} ∘ … ∘ Φ_{γₛh} of a symmetric method Φ_h of order 2, γᵢ = γ_{s+1−i}, Σγᵢ = 1.
//
// [S]  M. Suzuki, Fractal decomposition of exponential operators with applications to many-body theories and Monte
// Carlo
//      simulations, Physics Letters A 146 (1990) 319–323
// [KL] W. Kahan and R.-C. Li, Composition constants for raising the orders of unconventional schemes for ordinary
//      differential equations, Mathematics of Computation 66 (1997) 1089–1099
// [SS] M. Sofroniou and G. Spaletta, Derivation of symmetric composition constants for symmetric integrators,
//      Optimization Methods and Software 20 (2005) 597–613

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/method/composition.hpp"

namespace rattleback {
namespace {

/// The first half of the coefficients without the middle one, which follows from the sum.
struct Composition {
  int order;
  std::vector<double> half;
  std::size_t stages() const { return 2 * half.size() + 1; }
};

const std::vector<Composition>& compositions() {
  static const std::vector<Composition> all{
      {4, {0.414490771794375737142354062861, 0.414490771794375737142354062861}},  // [S]
      {6,                                                                         // [KL] s9odr6a
       {0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
        0.08221359629355080023149045}},
      {6,  // [SS]
       {0.138619308540516952458080130426, 0.133465628510747604070468588322, 0.130705310114492251905427557850,
        0.129618937569070347725053665371, -0.350003248939208965161708309113, 0.118055306530023871702734389540}},
      {8,  // [KL] s17odr8a
       {0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
        0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
        0.25837438768632204729397911, 0.29501172360931029887096624}},
      {8,  // [SS]
       {0.106477289845500318239319678549, 0.108374086458357263974334105915, 0.353378210526543424195345413241,
        -0.233414140231650821987802811283, -0.244452667915288412694621714132, 0.113178484357556333147009525156,
        0.118929056250003500626929722840, 0.126039123218259881403056702684, 0.125817187361760418043923916416,
        0.116991350192176421807228814335}},
      {10,  // [SS]
       {0.078795722521686419263907679338, 0.313096103415108527764812471926, 0.027918383235078066109520273275,
        -0.229592841593907094151213396797, 0.130962061077164863174656859280, -0.269733405654510714344609732224,
        0.074973343155891435666137105641, 0.111993423999810204889575080736, 0.366133449546226751193148123531,
        -0.399105630136035897878629810583, 0.103087398527471077315802770014, 0.411430873955890237820704118976,
        -0.004866360583135261762195659310, -0.392033353708639906448081936426, 0.051942502962449647037182904016,
        0.050665090759924496335874344157, 0.049674370639729879054568800279}},
  };
  return all;
}

}  // namespace

std::vector<double> composition_coefficients(int order, int stages) {
  std::vector<int> known;
  for (const Composition& c : compositions()) {
    if (c.order != order) continue;
    if (stages != 0 && stages != static_cast<int>(c.stages())) {
      known.push_back(static_cast<int>(c.stages()));
      continue;
    }
    std::vector<double> all = c.half;
    double middle = 1.0;
    for (const double gamma : c.half) middle -= 2.0 * gamma;
    all.push_back(middle);
    all.insert(all.end(), c.half.rbegin(), c.half.rend());
    return all;
  }
  if (order == 2 && stages <= 1) return {1.0};
  if (order == 2) throw MethodError("stages is for compositions: give an order of 4, 6, 8 or 10 too");
  if (!known.empty()) {
    throw MethodError(fmt::format("there is no composition of order {} with {} stages; there are those with {}", order,
                                  stages, fmt::join(known, ", ")));
  }
  throw MethodError(fmt::format("order must be 2, 4, 6, 8 or 10, found {}", order));
}

Method composed(Method method, int order, int stages) {
  if (!method.structure.symmetric || method.structure.order != 2) {
    throw MethodError("only a symmetric method of order 2 can be composed to a higher order");
  }
  if (order > method.structure.highest_composed_order) {
    throw MethodError(fmt::format("compositions raise the order of this method to {}, not further",
                                  method.structure.highest_composed_order));
  }
  method.stages = composition_coefficients(order, stages);
  method.structure.order = order;
  if (order != 2) method.from_two_positions.reset();
  return method;
}

}  // namespace rattleback
