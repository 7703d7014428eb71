import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";

export const REPOSITORY = join(import.meta.dirname, "..", "..");

export interface SourceFile {
  /** Path from the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns the TypeScript files below `folder`, a path from the repository's root, in the order of their paths. */
export function sourceFiles(folder: string): readonly SourceFile[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => relative(REPOSITORY, join(REPOSITORY, folder, name)).replaceAll("\\", "/"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(REPOSITORY, path), "utf8") }));
}

/** Parses a file. @throws Error if the file has a syntax error */
export function parsed({ path, text }: SourceFile): ReturnType<typeof parseSync> {
  const result = parseSync(path, text);
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  return result;
}

/** A comment with the line that it begins at, counted from 1. Consecutive line comments count as one. */
export interface Comment {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the comments of a file. Text in strings and templates is never taken for a comment. */
export function comments(file: SourceFile): readonly Comment[] {
  const found: { start: number; end: number; type: string; text: string }[] = [];
  for (const { type, value, start, end } of parsed(file).comments) {
    const last = found.at(-1);
    const joins = last?.type === "Line" && type === "Line" && file.text.slice(last.end, start).trim() === "";
    if (last !== undefined && joins) Object.assign(last, { end, text: `${last.text} ${value.trim()}` });
    else found.push({ type, start, end, text: value.trim() });
  }
  return found.map(({ start, text }) => ({
    path: file.path,
    line: file.text.slice(0, start).split("\n").length,
    text: text.replaceAll(/\n\s*\* ?/g, " "),
  }));
}

/** Returns the names that a file declares or uses: identifiers, private names and properties, each once. */
export function names(file: SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== "object") return;
    if ("name" in node && typeof node.name === "string") found.add(node.name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parsed(file).program);
  return found;
}
