import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { getJsonFields, tryParseJson } from "#kernel/json_object.ts";

/** Files in which a project may state its name; the first name found is used. */
const NAME_SOURCES: readonly { readonly file: string; readonly name: (text: string) => string | undefined }[] = [
  { file: "package.json", name: parsePackageName },
  { file: "Cargo.toml", name: (text) => /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1] },
  { file: "pyproject.toml", name: (text) => /^\[project\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1] },
  { file: "go.mod", name: (text) => /^module\s+\S*?([^/\s]+)\s*$/m.exec(text)?.[1] },
];

/** Returns the name of the project at `root`: the one in its package file, otherwise the folder's name. */
export function findProjectName(root: string): string {
  for (const { file, name } of NAME_SOURCES) {
    const found = name(readText(join(root, file)));
    if (found !== undefined && found.trim() !== "") return found.trim();
  }
  return basename(root) || "project";
}

function parsePackageName(text: string): string | undefined {
  const { name } = getJsonFields(tryParseJson(text));
  return typeof name === "string" ? name : undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The file is missing or unreadable, so the next source is tried.
    return "";
  }
}
