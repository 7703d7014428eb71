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
  const { code, stdout, stderr } = await runPlanner(words, { cwd });
  const exported = await runPlanner(["dc", "export", "--db", "d.sqlite"], { cwd });
  const devices = exported.stdout.split("\n").filter((line) => line !== "");
  return { code, stdout, stderr, devices: devices.map((line) => JSON.parse(line).device) };
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
  expect(stderr).toContain('s.csv 4: device c: cell "Floor" (location.floor_number): "two" is not a number');
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

test("figures, units, positions, titles and unknown columns are read as people write them, or named", async () => {
  const mapping =
    "kind: device\nkey: [Room, Host]\ncolumns: {Host: name, Draw (kW): max_draw_w, Weight: weight_kg, U: u_height}\n" +
    "defaults: {kind: server, location.site_id: S}\n";
  const sheet = (...rows: string[]) =>
    ["sep=;", "Servers;;;;;", ";;;;;", "Room;Host;Draw (kW);Weight;U;Seriel", ...rows].join("\r\n");
  const rows = ["A;h1;1,2;12,5;1U;x", "B;h1;350 W;3 kg;2 HE;x", ";;;;;", "A;h2;1;1.200;6;x", "A;;1;1;7;x"];

  const { code, stdout, stderr, devices } = await imported(sheet(...rows), [], mapping);
  const german = await imported(sheet(...rows), [], `${mapping}decimal: ","\n`);

  expect(code).toBe(1);
  expect(stderr).toContain('s.csv 8: device A/h2: cell "Weight" (weight_kg): "1.200" may be 1200 or 1.2');
  expect(stderr).toContain('s.csv 9: device: the column "Host" is empty');
  expect(stderr).not.toContain("s.csv 7");
  expect(devices).toMatchObject([
    { code: "A-h1", name: "h1", max_draw_w: 1200, weight_kg: 12.5, u_height: 1 },
    { code: "B-h1", name: "h1", max_draw_w: 350, weight_kg: 3, u_height: 2 },
  ]);
  expect(german.devices).toMatchObject([{}, { code: "A-h2", weight_kg: 1200 }, {}]);
  expect(stdout).toContain("column Seriel is near to serial");
});

test("a table of Markdown is read without its rule, whose dashes are no device", async () => {
  const mapping =
    'kind: device\nkey: "**Name**"\ncolumns: {"**Name**": name, Height: u_height, Note: comments}\n' +
    "defaults: {kind: server, location.site_id: S}\n";
  const bars = (...cells: string[]) => `| ${cells.join(" | ")} |`;
  const sheet = [
    bars("**Name**", "Height", "Note"),
    bars("--------", ":-----------:", "---"),
    bars("h1", "4U", "-"),
    bars("h2", "7", "--- spare ---"),
  ].join("\n");

  const { code, stderr, devices } = await imported(sheet, [], mapping);

  expect([code, stderr]).toEqual([0, ""]);
  expect(devices).toMatchObject([
    { code: "h1", u_height: 4, comments: "-" },
    { code: "h2", u_height: 7, comments: "--- spare ---" },
  ]);
});
