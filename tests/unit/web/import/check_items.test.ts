import { expect, test } from "bun:test";
import {
  createFieldProblems,
  findFieldColumn,
  findRepeatedItems,
  type ImportItem,
  joinFieldProblems,
} from "#web/console/import/parse_items.ts";
import { dropUnreadField, listStepCounts, listUncheckedItems, splitIntoCalls } from "#web/console/import/use_run.ts";

const rack = (code: string, line = 1, row = "A"): ImportItem => ({
  kind: "rack",
  line,
  resource: { code, location: { site_id: "S", floor_number: 1, row } },
});
const device = (code: string, rack_code: string, line = 1): ImportItem => ({
  kind: "device",
  line,
  resource: { code, rack_code },
});
const cable = (a: string, b: string, line = 1): ImportItem => ({
  kind: "cable",
  line,
  resource: { a: { device_code: a, port_name: "e" }, b: { device_code: b, port_name: "e" } },
});
const names = (items: readonly ImportItem[]) => items.map(({ resource: { code } }) => String(code)).toSorted();

test("listUncheckedItems leaves out what was found good, also where a correction took a line away", () => {
  const [bad, good, unread] = [
    rack("R1", 2),
    rack("R2", 4),
    { ...rack("R3", 5), problems: [{ field: "u_height", message: "x" }] },
  ];
  const after = [rack("R9", 2), { ...good, line: 3 }, { ...unread, line: 4 }];

  expect([...listUncheckedItems(after, [good])]).toEqual([after[0], after[2]] as ImportItem[]);
  expect([...listUncheckedItems([bad, good, unread], [bad, good, unread])]).toEqual([]);
  expect([...listUncheckedItems([good, { ...good, line: 9 }], [good])].map(({ line }) => line)).toEqual([9]);
});

test("dropUnreadField leaves out the one field that a server cannot read, whatever the file calls it", () => {
  const of = (resource: ImportItem["resource"], path: string) => {
    const item: ImportItem = { kind: "rack", line: 7, resource };
    const violations = [{ field: `changes[1].rack${path}`, description: "wrong" }];
    return dropUnreadField([rack("R1"), item], { violations, message: "wrong" } as never)?.[1];
  };

  for (const [key, path] of [
    ["u_height", ".u_height"],
    ["uHeight", ".u_height"],
    ["Foo", ".Foo"],
    ["weird key", ".weird key"],
    ["a[0].b", ".a[0].b"],
  ] as const) {
    const left = of({ code: "R2", [key]: "x" }, path);
    expect(left?.resource).toEqual({ code: "R2" });
    expect(left?.problems).toEqual([{ field: key, message: "wrong" }]);
  }
  expect(of({ code: "R2", "": 1 }, "")).toMatchObject({ line: 7, resource: {}, problems: [{ message: "wrong" }] });
  expect(of({}, "")).toBeUndefined();
  expect(dropUnreadField([rack("R1")], { violations: [], message: "wrong" } as never)).toBeUndefined();
});

test("splitIntoCalls asks about each item once, together with what it names of the file", () => {
  const racks = Array.from({ length: 400 }, (_, at) => rack(`R${at}`));
  const devices = racks.flatMap(({ resource }, at) => [
    device(`A${at}`, String(resource["code"])),
    device(`b${at}`, String(resource["code"]).toLowerCase()),
  ]);
  const cables = devices.map(({ resource }, at) => cable(String(resource["code"]), `B${(at * 7) % 400}`));
  const items = [...cables, ...devices, ...racks];

  const calls = [...splitIntoCalls(items)];

  expect(calls.flatMap(({ asked }) => asked).length).toBe(items.length);
  expect(new Set(calls.flatMap(({ asked }) => asked))).toEqual(new Set(items));
  for (const { asked, needed } of calls) {
    expect(asked.length + needed.length).toBeLessThanOrEqual(1000);
    const there = new Set(names([...asked, ...needed]).map((code) => code.toLowerCase()));
    for (const { kind, resource } of [...asked, ...needed]) {
      if (kind === "device") expect(there).toContain(String(resource["rack_code"]).toLowerCase());
      for (const end of [resource["a"], resource["b"]])
        if (end !== undefined) expect(there).toContain((end as { device_code: string }).device_code.toLowerCase());
    }
  }
});

