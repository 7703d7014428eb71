import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { MAX_FRONTMATTER_CHARS } from "#planner/limits.ts";
import { parseDocument, parseReadable } from "#planner/spec/document.ts";
import { builtSpec } from "../../../support/built_spec.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "..", "fixtures", "specs");

function fixture(name: string): string {
  return readFileSync(join(FIXTURES, name), "utf8");
}

function problemOf(text: string): readonly [line: number, column: number, message: string] | undefined {
  const document = parseDocument(text);
  return document.ok ? undefined : [document.problem.line, document.problem.column, document.problem.message];
}

function fieldsOf(text: string): Record<string, unknown> {
  return { ...parseReadable(text).frontmatter };
}

test("parseDocument reads every fixture that is not broken", () => {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith(".md"));

  expect(names.length).toBeGreaterThanOrEqual(40);
  expect(names.filter((name) => !parseDocument(fixture(name)).ok)).toEqual([]);
});

const BROKEN: Readonly<Record<string, readonly [line: number, column: number, message: string]>> = {
  "alias_of_itself.md": [2, 13, "Too many aliases: expected at most 16"],
  "bad_escape.md": [2, 13, "Invalid escape sequence \\d"],
  "custom_tag.md": [3, 7, "Unresolved tag: tag:yaml.org,2002:timestamp: expected plain data without tags"],
  "deep_nesting.md": [3, 72, "Nested too deeply: expected at most 64 levels"],
  "duplicate_inner_key.md": [5, 3, 'Duplicate key "by"'],
  "duplicate_key.md": [4, 1, 'Duplicate key "status"'],
  "json_language.md": [1, 4, 'Frontmatter must open with a line of exactly "---": expected nothing behind it'],
  "key_is_a_list.md": [3, 3, "Invalid key: expected a text"],
  "list_at_the_top.md": [2, 1, "Frontmatter is not a mapping: expected keys and values"],
  "many_aliases.md": [3, 32, "Too many aliases: expected at most 16"],
  "not_closed.md": [1, 1, 'Frontmatter is not closed: expected a line of exactly "---"'],
  "nul.md": [4, 9, "The text holds a NUL character: expected Markdown"],
  "open_bracket.md": [4, 1, "Flow sequence in block collection must be sufficiently indented and end with a ]"],
  "open_quote.md": [2, 9, "Quote is not closed: expected another one like it"],
  "other_language.md": [1, 4, 'Frontmatter must open with a line of exactly "---": expected nothing behind it'],
  "second_colon.md": [3, 8, 'Unexpected second ":" on the line: expected quotes around a value that holds ": "'],
  "tab_indent.md": [4, 1, "Invalid indentation: expected spaces, got a tab"],
  "text_at_the_top.md": [2, 1, "Frontmatter is not a mapping: expected keys and values"],
  "two_documents.md": [4, 1, "Unexpected document marker: expected one document"],
  "unknown_alias.md": [3, 9, "Unknown alias: expected an anchor of that name before it"],
};

for (const [name, expected] of Object.entries(BROKEN)) {
  test(`parseDocument names the place of what is wrong in ${name}`, () => {
    expect(problemOf(fixture(join("broken", name)))).toEqual(expected);
  });
}

test("every broken fixture is listed", () => {
  expect(readdirSync(join(FIXTURES, "broken")).sort()).toEqual(Object.keys(BROKEN).sort());
});

test("parseDocument takes only a first line of exactly three dashes for an opening", () => {
  expect(parseDocument("----\nnote: x\n----\n")).toMatchObject({ ok: true, hasFrontmatter: false, bodyLine: 1 });
  expect(parseDocument("\n---\nnote: x\n---\n")).toMatchObject({ ok: true, hasFrontmatter: false });
  expect(parseDocument(" ---\nnote: x\n---\n")).toMatchObject({ ok: true, hasFrontmatter: false });
  for (const opening of ["---js", "---JS", "--- js", "---yaml", "---json", "---status: x", "--- |"]) {
    expect(problemOf(`${opening}\nstatus: x\n---\n`)?.slice(0, 2)).toEqual([1, 4]);
  }
});

