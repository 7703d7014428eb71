import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const MAPPING =
  "kind: device\nkey: Host\ncolumns: {Host: name, Weight: weight_kg, Note: comments, Floor: location.floor_number}\n" +
  "defaults: {kind: server, location.site_id: S}\n";
const HEAD = "Host;Weight;Note;Floor";

async function imported(sheet: string | Uint8Array, flags: readonly string[] = [], mapping = MAPPING) {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "s.csv"), sheet);
  writeFileSync(join(cwd, "m.yaml"), mapping);
  const words = ["dc", "import", "--from", "csv", "s.csv", "--mapping", "m.yaml", "--db", "d.sqlite", ...flags];
  const { code, stderr } = await runPlanner(words, { cwd });
  const { stdout } = await runPlanner(["dc", "export", "--db", "d.sqlite"], { cwd });
  const devices = stdout.split("\n").filter((line) => line !== "");
  return { code, stderr, devices: devices.map((line) => JSON.parse(line).device) };
}

test("a sheet with semicolons, decimal commas, a mark and line ends in cells is read as the spreadsheet meant it", async () => {
  const rows = [`\ufeff${HEAD}`, '"one ""1""";12,5;"first\r\nsecond; with , in it";-1', "two;x;;0", "two;3;;0"];

  const { code, stderr, devices } = await imported(`${rows.join("\r\n")}\r\n`);

  expect(code).toBe(1);
  expect(devices).toMatchObject([
    { name: 'one "1"', weight_kg: 12.5, comments: "first\r\nsecond; with , in it", location: { floor_number: -1 } },
  ]);
  expect(stderr).toContain("s.csv 4: device two: ");
  expect(stderr).toContain('s.csv 5: device two: "two" is in line 4 already');
});

test("a sheet in UTF-16 with tabs, and one in Windows-1252 that is named so, keep their letters", async () => {
  const text = `${HEAD}\nKöln;1;;0\n`;
  const unicode = await imported(Buffer.from(`\ufeff${text.replaceAll(";", "\t")}`, "utf16le"));
  const western = await imported(Buffer.from(text, "latin1"), ["--encoding", "windows-1252"]);

  expect([unicode.code, unicode.devices[0]?.name]).toEqual([0, "Köln"]);
  expect([western.code, western.devices[0]?.name]).toEqual([0, "Köln"]);
});

test("a row with more cells than columns and a floor that is no number are reported, not guessed", async () => {
  const { code, stderr, devices } = await imported(`${HEAD}\na;1;;0;more\nb;1;;0;;\nc;1;;two\n`);

  expect([code, devices.map(({ name }) => name)]).toEqual([1, ["b"]]);
  expect(stderr).toContain("s.csv 2: device a: expected 4 cells, found 5");
  expect(stderr).toContain("s.csv 4: device c: cannot decode field datacenter.v1.Location.floor_number from JSON: ");
  expect(stderr).toContain('got "two"');
});

test("a sheet or mapping that leaves open what is meant is refused", async () => {
  const empty = await imported("", ["--prune"]);
  const twice = await imported(`${HEAD};Host\na;1;;0;b\n`);
  const stray = await imported(`${HEAD}\na;1;;0\n`, [], `${MAPPING}values: {Weigth: {a: "1"}}\n`);
  const word = await imported(`${HEAD}\na;1;;0\n`, [], `${MAPPING}values: {Weight: heavy}\n`);

  expect([empty, twice, stray, word].map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(empty.stderr).toContain('There is nothing in "s.csv": expected a line with columns');
  expect(twice.stderr).toContain('Column "Host" is 2 times in "s.csv": expected it once');
  expect(stray.stderr).toContain('Wrong field "values.Weigth" in "m.yaml": expected Host, Weight, Note, Floor');
  expect(word.stderr).toContain('Wrong field "values.Weight" in "m.yaml": expected texts of cells');
});
