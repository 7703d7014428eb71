import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { linesByHand } from "./documents.ts";
import { stronglyConnected } from "./strongly_connected.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SRC = join(ROOT, "src");

/** Imports that load with the file, types included. */
const STATIC_IMPORT = /(?:\bfrom\s+|^import\s+)"([^"]+)"/gm;

/** Lines of a file that counts as short. */
const SHORT = 40;

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** TypeScript files of a folder. @param folder absolute path */
export function sourcesOf(folder: string): readonly Source[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), "utf8") }));
}

/** File in `src` that an import leads to; undefined for packages and what the build makes. */
export function importTarget(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    const path = normalize(join(dirname(from), specifier));
    return path.startsWith(SRC) ? path : undefined;
  }
  return specifier.startsWith("#") ? join(SRC, specifier.slice(1)) : undefined;
}

/** Groups of files that import each other in a circle, as paths below `src`. */
export function importCircles(sources: readonly Source[]): readonly (readonly string[])[] {
  const targets = sources.map(({ path, text }) => {
    const found = [...text.matchAll(STATIC_IMPORT)].flatMap(([, name = ""]) => importTarget(path, name) ?? []);
    return [path, found] as const;
  });
  return stronglyConnected(new Map(targets)).map((paths) => paths.map((path) => relative(SRC, path)).toSorted());
}

/** Lines and files of the program and its tests, and files of the program below 40 lines; without generated code. */
export function sourceSize() {
  const own = sourcesOf(SRC).filter(({ path }) => !relative(SRC, path).startsWith("gen/"));
  const tests = sourcesOf(join(ROOT, "tests"));
  return {
    "lines of src": linesOf(own),
    "files of src": own.length,
    "files of src below 40 lines": own.filter((source) => linesOf([source]) < SHORT).length,
    "circles of imports": importCircles(own).length,
    "lines of tests": linesOf(tests),
    "files of tests": tests.length,
    "lines of documents by hand": linesByHand(),
  };
}

function linesOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
}
