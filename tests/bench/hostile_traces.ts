import { type TraceOptions, traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import { type CabledWorld, host, numbers, panel, portAt, storeWorld } from "../support/dc/cabled_world.ts";
import { openTemporarySqlite } from "../support/dc/stores.ts";

// Processor time of traces through cabling that makes them as dear as possible. Prints a line per port.

interface World extends CabledWorld {
  readonly asked: readonly string[];
}

/** Many fibres through many couplers in a row. */
function couplers(count: number, fibres: number): World {
  const hosts = numbers(fibres).flatMap((at) => [host(`X${at}`), host(`Y${at}`)]);
  return {
    devices: [panel("A", fibres), panel("B", fibres), ...numbers(count).map((at) => panel(`C${at}`, 1)), ...hosts],
    joined: [
      ["A/R", "C1/F1"],
      ...numbers(count - 1).map((at) => [`C${at}/R`, `C${at + 1}/F1`] as const),
      [`C${count}/R`, "B/R"],
      ...numbers(fibres).flatMap((at) => [[`A/F${at}`, `X${at}/if`] as const, [`B/F${at}`, `Y${at}/if`] as const]),
    ],
    asked: ["X1/if", "A/R", `C${count / 2}/F1`],
  };
}

/** Many fibres into a loop that stacks one more position at each turn. */
function stacking(fibres: number): World {
  return {
    devices: [panel("T", fibres), panel("L", fibres + 1), host("H")],
    joined: [["L/R", "L/F1"], ["H/if", "T/R"], ...numbers(fibres).map((at) => [`T/F${at}`, `L/F${at + 1}`] as const)],
    asked: ["H/if", "T/R", "L/R"],
  };
}

/** Trunks nested in one another. */
function nested(depth: number, fronts: number): World {
  const free = numbers(depth).flatMap((at) => numbers(fronts - 1).map((front) => [at, front + 1] as const));
  return {
    devices: [
      host("H"),
      ...numbers(depth).map((at) => panel(`P${at}`, fronts)),
      ...free.map(([at, front]) => host(`X${at}-${front}`)),
    ],
    joined: [
      ["H/if", "P1/R"],
      ...numbers(depth - 1).map((at) => [`P${at}/F1`, `P${at + 1}/R`] as const),
      ...free.map(([at, front]) => [`P${at}/F${front}`, `X${at}-${front}/if`] as const),
    ],
    asked: ["H/if", "P1/R", `P${depth / 2}/F1`],
  };
}

/** Devices with two inlets in a row, then devices with one. */
function doubling(levels: number, rest: number): World {
  const supplied = (at: number, inlets: number): Device => ({
    code: `D${at}`,
    kind: "RACK_PDU",
    ports: [
      ...numbers(inlets).map((inlet): Port => {
        return { name: `in${inlet}`, kind: "POWER_IN", powerIn: { sourceRef: `port:D${at + 1}/o${inlet}` } };
      }),
      { name: "o1", kind: "POWER_OUT" },
      { name: "o2", kind: "POWER_OUT" },
    ],
  });
  const inlets = (at: number) => (at <= levels ? 2 : at < levels + rest ? 1 : 0);
  return { devices: numbers(levels + rest).map((at) => supplied(at, inlets(at))), joined: [], asked: ["D1/in1"] };
}

const CASES = {
  couplers: couplers(500, 1024),
  stacking: stacking(1023),
  nested: nested(250, 8),
  doubling: doubling(12, 490),
};

for (const [name, world] of Object.entries(CASES)) {
  const store = await openTemporarySqlite();
  await storeWorld(store, world);
  await store.read(async (reader) => {
    for (const at of world.asked) {
      const options: TraceOptions = { stopAtPower: false, followSplits: true, maxHops: 512 };
      const before = process.cpuUsage();
      const paths = await traceCable(portAt(at), reader, options);
      const { user, system } = process.cpuUsage(before);
      const hops = paths.reduce((sum, path) => sum + path.hops.length, 0);
      process.stdout.write(
        `${name} ${at}: ${Math.round((user + system) / 1000)} ms, ${paths.length} paths, ${hops} devices\n`,
      );
    }
  });
  await store.close();
}
