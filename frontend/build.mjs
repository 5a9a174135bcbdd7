// Builds the report's script and style sheet: `node build.mjs [folder]`;
// `node build.mjs core [folder]` builds what the tests import.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const core = process.argv[2] === "core";
const folder = process.argv[core ? 3 : 2] ?? path.join(here, core ? "build" : "../src/baserate/reports/bundle");
const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

if (core) {
  await build({ ...common, minify: false, entryPoints: ["src/core/index.ts"], format: "esm", outfile: path.join(folder, "core.mjs") });
} else {
  // One script without exports: it stands inside the page, where a closing tag must not appear.
  const script = {
    ...common,
    entryPoints: { report: "src/main.ts" },
    format: "iife",
    outdir: folder,
    supported: { "inline-script": false },
  };
  await build(script);
  await build({ ...common, entryPoints: { report: "src/style.css" }, outdir: folder, supported: { "inline-style": false } });
}
