// Builds the report's script and style sheet, and the licences of the packages in them: `node build.mjs [folder]`;
// `node build.mjs core [folder]` builds what the tests import.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** The notices of the packages in a bundle: each with its copyright, and each licence once. */
function licences(inputs) {
  const bodies = new Map();
  for (const name of [...new Set(inputs.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]))].filter(Boolean).sort()) {
    const read = (file) => readFileSync(path.join(here, "node_modules", name, file), "utf8");
    const { version, license } = JSON.parse(read("package.json"));
    const [holder, ...body] = read("LICENSE").trim().split("\n");
    const text = body.join("\n").trim();
    bodies.set(text, [...(bodies.get(text) ?? []), `${name} ${version} (${license}): ${holder}`]);
  }
  return [...bodies].map(([text, heads]) => `${heads.join("\n")}\n\n${text}\n`).join("\n");
}

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
  const { metafile } = await build({ ...script, metafile: true, write: false });
  const notices = licences(Object.keys(metafile.inputs));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "licences.txt"), notices);
  // The notices stand at the head of the script, and so in every page that is saved.
  await build({ ...script, banner: { js: `/*\n${notices}*/` } });
  await build({ ...common, entryPoints: { report: "src/style.css" }, outdir: folder, supported: { "inline-style": false } });
}
