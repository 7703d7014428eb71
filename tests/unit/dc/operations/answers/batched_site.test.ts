import { expect, test } from "bun:test";
import { type TraceSite, traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import { BatchedSite } from "#dc/operations/answers/data_paths.ts";
import { ams1Store } from "../../../../support/dc/ams1_inventory.ts";

/** A reader whose `devices` is another; everything else is the reader's own. */
function withDevices<Reader extends object>(reader: Reader, devices: unknown): Reader {
  return new Proxy(reader, {
    get(target, name) {
      if (name === "devices") return devices;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

const OPTIONS = { stopAtPower: false, followSplits: true, maxHops: 64 };

test("many traces at once over a BatchedSite are those made one by one", async () => {
  const store = await ams1Store();

  await store.read(async (reader) => {
    const { devices } = await reader.inventory();
    const ends = devices
      .slice(0, 60)
      .flatMap(({ code, ports = [] }) => ports.slice(0, 4).map(({ name }) => ({ deviceCode: code, portName: name })));
    const over = (site: TraceSite) => ends.map((end) => traceCable(end, site, OPTIONS));
    let asked = 0;
    const devicesCounted = (codes: readonly string[]) => {
      asked += 1;
      return reader.devices(codes);
    };
    const counting = withDevices(reader, devicesCounted);

    const alone = await Promise.all(over(reader));
    const together = await Promise.all(over(new BatchedSite(counting)));

    expect(together).toEqual(alone);
    expect(alone.flat().some(({ status }) => status === "COMPLETE")).toBe(true);
    expect(asked).toBeLessThan(20);
  });
});

test("a look-up that fails fails the traces that asked for it", async () => {
  const store = await ams1Store();

  await store.read(async (reader) => {
    const broken = withDevices(reader, async () => Promise.reject(new Error("gone")));
    const site = new BatchedSite(broken);

    const both = await Promise.allSettled([site.device("A"), site.device("B")]);

    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
