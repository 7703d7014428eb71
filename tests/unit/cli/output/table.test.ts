import { expect, test } from "bun:test";
import { estimateRemainingSeconds, formatRemaining } from "#cli/output/progress_bar.ts";
import { type Column, renderTable, truncateToWidth } from "#cli/output/table.ts";
import { measureTextWidth, wrapText } from "#cli/output/wrap_text.ts";

interface Row {
  readonly id: string;
  readonly count: number;
  readonly title: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "N", text: ({ count }) => String(count), align: "right" },
  { title: "TITLE", text: ({ title }) => title, shrinks: true },
];

const ROWS: readonly Row[] = [
  { id: "a", count: 5, title: "Paint the door" },
  { id: "long-id", count: 120, title: "x" },
];

test("renderTable aligns columns under their titles", () => {
  expect(renderTable(ROWS, COLUMNS)).toBe(
    ["ID         N  TITLE", "a          5  Paint the door", "long-id  120  x", ""].join("\n"),
  );
});

test("renderTable is empty for no rows", () => {
  expect(renderTable([], COLUMNS, 80)).toBe("");
});

test("renderTable cuts the shrinking column with an ellipsis when the terminal is narrow", () => {
  expect(renderTable(ROWS, COLUMNS, 24)).toBe(
    ["ID         N  TITLE", "a          5  Paint the…", "long-id  120  x", ""].join("\n"),
  );
});

test("renderTable keeps the other columns whole on a terminal too narrow for anything", () => {
  const lines = renderTable(ROWS, COLUMNS, 5).split("\n");

  expect(lines[2]).toStartWith("long-id  120  x");
  expect(lines[1]).toBe("a          5  Paint t…");
});

test("renderTable takes from the widest of several shrinking columns first", () => {
  const columns: readonly Column<{ a: string; b: string }>[] = [
    { title: "A", text: ({ a }) => a, shrinks: true },
    { title: "B", text: ({ b }) => b, shrinks: true },
  ];

  const table = renderTable([{ a: "a".repeat(10), b: "b".repeat(30) }], columns, 32);

  expect(table.split("\n")[1]).toBe(`${"a".repeat(10)}  ${"b".repeat(19)}…`);
});

test("renderTable counts terminal cells, not characters", () => {
  const rows = [
    { id: "日本", count: 1, title: "wide" },
    { id: "👩‍👩‍👧", count: 2, title: "family" },
    { id: "e\u0301", count: 3, title: "combined" },
  ];

  const lines = renderTable(rows, COLUMNS).split("\n");

  expect(lines).toEqual(["ID    N  TITLE", "日本  1  wide", "👩‍👩‍👧    2  family", "e\u0301     3  combined", ""]);
});

test("renderTable does not let a title drive the terminal", () => {
  const table = renderTable([{ id: "a", count: 1, title: "\u001b[2J\nnext\u0007" }], COLUMNS);

  expect(table.split("\n")[1]).toBe("a   1  ␛[2J next␇");
});

test("cutText never exceeds its width, wide characters included", () => {
  expect(truncateToWidth("日本語テキスト", 6)).toBe("日本…");
  expect(measureTextWidth(truncateToWidth("日本語テキスト", 6))).toBe(5);
  expect(truncateToWidth("short", 5)).toBe("short");
});

test("renderTable shortens ids, stacks titles and leaves equal columns out before it cuts a title", () => {
  const rows = ["alpha", "beta"].map((name) => ({ id: `2026-11-21-${name}`, title: `${name} ${"x".repeat(20)}` }));
  const columns = [
    { title: "ID", text: ({ id }: { id: string }) => id, short: ({ id }: { id: string }) => id.slice(11) },
    { title: "STATUS", text: () => "pending" },
    { title: "LABELS", text: () => "-" },
    { title: "TITLE", text: ({ title }: { title: string }) => title, shrinks: true },
  ] as const;

  expect(renderTable(rows, columns, 40)).toBe(
    `ID     TITLE\nalpha  alpha ${"x".repeat(20)}\nbeta   beta ${"x".repeat(20)}\nAll: STATUS pending\n`,
  );
  expect(renderTable(rows, columns)).toContain("2026-11-21-alpha  pending  -");
});

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

test("remainingSeconds expects the rest at the pace so far", () => {
  expect(estimateRemainingSeconds(250, 1000, 10_000)).toBe(30);
  expect(estimateRemainingSeconds(1000, 1000, 10_000)).toBe(0);
  expect(estimateRemainingSeconds(0, 1000, 10_000)).toBeUndefined();
});

test("remainingText names seconds, then minutes, and nothing at the end", () => {
  expect([30, 119, 121, 0, undefined].map(formatRemaining)).toEqual([
    ", about 30 s left",
    ", about 119 s left",
    ", about 3 min left",
    "",
    "",
  ]);
});
