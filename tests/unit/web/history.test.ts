import { expect, test } from "bun:test";
import type { AuditEntry } from "#web/console/api/replies.ts";
import {
  computeDayEdge,
  describeRequest,
  findTimeRange,
  formatDayAgo,
  getInterfaceName,
  groupEntriesByRequest,
  isChangeInLocation,
  listLeafChanges,
  searchLocationChanges,
} from "#web/console/history/leaf_changes.ts";

function entry(seq: number, request: string, entity: string, action = "CREATE"): AuditEntry {
  return {
    seq,
    entity,
    action,
    occurred_at: "2026-01-05T12:00:00Z",
    actor: { principal: "anna" },
    request: { id: request, interface: "REST", method: "BulkUpsertDevices" },
    message: "",
  };
}

test("listLeafChanges names each value that differs, in words, with members of lists by name", () => {
  const port = (name: string, source_ref: string) => ({ name, kind: "PORT_KIND_POWER_IN", power_in: { source_ref } });
  const before = {
    code: "S1",
    status: "DEVICE_STATUS_PLANNED",
    ports: [port("psu1", "A"), port("psu2", "B")],
    tags: ["x"],
  };
  const after = {
    code: "S1",
    status: "DEVICE_STATUS_ACTIVE",
    ports: [port("psu2", "A"), port("psu1", "A")],
    draw: { allocated_w: 1500 },
    tags: ["x", "y"],
    racked: true,
  };

  expect(listLeafChanges(before, after)).toEqual([
    { field: "Status", before: "Planned", after: "Active" },
    { field: "Ports, psu2, power in, source ref", before: "B", after: "A" },
    { field: "Tags", before: "x", after: "x, y" },
    { field: "Draw, allocated in W", before: undefined, after: "1500" },
    { field: "Racked", before: undefined, after: "yes" },
  ]);
});

test("listLeafChanges shows a new and a deleted resource whole, and texts that only look like enumerations as they are", () => {
  const state = { code: "DEVICE_STATUS", comments: "FACE_OFF with the vendor", face: "FACE_FRONT" };

  const [created, deleted] = [listLeafChanges(null, state), listLeafChanges(state, null)];

  expect(created.map(({ after }) => after)).toEqual(["DEVICE_STATUS", "FACE_OFF with the vendor", "Front"]);
  expect(deleted.map(({ before, after }) => [before, after])).toEqual(created.map(({ after }) => [after, undefined]));
});

test("groupEntriesByRequest keeps the order and counts what a request did", () => {
  const groups = groupEntriesByRequest([
    entry(5, "b", "device:D2", "UPDATE"),
    entry(4, "a", "device:D1"),
    entry(3, "a", "device:D2"),
    entry(2, "a", "rack:R1"),
    entry(1, "c", "crac:C1", "DELETE"),
  ]);

  expect(groups.map(({ entries }) => entries.map(({ seq }) => seq))).toEqual([[5], [4, 3, 2], [1]]);
  expect(groups.map(describeRequest)).toEqual([
    "Device D2 changed",
    "2 devices created, 1 rack created",
    "Cooling unit C1 deleted",
  ]);
});

test("describeRequest says of a cable with another end that it moved", () => {
  const words = (gone: string, come: string) =>
    groupEntriesByRequest([entry(1, "a", gone, "DELETE"), entry(2, "a", come)]).map(describeRequest);
  expect(words("cable:A/1~B/1", "cable:A/1~C/1")).toEqual(["Cable A/1~B/1 moved to A/1~C/1"]);
  expect(words("cable:A/1~B/1", "cable:C/1~D/1")).toEqual(["1 cable deleted, 1 cable created"]);
});

test.each([
  [{ interface: "REST", user_agent: "Mozilla/5.0 (X11)" }, "Console"],
  [{ interface: "REST", user_agent: "curl/8" }, "HTTP API"],
  [{ interface: "SYSTEM" }, "Command line"],
  [{ interface: "GRAPHQL", user_agent: "Mozilla/5.0" }, "GraphQL"],
])("throughWords of %p is %s", (request, words) => {
  expect(getInterfaceName({ id: "", method: "", ...request })).toBe(words);
});