test("splitIntoCalls asks about a device together with the others of its rack, and about a cooling unit with a rack of its row", () => {
  const crowd = Array.from({ length: 301 }, (_, at) => device(`D${String(at).padStart(3, "0")}`, "R"));
  const unit: ImportItem = { kind: "crac", line: 1, resource: { code: "C", serves: ["row:S/1/B"] } };

  const calls = [...splitIntoCalls([...crowd, rack("Q", 1, "B"), unit])];

  const last = calls.find(({ asked }) => asked.some(({ resource }) => resource["code"] === "D300"));
  expect(names([...(last?.asked ?? []), ...(last?.needed ?? [])])).toEqual(expect.arrayContaining(names(crowd)));
  const withUnit = calls.find(({ asked }) => asked.includes(unit));
  expect(names([...(withUnit?.asked ?? []), ...(withUnit?.needed ?? [])])).toContain("Q");
});

test("findRepeatedItems names the later of two items of one identity, whatever the case or the order of the ends", () => {
  const items = [device("A", "R", 2), device("a", "R", 3), rack("A", 4), cable("X", "Y", 5), cable("Y", "X", 6)];

  expect([...findRepeatedItems(items)].map(([{ line }, { message }]) => [line, message])).toEqual([
    [3, "Line 2 has it already"],
    [6, "Line 5 has it already"],
  ]);
});

test("problems of a row are named by the heads of their columns, those of the file and those of the server once each", () => {
  const told = [
    { field: "changes[3].device.rack_code", description: 'Cannot find rack "N"' },
    { field: "changes[3].device.position_u", description: "changes[3].device.position_u is required" },
    { field: "changes[3].device.location.site_id", description: "Unknown" },
    { field: "changes[3]", description: "Wrong" },
  ];
  const columns = [
    { path: "rack_code", header: "Cabinet", at: 0 },
    { path: "position_u", header: "HE", at: 1 },
    { path: "location.site_id", header: "Ort", at: 2 },
  ];
  const item: ImportItem = { ...device("A", "N"), problems: [{ field: "position_u", message: '"x" is not a number' }] };

  const found = joinFieldProblems(item, createFieldProblems(told, "Refused"));

  expect(
    found.map(({ field, message }) => [
      findFieldColumn({ items: [], unreadable: [], columns }, field)?.header ?? "",
      message,
    ]),
  ).toEqual([
    ["HE", '"x" is not a number'],
    ["Cabinet", 'Cannot find rack "N"'],
    ["Ort", "Unknown"],
    ["", "Wrong"],
  ]);
});

test("listStepCounts adds up to what was read, when checked and when written", () => {
  const items = ["A", "B", "C", "D"].map((code, at) => device(code, "R", at + 2));
  const parsed = { items, unreadable: [{ line: 9, message: "no JSON" }] };
  const failed = [
    { item: items[3] as ImportItem, outcome: "OUTCOME_FAILED", problems: [{ field: "", message: "no" }] },
  ];
  const promised = new Map([
    ["OUTCOME_CREATED", 1],
    ["OUTCOME_UNCHANGED", 2],
    ["OUTCOME_FAILED", 1],
  ]);
  const checked = { parsed, step: "check", total: 4, sent: 4, outcomes: promised, failed, running: false } as const;
  const outcomes = new Map([
    ["OUTCOME_CREATED", 1],
    ["OUTCOME_UNCHANGED", 2],
  ]);
  const writing = { ...checked, step: "write", total: 3, sent: 3, outcomes, checked: promised } as const;

  for (const run of [checked, writing]) {
    const [[read, total = 0] = [], ...parts] = listStepCounts(run);
    expect([read, total]).toEqual(["Read", 5]);
    expect(parts.reduce((sum, [, number]) => sum + number, 0)).toBe(total);
  }
});
