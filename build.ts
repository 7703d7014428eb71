/**
 * Builds the executable: `bun build.ts` for this machine, `bun build.ts --target bun-linux-arm64` for another one,
 * `bun build.ts --all` for every platform that Bun builds for. The result lies in `dist/`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { buildPages } from "./build_pages.ts";
import manifest from "./package.json" with { type: "json" };

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
  options: { target: { type: "string" }, all: { type: "boolean" }, outfile: { type: "string" } },
});

function commit(): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : "unknown";
}

async function build(outfile: string, target?: string): Promise<void> {
  // The executable carries its source maps; the copies that the bundler leaves beside it go with this folder.
  const folder = mkdtempSync(join(dirname(outfile), ".build-"));
  try {
    const made = await compile(join(folder, basename(outfile)), target);
    const place = made.endsWith(".exe") && !outfile.endsWith(".exe") ? `${outfile}.exe` : outfile;
    renameSync(made, place);
    process.stdout.write(`${place}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compile(outfile: string, target?: string): Promise<string> {
  const result = await Bun.build({
    // The thread that makes PNG pictures is a program of its own inside the executable.
    entrypoints: ["src/main.ts", "src/runtime/raster_worker.ts"],
    target: "bun",
    format: "esm",
    minify: true,
    // Bytecode made here was seen to run on Linux of either processor; on other systems it was not tried.
    bytecode: target === undefined || target.startsWith("bun-linux"),
    splitting: true,
    sourcemap: "linked",
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
if (values.all === true) {
  for (const target of TARGETS) await build(`dist/planner-${target.slice("bun-".length)}`, target);
} else if (values.target === undefined) {
  await build(values.outfile ?? "dist/planner");
} else {
  knownTarget(values.target);
  await build(values.outfile ?? `dist/planner-${values.target.replace(/^bun-/, "")}`, values.target);
}
