import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./source_code.ts";

export interface Document {
  /** Path from the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Returns every Markdown document that git knows or would add, without fixtures and examples' projects. */
export function documents(): readonly Document[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
  const { stdout, status } = spawnSync("git", args, { cwd: REPOSITORY, encoding: "utf8" });
  if (status !== 0) throw new Error("git ls-files failed");
  return stdout
    .split("\n")
    .filter((path) => path !== "" && !path.startsWith("tests/fixtures/") && !path.includes("/.planner/"))
    .filter((path) => existsSync(join(REPOSITORY, path)))
    .map((path) => ({ path, text: readFileSync(join(REPOSITORY, path), "utf8") }));
}

/** Returns the prose of a document: every line without code, links' targets and tags, so that line numbers stay. */
export function proseLines(text: string): readonly string[] {
  let fenced = false;
  return text.split("\n").map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      return "";
    }
    return fenced || /^ {4}/.test(line) ? "" : line.replaceAll(/`[^`]*`|\]\([^)]*\)|<[^>]*>/g, " ");
  });
}

/** A part of a document that the program writes. Its name may have an argument: `parameters planner_log`. */
export const GENERATED = /^<!-- generated: (\w+) ?(.*) -->\n[\s\S]*?^<!-- end -->\n/gm;

const WRITTEN = /`bun tests\/doc_tables\.ts` writes this page/;

/** Lines of the documents that people write: without the pages and parts that the program writes. */
export function linesByHand(): number {
  return documents()
    .filter(
      ({ path, text }) =>
        /^(?:docs\/|(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$)/.test(path) && !WRITTEN.test(text),
    )
    .reduce((sum, { text }) => sum + text.replace(GENERATED, "").split("\n").length - 1, 0);
}
