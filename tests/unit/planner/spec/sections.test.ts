import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { parseReadable } from "#planner/spec/document.ts";
import { buildSpecFile, splitDescription } from "#planner/spec/new_spec.ts";
import { appendReview, isWorkSentBack, parseReviews } from "#planner/spec/reviews.ts";
import { findLastSection, findTitle } from "#planner/spec/sections.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

test("titleOf gives the first heading that has a text, whatever its level", () => {
  expect(findTitle("\n#\n### Before ###\n# Another\n")).toBe("Before");
  expect(findTitle("## Acceptance Criteria:\n\n- [ ] a\n\n## Output\n\n#### The title\n")).toBe("The title");
});

test("titleOf gives null for a body without such a heading", () => {
  expect(findTitle("## Output\n#no heading\n    # indented code\n\\# escaped\n")).toBeNull();
});

test("titleOf looks past fenced code, however it is fenced and indented", () => {
  const fences = [
    "```\n# no\n```\n",
    "~~~~ sh\n# no\n~~~\n# no\n~~~~~\n",
    "- item\n  ```\n  # no\n  ```\n",
    "1. ```js\n   # no\n   ```\n",
  ];

  for (const fence of fences) expect(findTitle(`${fence}# Yes\n`)).toBe("Yes");
});

test("titleOf takes no inline code for a fence", () => {
  expect(findTitle("```not a fence```\n# Yes\n")).toBe("Yes");
});

test("titleOf leaves a closing run of # out and keeps one that is part of a word", () => {
  expect(findTitle("# Title ##  \n")).toBe("Title");
  expect(findTitle("# Learn C#\n")).toBe("Learn C#");
  expect(findTitle("# C # #\n")).toBe("C #");
});

test("sectionOf gives the last section of that name, up to the next heading of its level or above", () => {
  const body = "## Notes\nfirst\n# Top\n### notes:\nsecond\n#### deeper\nthird\n### End\n";

  const section = findLastSection(body, "Notes");

  expect(body.slice(section?.heading.next, section?.end)).toBe("second\n#### deeper\nthird\n");
  expect(findLastSection(body, "Missing")).toBeUndefined();
});

const id = "2026-11-21-001-abc" as SpecId;

test("newSpecText writes id, status, type, empty labels and the title", () => {
  expect(buildSpecFile({ id, title: "Add a cache" })).toBe(
    "---\nid: 2026-11-21-001-abc\nstatus: pending\ntype: code\nlabels: []\n---\n\n# Add a cache\n",
  );
});

test("newSpecText writes the prompt, further fields and the body", () => {
  const text = buildSpecFile({
    id,
    title: "T",
    body: "First.\n\n- [ ] a\n",
    type: "docs",
    prompt: "yes",
    fields: { labels: ["a"] },
  });

  expect(text).toBe(
    '---\nid: 2026-11-21-001-abc\nstatus: pending\ntype: docs\nlabels:\n  - a\nprompt: "yes"\n---\n\n# T\n\nFirst.\n\n- [ ] a\n',
  );
});

test("newSpecText closes a heading whose title ends in #", () => {
  expect(buildSpecFile({ id, title: "Port to C #" })).toEndWith("\n# Port to C # #\n");
});

test("newSpecText writes no control character but line breaks and tabs", () => {
  const file = buildSpecFile({
    id,
    title: "A\u001b[2J",
    body: "one\rtwo\u009b\tthree",
    fields: { assignee: "a\u001b\u009b" },
  });

  expect(file).toEndWith("\n# A␛[2J\n\none\ntwo\ufffd\tthree\n");
  expect(file).toContain('assignee: "a\\u001b\\u009b"');
});

test("newSpecText refuses what no title or no file can be", () => {
  for (const title of ["", "  ", "a\nb"]) expect(() => buildSpecFile({ id, title })).toThrow(OperationError);
  expect(() => buildSpecFile({ id, title: "a", body: "\0" })).toThrow("expected text without NUL characters");
  expect(() => buildSpecFile({ id, title: "\ud800" })).toThrow(OperationError);
});

const LONG = "that goes on for so long that it could not possibly be meant as a title of any spec at all";

