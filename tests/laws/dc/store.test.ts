import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { getResourceKey } from "#dc/model/ref.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { type DcReader, type DcStore, DEVICE_ORDERS } from "#dc/ports.ts";
import { cable, crac, device, fabricLink, filter, rack } from "../../support/dc/arbitrary.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../../support/dc/stores.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

type Step =
  | { readonly put: ResourceKind; readonly resource: ResourceByKind[ResourceKind]; readonly time: string }
  | { readonly remove: ResourceKind; readonly key: string };

const resources = { device, rack, crac, cable, fabric_link: fabricLink } as const;
const kind = fc.constantFrom(...(Object.keys(resources) as ResourceKind[]));
const step: fc.Arbitrary<Step> = kind.chain((of) =>
  (resources[of] as fc.Arbitrary<ResourceByKind[ResourceKind]>).chain((resource) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("T1", "T2").map((time) => ({ put: of, resource, time })) },
      { weight: 1, arbitrary: fc.constant({ remove: of, key: getResourceKey(resource) }) },
    ),
  ),
);
/** Transactions of steps; the flag says whether the transaction fails at its end. */
const history = fc.array(fc.tuple(fc.array(step, { maxLength: 6 }), fc.boolean()), { maxLength: 6 });

async function play(store: DcStore, transactions: readonly (readonly [readonly Step[], boolean])[]): Promise<void> {
  for (const [steps, fails] of transactions) {
    await store
      .write(async (writer) => {
        for (const one of steps) {
          if ("remove" in one) await writer.remove(one.remove, one.key);
          else {
            const kept = { resource: one.resource, etag: "e", createTime: "T0", updateTime: one.time };
            await writer.put(one.put, kept as never);
          }
        }
        if (fails) throw new Error("undo");
      })
      .catch((error: Error) => expect(error.message).toBe("undo"));
  }
}

const NONE = { device: [], rack: [], crac: [], cable: [], fabric_link: [] };

async function lookAround(reader: DcReader): Promise<unknown> {
  return {
    inventory: await reader.inventory(),
    power: await reader.powerInventory(),
    some: await reader.powerInventory({ ...NONE, device: ["d1"], rack: ["r1"], cable: ["d3/eth0~z9/eth0"] }),
    few: await reader.powerInventory({ ...NONE, crac: ["c1"], fabric_link: ["d1/~d2/"] }),
    feeds: [await reader.feedDeclarer("f1"), await reader.feedDeclarer("F2")],
    consumers: await reader.consumersOf(["feed:F1", "device:d1", "port:D2/CB/1"]),
    racks: [await reader.devicesInRack("r1"), await reader.racksOnFloor("s1", 0)],
    network: await reader.networkPorts(["d1", "SRV", "Z9", "D7"]),
    children: await reader.childrenOf("d1"),
    cables: [
      await reader.cableAt({ deviceCode: "d1", portName: "eth0" }),
      await reader.cablesOf("D2"),
      await reader.storedCablesOf("d2"),
    ],
    powered: await reader.powerDevices(["D1", "d2", "nothing", "srv"]),
    many: [await reader.devices(["d1", "D2", "nothing", "srv"]), await reader.cablesOfAll(["D1", "d2"])],
    plugged: await reader.powerCablesOf(["D1", "d2", "srv"]),
    links: await reader.fabricLinksOf("D1"),
    cracs: await reader.cracsOnFloor("S1", 1),
    tags: [await reader.assetTagHolder("device", "T1"), await reader.assetTagHolder("rack", "T1")],
  };
}

const search = fc.record({
  filter,
  order: fc.constantFrom(...DEVICE_ORDERS),
  descending: fc.boolean(),
  limit: fc.constantFrom(1, 2, 10),
});

/** The store without any resource, each time that it is asked for; closed after the test. */
function emptied(store: DcStore): () => Promise<DcStore> {
  opened.push(store);
  return async () => {
    await store.write(async (writer) => {
      const { racks, devices, cracs, cables, fabricLinks } = await writer.inventory();
      for (const one of cables) await writer.remove("cable", getResourceKey(one));
      for (const one of fabricLinks) await writer.remove("fabric_link", getResourceKey(one));
      for (const one of cracs) await writer.remove("crac", getResourceKey(one));
      for (const one of devices) await writer.remove("device", getResourceKey(one));
      for (const one of racks) await writer.remove("rack", getResourceKey(one));
    });
    return store;
  };
}

const opened: DcStore[] = [];
afterAll(async () => {
  for (const store of opened) await store.close();
});

/** Plays the same history on an empty database and in memory, and looks at both. */
async function holdsLikeMemory(empty: () => Promise<DcStore>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(history, fc.array(search, { maxLength: 5 }), async (transactions, searches) => {
      const database = await empty();
      const memory = openMemory();

      await play(database, transactions);
      await play(memory, transactions);

      expect(await database.read(lookAround)).toEqual(await memory.read(lookAround));
      for (const query of searches) {
        let expected = await memory.read((reader) => reader.searchDevices(query));
        expect(await database.read((reader) => reader.searchDevices(query))).toEqual(expected);
        while (expected.next !== undefined) {
          const further = { ...query, after: expected.next };
          expected = await memory.read((reader) => reader.searchDevices(further));
          expect(await database.read((reader) => reader.searchDevices(further))).toEqual(expected);
        }
      }
    }),
    { numRuns: LAW_RUNS },
  );
}

test("SQLite answers as the store in memory after any history", async () => {
  await holdsLikeMemory(emptied(await openTemporarySqlite()));
}, 240_000);

test("PostgreSQL answers as the store in memory after any history", async () => {
  await holdsLikeMemory(emptied(await openTemporaryPostgres()));
});
