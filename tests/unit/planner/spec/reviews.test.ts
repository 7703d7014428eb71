import { expect, test } from "bun:test";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { parseReadable } from "#planner/spec/document.ts";
import { appendReview, isWorkSentBack, parseReviews } from "#planner/spec/reviews.ts";
import { findTitle } from "#planner/spec/sections.ts";

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
