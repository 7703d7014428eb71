import { expect, test } from "bun:test";
import { scanFrontmatter } from "#planner/spec/quick_frontmatter.ts";
import { splitText } from "#planner/spec/split_text.ts";

function quick(yaml: string): Record<string, unknown> | undefined {
  const text = `---\n${yaml}---\n`;
  const split = splitText(text);
  if (!split.ok || split.range === null) throw new Error("no frontmatter");
  const fields = scanFrontmatter(text, split.range);
  return fields && { ...fields };
}

test("quickFrontmatter reads scalars, quotes, lists, comments and blank lines", () => {
  const yaml = [
    "# by hand",
    "id: 2026-03-02-001-k3x",
    "status: pending # not yet",
    "",
    'title: "a: b"',
    "note: 'it''s'",
    "url: http://x.y/z#a",
    "labels: [web, \"a, b\", 'c']",
    "depends_on:",
    "  - one # first",
    "  # second",
    "  - 'two'",
    "target_files:",
    "- src/a.ts",
    "empty:",
    "none: []",
    "model: 1.10",
    "priority: 3",
    "urgent: true",
    "",
  ].join("\n");

  expect(quick(yaml)).toEqual({
    id: "2026-03-02-001-k3x",
    status: "pending",
    title: "a: b",
    note: "it's",
    url: "http://x.y/z#a",
    labels: ["web", "a, b", "c"],
    depends_on: ["one", "two"],
    target_files: ["src/a.ts"],
    empty: null,
    none: [],
    model: "1.10",
    priority: 3,
    urgent: true,
  });
});

test("quickFrontmatter reads keys below keys", () => {
  const yaml = "a:\n  # one\n  b: [c]\n  d:\n    e:\n      - 1\n    f:\n  g: h\ni:\n  model: 1\n  approval: 2\n";

  expect(quick(yaml)).toEqual({
    a: { b: ["c"], d: { e: [1], f: null }, g: "h" },
    i: { model: 1, approval: 2 },
  });
});

test("quickFrontmatter leaves keys of more levels than settings have to the full parser", () => {
  const nested = Array.from({ length: 9 }, (_, level) => `${"  ".repeat(level)}k:\n`).join("");

  expect(quick(`${nested}${"  ".repeat(9)}k: 1\n`)).toBeUndefined();
});

const LEFT_TO_THE_PARSER: readonly string[] = [
  "a: b\na: c\n",
  "a: b: c\n",
  "a: b\n  c\n",
  "a: |\n  b\n",
  "a: &x b\n",
  "a: *x\n",
  "a: !x b\n",
  'a: "\\n"\n',
  "a: [b\n",
  "a: [b, [c]]\n",
  "a: [b: c]\n",
  "a: {b: c}\n",
  "a:\n b: c\n",
  "a:\n   b: c\n",
  "a:\n  b: c\n   d: e\n",
  "a:\n  b: c\n d: e\n",
  "a:\n  b: c\n  b: d\n",
  "a:\n  b:\n- c\n",
  "a:\n  b: c\n  - d\n",
  "a:\n  - b\n  c: d\n",
  "a:\n  - b\n    c\n",
  "a:\n  - b\n   - c\n",
  "a:\n  - b: c\n",
  "a:\n  -\n",
  "  a: b\n",
  "? a\n",
  '"a": b\n',
  "a : b\n",
  "a:\tb\n",
  "a: - b\n",
  "a: ~\n",
  "a: 0x1F\n",
  "a: 1.5\n",
  "a: @b\n",
  "a\n",
  "- a\n",
  "a: b\rc: d",
];

for (const yaml of LEFT_TO_THE_PARSER) {
  test(`quickFrontmatter leaves ${JSON.stringify(yaml)} to the full parser`, () => {
    expect(quick(yaml.endsWith("\n") ? yaml : `${yaml}\n`)).toBeUndefined();
  });
}
