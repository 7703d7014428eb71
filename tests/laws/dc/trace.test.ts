import { expect, test } from "bun:test";
import fc from "fast-check";
import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import { formatPort, orderCableEnds } from "#dc/model/ref.ts";
import type { Cable, Device, PortRef } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { host, panel } from "../../support/dc/cabled_world.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { putAll } from "../../support/dc/stored.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const HOSTS = ["H1", "H2", "H3", "H4"];
const OPTIONS = { stopAtPower: true, followSplits: false, maxHops: 64 };

interface World {
  readonly devices: readonly Device[];
  readonly cables: readonly Cable[];
}

const portsOf = ({ code, ports = [] }: Device): readonly PortRef[] =>
  ports.map(({ name }) => ({ deviceCode: code, portName: name }));

const positions = fc.array(fc.constantFrom(1, 2, 3), { maxLength: 6 });

/** Hosts and panels, joined at random; a trunk of several positions only leads to one of as many. */
const world: fc.Arbitrary<World> = positions.chain((counts) => {
  const hosts = HOSTS.map(host);
  const panels = counts.map((count, index) => panel(`P${index}`, count));
  const isTrunk = ({ deviceCode, portName }: PortRef) =>
    portName === "R" && (panels.find(({ code }) => code === deviceCode)?.ports?.length ?? 0) > 2;
  const all = [...hosts, ...panels].flatMap(portsOf);
  const groups = [
    all.filter((port) => !isTrunk(port)),
    ...[2, 3].map((count) =>
      all.filter(
        (port) => isTrunk(port) && panels.find(({ code }) => code === port.deviceCode)?.ports?.length === count + 1,
      ),
    ),
  ];
  return fc
    .tuple(...groups.map((group) => fc.shuffledSubarray(group, { minLength: 0, maxLength: group.length })))
    .map((picked) => ({ devices: [...hosts, ...panels], cables: picked.flatMap(pairs) }));
});

function pairs(ports: readonly PortRef[]): readonly Cable[] {
  return ports.flatMap((one, index) => {
    const other = ports[index + 1];
    if (index % 2 === 1 || other === undefined) return [];
    const [a, b] = orderCableEnds(one, other);
    return [{ a, b, status: "CONNECTED" as const, lengthM: 1 + index }];
  });
}

/** Runs a check on drawn worlds for the port of every host. */
async function checkHosts(check: (start: PortRef, reader: DcReader) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(world, async ({ devices, cables }) => {
      const store = openMemory();
      await store.write(async (writer) => {
        await putAll(writer, "device", devices);
        await putAll(writer, "cable", cables);
      });
      await store.read(async (reader) => {
        for (const deviceCode of HOSTS) await check({ deviceCode, portName: "if" }, reader);
      });
    }),
    { numRuns: LAW_RUNS },
  );
}

test("a trace from A ends at B exactly when a trace from B ends at A, over the same cables", () =>
  checkHosts(async (start, reader) => {
    const [there] = await traceCable(start, reader, OPTIONS);
    if (there?.status !== "COMPLETE" || there.destination === undefined) return;
    const [back] = await traceCable(there.destination, reader, OPTIONS);

    expect(back?.status).toBe("COMPLETE");
    expect(back?.destination).toEqual(start);
    expect(back?.totalLengthM).toBe(there.totalLengthM);
    expect(back?.hops.map(({ device }) => device.code)).toEqual(
      there.hops.map(({ device }) => device.code).toReversed(),
    );
  }));

test("a trace from a port in the middle joins the same two ends as one from its end", () =>
  checkHosts(async (start, reader) => {
    const [path] = await traceCable(start, reader, OPTIONS);
    const front = path?.segments.flatMap(({ to }) => (to.portName.startsWith("F") ? [to] : []))[0];
    if (path?.status !== "COMPLETE" || path.destination === undefined || front === undefined) return;
    const [middle] = await traceCable(front, reader, OPTIONS);

    const ends = [path.origin, path.destination].map(formatPort).toSorted();
    expect(
      [middle?.origin, middle?.destination].map((end) => (end === undefined ? "" : formatPort(end))).toSorted(),
    ).toEqual(ends);
  }));
