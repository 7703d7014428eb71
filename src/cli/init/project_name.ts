import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Where a project writes its own name; the first that has one wins. */
const SOURCES: readonly { readonly file: string; readonly name: (text: string) => string | undefined }[] = [
  { file: "package.json", name: packageName },
  { file: "Cargo.toml", name: (text) => /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1] },
  { file: "pyproject.toml", name: (text) => /^\[project\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1] },
  { file: "go.mod", name: (text) => /^module\s+\S*?([^/\s]+)\s*$/m.exec(text)?.[1] },
];

/** The name that the project at `root` goes by: what its package file says, else the folder's name. */
export function projectName(root: string): string {
  for (const { file, name } of SOURCES) {
    const found = name(textOf(join(root, file)));
    if (found !== undefined && found.trim() !== "") return found.trim();
  }
  return basename(root) || "project";
}

function packageName(text: string): string | undefined {
  try {
    const { name } = JSON.parse(text) as { name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    // A broken package file names nothing; it is not ours to report.
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Absent, or not for us to read: the next source is asked.
    return "";
  }
}
