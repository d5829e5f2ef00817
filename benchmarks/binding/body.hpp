struct Sim {
  double q = 0, v = 1;
  std::vector<double> a = std::vector<double>(16);
  void step(int n) {
    for (int i = 0; i < n; ++i) {
      v -= 0.01 * q;
      q += 0.01 * v;
    }
  }
};
struct Err : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline std::map<std::string, double> f(const std::map<std::string, double>& m, std::vector<std::string> w,
                                       std::optional<double> x) {
  auto r = m;
  if (x) r["x"] = *x;
  r["n"] = (double)w.size();
  return r;
}
