import { expect, test } from "bun:test";
import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { CablePath } from "#dc/analysis/cabling/supply_trace.ts";
import { formatPort } from "#dc/model/ref.ts";
import type { Cable, Device, PortRef } from "#dc/model/resources.ts";
import { FibreModel, type ModelPath } from "../../support/dc/fibre_model.ts";
import { type FibreWorld, fibreWorld } from "../../support/dc/fibre_world.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { putAll } from "../../support/dc/stored.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

/** Seeds of inventories on which the product and the model once differed. */
const KEPT: readonly number[] = [1000, 1001, 1002, 1003, 1150, 1153, 2021, 2099];
const seedsOf = (count: number) => [...KEPT, ...Array.from({ length: count }, (_, index) => 2000 + index)];
/** The model walks every strand of glass by itself, which takes far longer than a trace. */
const MODEL_SEEDS = seedsOf(LAW_INVENTORIES);
const SEEDS = seedsOf(5 * LAW_INVENTORIES);

type Ask = (at: string, followSplits: boolean) => Promise<readonly CablePath[]>;

async function withTraces<T>(world: FibreWorld, run: (ask: Ask) => Promise<T>): Promise<T> {
  const store = openMemory();
  await store.write(async (writer) => {
    await putAll(writer, "device", world.devices);
    await putAll(writer, "cable", world.cables);
  });
  return store.read((reader) =>
    run((at, followSplits) => traceCable(end(at), reader, { stopAtPower: true, followSplits, maxHops: 128 })),
  );
}

function end(text: string): PortRef {
  const [deviceCode = "", portName = ""] = text.split("/");
  return { deviceCode, portName };
}

function portsOf({ devices }: FibreWorld, isEnd: boolean): readonly string[] {
  return devices.flatMap(({ code, ports = [] }) =>
    ports.filter(({ kind }) => (kind === "NETWORK") === isEnd).map(({ name }) => `${code}/${name}`),
  );
}

/** A path as the model writes it. */
function plain(path: CablePath): ModelPath {
  const { origin, destination, status } = path;
  const last = path.hops.at(-1);
  const open =
    status === "COMPLETE" ? "" : `-${last?.device.code}/${last?.outPort === "" ? last.inPort : last?.outPort}`;
  return { status, ends: [formatPort(origin), destination === undefined ? open : formatPort(destination)].toSorted() };
}

const sorted = (paths: readonly ModelPath[]) =>
  paths.map(({ status, ends }) => `${status} ${ends.join(" ")}`).toSorted();
const statusAndEnds = ({ status, ends }: ModelPath) =>
  `${status} ${ends.filter((one) => !one.startsWith("-")).join(" ")}`;

/** Asks about every port of every generated site. */
async function everyPort(
  { isEnd, seeds = SEEDS }: { readonly isEnd: boolean; readonly seeds?: readonly number[] },
  check: (asked: {
    readonly world: FibreWorld;
    readonly ask: Ask;
    readonly port: string;
    readonly say: string;
  }) => Promise<void>,
): Promise<void> {
  for (const seed of seeds) {
    const world = fibreWorld(new SeededRandom(seed));
    await withTraces(world, async (ask) => {
      for (const port of portsOf(world, isEnd)) await check({ world, ask, port, say: `seed ${seed}, port ${port}` });
    });
  }
}

test("every end port leads where the strands of glass in its connector lead", async () => {
  await everyPort({ isEnd: true, seeds: MODEL_SEEDS }, async ({ world, ask, port, say }) => {
    const model = new FibreModel(world);
    const whole = model.answer(port, false);
    const each = model.answer(port, true);
    if (whole !== undefined) {
      expect([say, ...(await ask(port, false)).map(plain).map(statusAndEnds)]).toEqual([
        say,
        ...whole.map(statusAndEnds),
      ]);
    }
    if (each !== undefined)
      expect([say, ...sorted((await ask(port, true)).map(plain))]).toEqual([say, ...sorted(each)]);
  });
}, 600_000);

test("a path is complete from one end exactly if it is from the other, over the same hops", async () => {
  await everyPort({ isEnd: true }, async ({ world, ask, port, say }) => {
    for (const follow of [false, true]) {
      for (const path of await ask(port, follow)) {
        expect(brokenIn(path, world)).toBeUndefined();
        if (path.status !== "COMPLETE" || path.destination === undefined || isLoopback(path)) continue;
        const back = await ask(formatPort(path.destination), follow);
        const same = back.filter((one) => formatPort(one.destination ?? one.origin) === formatPort(path.origin));
        expect([say, ...same.map(({ status }) => status)]).toEqual([say, "COMPLETE"]);
        expect([say, hopsOf(same[0])]).toEqual([say, hopsOf(path).toReversed().map(turned)]);
        expect(same[0]).toMatchObject({ active: path.active, totalLengthM: path.totalLengthM });
      }
    }
  });
}, 600_000);

