import { expect, test } from "bun:test";
import { createSearchPattern, cutSnippet } from "#planner/operations/shared/spec_filter.ts";
import { buildSpec, parseDocument } from "#planner/spec/document.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

function snippet(body: string, query: string): string {
  const document = parseDocument(body);
  if (!document.ok) throw new Error(document.problem.message);
  return cutSnippet(
    buildSpec({ id: "a" as SpecId, file: "a.md", archived: false }, document),
    createSearchPattern(query),
  );
}

test("searchPattern takes every character as it stands", () => {
  for (const query of ["a.c", "a*", "(x|y)", "[b]", "$1", "^", "\\d", "{2}", "a/b", "?", "+", "-", "#", "\\"]) {
    expect(createSearchPattern(query).test(`before ${query} behind`)).toBe(true);
  }
  expect(createSearchPattern("a.c").test("abc")).toBe(false);
});

test("searchPattern finds letters of every script whatever their case", () => {
  for (const [query, text] of [
    ["ÄPFEL", "zwei äpfel"],
    ["οδός", "Η ΟΔΌΣ"],
    ["ПРИВЕТ", "привет"],
    ["STRAẞE", "straße"],
    ["İstanbul", "in İSTANBUL"],
    ["\u{10400}", "\u{10428}"],
  ] as const) {
    expect(createSearchPattern(query).test(text), query).toBe(true);
  }
});

test("snippetOf shows the line of the first match", () => {
  expect(snippet("# Title\n\nfirst line\n  - second Line  \nthird line\n", "SECOND")).toBe("- second Line");
});

test("snippetOf shows the whole letters of a line whose lower case is longer", () => {
  expect(snippet("# T\n\nİİİİ needle behind\nother\n", "NEEDLE")).toBe("İİİİ needle behind");
});

test("snippetOf prefers a line of the text to the title's heading", () => {
  expect(snippet("# Cut the rope\n\nA rope is long.\n", "rope")).toBe("A rope is long.");
  expect(snippet("# Cut the rope\n\nNothing else.\n", "rope")).toBe("Cut the rope");
});

test("snippetOf shows a title that stands in the frontmatter alone", () => {
  expect(snippet("---\ntitle: Cut the rope\n---\n\nNothing else.\n", "rope")).toBe("Cut the rope");
});

test("snippetOf cuts a long line around the match", () => {
  const found = snippet(`# T\n\n${"left ".repeat(200)}needle${" right".repeat(200)}\n`, "needle");

  expect(found).toMatch(/^….*needle.*…$/);
  expect(found.length).toBeLessThan(125);
});

test("snippetOf cuts no character in half", () => {
  for (const lead of ["", "x"]) {
    const found = snippet(`# T\n\n${lead}${"😀".repeat(100)}needle${"😀".repeat(100)}\n`, "needle");

    expect(found.isWellFormed()).toBe(true);
    expect(found).toContain("needle");
  }
});

test("snippetOf shows the beginning of a match over several lines, whatever ends them", () => {
  expect(snippet("# T\r\n\r\none\r\ntwo\r\nthree", "o\r\nth")).toBe("two");
  expect(snippet("\nneedle", "\nneedle")).toBe("needle");
});
