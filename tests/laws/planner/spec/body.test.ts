import { expect } from "bun:test";
import fc from "fast-check";
import { replaceControlCharacters } from "#kernel/escape.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { buildSpec, parseDocument } from "#planner/spec/document.ts";
import { buildSpecFile, splitDescription } from "#planner/spec/new_spec.ts";
import { findHeadings, findLastSection } from "#planner/spec/sections.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ODD_TEXTS } from "../../../support/field_values.ts";
import { law } from "../../../support/law.ts";

const id = "2026-11-21-001-abc" as SpecId;
const line = fc.constantFrom(
  "",
  "text",
  "# Title",
  "## Acceptance Criteria",
  "### Acceptance Criteria",
  "## Other",
  "# Top",
  "```",
  "````",
  "~~~",
  "  ```js",
  "- ```",
  "- [ ] open",
  "- [x] done",
  "* [X] done",
  "  - [ ] nested",
  "- [x](url)",
  "-[ ] none",
  "#none",
  "####### none",
  "## ",
);
const body = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom("\n", "\r\n", "\r"))
  .map(([all, eol]) => all.join(eol));
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom("C #", "# x", "#", "## ##", "a b #", "Fix the thing. Then more", ...ODD_TEXTS),
);

law("criteriaOf gives lines of the body that hold a checkbox, in order", [body], (markdown) => {
  const all = markdown.split(/\r\n|\n|\r/);
  const found = parseCriteria(markdown);

  for (const [index, { line: number, text: item, checked }] of found.entries()) {
    expect(all[number - 1]?.trim()).toBe(item);
    expect(/^[-*+]\s+\[[xX]\]/.test(item)).toBe(checked);
    expect(number).toBeGreaterThan(found[index - 1]?.line ?? 0);
  }
  expect(found.filter(({ checked }) => checked).length + found.filter(({ checked }) => !checked).length).toBe(
    found.length,
  );
});

law("criteriaOf counts only what the first section holds", [body], (markdown) => {
  fc.pre(!/`{3}|~{3}/.test(markdown));

  const found = parseCriteria(`## Acceptance Criteria\n- [ ] a\n- [x] b\n# Further\n${markdown}`);

  expect(found.map(({ text: item, checked }) => [item, checked])).toEqual([
    ["- [ ] a", false],
    ["- [x] b", true],
  ]);
});

law(
  "criteriaOf counts nothing that stands in fenced code",
  [body, fc.constantFrom("```", "~~~~", "  ```js", "- ~~~")],
  (markdown, fence) => {
    fc.pre(!/`{3}|~{3}/.test(markdown));
    const close = /[`~]+/.exec(fence)?.[0] ?? "";

    expect(parseCriteria(`${fence}\n${markdown}\n${close}\n`)).toEqual([]);
    expect(findHeadings(`${fence}\n${markdown}\n  ${close}\n# Title`).map(({ text: name }) => name)).toEqual(["Title"]);
  },
);

law("headings and the section under each one cover the body from the first heading on", [body], (markdown) => {
  const all = findHeadings(markdown);

  for (const heading of all) {
    expect(markdown.slice(heading.start, heading.end)).toStartWith("#".repeat(heading.level));
    const section = findLastSection(markdown, heading.text);
    expect(section?.end).toBeGreaterThanOrEqual(section?.heading.end ?? 0);
    const inside = all.filter(({ start }) => start >= (section?.heading.next ?? 0) && start < (section?.end ?? 0));
    expect(inside.every(({ level }) => level > (section?.heading.level ?? 0))).toBe(true);
  }
});

law(
  "newSpecText reads back as the title, the body and the fields that went in",
  [text, fc.option(text), fc.option(text)],
  (written, more, prompt) => {
    const title = written.trim();
    fc.pre(title !== "" && !/[\r\n]/.test(title) && !`${title}${more ?? ""}`.includes("\0"));

    const file = buildSpecFile({ id, title: written, body: more ?? "", ...(prompt === null ? {} : { prompt }) });

    const document = parseDocument(file);
    if (!document.ok) throw new Error(document.problem.message);
    expect(buildSpec({ id, file: "x.md", archived: false }, document)).toMatchObject({
      title: replaceControlCharacters(title),
      status: "pending",
      type: "code",
    });
    expect(file).toBe(replaceControlCharacters(file));
    expect({ ...document.frontmatter }).toEqual({
      id,
      status: "pending",
      type: "code",
      labels: [],
      ...(prompt === null ? {} : { prompt }),
    });
    expect(document.body.trimEnd()).toEndWith(replaceControlCharacters((more ?? "").trim()));
    expect(file).toEndWith("\n");
  },
);

const bare = (words: string): string => words.replace(/\s/g, "");

law(
  "splitDescription loses nothing but blanks and the mark of a heading",
  [
    fc.array(fc.oneof(text, fc.constantFrom(". ", "\n", "e.g. this", "Long enough to go over eighty characters ")), {
      maxLength: 8,
    }),
  ],
  (parts) => {
    const description = parts.join(" ");

    const { title, body: rest } = splitDescription(description);

    expect(bare(title + rest)).toBe(bare(description.trim().replace(/^#+[ \t]+(?=\S)/, "")));
    expect(/[\r\n]/.test(title)).toBe(false);
    expect(title === "").toBe(description.trim() === "");
  },
);
