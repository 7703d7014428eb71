import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { documents, proseLines } from "../../support/documents.ts";
import { comments, names, REPOSITORY, sourceFiles } from "../../support/source_code.ts";

interface PlainWords {
  /** Words and phrases, as regular expressions, and what to write instead. */
  readonly banned: readonly { readonly pattern: string; readonly use: string }[];
  /** Paths that are not rewritten yet. */
  readonly pending: readonly string[];
  /** Words that no name of a file, type, function or variable contains. */
  readonly names: readonly { readonly words: readonly string[]; readonly use: string }[];
  /** Names that stay, by the path of the file. */
  readonly allowed_names: Readonly<Record<string, readonly string[]>>;
}

const FILE = "docs/spelling/plain_words.json";
const {
  banned,
  pending,
  names: bannedNames,
  allowed_names: allowed,
}: PlainWords = JSON.parse(readFileSync(join(REPOSITORY, FILE), "utf8"));
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
    .filter(({ path }) => !isPending(path) && path !== "docs/glossary.md")
    .flatMap(({ path, text }) => proseLines(text).flatMap((line, index) => faults(path, index + 1, line)));

  expect(found).toEqual([]);
});

test("comments in the source use plain words", () => {
  const found = sourceFiles("src")
    .filter(({ path }) => !path.startsWith("src/gen/") && !isPending(path))
    .flatMap((file) => comments(file).flatMap(({ path, line, text }) => faults(path, line, text)));

  expect(found).toEqual([]);
});

/** Splits `netboxInventory`, `LAW_INVENTORIES` and `use_inventory.ts` into words in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z]+/);
}

function nameFaults(path: string, name: string): readonly string[] {
  if (allowed[path]?.includes(name)) return [];
  const words = wordsOf(name);
  return bannedNames
    .filter((rule) => rule.words.some((word) => words.includes(word)))
    .map(({ use }) => `${path}: "${name}": ${use}`);
}

test("names in the source and of files use the terms of the glossary", () => {
  const mayHold = new RegExp(bannedNames.flatMap(({ words }) => words).join("|"), "i");
  const files = [...sourceFiles("src"), ...sourceFiles("tests")].filter(({ path }) => !path.startsWith("src/gen/"));
  const found = files.flatMap((file) => [
    ...file.path.split("/").flatMap((part) => nameFaults(file.path, part)),
    // Few files hold such a word at all; only these are parsed.
    ...(mayHold.test(file.text) ? [...names(file)].flatMap((name) => nameFaults(file.path, name)) : []),
  ]);

  expect(found).toEqual([]);
});
