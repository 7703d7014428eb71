import { expect, test } from "bun:test";
import { measureTextWidth, wrapText } from "#cli/output/wrap_text.ts";

test("wrapText breaks between words, indents further lines and fits the width", () => {
  const text = "  FAIL  checkpoint: none, since no server of a database with a key has signed the log yet";

  const lines = wrapText(text, 40).split("\n");

  expect(lines[0]).toStartWith("  FAIL  checkpoint: none,");
  expect(lines.slice(1).every((line) => line.startsWith("    ") && !line.startsWith("     "))).toBe(true);
  expect(lines.every((line) => measureTextWidth(line) <= 40)).toBe(true);
  expect(lines.map((line) => line.trim()).join(" ")).toBe(text.trim());
});

test("wrapText breaks no command in backticks, and no line that is a command", () => {
  const command = "`planner update 003 --status pending --clear depends_on`";

  expect(wrapText(`To try it again, run ${command} and then work it`, 30)).toContain(command);
  const next = 'Next: planner add "<what is to be done in this project, in a few words>"';
  expect(wrapText(next, 30)).toBe(next);
});

test("wrapText changes nothing without a width, and no line that fits", () => {
  const text = `${"word ".repeat(40)}\nshort   line`;

  expect(wrapText(text, undefined)).toBe(text);
  expect(wrapText("short   line", 30)).toBe("short   line");
});
