import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { isPowerKind } from "#dc/model/draw.ts";
import { agreeingSites } from "../../support/dc/agreeing_sites.ts";
import type { WalkedSite } from "../../support/dc/walked_site.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// What CheckWindow says is lost, and what one more failure takes, is what PowerBlastRadius says of the same elements, asked one by
// one. A window of 80 days outlasts every battery, one of a second none.

const WINDOWS_PER_SITE = 4;
const FAILURES_PER_WINDOW = 25;
const LENGTHS = [
  { ms: 80 * 24 * 3_600_000, assume_battery: false },
  { ms: 1000, assume_battery: true },
];

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** A site's rows, and what can be out of service. */
interface Known {
  readonly site: WalkedSite;
  readonly devices: ReadonlyMap<string, Json>;
  readonly failing: readonly string[];
  readonly elements: readonly string[];
}

async function knownOf(site: WalkedSite): Promise<Known> {
  const refs = async (kind: string) => (await site.rows(kind)).map(({ ref }: Json) => ref as string);
  const devices = new Map<string, Json>((await site.rows("DEVICE")).map((row: Json) => [row.name, row]));
  const failing = [...(await refs("SUPPLY")), ...(await refs("CRAC"))];
  const others = [
    ...(await refs("RACK")),
    ...(await refs("FABRIC_LINK")),
    ...[...devices.values()].map(({ ref }) => ref),
  ];
  return { site, devices, failing, elements: [...failing, ...others] };
}

/** `gone` has everything that is off, power equipment too. */
type Harm = Readonly<Record<"gone" | "lost" | "racks" | "cracs" | "cut" | "short" | "trips", readonly string[]>>;

/** What a failure loses, by names: power equipment counts by what it supplies. */
async function harmOf({ site, devices }: Known, refs: readonly string[], assume_battery: boolean): Promise<Harm> {
  const [source_ref = "", ...additional_source_refs] = refs;
  const reply = await site.call("PowerBlastRadius", {
    source_ref,
    additional_source_refs,
    cascade: true,
    assume_battery,
    max_items: 10_000,
  });
  const affected: readonly Json[] = reply.affected ?? [];
  const codes = (kind: string, state: string) =>
    affected
      .filter((item) => item.kind === `ITEM_KIND_${kind}` && item.state === `IMPACT_STATE_${state}`)
      .map(({ code }) => code);
  const lost = codes("DEVICE", "OFFLINE").filter((code) => !isPowerKind(devices.get(code)?.texts.kind));
  return {
    gone: [...codes("DEVICE", "OFFLINE"), ...codes("CRAC", "OFFLINE"), ...darkIn(reply)],
    lost,
    racks: codes("RACK", "DARK"),
    cracs: codes("CRAC", "OFFLINE"),
    cut: reply.switches_cut_off ?? [],
    short: (reply.zones ?? []).filter(({ short }: Json) => short).map(({ ref }: Json) => ref),
    trips: (reply.cascade_steps ?? []).flatMap(({ trips = [] }: Json) => trips.map(({ ref }: Json) => ref)),
  };
}

/** Outlets and feeds without power, by what follows their kind. */
function darkIn({ edges = [] }: Json): readonly string[] {
  const dark = edges.filter(({ live }: Json) => live !== true).map(({ from_ref: ref }: Json) => ref as string);
  return dark.map((ref: string) => ref.slice(ref.indexOf(":") + 1));
}

/** Codes of the devices whose loss is the work itself. */
function coveredBy({ devices }: Known, refs: readonly string[]): ReadonlySet<string> {
  const inside = [...devices.values()].filter(
    ({ ref, texts }) =>
      refs.includes(ref) || refs.includes(`rack:${texts.rack}`) || refs.includes(`device:${texts.inside}`),
  );
  return new Set([...inside.map(({ name }) => name), ...refs.map((ref) => ref.slice(ref.indexOf(":") + 1))]);
}

/** Blades are taken out with their chassis. */
function bladesIn({ devices }: Known, refs: readonly string[]): readonly string[] {
  return [...devices.values()].flatMap(({ ref, texts }) => (refs.includes(`device:${texts.inside}`) ? [ref] : []));
}

/** Without what the work covers. A rack is lost if a device in it is that the work does not cover. */
function uncovered({ devices }: Known, harm: Harm, covered: ReadonlySet<string>): Harm {
  const lost = harm.lost.filter((code) => !covered.has(code));
  return {
    ...harm,
    lost,
    racks: harm.racks.filter((rack) => lost.some((code) => devices.get(code)?.texts.rack === rack)),
    cracs: harm.cracs.filter((code) => !covered.has(code)),
    cut: harm.cut.filter((code) => !covered.has(code)),
  };
}

function beyond(both: Harm, known: readonly Harm[]): Json {
  const left = (part: keyof Harm) =>
    [...new Set(both[part])].filter((name) => !known.some((harm) => harm[part].includes(name)));
  return {
    devices_lost: [...left("lost"), ...left("cracs")].toSorted(),
    racks_dark: left("racks").toSorted(),
    switches_cut_off: left("cut").toSorted(),
    areas_short: left("short").toSorted(),
    trips: left("trips").toSorted(),
  };
}

function shown(failure: Json): Json {
  const sorted = (name: string) => ((failure?.[name] ?? []) as string[]).toSorted();
  return Object.fromEntries(
    ["devices_lost", "racks_dark", "switches_cut_off", "areas_short", "trips"].map((name) => [name, sorted(name)]),
  );
}

const LOST = ["RACK_LOST", "DEVICE_LOST", "COOLING_UNIT_LOST", "SWITCH_CUT_OFF", "TRIP"];

