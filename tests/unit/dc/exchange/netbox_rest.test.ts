import { afterAll, expect, test } from "bun:test";
import type { SourceWatcher, UnreadableElement } from "#cli/dc/exchange/netbox_files.ts";
import { type NetboxAddress, readRestTables } from "#cli/dc/exchange/netbox_source.ts";
import { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { TABLE_NAMES } from "#dc/exchange/netbox/tables.ts";
import { datasetOf } from "../../../support/dc/netbox/forms.ts";
import { netboxInventory } from "../../../support/dc/netbox/inventory.ts";
import { type NetboxServer, serveNetbox } from "../../../support/dc/netbox/server.ts";

const { lists } = netboxInventory();
const servers: NetboxServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

async function started(...given: Parameters<typeof serveNetbox>): Promise<NetboxServer> {
  const server = await serveNetbox(...given);
  servers.push(server);
  return server;
}

function address(url: string, more: Partial<NetboxAddress> = {}): NetboxAddress {
  return { url, token: undefined, sites: [], timeoutMs: 60_000, rate: undefined, backoffMs: 1, ...more };
}

function watcher(unreadable: UnreadableElement[] = [], signal = new AbortController().signal): SourceWatcher {
  return { reportProgress: () => {}, reportUnreadable: (one) => unreadable.push(one), signal };
}

function rowsOf(data: NetboxDataset) {
  return TABLE_NAMES.map((table) => [table, data.all(table).toSorted((a, b) => Number(a.id) - Number(b.id))]);
}

test("readRestTables reads every page of every list, with the token", async () => {
  const server = await started(lists, { token: "secret" });
  const data = new NetboxDataset();

  await readRestTables(data, address(server.url, { token: "secret" }), watcher());

  expect(rowsOf(data)).toEqual(rowsOf(datasetOf(lists)));
});

test("readRestTables repeats what fails for a passing reason, after the wait that the server asks for", async () => {
  let failures = 0;
  const server = await started(lists, {
    trouble: ({ number }) => {
      if (number % 2 === 1) return undefined;
      failures += 1;
      if (failures % 3 === 0) return "drop";
      return failures % 3 === 1 ? { status: 429, headers: { "Retry-After": "0" } } : { status: 502 };
    },
  });
  const data = new NetboxDataset();

  await readRestTables(data, address(server.url), watcher());

  expect(failures).toBeGreaterThan(10);
  expect(rowsOf(data)).toEqual(rowsOf(datasetOf(lists)));
});

test("readRestTables reads a list again that changed while it was read", async () => {
  const changing = new Map(lists);
  const devices = [...(lists.get("dcim/devices") ?? [])];
  changing.set("dcim/devices", devices);
  const [first] = devices;
  let removed = false;
  const server = await started(changing, {
    trouble: ({ path, offset }) => {
      // The first of them goes while the pages behind it are read, so that one moves to a page that was read already.
      if (path === "dcim/devices" && offset > 0 && !removed) {
        removed = true;
        changing.set("dcim/devices", devices.slice(1));
      }
      return undefined;
    },
  });
  const data = new NetboxDataset();

  await readRestTables(data, address(server.url), watcher());

  expect(
    data
      .all("device")
      .map(({ id }) => Number(id))
      .toSorted((a, b) => a - b),
  ).toEqual(devices.map(({ id }) => id).filter((id) => id !== first?.id));
});

test("readRestTables reads some sites only", async () => {
  const server = await started(lists);
  const data = new NetboxDataset();

  await readRestTables(data, address(server.url, { sites: ["branch"] }), watcher());

  expect(data.all("site").map(({ cells }) => cells["slug"])).toEqual(["branch"]);
  expect(data.all("device")).toHaveLength(1);
});

test("readRestTables refuses when a list may not be read, rather than importing a part", async () => {
  const server = await started(lists, {
    trouble: ({ path }) => (path === "dcim/cables" ? { status: 403 } : undefined),
  });

  await expect(readRestTables(new NetboxDataset(), address(server.url), watcher())).rejects.toThrow(
    `${server.url}/api/dcim/cables/: the token may not read this list: expected the permission to view it`,
  );
});

test("readRestTables takes a list as empty that this version does not have, and no other", async () => {
  const server = await started(lists, {
    trouble: ({ path }) =>
      path === "dcim/rack-types" || path === "dcim/cooling-sources" ? { status: 404 } : undefined,
  });
  const data = new NetboxDataset();
  await readRestTables(data, address(server.url), watcher());
  const wrong = await started(lists, { trouble: () => ({ status: 404 }) });

  expect(data.all("rack").length).toBeGreaterThan(0);
  await expect(readRestTables(new NetboxDataset(), address(wrong.url), watcher())).rejects.toThrow(
    "expected the address of a NetBox",
  );
});

test("readRestTables gives up after some attempts, and names the list", async () => {
  const server = await started(lists, { trouble: ({ path }) => (path === "dcim/racks" ? { status: 503 } : undefined) });

  await expect(readRestTables(new NetboxDataset(), address(server.url), watcher())).rejects.toThrow(
    "/api/dcim/racks/: HTTP 503, 6 times",
  );
});

test("readRestTables stops between two pages when the import is stopped", async () => {
  const stop = new AbortController();
  const server = await started(lists, {
    trouble: ({ path }) => {
      if (path === "dcim/devices") stop.abort();
      return undefined;
    },
  });

  await expect(readRestTables(new NetboxDataset(), address(server.url), watcher([], stop.signal))).rejects.toThrow(
    "nothing was written",
  );
});

test("readRestTables notes rows without an id", async () => {
  const broken = new Map([...lists, ["dcim/sites", [{ id: null as unknown as number, name: "none" }]]]);
  const server = await started(broken as typeof lists);
  const unreadable: UnreadableElement[] = [];

  await readRestTables(new NetboxDataset(), address(server.url), watcher(unreadable));

  expect(unreadable).toEqual([{ file: "dcim/sites", number: 1, reason: "expected an object with an id" }]);
});

test("readRestTables reads lists again that the log names as changed meanwhile, and no others", async () => {
  const changing = new Map(lists);
  const log = [{ id: 7, changed_object_type: "dcim.site" }];
  changing.set("core/object-changes", log);
  const [rack] = lists.get("dcim/racks") ?? [];
  const renamed = (lists.get("dcim/racks") ?? []).map((one) => (one === rack ? { ...one, name: "renamed" } : one));
  const server = await started(changing, {
    trouble: ({ path }) => {
      if (path === "dcim/cables" && log.length === 1) {
        changing.set("dcim/racks", renamed);
        log.push({ id: 8, changed_object_type: "dcim.rack" });
      }
      return undefined;
    },
  });
  const data = new NetboxDataset();

  await readRestTables(data, address(server.url), watcher());

  const reads = (path: string) =>
    server.asked.filter((one) => one.startsWith(`/api/${path}/`) && one.includes("offset=0")).length;
  expect(data.rows("rack").get(String(rack?.id))?.cells["name"]).toBe("renamed");
  expect([reads("dcim/racks"), reads("dcim/devices")]).toEqual([2, 1]);
});

test.each([
  ["2.11", "is NetBox 2.11: expected 3.0 to 4.7"],
  ["4.7", undefined],
  ["4.10", undefined],
])("readRestTables names version %s if it is not read", async (version, refusal) => {
  const server = await started(lists, { version });
  const data = new NetboxDataset();
  const read = readRestTables(data, address(server.url), watcher());
  if (refusal === undefined) expect([await read, data.version]).toEqual([undefined, version]);
  else await expect(read).rejects.toThrow(refusal);
});
