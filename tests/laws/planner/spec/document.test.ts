import { expect } from "bun:test";
import fc from "fast-check";
import matter from "gray-matter";
import { parse as parseYaml } from "yaml";
import { parseDocument } from "#planner/spec/document.ts";
import { parseFrontmatter } from "#planner/spec/full_frontmatter.ts";
import { scanFrontmatter } from "#planner/spec/quick_frontmatter.ts";
import { splitText } from "#planner/spec/split_text.ts";
import { anyText, ODD_TEXTS } from "../../../support/field_values.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { anyBody, flowSpecText, ordinaryFrontmatter, specText } from "../../../support/spec_texts.ts";

const piece = fc.constantFrom(
  ...ODD_TEXTS,
  "\n",
  "\n",
  "\n",
  "\r\n",
  "\r",
  ":",
  ": ",
  "- ",
  "  ",
  "[",
  "]",
  ",",
  "{",
  "}",
  "'",
  '"',
  "\\",
  " # c",
  "|",
  ">",
  "status",
  "labels",
  "id",
  "owner",
  "status: pending\n",
  "labels:\n  - x\n",
  "title: 'x'\n",
  "priority: 3\n",
  "---",
  "...",
  "&a",
  "*a",
  "\t",
);
const soup = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
const line = fc.oneof(
  fc.tuple(
    fc.constantFrom("status", "labels", "owner", "id", "due"),
    fc.constantFrom(": ", ":", ":  ", " : "),
    anyText,
    fc.constantFrom("", " # c"),
  ),
  fc.tuple(fc.constantFrom("", "  ", "    "), fc.constantFrom("- ", "-  "), anyText, fc.constantFrom("", " # c")),
  fc.tuple(fc.constantFrom("", "# c", "  # c")),
);
const lines = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n"))
  .map(([all, eol]) => all.map((parts) => parts.join("")).join(eol));
const frontmatter = fc.oneof(soup, lines, ordinaryFrontmatter);

function quickAndFull(text: string): readonly [quick: object | undefined, full: object | undefined] {
  const split = splitText(text);
  if (!split.ok || split.range === null) return [undefined, undefined];
  const full = parseFrontmatter(text, split.range);
  return [scanFrontmatter(text, split.range), full.ok ? full.fields : undefined];
}

const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  soup,
  frontmatter.map((text) => `---\n${text}\n---\n`),
  fc
    .tuple(fc.constantFrom("---", "---\n", "---js\n", "\ufeff---\r\n"), fc.string({ unit: "binary" }))
    .map((parts) => parts.join("")),
);

law("parseDocument never throws, and names a place inside the text when it refuses", [anything], (text) => {
  const document = parseDocument(text);

  if (document.ok) {
    expect(text.endsWith(document.body)).toBe(true);
    return;
  }
  const all = text.split(/\r\n|\n|\r/);
  const { line, column } = document.problem;
  expect(line).toBeGreaterThanOrEqual(1);
  expect(line).toBeLessThanOrEqual(all.length);
  expect(column).toBeGreaterThanOrEqual(1);
  expect(column).toBeLessThanOrEqual((all[line - 1]?.length ?? 0) + 2);
});

law("parseDocument counts the body's first line", [specText], ({ text }) => {
  const document = parseDocument(text);

  if (!document.ok) throw new Error("does not parse");
  const above = text.slice(0, text.length - document.body.length);
  expect(document.bodyLine).toBe(above.split(/\r\n|\n|\r/).length);
});

law(
  "quickFrontmatter gives what the full parser gives, or nothing",
  [frontmatter],
  (yaml) => {
    const [quick, full] = quickAndFull(`---\n${yaml}\n---\n`);

    if (quick === undefined) return;
    expect(full).toBeDefined();
    expect(Object.entries(quick)).toEqual(Object.entries(full ?? {}));
  },
  { numRuns: LAW_RUNS * 20 },
);

law(
  "quickFrontmatter takes what people ordinarily write",
  [ordinaryFrontmatter, fc.constantFrom("\n", "\r\n")],
  (yaml, eol) => {
    const [quick] = quickAndFull(`---\n${yaml}---\n`.replaceAll("\n", eol));

    expect(quick).toBeDefined();
  },
);

law(
  "parseDocument reads as the YAML library does where no field keeps its text",
  [
    fc.oneof(
      specText.map(({ text }) => text),
      flowSpecText,
    ),
  ],
  (text) => {
    const document = parseDocument(text);
    const yaml = /^\ufeff?---\n([\s\S]*?)(?<=\n)---\n/.exec(text.replace(/\r\n?/g, "\n"))?.[1] ?? "";

    const other: Record<string, unknown> = parseYaml(yaml, { stringKeys: true, logLevel: "silent" }) ?? {};

    if (!document.ok) throw new Error("does not parse");
    expect(Object.keys(document.frontmatter)).toEqual(Object.keys(other));
    for (const name of ["owner", "x-unknown"]) {
      if (name in other) expect(document.frontmatter[name]).toEqual(other[name]);
    }
  },
);

law(
  "parseDocument agrees with gray-matter on ordinary files, but for texts that it keeps",
  [ordinaryFrontmatter, anyBody],
  (yaml, body) => {
    const text = `---\n${yaml}---\n${body}`;
    const document = parseDocument(text);

    // With an options object it neither caches nor shares its results.
    const other = matter(text, {});

    if (!document.ok) throw new Error(document.problem.message);
    expect(asTexts({ ...document.frontmatter })).toEqual(asTexts(other.data));
    expect(document.body).toBe(other.content);
  },
);

/** Numbers and booleans as texts, so that `model: 1.10` may be told from 1.1 by one reader and not by the other. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asTexts(inner)]));
  }
  return value === null ? null : String(value);
}
