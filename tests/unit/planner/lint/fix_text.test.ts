import { expect, test } from "bun:test";
import { fixText } from "#planner/lint/fix_text.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ID } from "../../../support/lint_world.ts";

const id = ID as SpecId;
const whole = (fields: string, body = "# T\n"): string => `---\nid: ${ID}\nstatus: pending\n${fields}---\n\n${body}`;
const fixed = (text: string): string => fixText(text, id).text;

test("fixText sets a missing status to pending and writes a missing id", () => {
  const { text, fixes } = fixText("---\ntype: code # why\n---\n\n# T\n", id);

  expect(text).toBe(`---\ntype: code # why\nid: ${ID}\nstatus: pending\n---\n\n# T\n`);
  expect(fixes).toEqual(["missing id written from the file name", "missing status set to pending"]);
});

test("fixText fills fields in that are named and empty, where they stand", () => {
  expect(fixed(`---\nstatus:\nid: ""\n---\n\n# T\n`)).toBe(`---\nstatus: pending\nid: ${ID}\n---\n\n# T\n`);
});

test("fixText writes no field beside something that may say it", () => {
  const saying = [
    "---\nStatus: cancelled\n---\n\n# T\n",
    "---\nstatuss: completed\n---\n\n# T\n",
    "---\nstate: done\n---\n\n# T\n",
    "---\ncompleted_at: 2026-11-21\n---\n\n# T\n",
    "---\non-hold: true\n---\n\n# T\n",
    "---\n# status: cancelled\ntype: code\n---\n\n# T\n",
    "---\nstatus: # cancelled\n---\n\n# T\n",
    "---\nplanner:\n  status: cancelled\n---\n\n# T\n",
    "# T\n\n**Status:** cancelled\n",
    "> status: on hold\n\n# T\n",
    "----\nstatus: cancelled\n----\n# T\n",
    "\n---\nstatus: cancelled\n---\n# T\n",
  ];
  for (const text of saying) expect([text, fixed(text).includes("status: pending")]).toEqual([text, false]);
  expect(fixed("---\nID: x\nstatus: failed\n---\n\n# T\n")).not.toContain("id: ");
  const silent = [
    "---\napproval: {required: true, status: approved}\n---\n# T\n",
    "---\norigin_status: done\ntags: [done]\n---\n# T\n",
    "# T\n\nThe status: of an order is shown.\n",
    "---\n# the status\ntype: code\n---\n# T\n",
  ];
  for (const text of silent) expect([text, fixed(text).includes("status: pending")]).toEqual([text, true]);
});

test("fixText gives a file without frontmatter one", () => {
  expect(fixed("# T\n")).toBe(`---\nid: ${ID}\nstatus: pending\n---\n# T\n`);
});

test("fixText trims the frontmatter, its fences and comments, and keeps line endings and mark", () => {
  const messy = `\ufeff--- \r\nid: ${ID}  \r\nstatus: pending\t\r\n# why \r\n \r\nlabels: [a,  \r\n  b] \r\n---\t\r\n\r\n# T\r\n`;

  const { text, fixes } = fixText(messy, id);

  expect(text).toBe(
    `\ufeff---\r\nid: ${ID}\r\nstatus: pending\r\n# why\r\n\r\nlabels: [a,\r\n  b]\r\n---\r\n\r\n# T\r\n`,
  );
  expect(fixes).toEqual(["trailing white space trimmed in the frontmatter, 8 lines"]);
});

test("fixText brings nested blocks to two spaces a level", () => {
  const messy = [
    "approval:",
    "      required: true",
    "      # who",
    "      by: ann",
    "labels:",
    "     - a",
    "     - b",
    "deep:",
    "    -   name: x",
    "        list:",
    "           - 1",
    "    -",
    "         name: y",
    "",
  ].join("\n");
  const tidy = [
    "approval:",
    "  required: true",
    "  # who",
    "  by: ann",
    "labels:",
    "  - a",
    "  - b",
    "deep:",
    "  - name: x",
    "    list:",
    "      - 1",
    "  -",
    "    name: y",
    "",
  ].join("\n");

  const { text, fixes } = fixText(whole(messy), id);

  expect(text).toBe(whole(tidy));
  expect(fixes).toEqual(["indentation normalized to 2 spaces, 10 lines"]);
});

test("fixText trims the body where it means nothing", () => {
  const { text, fixes } = fixText(whole("", "# T  \n\nOne \ntwo\t\n   \nlast  \n\n- item  \n"), id);

  expect(text).toBe(whole("", "# T\n\nOne\ntwo\n\nlast\n\n- item\n"));
  expect(fixes).toEqual(["trailing white space trimmed in the body, 6 lines"]);
});

test("fixText ends the file with its own kind of newline", () => {
  expect(fixText(whole("", "# T\n\nlast"), id)).toEqual({
    text: whole("", "# T\n\nlast\n"),
    fixes: ["newline added at the end of the file"],
  });
  expect(fixed(whole("", "# T").replaceAll("\n", "\r\n"))).toBe(whole("", "# T\n").replaceAll("\n", "\r\n"));
  expect(fixed(`---\nid: ${ID}\nstatus: pending\n---`)).toBe(`---\nid: ${ID}\nstatus: pending\n---\n`);
});
