import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { buildSpecFile, splitDescription } from "#planner/spec/new_spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

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
