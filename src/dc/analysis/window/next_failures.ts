import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import { elementsOf } from "../rehearsal/elements.ts";
import type { Element } from "../rehearsal/outcome.ts";
import { type SiteTrials, siteTrials } from "../rehearsal/site_failures.ts";
import type { Topology } from "../topology.ts";
import type { Acceptance } from "./acceptance.ts";
import { type Harm, harmBeyond, harmOf, racksIn } from "./harm.ts";
import type { Outage, WindowSite } from "./outage.ts";

/** A single failure that takes more during a window than the window and the failure apart. */
export interface NextFailure {
  readonly index: number;
  /** What it takes beyond both. */
  readonly harm: Harm;
  /** Keys of the racks that it takes: dark, short of cooling, or with a switch that is cut off. */
  readonly racks: ReadonlySet<string>;
  /** Whether it trips something, or darkens a device in a rack that the window does not touch. */
  readonly spreads: boolean;
}

/** What accepted losses leave of a window's own harm, and the outage that does it. */
interface During {
  readonly outage: Outage;
  readonly harm: Harm;
  readonly accepted: Acceptance;
}

export interface NextFailures {
  /** The most racks first. */
  readonly failures: readonly NextFailure[];
  /** Elements that were failed beside the window. */
  readonly tried: number;
}

/**
 * Fails every other element of a site together with the elements of a window.
 *
 * An element whose supply is not connected to that of the window adds nothing, unless both affect cooling or fabrics.
 * Cost: about that of the elements' failures, in the islands of supply of the window, or of the whole site.
 */
export function* nextFailures(window: WindowSite, during: During): Steps<NextFailures> {
  const { topology, site } = window.ground;
  const { outage } = during;
  const trials = yield* siteTrials(site, window.options);
  const trying = { window, outage, site: trials };
  const isNear = nearness(trials, outage, topology);
  const own = [...outage.covered].map((index): Element => ({ index, kind: "POWER" }));
  const found: NextFailure[] = [];
  let tried = 0;
  for (const element of elementsOf(topology)) {
    // What is off, or has no power, fails no more.
    if (outage.off.has(element.index) || outage.blast.live[element.index] !== 1 || !isNear(element.index)) continue;
    tried += 1;
    const both = failed(trying, [...own, element], true);
    yield;
    if (harmBeyond(both, [during.harm]) === undefined) continue;
    const alone = failed(trying, [element], false);
    const harm = harmBeyond(during.accepted.left(both), [during.harm, alone]);
    if (harm !== undefined) found.push(judged(topology, outage, element.index, harm));
    yield;
  }
  const refOf = ({ index }: NextFailure) => topology.power.nodes[index]?.ref ?? "";
  found.sort((a, b) => b.racks.size - a.racks.size || compareText(refOf(a), refOf(b)));
  return { failures: found, tried };
}

interface Trying {
  readonly window: WindowSite;
  readonly outage: Outage;
  readonly site: SiteTrials;
}

/** @param isDuring whether the elements of the window are among them */
function failed({ window, outage, site: { trials } }: Trying, elements: readonly Element[], isDuring: boolean): Harm {
  const outcome = trials.fail(elements);
  const off = new Set(outcome.offline);
  for (const { index } of elements) off.add(index);
  const effects = window.effectsOf(off, isDuring);
  const covered = isDuring ? outage.covered : NOTHING;
  return harmOf(window.ground.topology, covered, { ...outcome, ...effects });
}

const NOTHING: ReadonlySet<number> = new Set();

/** Which elements may take more together with a window. */
function nearness({ island }: SiteTrials, outage: Outage, { power }: Topology): (index: number) => boolean {
  const hasWideEffects =
    outage.fabric.links.length > 0 || [...outage.off].some((index) => power.nodes[index]?.kind === "CRAC");
  const islands = new Set([...outage.covered].map((index) => island[index]));
  return (index) => hasWideEffects || islands.has(island[index]);
}

function judged(topology: Topology, { blast, covered }: Outage, index: number, harm: Harm): NextFailure {
  const { nodes } = topology.power;
  const rackOf = (at: number): string | undefined => {
    const node = nodes[at];
    const code = node?.kind === "DEVICE" ? node.device.rackCode : undefined;
    return code === undefined ? undefined : codeKey(code);
  };
  const racks = new Set(harm.racks);
  for (const at of harm.cutOff) {
    const key = rackOf(at);
    if (key !== undefined) racks.add(key);
  }
  for (const { ref } of harm.short.values()) for (const { code } of racksIn(topology, ref)) racks.add(codeKey(code));
  const degraded = new Set(blast.hits.filter(({ state }) => state === "DEGRADED").map((hit) => hit.index));
  const touched = new Set([...blast.racks.keys(), ...[...covered].map(rackOf)]);
  const isElsewhere = (at: number) => {
    const key = rackOf(at);
    return key !== undefined && !degraded.has(at) && !touched.has(key);
  };
  return { index, harm, racks, spreads: harm.trips.size > 0 || [...harm.off].some(isElsewhere) };
}