test("parseDocument ends the frontmatter at the first line of exactly three dashes", () => {
  const text = '---\na: "x --- y"\nb: |\n  ---\n  z\nc: ----\n---\nbody\n---\n';

  expect(fieldsOf(text)).toEqual({ a: "x --- y", b: "---\nz\n", c: "----" });
  expect(parseDocument(text)).toMatchObject({ body: "body\n---\n", bodyLine: 8 });
});

test("parseDocument allows blanks behind either line of dashes", () => {
  expect(fieldsOf("--- \t\nstatus: x\n---  \nbody")).toEqual({ status: "x" });
});

test("parseDocument takes a text without frontmatter, or with an empty one, for a spec", () => {
  expect(parseDocument("")).toMatchObject({ ok: true, hasFrontmatter: false, body: "", bodyLine: 1 });
  expect(parseDocument("\ufeff# T")).toMatchObject({ ok: true, hasFrontmatter: false, body: "# T" });
  expect(parseDocument("---\n---\n# T")).toMatchObject({ ok: true, hasFrontmatter: true, body: "# T", bodyLine: 3 });
  expect(fieldsOf("---\n# only a comment\n\n---\n")).toEqual({});
});

test("parseDocument refuses half a surrogate pair", () => {
  expect(problemOf("# a\n\ud800")).toEqual([2, 1, "The text holds half a surrogate pair: expected valid Unicode"]);
});

test("parseDocument refuses frontmatter of more than its limit", () => {
  const text = `---\nnote: ${"x".repeat(MAX_FRONTMATTER_CHARS)}\n---\n`;

  expect(problemOf(text)).toEqual([1, 1, "Frontmatter is too long: expected at most 262144 characters"]);
});

/** Each row: what is shown, the lines of the frontmatter, the fields. */
test.each<[name: string, yaml: string, fields: Record<string, unknown>]>([
  [
    "keeps the text of known fields",
    "model: 1.10\ntitle: 2026-01-05\nlabels: [007, yes, 0x1F]\ncompleted_at: 2026-01-05T10:00:00Z\nbranch: true",
    {
      ...{ model: "1.10", title: "2026-01-05", labels: ["007", "yes", "0x1F"] },
      ...{ completed_at: "2026-01-05T10:00:00Z", branch: "true" },
    },
  ],
  [
    "reads fields that it does not know as YAML 1.2",
    "priority: 007\nratio: 1.10\nflag: true\nword: yes\nday: 2026-01-05\nhex: 0x1F",
    { priority: 7, ratio: 1.1, flag: true, word: "yes", day: "2026-01-05", hex: 31 },
  ],
  [
    "keeps the text of an approval's status, by and at",
    "approval: {required: true, by: 007, at: 2026-01-05, rank: 1}",
    { approval: { required: true, by: "007", at: "2026-01-05", rank: 1 } },
  ],
  [
    "reads null as null in a known field too",
    "model:\nbranch: ~\nprompt: null\ntype: 'null'",
    { model: null, branch: null, prompt: null, type: "null" },
  ],
])("parseDocument %s", (_, yaml, fields) => {
  expect(fieldsOf(`---\n${yaml}\n---\n`)).toEqual(fields);
});

test("parseDocument is not led astray by keys with a meaning in JavaScript", () => {
  const { frontmatter } = parseReadable(fixture("prototype_names.md"));

  expect(Object.keys(frontmatter)).toEqual(["__proto__", "constructor", "toString", "status"]);
  expect(Object.values(frontmatter)[0]).toBe("polluted");
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(parseReadable("---\nstatus: x\n---\n").frontmatter["constructor"]).toBeUndefined();
  const nested = parseReadable("---\nx: {__proto__: {polluted: true}}\n---\n").frontmatter["x"] as object;
  expect(Object.getPrototypeOf(nested)).toBe(Object.prototype);
});

