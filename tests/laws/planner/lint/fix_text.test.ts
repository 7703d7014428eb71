import { expect, test } from "bun:test";
import fc from "fast-check";
import { micromark } from "micromark";
import { fixText, splitAtHeadings } from "#planner/lint/fix_text.ts";
import { parseDocument } from "#planner/spec/document.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { detectLineBreak } from "#planner/spec/text_lines.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { flowSpecText, ordinaryFrontmatter, specText } from "../../../support/spec_texts.ts";

const ID = "2026-11-21-001-abc" as SpecId;

const blanks = fc.constantFrom("", "", " ", "  ", "   ", "\t", " \t", "\t ");
const lineBreak = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");

/** Markdown in which blanks matter in one place and not in the next. */
const markdownLine = fc.constantFrom(
  "",
  "# Title",
  "text",
  "more text",
  "- item",
  "  - nested",
  "    indented",
  "      deep",
  "1. one",
  "> quote",
  "> > deeper",
  "```",
  "```js",
  "~~~",
  "    ```",
  "- ```",
  "  ```",
  "`code",
  "span`",
  "<pre>",
  "</pre>",
  "<div title='a",
  "b'>",
  "| a | b |",
  "|---|---|",
  "---",
  "[x]: /url 'title",
  "more'",
  "[x]",
  "\\",
  "**bold",
  "end**",
  "- [ ] box",
  "<!-- comment",
  "-->",
  "\ta tab",
);
const markdown = fc
  .array(fc.tuple(markdownLine, blanks), { maxLength: 14 })
  .map((lines) => lines.map((parts) => parts.join("")).join("\n"));

/** Nested block YAML with steps of any width. */
const nested = (depth: number): fc.Arbitrary<readonly string[]> => {
  const scalar = fc.constantFrom(
    ["x"],
    ["'quoted'"],
    ["[a, b]"],
    ["[a,", "    b]"],
    ["{ a: 1 }"],
    ["|", "      text", "        deeper", "", "      text"],
    [">-", "      folded", "      more"],
    ['"two', "      lines\\", '      here"'],
    ["plain", "      goes on"],
  );
  if (depth === 0) return scalar.map(([first = "", ...rest]) => [first, ...rest]);
  const indent = fc.integer({ min: 1, max: 5 });
  const shifted = (lines: readonly string[], width: number): string[] => lines.map((line) => " ".repeat(width) + line);
  const mapping = fc
    .tuple(fc.array(fc.tuple(blanks, nested(depth - 1)), { minLength: 1, maxLength: 3 }), indent)
    .map(([values, width]) => [
      "",
      ...shifted(
        values.flatMap(([end, [first = "", ...rest]], index) => [
          ...(index === 1 ? ["# a comment"] : []),
          `k${index}:${first === "" ? "" : ` ${first}`}${end}`,
          ...rest,
        ]),
        width,
      ),
    ]);
  const list = fc
    .tuple(fc.array(nested(depth - 1), { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 5 }), indent)
    .map(([values, width, gap]) => [
      "",
      ...shifted(
        values.flatMap(([first = "", ...rest]) =>
          first === "" && rest[0] !== undefined
            ? [
                `-${" ".repeat(gap)}${rest[0].trimStart()}`,
                ...rest.slice(1).map((line) => shiftTo(line, rest[0] ?? "", gap)),
              ]
            : [`-${" ".repeat(gap)}${first}`, ...rest],
        ),
        width,
      ),
    ]);
  return fc.oneof(scalar, mapping, list);
};

/** Keeps a compact nested block under its first line, which now stands behind a dash. */
function shiftTo(line: string, first: string, gap: number): string {
  const width = first.length - first.trimStart().length;
  return " ".repeat(gap + 1) + line.slice(Math.min(width, line.length - line.trimStart().length));
}

const nestedFrontmatter = fc
  .tuple(fc.array(fc.tuple(nested(3), blanks), { maxLength: 4 }), fc.constantFrom("", "", "  "))
  .map(([fields, indent]) =>
    fields
      .flatMap(([[first = "", ...rest], end], index) => [`f${index}:${first === "" ? "" : ` ${first}`}${end}`, ...rest])
      .map((line) => indent + line)
      .join("\n"),
  );