function lostRefs({ lost, racks, cracs, cut, trips }: Harm): readonly string[] {
  const of = (kind: string, codes: readonly string[]) => codes.map((code) => `${kind}:${code}`);
  return [
    ...of("device", lost),
    ...of("rack", racks),
    ...of("crac", cracs),
    ...of("device", cut).map((ref) => `${ref} cut off`),
    ...trips,
  ].toSorted();
}

/** A window that is drawn: its elements, and how long it is. */
interface Drawn {
  readonly say: string;
  readonly refs: readonly string[];
  readonly ms: number;
  readonly assume_battery: boolean;
}

function drawWindow({ site, failing, elements }: Known, random: SeededRandom, at: number): Drawn {
  const length = LENGTHS[at % LENGTHS.length] as (typeof LENGTHS)[number];
  const list = at % 2 === 0 ? failing : elements;
  const refs = [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(list)))];
  return { ...length, refs, say: `${site.name}, ${refs.join(" ")}, ${length.ms} ms` };
}

/** The verdict on elements for some time. */
function check({ site }: Known, refs: readonly string[], ms: number, more: JsonObject = {}): Promise<Json> {
  const starts = Date.now() + 3_600_000;
  return site.call("CheckWindow", {
    element_refs: [...refs],
    starts_at: new Date(starts).toISOString(),
    ends_at: new Date(starts + ms).toISOString(),
    max_items: 1000,
    ...more,
  });
}

const VERDICTS = ["GO", "GO_WITH_RISK", "UNKNOWN", "NO_GO"].map((word) => `WINDOW_VERDICT_${word}`);
const rank = ({ verdict }: Json) => VERDICTS.indexOf(verdict);

/** L2: more that is accepted is never worse, and a longer time never better. L4: what is out already adds no harm. */
async function compareMore(known: Known, random: SeededRandom, { say, refs, ms }: Drawn, reply: Json): Promise<void> {
  const lost = namedLosses(reply).filter((ref) => /^(device|rack|crac):[^ ]+$/.test(ref));
  if (lost.length > 0 && lost.length <= 200)
    expect([say, rank(await check(known, refs, ms, { accepted_refs: lost })) <= rank(reply)]).toEqual([say, true]);
  const [long, short] = LENGTHS.map((length) => length.ms);
  if (ms === short && long !== undefined) {
    const longer = rank(await check(known, refs, long));
    const worse = (reply.reasons ?? []).filter((reason: Json) => rank(reason) > longer);
    // A battery that carries nothing else is a risk, and no loss once it is empty.
    expect([say, worse.filter(({ kind }: Json) => !kind.endsWith("ON_BATTERY"))]).toEqual([say, []]);
  }
  const devices = lost.filter((ref) => known.devices.has(ref.slice("device:".length)));
  if (devices.length === 0) return;
  const more = random.pick(devices);
  const left = namedLosses(await check(known, [...refs, more], ms));
  // What a trip takes may be saved by taking it out before; no further device or supply is lost with it.
  const added = left.filter((ref) => !namedLosses(reply).includes(ref) && !ref.startsWith("rack:"));
  expect([say, more, added]).toEqual([say, more, []]);
}

/** Compares one window. @returns the failures that were compared */
async function compare(known: Known, random: SeededRandom, drawn: Drawn): Promise<number> {
  const { say, refs, ms, assume_battery } = drawn;
  const reply = await check(known, refs, ms);
  await compareMore(known, random, drawn, reply);
  const covered = coveredBy(known, refs);
  const out = [...refs, ...bladesIn(known, refs)];
  const own = uncovered(known, await harmOf(known, out, assume_battery), covered);
  expect([say, namedLosses(reply)]).toEqual([say, lostRefs(own)]);
  if (lostRefs(own).length + own.short.length > 0) expect([say, reply.verdict]).toEqual([say, "WINDOW_VERDICT_NO_GO"]);
  const listed = new Map<string, Json>((reply.next_failures ?? []).map((failure: Json) => [failure.ref, failure]));
  const picked = Array.from({ length: FAILURES_PER_WINDOW }, () => random.pick(known.failing));
  const tried = new Set([...[...listed.keys()].slice(0, FAILURES_PER_WINDOW), ...picked]);
  // What is off already fails no more.
  const off = new Set([...covered, ...own.gone]);
  const others = [...tried].filter((ref) => !refs.includes(ref) && !off.has(ref.slice(ref.indexOf(":") + 1)));
  for (const ref of others) {
    const both = uncovered(known, await harmOf(known, [...out, ref], assume_battery), covered);
    const alone = await harmOf(known, [ref], assume_battery);
    expect([say, ref, shown(listed.get(ref))]).toEqual([say, ref, beyond(both, [own, alone])]);
  }
  return others.length;
}

function namedLosses({ reasons = [] }: Json): readonly string[] {
  const lost = reasons.filter(({ kind }: Json) => LOST.includes(kind.slice("WINDOW_REASON_KIND_".length)));
  return lost.map(({ kind, ref }: Json) => (kind.endsWith("SWITCH_CUT_OFF") ? `${ref} cut off` : ref)).toSorted();
}

test("a window and one more failure take what a blast radius of the same elements says", async () => {
  let [compared, windows] = [0, 0];
  for await (const site of agreeingSites()) {
    const known = await knownOf(site);
    const random = new SeededRandom(known.elements.length);
    for (let at = 0; at < WINDOWS_PER_SITE && known.failing.length > 0; at += 1) {
      compared += await compare(known, random, drawWindow(known, random, at));
      windows += 1;
    }
  }
  process.stdout.write(`L1, L2, L4: ${windows} windows, ${compared} further failures asked one by one\n`);
  expect(compared).toBeGreaterThan(300);
}, 3_600_000);
