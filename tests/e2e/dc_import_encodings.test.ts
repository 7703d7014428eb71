import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

const HEAD = "code,name,location.site_id,location.floor_number\n";
const CSV = `${HEAD}A01,Köln,S1,1\nA02,München €,S1,1\n`;
/** As a spreadsheet saves it on a western Windows. */
const windows1252 = Buffer.from(CSV.replaceAll("€", "\u0080"), "latin1");
const utf16 = Buffer.from(`\ufeff${CSV}`, "utf16le");

async function imported(bytes: Uint8Array, ...flags: readonly string[]) {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "racks.csv"), bytes);
  const { code, stderr } = await runPlanner(["dc", "import", "racks.csv", ...flags, "--db", "d.sqlite"], { cwd });
  const { stdout } = await runPlanner(["dc", "export", "--db", "d.sqlite"], { cwd });
  const names = [...stdout.matchAll(/"name":\s*"([^"]*)"/g)].map(([, name]) => name);
  return { code, stderr, names };
}

test("a CSV in Windows-1252 is refused with file, line and byte, and nothing is imported", async () => {
  const { code, stderr, names } = await imported(windows1252);

  expect([code, names]).toEqual([2, []]);
  expect(stderr).toContain('Cannot read "racks.csv" as UTF-8: line 2, byte 6 is 0xF6');
  expect(stderr).toContain("--encoding windows-1252");
});

test("the same CSV is read as what it is when that is said", async () => {
  const { code, names } = await imported(windows1252, "--encoding", "windows-1252");

  expect([code, names]).toEqual([0, ["Köln", "München €"]]);
});

test("UTF-16 with a mark of either byte order, and UTF-8 with one, are recognised", async () => {
  const ends = [
    await imported(utf16),
    await imported(Buffer.from(utf16).swap16()),
    await imported(Buffer.from(`\ufeff${CSV}`)),
  ];

  for (const { code, names } of ends) expect([code, names]).toEqual([0, ["Köln", "München €"]]);
});

test("a place far in a large file is told, also where a read ends within a letter", async () => {
  const cwd = emptyFolder();
  const line = `{"rack": {"code": "R", "name": "${"ü€😀".repeat(11)}"}}\n`;
  const lines = Math.ceil((3 << 20) / Buffer.byteLength(line));
  const bytes = Buffer.concat([
    Buffer.from(line.repeat(lines)),
    Buffer.from('{"rack": "'),
    Buffer.of(0xe9),
    Buffer.from('"}'),
  ]);
  writeFileSync(join(cwd, "in.jsonl"), bytes);

  const { stderr } = await runPlanner(["dc", "import", "in.jsonl", "--db", "d.sqlite"], { cwd });

  expect(stderr).toContain(`"in.jsonl" as UTF-8: line ${lines + 1}, byte 11 is 0xE9`);
});

test("standard input is checked as files are, and leaves no copy behind", () => {
  const cwd = emptyFolder();
  const [program = "", ...args] = PLANNER;
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("planner-import-")).length;
  const before = copies();

  const { status, stderr } = spawnSync(program, [...args, "dc", "import", "-", "--db", "d.sqlite"], {
    cwd,
    input: Buffer.concat([Buffer.from('{"rack": {"code": "'), Buffer.of(0xff), Buffer.from('"}}\n')]),
  });

  expect([status, copies() <= before]).toEqual([2, true]);
  expect(stderr.toString()).toContain('"standard input" as UTF-8: line 1, byte 20 is 0xFF');
});