test("splitDescription takes a short line for the title as it stands", () => {
  expect(splitDescription(" Fix it. Then test. ")).toEqual({ title: "Fix it. Then test.", body: "" });
  expect(splitDescription(`Fix it. ${"X".repeat(72)}`).body).toBe("");
  expect(splitDescription(`Fix it. ${"X".repeat(73)}`)).toEqual({ title: "Fix it.", body: "X".repeat(73) });
});

test("splitDescription takes a heading for the title that it gives", () => {
  expect(splitDescription("# Fix it\n\n## Why\n\nSo.")).toEqual({ title: "Fix it", body: "## Why\n\nSo." });
  expect(splitDescription("#42 is broken")).toEqual({ title: "#42 is broken", body: "" });
  expect(splitDescription("##")).toEqual({ title: "##", body: "" });
});

test("splitDescription cuts behind the first line", () => {
  expect(splitDescription("Fix it\r\n\r\n- [ ] a\n")).toEqual({ title: "Fix it", body: "- [ ] a" });
});

test("splitDescription cuts behind the first sentence of a long line", () => {
  expect(splitDescription(`Fix v1.2 (e.g. this)! Now ${LONG}`)).toEqual({
    title: "Fix v1.2 (e.g. this)!",
    body: `Now ${LONG}`,
  });
  expect(splitDescription(`A word ${LONG}`)).toEqual({ title: `A word ${LONG}`, body: "" });
});

test("splitDescription cuts behind a sentence that ends before the line does", () => {
  expect(splitDescription("First. Second\nThird")).toEqual({ title: "First.", body: "Second\nThird" });
});

const SPEC = "---\nid: a # mine\n---\n\nOnly text.\n\n- [ ] one\n\n## Output\n\nnone\n";
const at = (day: number): string => `2026-01-0${day}T12:00:00.000Z`;
const bodyOf = (text: string): string => parseReadable(text).body;

test("appendReview adds entries, newest last, and leaves every other byte as it is", () => {
  const once = appendReview(SPEC, { at: at(1), text: "Say why.\n\n# Not a heading\n- [ ] no criterion" });
  const twice = appendReview(once, { at: at(2), text: "```\nmore" });

  expect(once.slice(0, SPEC.length)).toBe(SPEC);
  expect(once.slice(SPEC.length)).toBe(
    `\n## Review\n\n**Sent back**, ${at(1)}\n\n> Say why.\n>\n> # Not a heading\n> - [ ] no criterion\n`,
  );
  expect(twice.slice(0, once.length)).toBe(once);
  expect(parseReviews(bodyOf(twice))).toEqual([
    { at: at(1), text: "Say why.\n\n# Not a heading\n- [ ] no criterion" },
    { at: at(2), text: "```\nmore" },
  ]);
  expect(parseCriteria(bodyOf(twice)).map(({ label }) => label)).toEqual(["one"]);
});

test("appendReview keeps the line ends of a file and shows control characters as signs", () => {
  const text = appendReview(SPEC.replaceAll("\n", "\r\n"), { at: at(1), text: "a\u001b[2Jb\rc" });

  expect(text.replaceAll("\r\n", "")).not.toMatch(/\p{Cc}/u);
  expect(parseReviews(bodyOf(text))).toEqual([{ at: at(1), text: "a␛[2Jb\nc" }]);
});

test("titleOf names no spec after a review, and still one that a person calls so", () => {
  expect(findTitle(bodyOf(appendReview(SPEC, { at: at(1), text: "x" })))).toBeNull();
  expect(findTitle("# Review\n")).toBe("Review");
});

test("reviewsOf skips what is no entry: text by hand, quotations outside of one, fences", () => {
  const body = `# T\n\n## Review\n\n> lost\n\nby hand\n\n\`\`\`\n## Review\n\`\`\`\n\n**Sent back**, yesterday\n\n> lost\n\n**Sent back**, ${at(1)}\n\n> kept\n\ntext\n\n> lost\n\n## Output\n\n## Review\n**Sent back**, ${at(1)}\n> again\n`;

  expect(parseReviews(body)).toEqual([{ at: at(1), text: "kept" }]);
});

test("isWorkSentBack compares the newest entry with the begin of the last run", () => {
  const body = bodyOf(appendReview(SPEC, { at: at(2), text: "x" }));

  expect([at(1), at(3), null].map((run) => isWorkSentBack(body, run))).toEqual([true, false, false]);
  expect(isWorkSentBack(bodyOf(SPEC), at(1))).toBe(false);
});
