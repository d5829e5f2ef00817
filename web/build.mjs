// Bundles the page into one HTML file: node build.mjs OUTFILE
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const placeholder = "/*REPORT*/";

// KaTeX offers each font in three formats; every browser that runs this page reads WOFF2.
const onlyWoff2 = {
  name: "only-woff2",
  setup(bundle) {
    bundle.onLoad({ filter: /katex\.min\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/,url\([^)]*\.(woff|ttf)\) format\("[a-z]+"\)/g, ""),
      loader: "css",
    }));
  },
};

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: ["src/main.ts"],
    outdir: "out",
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: ["chrome100", "firefox100", "safari15"],
    loader: { ".woff2": "dataurl" },
    plugins: [onlyWoff2],
    legalComments: "none",
    charset: "utf8",
    logLevel: "warning",
  });
  const text = (extension) => result.outputFiles.find((file) => file.path.endsWith(extension)).text.trim();
  return { script: text(".js"), style: text(".css") };
}

async function licences() {
  const texts = await Promise.all(
    ["uplot", "katex", "three"].map(async (name) => {
      const text = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
      return `${name}\n\n${text.trim()}`;
    }),
  );
  return texts.join("\n\n").replaceAll("--", "- -");
}

function template({ script, style }, notices) {
  const policy = [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "font-src data:",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Rattleback">
<link rel="icon" href="data:,">
<title>Rattleback</title>
<style>${style}</style>
</head>
<body>
<noscript>This report is drawn by JavaScript, which is switched off.</noscript>
<script type="application/json" id="report">${placeholder}</script>
<script>${script}</script>
</body>
</html>
<!--
This page contains the following software.

${notices}
-->
`;
}

const [outfile] = process.argv.slice(2);
if (!outfile) {
  console.error("usage: node build.mjs OUTFILE");
  process.exit(2);
}
const html = template(await bundle(), await licences());
if (html.split(placeholder).length !== 2) throw new Error(`the template must contain ${placeholder} exactly once`);
if (html.split("</script").length !== 3) throw new Error("the bundle must not contain a closing script tag");
await mkdir(dirname(outfile), { recursive: true });
await writeFile(outfile, html);
