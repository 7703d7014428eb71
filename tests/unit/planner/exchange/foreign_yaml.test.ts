import { expect, test } from "bun:test";
import { readForeignMarkdown } from "../../../../src/planner/exchange/foreign_yaml.ts";

function valuesOf(yaml: string): Record<string, unknown> {
  const read = readForeignMarkdown(`---\n${yaml}\n---\nbody\n`);
  return read.ok ? Object.fromEntries(read.values) : { problem: read.problem };
}

test("scalars stay the text that was written", () => {
  expect(valuesOf("id: 4.10\ndone: yes\nlist: [1.0, null]\nempty:")).toEqual({
    id: "4.10",
    done: "yes",
    list: ["1.0", "null"],
    empty: "",
  });
});

test("names that begin with a sign of YAML are read as people mean them", () => {
  expect(valuesOf("who: @ada\nlist:\n  - @bob's")).toEqual({ who: "@ada", list: ["@bob's"] });
});

test("an alias bomb, a tag, a duplicate key and deep nesting are problems with their line", () => {
  const bomb = [
    "a: &a [x, x]",
    ...Array.from("bcdefghi", (name, at) => `${name}: &${name} [*${"abcdefghi"[at]}, *${"abcdefghi"[at]}]`),
  ];
  expect(valuesOf(bomb.join("\n"))).toEqual({ problem: expect.objectContaining({ line: expect.any(Number) }) });
  expect(valuesOf("a: 1\nb: 2\na: 3")).toEqual({ problem: { line: 4, column: 1, message: 'Duplicate key "a"' } });
  expect(valuesOf(`a: ${"[".repeat(100)}`)).toEqual({ problem: expect.objectContaining({ line: 2 }) });
  expect(readForeignMarkdown("---js\nprocess.exit()\n---\n").ok).toBe(false);
});

test("frontmatter that gray-matter ends at another line is a problem at that line, and one without a field is empty", () => {
  expect(readForeignMarkdown("---\na: 1\n---more\n---\nbody\n")).toMatchObject({ ok: false, problem: { line: 3 } });
  expect(readForeignMarkdown("---\n# nothing\n---\nbody\n")).toMatchObject({ ok: true, body: "body\n", bodyLine: 4 });
});
