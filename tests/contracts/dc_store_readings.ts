import { expect, test } from "bun:test";
import type { StoredReading } from "#dc/model/readings/reading_store.ts";
import type { Device } from "#dc/model/resources.ts";
import type { DcStore } from "#dc/ports.ts";
import { stored } from "../support/dc/stored.ts";

const LOCATION = { siteId: "S", floorNumber: 1 };
const panel: Device = {
  code: "Rpp-1",
  kind: "RPP",
  ports: [
    { name: "CB1", kind: "POWER_OUT", powerOut: { feedId: "Fa" } },
    { name: "Out/2", kind: "POWER_OUT" },
  ],
};
const everything = ["device:rpp-1", "port:rpp-1/CB1", "port:rpp-1/Out/2", "feed:fa", "crac:c1", "rack:r1"];
const nothing = ["device:gone", "port:rpp-1/cb1", "port:gone/CB1", "feed:gone", "crac:gone", "site:s"];

async function fill(store: DcStore): Promise<void> {
  await store.write(async (writer) => {
    await writer.put("rack", stored({ code: "R1", location: LOCATION }));
    await writer.put("device", stored(panel));
    await writer.put("crac", stored({ code: "C1", kind: "CRAH", location: LOCATION, sensibleCapacityKw: 9 }));
  });
}

/** Keeps a reading of everything that can be measured. */
async function keepAll(store: DcStore): Promise<readonly StoredReading[]> {
  return store.write(async (writer) => {
    const elements = await writer.measuredElements(everything);
    const days = { open: [{ day: 20_000, seen: [1, 0, 5] as const, top: [[0, 7.5] as const] }], closed: [] };
    const made = [...elements.values()].map((element, index): StoredReading => {
      const kept = { value: index + 0.5, at: 1_790_000_000_000 + index, source: "s", days };
      return { element, quantity: "POWER_W", kept };
    });
    await writer.keepReadings(made);
    return made;
  });
}

const all = (store: DcStore) => store.read((reader) => reader.readings({ withDays: true }));
const byKey = (readings: readonly StoredReading[]) =>
  readings.toSorted((a, b) => (a.element.key < b.element.key ? -1 : 1));

/** What every store promises of readings. */
export function readingsContract(opened: () => DcStore): void {
  test("finds elements that can be measured, with their spelling and their owner", async () => {
    await fill(opened());

    const found = await opened().read((reader) => reader.measuredElements([...everything, ...nothing]));

    expect([...found.keys()].sort()).toEqual(everything.toSorted());
    expect([...found.values()].map(({ ref }) => ref).sort()).toEqual(
      ["device:Rpp-1", "port:Rpp-1/CB1", "port:Rpp-1/Out/2", "feed:Fa", "crac:C1", "rack:R1"].sort(),
    );
    expect(found.get("feed:fa")).toMatchObject({ ownerKind: "device", ownerKey: "rpp-1", port: "CB1" });
  });

  test("gives back readings in order and in pages, with closed days if they are asked for", async () => {
    const store = opened();
    await fill(store);
    const kept = byKey(await keepAll(store));
    const [first] = kept;
    if (first === undefined) throw new Error("nothing was kept");
    const closed = [{ day: 19_990, p95: 4.25, max: 5 }];
    const changed = { ...first, kept: { ...first.kept, value: 99, days: { ...first.kept.days, closed } } };
    await store.write((writer) => writer.keepReadings([changed]));
    await store.write((writer) => writer.keepReadings([{ ...changed, quantity: "CURRENT_A" }]));

    const page = await store.read((reader) => reader.readings({ withDays: false, limit: 1 }));
    const after = { key: first.element.key, quantity: "CURRENT_A" };
    const rest = await store.read((reader) => reader.readings({ withDays: true, after, quantities: ["POWER_W"] }));
    const named = await store.read((reader) => reader.readings({ withDays: true, keys: ["rack:r1", "device:gone"] }));

    expect(page).toEqual([{ ...changed, quantity: "CURRENT_A", kept: { ...changed.kept, days: first.kept.days } }]);
    expect(rest).toEqual([changed, ...kept.slice(1)]);
    expect(named.map(({ element }) => element.ref)).toEqual(["rack:R1"]);
  });

  test("counts readings by quantity with the times of the oldest and the newest", async () => {
    const store = opened();
    await fill(store);
    expect(await store.read((reader) => reader.readingAges())).toEqual([]);
    const times = (await keepAll(store)).map(({ kept }) => kept.at);
    const ages = { quantity: "POWER_W", count: times.length, oldest: Math.min(...times), newest: Math.max(...times) };
    expect(await store.read((reader) => reader.readingAges())).toEqual([ages as never]);
  });

  test("raises its own revision, and neither the inventory's nor the change log", async () => {
    const store = opened();
    await fill(store);
    const state = () =>
      store.read(async (reader) => [
        await reader.revision(),
        (await reader.chainHead()).seq,
        await reader.readingsRevision(),
      ]);
    const before = await state();

    await keepAll(store);

    expect(await state()).toEqual([before[0] as number, before[1] as number, (before[2] as number) + 1]);
  });

  test("removes readings with their elements, and with ports that a device loses", async () => {
    const store = opened();
    await fill(store);
    await keepAll(store);
    const refs = async () => (await all(store)).map(({ element }) => element.ref);

    await store.write((writer) => writer.put("device", stored({ ...panel, ports: panel.ports?.slice(1) ?? [] })));
    const withoutPort = await refs();
    await store.write((writer) => writer.remove("crac", "c1"));
    await store.write(async (writer) => {
      await writer
        .savepoint(async () => {
          await writer.remove("rack", "r1");
          throw new Error("undone");
        })
        .catch(() => {});
    });
    const withoutUnit = await refs();
    await store.write((writer) => writer.remove("device", "rpp-1"));

    expect(withoutPort).toEqual(["crac:C1", "device:Rpp-1", "port:Rpp-1/Out/2", "rack:R1"]);
    expect(withoutUnit).toEqual(["device:Rpp-1", "port:Rpp-1/Out/2", "rack:R1"]);
    expect(await refs()).toEqual(["rack:R1"]);
  });

  test("removes readings that were measured before a time", async () => {
    const store = opened();
    await fill(store);
    await keepAll(store);

    await store.write((writer) => writer.dropReadings(1_790_000_000_000 + 4));

    expect((await all(store)).map(({ kept }) => kept.at - 1_790_000_000_000).sort()).toEqual([4, 5]);
  });
}
