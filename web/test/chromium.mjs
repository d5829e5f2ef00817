import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";

export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      continue;
    }
  }
  return null;
}

// WebGL without a graphics card; what is drawn with it is put on the page without, which takes half as long.
const software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"];

export function launch({ webgl = true } = {}) {
  return chromium.launch({
    executablePath: findChromium(),
    // Canvases that are read change from GPU to CPU drawing, which differ in the smoothing of edges.
    args: ["--no-sandbox", "--disable-accelerated-2d-canvas", ...(webgl ? software : ["--disable-3d-apis"])],
  });
}