const messyText = fc
  .tuple(
    fc.oneof(nestedFrontmatter, ordinaryFrontmatter),
    fc.constantFrom("", "id: x\nstatus: y\n"),
    blanks,
    markdown,
    lineBreak,
    fc.constantFrom("", "\ufeff"),
  )
  .map(([yaml, fields, fence, body, eol, mark]) =>
    `${mark}---${fence}\n${fields}${yaml}\n---${fence}\n${body}`.replaceAll("\n", eol),
  );

const anyText = fc.oneof(
  { weight: 4, arbitrary: messyText },
  specText.map(({ text }) => text),
  flowSpecText,
  markdown,
  fc.string({ unit: "binary" }),
);

const textLaw = (name: string, holds: (text: string) => void): void =>
  law(name, [anyText], holds, { numRuns: LAW_RUNS * 2 });

textLaw("fixText finds nothing to do the second time", (text) => {
  const once = fixText(text, ID);

  expect(fixText(once.text, ID)).toEqual({ text: once.text, fixes: [] });
});

textLaw("fixText keeps every value and adds nothing but id and status", (text) => {
  const before = parseDocument(text);
  fc.pre(before.ok);

  const after = parseDocument(fixText(text, ID).text);

  const filled = (old: unknown, value: string): unknown =>
    old === undefined || old === null || old === "" ? value : old;
  // A status that is also said elsewhere is left to a person.
  const isElsewhere = (before.frontmatter["status"] ?? "") === "" && /status[ \t]*:\s*\S/.test(text);
  expect(after.ok && { ...after.frontmatter }).toEqual({
    ...before.frontmatter,
    id: filled(before.frontmatter["id"], ID),
    status: isElsewhere ? after.ok && after.frontmatter["status"] : filled(before.frontmatter["status"], "pending"),
  });
});

textLaw("fixText keeps what the body renders to", (text) => {
  const before = parseDocument(text);
  fc.pre(before.ok);

  const after = parseDocument(fixText(text, ID).text);

  // With the newline that the fix adds, so that only what it trims is judged.
  const render = (body: string): string => {
    const whole = body === "" || /[\r\n]$/.test(body) ? body : body + detectLineBreak(body);
    return micromark(whole, { allowDangerousHtml: true }).replace(/\r\n?/g, "\n");
  };
  expect(after.ok && render(after.body)).toBe(render(before.body));
});

test("bodyParts cuts a body into parts that render as the whole does", () => {
  let cut = 0;
  const line = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("# One", "## Two", "###### Six", "#", "# ```", " # in", "#no", "text", "", "="),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom("```", "````", "~~~", "```js", "~~~ `", "- item", "  more", "> quote", "    code"),
    },
    { weight: 1, arbitrary: markdownLine },
  );
  const whole = fc
    .tuple(fc.array(fc.tuple(line, blanks), { maxLength: 14 }), lineBreak)
    .map(([lines, eol]) => lines.map((parts) => parts.join("")).join(eol));
  const render = (body: string): string => micromark(body, { allowDangerousHtml: true }).replace(/\r\n?/g, "\n");
  // A paragraph's last line break is not rendered at the end of a text, and stands between two parts.
  const rendered = (parts: readonly string[]): string =>
    parts.map(render).filter(Boolean).join("\n").replace(/\n+/g, "\n");

  fc.assert(
    fc.property(whole, (body) => {
      const parts = splitAtHeadings(body);

      if (parts.length > 1) cut++;
      expect(parts.join("")).toBe(body);
      expect(rendered(parts)).toBe(rendered([body]));
    }),
    { numRuns: LAW_RUNS * 4 },
  );
  expect(cut).toBeGreaterThan(LAW_RUNS / 10);
});

textLaw("fixText changes nothing but white space where no field is missing", (text) => {
  const document = parseDocument(text);
  fc.pre(document.ok && document.frontmatter["id"] !== undefined && document.frontmatter["status"] !== undefined);
  fc.pre(document.ok && `${document.frontmatter["id"]}` !== "" && `${document.frontmatter["status"]}` !== "");
  fc.pre(document.ok && document.frontmatter["id"] !== null && document.frontmatter["status"] !== null);

  const fixed = fixText(text, ID).text;

  const dense = (value: string): string => value.replace(/[ \t\r\n]/g, "");
  expect(dense(fixed)).toBe(dense(text));
});

textLaw("fixText leaves a text that does not parse alone", (text) => {
  fc.pre(!parseDocument(text).ok);

  expect(fixText(text, ID)).toEqual({ text, fixes: [] });
});
