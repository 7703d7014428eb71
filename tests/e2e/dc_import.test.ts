import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";

const location = { site_id: "S1", floor_number: 1 };
const rack = (code: string) => ({ rack: { code, location } });
const device = (code: string, more: object = {}) => ({
  device: { code, kind: "DEVICE_KIND_OTHER", location, ...more },
});
const port = (name: string) => ({ name, kind: "PORT_KIND_NETWORK", type: "1000base-t" });
const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join("");

const dc = (cwd: string, words: readonly string[], input?: string) =>
  runPlanner(["dc", ...words], { cwd, ...(input !== undefined && { input }) });

test("an import takes kinds in any order and writes what it could not take to a file", async () => {
  const cwd = emptyFolder();
  const cable = { a: { device_code: "D1", port_name: "e0" }, b: { device_code: "D2", port_name: "e0" } };
  const items = [
    { cable },
    device("D1", { ports: [port("e0")] }),
    device("D2", { ports: [port("e0")], rack_code: "R1" }),
    { device: { code: "D3", kind: "DEVICE_KIND_OTHER", rack_code: "R9" } },
    { shelf: {} },
    rack("R1"),
    { rack: { code: "R2", location, u_height: 500 } },
  ];

  const { code, stdout } = await dc(cwd, ["import", "-", "--errors", "wrong.jsonl"], lines(items));

  expect(stdout.split("\n").slice(0, 3)).toEqual([
    "rack: 1 created, 0 updated, 0 unchanged, 1 failed",
    "device: 2 created, 0 updated, 0 unchanged, 1 failed",
    "cable: 1 created, 0 updated, 0 unchanged, 0 failed",
  ]);
  const wrong = readFileSync(join(cwd, "wrong.jsonl"), "utf8").trimEnd().split("\n");
  expect(wrong.map((line) => JSON.parse(line))).toMatchObject([
    { file: "standard input", line: 5, item: { shelf: {} } },
    { line: 7, field: "u_height", item: items[6] },
    { line: 4, field: "rack_code", item: items[3] },
  ]);
  expect(code).toBe(1);
});

test("an output never takes the place of the database or of a file that is imported", async () => {
  const cwd = emptyFolder();
  const site = lines([rack("R1"), { shelf: {} }]);
  writeFileSync(join(cwd, "site.jsonl"), site);
  linkSync(join(cwd, "site.jsonl"), join(cwd, "same.jsonl"));
  await dc(cwd, ["import", "site.jsonl", "--db", "dc.sqlite"]);
  const database = readFileSync(join(cwd, "dc.sqlite"));
  const taken = `Cannot write "${join(cwd, "dc.sqlite")}": it is a database: expected another file`;

  const overInput = await dc(cwd, ["import", "site.jsonl", "--db", "dc.sqlite", "--errors", "same.jsonl"]);
  const overOwn = await dc(cwd, ["import", "site.jsonl", "--db", "dc.sqlite", "--errors", "dc.sqlite"]);
  const overOther = await dc(cwd, ["sample", "-o", "dc.sqlite"]);
  const nowhere = await dc(cwd, ["import", "site.jsonl", "--db", "dc.sqlite", "--errors", "no/wrong.jsonl"]);

  expect(overInput.stderr).toContain('"same.jsonl" is the file "site.jsonl" that is imported: expected another file');
  expect(overOwn.stderr).toContain(taken);
  expect(overOther.stderr).toContain(taken);
  expect(nowhere.stderr).toStartWith(`error: Cannot write "${join(cwd, "no/wrong.jsonl")}": `);
  expect([overInput, overOwn, overOther, nowhere].map(({ code }) => code)).toEqual([2, 1, 1, 1]);
  expect(readFileSync(join(cwd, "site.jsonl"), "utf8")).toBe(site);
  expect(readFileSync(join(cwd, "dc.sqlite"))).toEqual(database);
});

test("a folder for temporary files that cannot be written is named, and not the database", async () => {
  const cwd = emptyFolder();
  const env = { TMPDIR: join(cwd, "none") };

  const told = await runPlanner(["dc", "import", "-"], { cwd, env, input: lines([rack("R1")]) });

  expect(told.stderr).toStartWith(`error: Cannot write "${join(cwd, "none", "planner-import-")}`);
  expect(told.code).toBe(1);
});

test.skipIf(NO_PSEUDO_TERMINAL !== null)("an import shows a bar on a terminal, unless it is to be quiet", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "site.jsonl"), lines([rack("R1")]));

  const told = await runOnTerminal([...PLANNER, "dc", "import", "site.jsonl"], { cwd });
  const quiet = await runOnTerminal([...PLANNER, "dc", "import", "site.jsonl", "--quiet"], { cwd });

  expect(told.screen).toContain("█ 100 % of 1, ");
  expect(told.screen).toEndWith("\r\u001b[Krack: 1 created, 0 updated, 0 unchanged, 0 failed\r\n");
  expect(quiet.screen).toBe("rack: 0 created, 0 updated, 1 unchanged, 0 failed\r\n");
});