test("a port in the middle joins the ends that its fibres have", async () => {
  await everyPort({ isEnd: false }, async ({ world, ask, port, say }) => {
    const every = (await ask(port, true)).filter(({ status }) => status === "COMPLETE");
    const pairs = every.map(pair);
    expect([say, new Set(pairs).size]).toEqual([say, pairs.length]);
    for (const path of every) {
      const ends = await Promise.all(
        [path.origin, path.destination ?? path.origin].map((at) => ask(formatPort(at), true)),
      );
      expect([say, ...ends.map((paths) => paths.map(pair).includes(pair(path)))]).toEqual([say, true, true]);
    }
    for (const known of await passing(port, world, ask)) {
      expect([say, every.map(cabledPair).includes(known)]).toEqual([say, true]);
    }
    for (const path of await ask(port, false)) {
      expect(brokenIn(path, world)).toBeUndefined();
      if (path.status !== "COMPLETE") continue;
      const [other] = await ask(formatPort(path.origin), false);
      expect([say, other?.status, other && pair(other)]).toEqual([say, "COMPLETE", pair(path)]);
    }
  });
}, 600_000);

const passings = new WeakMap<FibreWorld, Map<string, Set<string>>>();

/** The ends of the complete paths that pass a port, found from the ends. */
async function passing(port: string, world: FibreWorld, ask: Ask): Promise<ReadonlySet<string>> {
  const known = passings.get(world) ?? (await passingsOf(world, ask));
  passings.set(world, known);
  return known.get(port) ?? new Set();
}

async function passingsOf(world: FibreWorld, ask: Ask): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  const paths = (await Promise.all(portsOf(world, true).map((end) => ask(end, true)))).flat();
  for (const path of paths.filter(({ status }) => status === "COMPLETE")) {
    for (const at of path.segments.flatMap(({ from, to }) => [formatPort(from), formatPort(to)])) {
      found.set(at, (found.get(at) ?? new Set()).add(cabledPair(path)));
    }
  }
  return found;
}

/** The two ports that hold the first and the last cable of a path. */
function cabledPair({ segments }: CablePath): string {
  const [first, last] = [segments[0], segments.at(-1)];
  return [first?.from, last?.to]
    .map((at) => (at === undefined ? "" : formatPort(at)))
    .toSorted()
    .join(" ");
}

/** A path between channels of one port is the same from both, so it may be listed in either direction. */
function isLoopback(path: CablePath): boolean {
  const [one, other] = cabledPair(path).split(" ");
  return one === other;
}

const pair = ({ origin, destination }: CablePath) =>
  [origin, destination ?? origin].map(formatPort).toSorted().join(" ");
const hopsOf = (path: CablePath | undefined) =>
  (path?.hops ?? []).map(({ device, inPort, outPort }) => [device.code, inPort, outPort] as const);
const turned = ([code, inPort, outPort]: readonly [string, string, string]) => [code, outPort, inPort] as const;

/** The first part of a path that the site does not have, if any. */
function brokenIn({ segments }: CablePath, { devices, cables }: FibreWorld): string | undefined {
  for (const [index, { from, to, cable }] of segments.entries()) {
    const before = segments[index - 1];
    if (before !== undefined && formatPort(before.to) !== formatPort(from)) return `gap before ${formatPort(from)}`;
    const isThere = cable === undefined ? isMapped(devices, from, to) : isCabled(cables, from, to);
    if (!isThere) return `${formatPort(from)} to ${formatPort(to)}`;
  }
  return undefined;
}

function isCabled(cables: readonly Cable[], from: PortRef, to: PortRef): boolean {
  const ends = [from, to].map(formatPort).toSorted().join(" ");
  return cables.some(({ a, b }) => [a, b].map(formatPort).toSorted().join(" ") === ends);
}

function isMapped(devices: readonly Device[], from: PortRef, to: PortRef): boolean {
  const ports = devices.find(({ code }) => code === from.deviceCode)?.ports ?? [];
  return [
    [from, to],
    [to, from],
  ].some(([front, rear]) =>
    ports.find(({ name }) => name === front?.portName)?.mappings?.some(({ rearPort }) => rearPort === rear?.portName),
  );
}
