import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { documents, proseLines } from "../../support/documents.ts";
import { comments, REPOSITORY, sourceFiles } from "../../support/source_code.ts";

interface PlainWords {
  /** Words and phrases, as regular expressions, and what to write instead. */
  readonly banned: readonly { readonly pattern: string; readonly use: string }[];
  /** Paths that are not rewritten yet. */
  readonly pending: readonly string[];
}

const FILE = "docs/spelling/plain_words.json";
const { banned, pending }: PlainWords = JSON.parse(readFileSync(join(REPOSITORY, FILE), "utf8"));
const RULES = banned.map(({ pattern, use }) => ({ pattern: new RegExp(pattern, "i"), use }));

function faults(path: string, line: number, text: string): readonly string[] {
  return RULES.flatMap(({ pattern, use }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${path}:${line}: "${found}": ${use}`];
  });
}

function isPending(path: string): boolean {
  return pending.some((glob) => matchesGlob(path, glob));
}

// docs/glossary.md fixes the terms. A path that is rewritten leaves the list of pending ones.
test("documents use plain words", () => {
  const found = documents()
    .filter(({ path }) => !isPending(path) && path !== "docs/glossary.md" && path !== "docs/moved.md")
    .flatMap(({ path, text }) => proseLines(text).flatMap((line, index) => faults(path, index + 1, line)));

  expect(found).toEqual([]);
});

test("comments in the source use plain words", () => {
  const found = sourceFiles("src")
    .filter(({ path }) => !path.startsWith("src/gen/") && !isPending(path))
    .flatMap((file) => comments(file).flatMap(({ path, line, text }) => faults(path, line, text)));

  expect(found).toEqual([]);
});