test("an atomic import with one refusal writes nothing, and a dry run never does", async () => {
  const cwd = emptyFolder();
  const good = [rack("R1"), device("D1", { rack_code: "R1" })];

  const atomic = await dc(cwd, ["import", "-", "--atomic"], lines([...good, device("D2", { rack_code: "R9" })]));
  const tried = await dc(cwd, ["import", "-", "--dry-run"], lines(good));
  const nothing = await dc(cwd, ["export"]);
  const taken = await dc(cwd, ["import", "-", "--atomic", "--json"], lines(good));

  expect([atomic.code, tried.code, taken.code]).toEqual([1, 0, 0]);
  expect(atomic.stderr).toContain("Nothing was written");
  expect(tried.stdout).toContain("device: 1 created");
  expect(nothing.stdout).toBe("");
  expect(JSON.parse(taken.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    event: "end",
    state: "done",
    counts: [
      { kind: "rack", created: 1 },
      { kind: "device", created: 1 },
    ],
  });
});

for (const [signal, status] of [
  ["SIGINT", 130],
  ["SIGKILL", null],
] as const) {
  test(`an import that ${signal} ends goes on where it was, and nothing is there twice`, async () => {
    const cwd = emptyFolder();
    const items = Array.from({ length: 5000 }, (_, index) => device(`D${index}`));
    writeFileSync(join(cwd, "in.jsonl"), lines(items));
    const [program = "", ...args] = [...PLANNER, "dc", "import", "in.jsonl", "--json"];
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.once("data", () => child.kill(signal));
    const code = await new Promise((resolve) => child.on("close", resolve));

    const before = await dc(cwd, ["export"]);
    const again = await dc(cwd, ["import", "in.jsonl"]);
    const after = await dc(cwd, ["export"]);
    const verified = await dc(cwd, ["audit", "verify"]);

    const there = before.stdout.split("\n").length - 1;
    expect(code).toBe(status);
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(items.length);
    expect(again.stdout).toBe(`device: ${5000 - there} created, 0 updated, ${there} unchanged, 0 failed\n`);
    expect(after.stdout.split("\n").length - 1).toBe(5000);
    expect(verified.stdout).toStartWith("5000 entries, unbroken");
  });
}

test("an import goes into a running server by token, cables included", async () => {
  const cwd = emptyFolder();
  const token = (await dc(cwd, ["token", "create", "anna", "--role", "writer", "--tokens", "t.json"])).stdout.trim();
  // One that begins with "-" would be read as a flag.
  expect(token).toMatch(/^planner_[\w-]{43}$/);
  const server = await DcServer.start(cwd, ["--tokens", "t.json"]);
  try {
    const ends = { a: { device_code: "D1", port_name: "e0" }, b: { device_code: "D2", port_name: "e0" } };
    const items = [
      device("D1", { ports: [port("e0")] }),
      device("D2", { ports: [port("e0")] }),
      { device: { code: "D3", kind: "DEVICE_KIND_OTHER", rack_code: "R9" } },
      { cable: ends },
      { cable: { ...ends, a: { device_code: "D1", port_name: "e9" } } },
    ];
    const url = ["--url", server.url];

    const barred = await dc(cwd, ["import", "-", ...url], lines(items));
    const taken = await dc(cwd, ["import", "-", ...url, "--token", token, "--errors", "e.jsonl"], lines(items));

    expect(barred.code).not.toBe(0);
    expect(barred.stderr).toContain("token");
    expect(taken.stdout).toBe(
      "device: 2 created, 0 updated, 0 unchanged, 1 failed\ncable: 1 created, 0 updated, 0 unchanged, 1 failed\n",
    );
    const wrong = readFileSync(join(cwd, "e.jsonl"), "utf8").trimEnd().split("\n");
    expect(wrong.map((line) => JSON.parse(line))).toMatchObject([
      { line: 3, field: "rack_code" },
      { line: 5, field: "a" },
    ]);
  } finally {
    await server.end();
  }
});

