import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, type Node, parseDocument as parseYaml } from "yaml";
import { parseDocument } from "#planner/spec/document.ts";
import { editFields, type FieldChanges } from "#planner/spec/edit/edit_fields.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..", "..");

function markdownFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name));
}

const FILES = [...markdownFiles("tests/fixtures"), ...markdownFiles("examples"), ...markdownFiles("node_modules")];

const CHANGES: readonly FieldChanges[] = [
  { status: "completed" },
  { labels: ["alpha", "needs: quotes"] },
  { labels: [] },
  { title: "a: b" },
];

/** The lines of a field by another reader's positions; nothing, at `at`, for a field that is not there. */
function linesOf(text: string, name: string, at: number): readonly [from: number, to: number] {
  const start = /^\ufeff?---[ \t]*(?:\r\n|\n|\r)/.exec(text)?.[0].length ?? 0;
  const yaml = text.slice(start, start + text.slice(start).search(/^---[ \t]*$/m)).replace(/\r(?!\n)/g, "\n");
  const root = parseYaml(yaml).contents;
  const pair = isMap(root) ? root.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
  if (!isMap(root) || pair === undefined) return [at, at];
  const node = root.flow === true ? root : ((pair.value as Node | null) ?? (pair.key as Node));
  const from = root.flow === true ? (root.range?.[0] ?? 0) : ((pair.key as Node).range?.[0] ?? 0);
  const end = Math.max(node.range?.[1] ?? 0, (pair.key as Node).range?.[1] ?? 0);
  const last = yaml[end - 1] === "\n" ? end - 1 : end;
  const breakAt = yaml.indexOf("\n", last);
  return [start + yaml.lastIndexOf("\n", from - 1) + 1, start + (breakAt === -1 ? yaml.length : breakAt + 1)];
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

test("editFields changes nothing but the field's lines in every Markdown file at hand", () => {
  const wrong: string[] = [];
  let edited = 0;
  for (const file of FILES) {
    const text = readFileSync(file, "utf8");
    if (!parseDocument(text).ok) continue;
    for (const changes of CHANGES) {
      const result = editFields(text, changes);
      const [name = ""] = Object.keys(changes);
      const [from, to] = linesOf(text, name, commonStart(text, result));
      const kept = result.startsWith(text.slice(0, from)) && result.endsWith(text.slice(to));
      if (!kept || result.length < from + text.length - to) wrong.push(`${file}: ${name}`);
      edited++;
    }
  }

  expect(wrong).toEqual([]);
  expect(edited).toBeGreaterThan(4 * 40);
});
