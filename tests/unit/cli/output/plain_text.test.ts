import { expect, test } from "bun:test";
import { sanitizeLine, sanitizeLines } from "#cli/output/print.ts";
import { removeEscapes } from "#cli/output/remove_escapes.ts";
import { escapeForTerminal } from "#kernel/escape.ts";

test("plainLine shows control characters as signs instead of passing them on", () => {
  expect(sanitizeLine("a\u001b[31mb\u0007c\u007fd\u009be")).toBe("a␛[31mb␇c␡d�e");
});

test("plainLine makes one line of several", () => {
  expect(sanitizeLine("a\nb\tc\r\nd\u2028e")).toBe("a b c  d e");
});

test("plainLine takes the direction marks that reorder a line", () => {
  expect(sanitizeLine("safe\u202egnp.exe\u2066x")).toBe("safe�gnp.exe�x");
});

test("plainLine keeps letters of every script, joiners and emoji", () => {
  const text = "Größe 日本語 עברית 👩‍👩‍👧 e\u0301";

  expect(sanitizeLine(text)).toBe(text);
});

test("plainLines keeps line feeds and tabs and mends CRLF", () => {
  expect(sanitizeLines("a\r\n\tb\rc\u001b]0;x\u0007")).toBe("a\n\tb␍c␛]0;x␇");
});

test("plainLines leaves no line that is a command to the runner of a GitHub job, and changes nothing elsewhere", () => {
  const text = "::error::x\n \u00a0::add-mask::y\na ##[warning]z a::b\n### [x]\n";
  expect(sanitizeLines(text)).toBe(text);
  const before = process.env["GITHUB_ACTIONS"];
  process.env["GITHUB_ACTIONS"] = "true";
  try {
    expect(sanitizeLines(text)).toBe(": :error::x\n \u00a0: :add-mask::y\na ## [warning]z a::b\n### [x]\n");
    expect(sanitizeLine("::error::x")).toBe(": :error::x");
  } finally {
    if (before === undefined) delete process.env["GITHUB_ACTIONS"];
    else process.env["GITHUB_ACTIONS"] = before;
  }
});

test("withoutEscapes drops colours and titles but shows what it does not know", () => {
  expect(removeEscapes("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u0008y\n")).toBe("red x␈y\n");
});

test("escapeForTerminal keeps the colours of planner and line ends, and makes everything else visible", () => {
  const own = "\u001b[1mbold\u001b[22m \u001b[31mred\u001b[39m\tend\r\n";
  expect(escapeForTerminal(own)).toBe(own);
  expect(escapeForTerminal("\u001b]0;x\u0007\u001b[2J\u001b[41m\u009b2J\rover\u202e\u2028")).toBe(
    "␛]0;x␇␛[2J␛[41m\ufffd2J␍over\ufffd\ufffd",
  );
});