test("ranges are local days, and back again", () => {
  const now = new Date(2026, 2, 1, 9, 30);

  expect([formatDayAgo(0, now), formatDayAgo(1, now), formatDayAgo(30, now)]).toEqual([
    "2026-03-01",
    "2026-02-28",
    "2026-01-30",
  ]);
  expect(findTimeRange("", "", now)).toBe("");
  expect(findTimeRange("2026-02-28", "", now)).toBe("1");
  expect(findTimeRange("2026-02-28", "2026-03-01", now)).toBe("own");
  expect(computeDayEdge("2026-02-28", "start")).toBe(new Date(2026, 1, 28).toISOString());
  expect(computeDayEdge("2026-02-28", "end")).toBe(new Date(2026, 2, 1).toISOString());
  expect(computeDayEdge("yesterday", "start")).toBe("");
});

const row = (ref: string, texts: Record<string, string> = { site: "S", floor: "0" }) => ({
  ref,
  name: "",
  texts,
  figures: {},
});
const at = (room: string, more: object = {}) => ({
  code: "R1",
  location: { site_id: "S", floor_number: 0, room, row: "A", ...more },
});

test("isChangeInLocation finds what is in a site, room or row, and what has left it", () => {
  expect(isChangeInLocation({ after: at("DH1") }, row("site:S", {}))).toBe(true);
  expect(isChangeInLocation({ after: at("DH1") }, row("room:S/0/DH1"))).toBe(true);
  expect(isChangeInLocation({ before: at("DH1"), after: at("DH2") }, row("room:S/0/DH1"))).toBe(true);
  expect(isChangeInLocation({ before: null, after: at("DH1") }, row("row:S/0/A"))).toBe(true);
  expect(isChangeInLocation({ after: { location: { site_id: "S", room: "DH1" } } }, row("room:S/0/DH1"))).toBe(true);
});

test("isChangeInLocation leaves out other floors, and changes without a place such as those of cables", () => {
  expect(isChangeInLocation({ after: at("DH1", { floor_number: 1 }) }, row("room:S/0/DH1"))).toBe(false);
  expect(isChangeInLocation({ after: at("DH2") }, row("room:S/0/DH1"))).toBe(false);
  expect(isChangeInLocation({ before: { a: {}, b: {} }, after: null }, row("site:S", {}))).toBe(false);
});

/** A log of so many changes, of which every `nth` is of the place; it is read as the service reads it. */
function logOf(count: number, nth: number) {
  let asked = 0;
  const entries = Array.from({ length: count }, (_, at) => {
    const seq = count - at;
    return { seq, occurred_at: `T${seq}`, entity: seq % nth === 0 ? "rack:HERE" : "rack:THERE" } as AuditEntry;
  });
  return {
    asked: () => asked,
    read: async ({ page_size = "", page_token = "" }: Readonly<Record<string, string>>) => {
      asked += 1;
      const [from, size] = [Number(page_token), Number(page_size)];
      const next = from + size < entries.length ? String(from + size) : "";
      return { entries: entries.slice(from, from + size), next_page_token: next };
    },
  };
}
const isHere = ({ entity }: AuditEntry) => entity === "rack:HERE";

test("searchLocationChanges reads further pages until enough are found", async () => {
  const log = logOf(3000, 50);

  const found = await searchLocationChanges(log.read, isHere);

  expect(found.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => 3000 - at * 50));
  expect([log.asked(), found.searched, found.isComplete]).toEqual([5, 1000, false]);
});

test("searchLocationChanges says how far it looked, at most 2,000 changes or all of the log", async () => {
  const far = await searchLocationChanges(logOf(3000, 2999).read, isHere);
  const whole = await searchLocationChanges(logOf(450, 449).read, isHere);
  const empty = await searchLocationChanges(logOf(0, 1).read, isHere);

  expect([far.entries.length, far.searched, far.isComplete, far.oldestTime]).toEqual([1, 2000, false, "T1001"]);
  expect([whole.entries.length, whole.searched, whole.isComplete, whole.oldestTime]).toEqual([1, 450, true, "T1"]);
  expect(empty).toEqual({ entries: [], searched: 0, isComplete: true, oldestTime: "", newestSeq: 0 });
});

test("searchLocationChanges reads only what came since an earlier search", async () => {
  const earlier = await searchLocationChanges(logOf(450, 100).read, isHere);
  const log = logOf(600, 100);

  const again = await searchLocationChanges(log.read, isHere, earlier);

  expect([log.asked(), again.searched, again.newestSeq]).toEqual([1, 600, 600]);
  expect(again.entries.map(({ seq }) => seq)).toEqual([600, 500, 400, 300, 200, 100]);
});