test("CSV goes out and in without a loss, whatever the texts hold", async () => {
  const cwd = emptyFolder();
  const texts = ["=1+1", "+x", "-5", "@a", "'quoted", 'say "no"', "a,b", "two\nlines", "ünï ☃", " padded "];
  const items = texts.map((name, index) => device(`D${index}`, { name, labels: { [name]: name }, tags: ["a", "b"] }));
  await dc(
    cwd,
    ["import", "-"],
    lines([{ rack: { code: "R1", location: { ...location, floor_number: 0 } } }, ...items]),
  );

  await dc(cwd, ["export", "--format", "csv", "tables"]);
  const back = await dc(cwd, ["import", "tables", "--db", "copy.sqlite"]);
  const [first, second] = await Promise.all([dc(cwd, ["export"]), dc(cwd, ["export", "--db", "copy.sqlite"])]);
  const printed = await dc(cwd, ["export", "--format", "csv", "--kind", "device"]);

  expect(back.stderr).not.toContain("warning");
  expect(second.stdout).toBe(first.stdout);
  expect(first.stdout.split("\n")).toHaveLength(12);
  expect(readdirSync(join(cwd, "tables")).toSorted()).toEqual([
    "cables.csv",
    "cracs.csv",
    "devices.csv",
    "fabric_links.csv",
    "racks.csv",
  ]);
  const cells = (parse(printed.stdout) as string[][]).flat();
  expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  expect(cells).toContain("'=1+1");
});

test("a file that is no CSV, a wrong column, a wrong kind and a missing file are told", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "racks.csv"), "code,nme\nR1,x\n");
  writeFileSync(join(cwd, "devices.csv"), 'code,name\nD1,"open\n');
  writeFileSync(join(cwd, "other.csv"), "code\nR1\n");
  writeFileSync(join(cwd, "cells.csv"), "code,u_height,labels\nR1,tall,\nR2,42,{\n");

  const said = async (...words: readonly string[]) => {
    const { code, stderr } = await dc(cwd, ["import", ...words]);
    return [code, stderr];
  };

  writeFileSync(join(cwd, "far.csv"), "code,site_id\nR1,S\n");
  writeFileSync(join(cwd, "twice.csv"), "code,name,code\nR1,x,R2\n");
  const far = await said("far.csv", "--kind", "rack");
  const twice = await said("twice.csv", "--kind", "rack");

  expect(await said("racks.csv")).toEqual([2, expect.stringContaining('Unknown column "nme"')]);
  expect(far).toEqual([2, expect.stringContaining('"site_id" in "far.csv" for rack: expected one of code, ')]);
  expect(twice).toEqual([
    2,
    expect.stringContaining('Column "code" is twice in "twice.csv": expected each column once'),
  ]);
  expect(await said("devices.csv")).toEqual([2, expect.stringContaining("as CSV: Quote Not Closed")]);
  expect(await said("other.csv")).toEqual([2, expect.stringContaining('expected "--kind"')]);
  expect(await said("cells.csv", "--kind", "rak")).toEqual([2, expect.stringContaining('did you mean "rack"?')]);
  expect(await said("none.jsonl")).toEqual([1, expect.stringContaining('Cannot read "none.jsonl"')]);
  // Lines are those with which the rows begin.
  writeFileSync(join(cwd, "breaks.csv"), 'code,name,u_height\r\nR1,"one\r\ntwo\nthree",tall\r\n\r\nR2,"x\ny",tall\r\n');
  expect(String(await said("breaks.csv", "--kind", "rack")).match(/line \d+/g)).toEqual(["line 2", "line 6"]);
  const [status, told] = await said("cells.csv", "--kind", "rack");
  expect([status, told]).toEqual([1, expect.stringContaining("u_height")]);
  expect(told).toContain('cell "labels" holds no JSON');
  expect(existsSync(join(cwd, "none.jsonl"))).toBe(false);
});

test("an export to a full disk or a closed pipe ends as it should, and leaves no half file", async () => {
  const cwd = emptyFolder();
  await dc(cwd, ["sample", "--db", "planner-dc.sqlite", "--racks", "3"]);

  const full = await dc(cwd, ["export", "/dev/full"]);
  const pipe = spawn("sh", ["-c", `${PLANNER.map((word) => `'${word}'`).join(" ")} dc export | head -1`], { cwd });
  const shown: string[] = [];
  pipe.stdout.on("data", (text) => shown.push(String(text)));
  const code = await new Promise((resolve) => pipe.on("close", resolve));

  expect([full.code, code]).toEqual([1, 0]);
  expect(full.stderr).toMatch(/ENOSPC|no space left/i);
  expect(shown.join("")).toStartWith('{"rack":');
});

test.each(["racks.json", "racks.jsonl"])("a number beyond all numbers in %s is refused by its field", async (name) => {
  const cwd = emptyFolder();
  const item = '{"code": "R1", "location": {"site_id": "S1", "floor_number": 1}, "weight_kg": 1e999}';
  writeFileSync(join(cwd, name), name.endsWith("l") ? `{"rack": ${item}}\n` : `{"racks": [${item}]}`);

  const { code, stderr } = await dc(cwd, ["import", name]);

  expect(stderr).toContain("weight_kg");
  expect(code).toBe(1);
});
