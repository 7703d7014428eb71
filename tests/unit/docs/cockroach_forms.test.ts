import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COCKROACH_FORMS } from "../../support/dc/cockroach_forms.ts";

const DOC = join(import.meta.dirname, "../../../docs/datacenter.md");

test("docs/datacenter.md lists the forms of statement on CockroachDB", () => {
  const [, section = ""] = readFileSync(DOC, "utf8").split("### Statements on CockroachDB");
  const rows = section.split("## ")[0]?.match(/^\| `.*$/gm);

  const expected = COCKROACH_FORMS.map(({ begins, words, calls = "" }) => {
    const functions = calls.split(" ").filter((call) => call !== "");
    return `| \`${begins}\` | ${words} | ${functions.map((call) => `\`${call}\``).join(", ")} |`;
  });
  expect([...(rows ?? [])]).toEqual(expected);
});
