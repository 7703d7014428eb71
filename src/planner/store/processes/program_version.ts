import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { isJsonObject } from "#kernel/json_object.ts";
import { findProgram } from "./program_lookup.ts";

/** Folders above a program that are searched for its package. Ours: `dist/cli/index.js` needs three. */
const MAX_LEVELS = 5;

/**
 * Returns the version of an installed program without running it: that of the npm package whose `bin` it is, else of a
 * path such as `claude/versions/2.1.0` or `Cellar/codex/0.46.0/bin/codex`. Null if neither says.
 */
export async function programVersion(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const found = isAbsolute(program) ? program : findProgram(program, env);
  const path = found === null ? null : await realpath(found).catch(() => null);
  if (path === null) return null;
  return (await packageVersion(path)) ?? versionInPath(path, basename(program));
}

async function packageVersion(path: string): Promise<string | null> {
  let folder = dirname(path);
  for (let level = 0; level < MAX_LEVELS; level++) {
    const { version, bin } = await readPackage(folder);
    const files = typeof bin === "string" ? [bin] : isJsonObject(bin) ? Object.values(bin) : [];
    const isBin = files.some((file) => typeof file === "string" && relative(resolve(folder, file), path) === "");
    if (isBin && typeof version === "string") return version;
    folder = dirname(folder);
  }
  return null;
}

async function readPackage(folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(resolve(folder, "package.json"), "utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function versionInPath(path: string, program: string): string | null {
  const parts = path.split(sep);
  const at = parts.findLastIndex((part, index) => {
    const owner = parts[index - 1] === "versions" ? parts[index - 2] : parts[index - 1];
    return owner === program && /^v?\d+\.\d+/.test(part);
  });
  return at < 0 ? null : (parts[at]?.replace(/^v/, "") ?? null);
}
