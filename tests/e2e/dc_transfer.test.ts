import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const dc = (cwd: string, words: readonly string[], input?: string) =>
  runPlanner(["dc", ...words], { cwd, ...(input !== undefined && { input }) });

test("planner dc import takes the good lines, tells the wrong ones by number and ends with 1", async () => {
  const rack = { code: "R1", location: { site_id: "S1", floor_number: 1 } };
  const lines = [
    "{",
    JSON.stringify({ shelf: {} }),
    JSON.stringify({ rack: { ...rack, colour: "red" } }),
    JSON.stringify({ device: { code: "D1", kind: "DEVICE_KIND_SERVER", rack_code: "R9" } }),
    JSON.stringify({ rack }),
  ];

  const { code, stdout, stderr } = await dc(emptyFolder(), ["import", "-"], lines.join("\n"));

  expect(code).toBe(1);
  expect(stdout).toBe(
    "rack: 1 created, 0 updated, 0 unchanged, 1 failed\ndevice: 0 created, 0 updated, 0 unchanged, 1 failed\n",
  );
  for (const told of [
    "line 1: ",
    'line 2: expected one of {"rack": …}',
    "line 3: rack R1: ",
    "colour",
    "line 4: device D1: ",
    "R9",
  ]) {
    expect(stderr).toContain(told);
  }
});

test("planner dc import names kind, code, file and line of what it refuses, whatever it reads", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "racks.csv"), "code,location.site_id,labels\nR1,S1,{\n");
  const cable = { a: { device_code: "X", port_name: "p" }, b: { device_code: "Y", port_name: "q" } };
  writeFileSync(join(cwd, "rest.jsonl"), `${JSON.stringify({ crac: { code: "C1" } })}\n${JSON.stringify({ cable })}\n`);

  const { stdout } = await dc(cwd, ["import", "racks.csv", "rest.jsonl", "--json", "--errors", "wrong.jsonl"]);

  const events = stdout.trimEnd().split("\n");
  const kept = readFileSync(join(cwd, "wrong.jsonl"), "utf8").trimEnd().split("\n");
  const named = (text: string) => {
    const { kind, code, file, line } = JSON.parse(text);
    return [kind, code, file, line];
  };
  const expected = [
    ["rack", "R1", "racks.csv", 2],
    ["crac", "C1", "rest.jsonl", 1],
    ["cable", "X/p~Y/q", "rest.jsonl", 2],
  ];
  expect(events.filter((text) => text.includes('"refused"')).map(named)).toEqual(expected);
  expect(kept.map(named)).toEqual(expected);
});

test("planner dc import brings in a device that stands before the one that it hangs on", async () => {
  const location = { site_id: "S1", floor_number: 1 };
  const device = (code: string, parts: object = {}) =>
    JSON.stringify({ device: { code, kind: "DEVICE_KIND_OTHER", location, ...parts } });
  const source = { ports: [{ name: "in", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "device:Z" } }] };
  // More than one batch lies between the two.
  const between = Array.from({ length: 1200 }, (_, index) => device(`M${index}`));

  const { code, stdout } = await dc(
    emptyFolder(),
    ["import", "-"],
    [device("A", source), ...between, device("Z")].join("\n"),
  );

  expect(stdout).toBe("device: 1202 created, 0 updated, 0 unchanged, 0 failed\n");
  expect(code).toBe(0);
});

test("planner dc export refuses a database that is not there and makes none", async () => {
  const cwd = emptyFolder();

  const first = await dc(cwd, ["export", "--db", "typo.sqlite"]);
  const second = await dc(cwd, ["export", "--db", "typo.sqlite"]);

  expect([first.code, second.code]).toEqual([1, 1]);
  expect(first.stderr).toContain("There is no database");
});
