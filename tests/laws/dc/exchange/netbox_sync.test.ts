import { expect, test } from "bun:test";
import { openMemory } from "../../../support/dc/memory/store.ts";
import { editRandomly } from "../../../support/dc/netbox/edits.ts";
import { netboxInventory } from "../../../support/dc/netbox/inventory.ts";
import type { Lists } from "../../../support/dc/netbox/lists.ts";
import { importedState, syncLists } from "../../../support/dc/netbox/sync.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

/** Each run imports four times. */
const RUNS = Math.ceil(LAW_RUNS / 10);
const EDITS = 200;

function edited(seed: number, count: number): Lists {
  const { lists } = netboxInventory();
  editRandomly(lists, seed, count);
  return lists;
}

test("an import of what did not change changes nothing", async () => {
  const store = openMemory();
  const { lists } = netboxInventory();
  const first = await syncLists(store, lists);
  const revision = await store.revision();

  const second = await syncLists(store, lists, { prune: true });

  expect(first.refused).toEqual([]);
  expect(second.changes).toEqual([]);
  expect(await store.revision()).toBe(revision);
});

test("after any edits of the source, a sync gives what a first import gives, and so does one in steps", async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const followed = openMemory();
    await syncLists(followed, netboxInventory().lists);
    if (seed % 2 === 0) await syncLists(followed, edited(seed, EDITS / 2), { prune: true });
    const synced = await syncLists(followed, edited(seed, EDITS), { prune: true });
    const fresh = openMemory();
    const first = await syncLists(fresh, edited(seed, EDITS), { batchSize: 7 });

    expect({ seed, refused: synced.refused.map(({ id }) => id) }).toEqual({
      seed,
      refused: first.refused.map(({ id }) => id),
    });
    expect({ seed, state: await importedState(followed) }).toEqual({ seed, state: await importedState(fresh) });
  }
}, 300_000);

test("a dry run tells what the import then does, and writes nothing", async () => {
  const store = openMemory();
  await syncLists(store, netboxInventory().lists);
  const revision = await store.revision();
  const lists = edited(3, 30);

  const tried = await syncLists(store, lists, { prune: true, dryRun: true });
  const untouched = await store.revision();
  const done = await syncLists(store, lists, { prune: true });

  expect(untouched).toBe(revision);
  expect(tried.changes.length).toBeGreaterThan(0);
  expect(tried.changes).toEqual(done.changes);
});

test("prune deletes what vanished, and nothing that others have made", async () => {
  const store = openMemory();
  const { lists, ids } = netboxInventory();
  await syncLists(store, lists);
  await syncLists(store, lists, { origin: "second" });
  const gone = ids.servers[0] ?? 0;
  lists.set(
    "dcim/devices",
    (lists.get("dcim/devices") ?? []).filter(({ id }) => id !== gone),
  );
  const before = await counts(store);

  const kept = await syncLists(store, lists);
  const pruned = await syncLists(store, lists, { prune: true });

  expect(kept.changes.filter(({ action }) => action === "delete")).toEqual([]);
  expect(kept.vanished.map(({ id }) => id)).toContain(`device/${gone}`);
  // Its two power cables and its lane of the breakout go with it.
  expect(
    pruned.changes
      .filter(({ action }) => action === "delete")
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(["cable", "cable", "cable", "device"]);
  const after = await counts(store);
  expect([after.device, after.cable]).toEqual([before.device - 1, before.cable - 3]);
});

test("what people add to imported resources stays, and what the source no longer says goes", async () => {
  const store = openMemory();
  const { lists, ids } = netboxInventory();
  await syncLists(store, lists);
  const id = ids.servers[0] ?? 0;
  await store.write(async (writer) => {
    const stored = await writer.stored("device", "srv-01");
    if (stored === undefined) throw new Error("no device");
    const { resource } = stored;
    const added = {
      ...resource,
      thermalClass: "A1" as const,
      labels: { ...resource.labels, mine: "yes" },
      tags: ["mine"],
      ports: [...(resource.ports ?? []), { name: "extra", kind: "CONSOLE" as const }],
    };
    await writer.put("device", { ...stored, resource: added });
    await writer.raiseRevision();
  });
  const device = lists.get("dcim/devices")?.find((one) => one.id === id);
  Object.assign(device ?? {}, { serial: "", custom_fields: {}, name: "srv:01 new" });

  await syncLists(store, lists);

  const after = await store.read((reader) => reader.device("srv-01"));
  expect(after).toMatchObject({ name: "srv:01 new", thermalClass: "A1", tags: ["mine"] });
  expect(after?.labels).toMatchObject({ mine: "yes", origin: `netbox:device/${id}` });
  expect(after?.labels?.["cf.owner"]).toBeUndefined();
  expect(after?.serial).toBeUndefined();
  expect(after?.ports?.map(({ name }) => name)).toContain("extra");
});

test("an import that was stopped goes on where it ended", async () => {
  const store = openMemory();
  const { lists } = netboxInventory();
  let batches = 0;
  const stopped = await syncLists(store, lists, { batchSize: 3, stopped: () => ++batches > 8 });
  await syncLists(store, lists);
  const whole = openMemory();
  await syncLists(whole, lists);

  expect(stopped.stopped).toBe(true);
  expect(await importedState(store)).toEqual(await importedState(whole));
});

async function counts(store: ReturnType<typeof openMemory>) {
  return store.read(async (reader) => ({
    device: (await reader.page("device", "", 10_000)).length,
    cable: (await reader.page("cable", "", 10_000)).length,
  }));
}
