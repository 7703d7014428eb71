import { expect, test } from "bun:test";
import type { AuditEntry } from "#web/console/api/replies.ts";
import {
  computeDayEdge,
  describeRequest,
  findTimeRange,
  formatDayAgo,
  getInterfaceName,
  groupEntriesByRequest,
  listLeafChanges,
} from "#web/console/history/leaf_changes.ts";

function entry(seq: number, request: string, entity: string, action = "CREATE"): AuditEntry {
  return {
    seq,
    entity,
    action,
    occurred_at: "2026-01-05T12:00:00Z",
    actor: { principal: "anna" },
    request: { id: request, interface: "REST", method: "BulkUpsertDevices" },
    changed_fields: [],
    message: "",
    source: "CORE",
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
