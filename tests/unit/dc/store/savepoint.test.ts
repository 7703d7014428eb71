import { expect, test } from "bun:test";
import { stored } from "../../../support/dc/stored.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../../../support/dc/stores.ts";

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
