import { expect, test } from "bun:test";
import { getResourceKey } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { putAll, stored } from "../../../support/dc/stored.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../../../support/dc/stores.ts";

const ports = (code: string): Device => ({
  code,
  kind: "SWITCH",
  ports: [{ name: "p", kind: "NETWORK", type: "lc" }],
});
const CABLE = { a: { deviceCode: "A", portName: "p" }, b: { deviceCode: "B", portName: "p" } };

for (const [name, open] of [
  ["SQLite", openTemporarySqlite],
  ["PostgreSQL", openTemporaryPostgres],
] as const) {
  test(`ports on ${name} are taken by a cable of a later transaction and free again without it`, async () => {
    const store = await open();
    const free = async () => {
      const filter = { portType: "lc", hasFreePort: true };
      const query = { filter, order: "code", descending: false, limit: 10 } as const;
      return (await store.read((reader) => reader.searchDevices(query))).devices.map(({ resource }) => resource.code);
    };
    await store.write((writer) => putAll(writer, "device", [ports("A"), ports("B"), ports("C")]));

    const seen = [await free()];
    await store.write((writer) => writer.put("cable", stored(CABLE)));
    seen.push(await free());
    await store.write((writer) => writer.remove("cable", getResourceKey(CABLE)));
    seen.push(await free());

    expect(seen).toEqual([["A", "B", "C"], ["C"], ["A", "B", "C"]]);
    await store.close();
  });
}

const cableTo = (other: string) => ({
  a: { deviceCode: "A", portName: "x" },
  b: { deviceCode: other, portName: "y" },
});

for (const [name, open] of [
  ["SQLite", openTemporarySqlite],
  ["PostgreSQL", openTemporaryPostgres],
] as const) {
  test(`a savepoint on ${name} is undone with its reason although its rows do not fit together`, async () => {
    const store = await open();
    const work = store.write(async (writer) => {
      await writer.preloadResources("cable", [cableTo("B"), cableTo("C")]);
      await writer.savepoint(async () => {
        await writer.put("cable", stored(cableTo("B")));
        // The same port once more, which no database takes; both rows may still be buffered.
        await writer.put("cable", stored(cableTo("C")));
        throw new Error("mine");
      });
    });

    await expect(work).rejects.toThrow("mine");
    await store.close();
  });
}
