import { expect } from "bun:test";
import fc from "fast-check";
import { parseDocument } from "#planner/spec/document.ts";
import { appendOutput, appendSectionEntry, replaceBody } from "#planner/spec/edit/edit_body.ts";
import { findFirstHeading, findHeadings, findLastSection, findTitle } from "#planner/spec/sections.ts";
import { law } from "../../../../support/law.ts";
import { specText } from "../../../../support/spec_texts.ts";

const markdownLine = fc.constantFrom(
  "",
  "text",
  "# Title",
  "## Output",
  "## Notes",
  "### Deep",
  "---",
  "```",
  "~~~~",
  "  ```js",
  "- ```",
  "- [ ] a",
  "--- x",
  "\ufeff",
  "note: x",
);
const markdown = fc
  .tuple(fc.array(markdownLine, { maxLength: 8 }), fc.constantFrom("", "\n"))
  .map(([lines, end]) => lines.join("\n") + end);
const file = fc.oneof(
  specText.map(({ text }) => text),
  fc.tuple(specText, markdown).map(([{ text, body }, other]) => text.slice(0, text.length - body.length) + other),
  markdown.filter((text) => !/^\ufeff?---/.test(text)),
  markdown.filter((text) => !text.startsWith("---")).map((text) => `\ufeff${text}`),
);

function taken(text: string): { head: string; body: string } {
  const document = parseDocument(text);
  if (!document.ok) throw new Error(`${JSON.stringify(text)}: ${document.problem.message}`);
  return { head: text.slice(0, text.length - document.body.length), body: document.body };
}

/** Without regard to line endings, which an edit gives the file's. */
const plain = (text: string): string => text.replace(/\r\n?/g, "\n");

law(
  "appendOutput keeps the frontmatter and the body and puts the output last, under its heading",
  [file, markdown],
  (text, output) => {
    const before = taken(text);

    const after = taken(appendOutput(text, output));

    expect(plain(after.head).trimEnd()).toBe(plain(before.head).trimEnd());
    expect(after.body.startsWith(before.body)).toBe(true);
    expect(plain(after.body).replace(/\n$/, "")).toEndWith(plain(output).replace(/\n$/, ""));
    const ours = findHeadings(after.body.slice(0, after.body.length - output.length));
    expect(ours.some(({ level, text: name }) => level === 2 && name === "Output")).toBe(true);
  },
);

law(
  "appendOutput loses no output of several",
  [file, fc.array(markdown, { minLength: 1, maxLength: 4 })],
  (text, outputs) => {
    const result = plain(outputs.reduce(appendOutput, text));

    let at = 0;
    for (const output of outputs) {
      at = result.indexOf(plain(output), at);
      expect(at).not.toBe(-1);
      at += output.length;
    }
  },
);

law("replaceBody keeps the frontmatter, and the title unless the new body has one", [file, markdown], (text, body) => {
  const before = taken(text);

  const after = taken(replaceBody(text, body));

  expect(plain(after.head).trimEnd()).toBe(plain(before.head).trimEnd());
  expect(plain(after.body).trimEnd()).toEndWith(plain(body).trimEnd());
  const level = findFirstHeading(before.body)?.level ?? 0;
  const named = findHeadings(body).some((heading) => heading.level <= level && heading.text !== "");
  expect(findTitle(after.body)).toBe(named ? findTitle(body) : (findTitle(before.body) ?? findTitle(body)));
});

law("replaceBody changes nothing the second time", [file, markdown], (text, body) => {
  const once = replaceBody(text, body);

  expect(replaceBody(once, body)).toBe(once);
});

law(
  "appendSectionEntry keeps every line and puts the entry at the end of the last section of that name",
  [file],
  (text) => {
    const before = taken(text);

    const after = taken(appendSectionEntry(text, "Notes", "an entry"));

    const section = findLastSection(after.body, "Notes");
    expect(plain(after.body.slice(section?.heading.next, section?.end)).trimEnd()).toEndWith("an entry");
    const lines = plain(after.body).split("\n");
    let at = 0;
    for (const line of plain(before.body).split("\n")) at = lines.indexOf(line, at);
    expect(at).toBeGreaterThanOrEqual(0);
    expect(findHeadings(before.body).every(({ text: name }) => after.body.includes(name))).toBe(true);
  },
);
