/**
 * Builds the executable: `bun build.ts` for this machine, `bun build.ts --target bun-linux-arm64` for another one,
 * `bun build.ts --all` for every platform that Bun builds for. The result lies in `dist/`. The executable carries source
 * maps, so that stack traces name places in `src`; `--without-maps` leaves them out, which saves 3 MB of a download, and
 * `--maps FOLDER` writes the maps of such an executable to a folder instead of building one.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { buildPages } from "./build_pages.ts";
import manifest from "./package.json" with { type: "json" };
import { licenceTexts } from "./release/licences.ts";

const TARGETS = [
  "bun-linux-x64",
  "bun-linux-arm64",
  "bun-linux-x64-musl",
  "bun-linux-arm64-musl",
  "bun-darwin-x64",
  "bun-darwin-arm64",
  "bun-windows-x64",
  "bun-windows-arm64",
] as const;

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    all: { type: "boolean" },
    outfile: { type: "string" },
    "without-maps": { type: "boolean" },
    maps: { type: "string" },
  },
});

/** Commit of the build: that of git, or of `PLANNER_BUILD_COMMIT` where the sources come without git's folder. */
function commit(): string {
  const given = process.env["PLANNER_BUILD_COMMIT"] ?? "";
  if (given !== "") return given;
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : "unknown";
}

async function build(outfile: string, target?: string): Promise<void> {
  // The bundler leaves copies of the source maps beside the executable; they go with this folder.
  const folder = mkdtempSync(join(dirname(outfile), ".build-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const end = () => process.exit(1);
  // A build that is interrupted leaves nothing either.
  process.once("exit", remove).once("SIGINT", end).once("SIGTERM", end).once("SIGHUP", end);
  try {
    const maps = values["without-maps"] === true ? "none" : "linked";
    const made = await compile(join(folder, basename(outfile)), maps, target);
    const place = made.endsWith(".exe") && !outfile.endsWith(".exe") ? `${outfile}.exe` : outfile;
    renameSync(made, place);
    process.stdout.write(`${place}\n`);
  } finally {
    remove();
  }
}

/** Writes the source maps of every chunk; they hold for all platforms, since the code is the same. */
async function writeMaps(to: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "planner-maps-"));
  try {
    await compile(join(folder, "planner"), "linked");
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(folder)) if (name.endsWith(".map")) cpSync(join(folder, name), join(to, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compile(outfile: string, sourcemap: "linked" | "none", target?: string): Promise<string> {
  const result = await Bun.build({
    // The thread that makes PNG pictures is a program of its own inside the executable.
    entrypoints: ["src/main.ts", "src/runtime/raster_worker.ts"],
    target: "bun",
    format: "esm",
    // Names of functions are kept, so that a stack trace can be read without the maps.
    minify: { whitespace: true, syntax: true, identifiers: false },
    // Bytecode made here was seen to run on Linux of either processor; on other systems it was not tried.
    bytecode: target === undefined || target.startsWith("bun-linux"),
    splitting: true,
    sourcemap,
    define: { __VERSION__: JSON.stringify(manifest.version), __COMMIT__: JSON.stringify(commit()) },
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
    },
  });
  for (const log of result.logs) process.stderr.write(`${log}\n`);
  const made = result.outputs.find(({ kind }) => kind === "entry-point");
  if (!result.success || made === undefined) throw new Error(`No executable came out for ${outfile}`);
  return made.path;
}

function knownTarget(target: string): void {
  if ((TARGETS as readonly string[]).includes(target)) return;
  process.stderr.write(`Unknown target "${target}": expected one of ${TARGETS.join(", ")}\n`);
  process.exit(2);
}

mkdirSync("dist", { recursive: true });
await buildPages();
writeFileSync("dist/licences.txt", licenceTexts());
if (values.maps !== undefined) {
  await writeMaps(values.maps);
} else if (values.all === true) {
  for (const target of TARGETS) await build(`dist/planner-${target.slice("bun-".length)}`, target);
} else if (values.target === undefined) {
  await build(values.outfile ?? "dist/planner");
} else {
  knownTarget(values.target);
  await build(values.outfile ?? `dist/planner-${values.target.replace(/^bun-/, "")}`, values.target);
}