test("parseDocument resolves a few aliases", () => {
  expect(fieldsOf(fixture("anchors.md"))).toMatchObject({ labels: ["a", "b"], reviewer: { name: "Ines" } });
});

test("parseDocument bears nesting, keys and lines in any number up to the size limit", () => {
  const hostile = [
    `a: ${"[".repeat(100_000)}`,
    "{a: ".repeat(50_000),
    "- ".repeat(100_000),
    "? ".repeat(100_000),
    Array.from({ length: 20_000 }, (_, index) => `"k${index}" :`).join("\n"),
    `a: [${"b, ".repeat(80_000)}`,
    `a: ${"b ".repeat(100_000)}c:`,
    `${" \n".repeat(100_000)}\ta`,
  ];

  for (const yaml of hostile) expect(parseDocument(`---\n${yaml}\n---\n`)).toHaveProperty("ok");
});

test("readableDocument refuses with line and column where the text does not parse", () => {
  const refused = (): unknown => parseReadable(fixture("broken/duplicate_key.md"));

  expect(refused).toThrow(OperationError);
  expect(refused).toThrow('Cannot edit the spec: line 4, column 1: Duplicate key "status"');
});

test("buildSpec reads every known field", () => {
  const spec = builtSpec(
    "2026-03-02-001-k3x",
    `status: failed
type: driver
depends_on: [a, b]
labels: [web]
target_files: [src/a.ts]
members: [x.1]
model: 1.10
output_schema: schemas/a.json
approval: {required: true, status: approved, by: Ines, at: 2026-03-05}
team: core`,
    "\n# Round totals\n",
  );

  expect(spec).toMatchObject({
    id: "2026-03-02-001-k3x",
    file: ".planner/specs/2026-03-02-001-k3x.md",
    archived: false,
    title: "Round totals",
    status: "failed",
    type: "driver",
    dependsOn: ["a", "b"],
    labels: ["web"],
    targetFiles: ["src/a.ts"],
    members: ["x.1"],
    model: "1.10",
    outputSchema: "schemas/a.json",
    approval: { required: true, status: "approved", by: "Ines", at: "2026-03-05" },
    frontmatter: { team: "core" },
    body: "\n# Round totals\n",
  });
});

test("buildSpec gives defaults where the file says nothing", () => {
  expect(builtSpec("a", "", "text")).toMatchObject({
    ...{ title: null, status: "pending", type: "code", model: null, outputSchema: null, approval: null },
    ...{ dependsOn: [], labels: [], members: [] },
  });
});

test("buildSpec prefers the heading to the field for the title", () => {
  expect(builtSpec("a", "title: Field", "# Heading").title).toBe("Heading");
  expect(builtSpec("a", "title: Field", "## Section").title).toBe("Section");
  expect(builtSpec("a", "title: Field", "## Acceptance Criteria\n\n- [ ] a").title).toBe("Field");
});

test("buildSpec takes a single text for a list of one, and drops what is no text", () => {
  const spec = builtSpec("a", "labels: web\ndepends_on: [a, {b: c}, ~, '']\ntarget_files: {a: b}");

  expect([spec.labels, spec.dependsOn, spec.targetFiles]).toEqual([["web"], ["a"], []]);
});

test("buildSpec reads paused as in_progress and keeps a status that nobody knows", () => {
  expect(builtSpec("a", "status: paused").status).toBe("in_progress");
  expect(builtSpec("a", "status: Waiting ").status).toBe("Waiting");
  expect(builtSpec("a", "status: [a]").status).toBe('["a"]');
});

test("buildSpec takes yes for an approval that is required", () => {
  const required = ["true", "yes", '"true"', "On", "false", "no", "maybe", ""].map(
    (word) => builtSpec("a", `approval:\n  required: ${word}`).approval?.required,
  );

  expect(required).toEqual([true, true, true, true, false, false, false, false]);
});
