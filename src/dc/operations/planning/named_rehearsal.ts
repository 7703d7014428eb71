import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { EffectLedger } from "#dc/analysis/rehearsal/charge.ts";
import { CoolingAndFabricEffects } from "#dc/analysis/rehearsal/further_effects.ts";
import { groupFailuresIntoLines, joinPartLines } from "#dc/analysis/rehearsal/lines.ts";
import { type ElementSelection, listNamedElements } from "#dc/analysis/rehearsal/named_elements.ts";
import { type Failure, listOutcomeOffNodes } from "#dc/analysis/rehearsal/outcome.ts";
import { type Rehearsal, selectWorstFailure } from "#dc/analysis/rehearsal/rehearse.ts";
import { prepareTrials } from "#dc/analysis/rehearsal/site_failures.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { FailureKind } from "#dc/model/enum_values.ts";
import type { Ref } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Cable } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { isActiveDataCable, readHostPaths } from "../answers/data_paths.ts";
import { NetworkTracer } from "../answers/network_tracer.ts";
import { readResourcePages } from "../database_pages.ts";
import type { ReadSession } from "../rpc.ts";

/** A rehearsal of the kinds of elements that a request names. Some kinds fail only if they are named. */
export interface NamedKindsQuestion {
  readonly options: BlastOptions;
  readonly kinds: ReadonlySet<FailureKind>;
  readonly scope: Ref | undefined;
}

/** Maximum number of elements of one request. Source: docs/rehearsal.md#elements. */
const MAX_ELEMENTS = 20_000;

/**
 * Rehearses the failure of elements of named kinds, each as PowerBlastRadius judges it. Results are not cached for the
 * next revision of the inventory. Cost: the failures, and the affected cables if parts of networks or locations fail.
 */
export async function rehearseNamedKinds(
  { reader, scheduler }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  { options, kinds, scope }: NamedKindsQuestion,
): Promise<Rehearsal> {
  const tracer = await NetworkTracer.create({ topology, reader, scheduler });
  const hostPaths = await readHostPaths({ topology, reader, scheduler });
  const { basis } = options;
  const effects = new CoolingAndFabricEffects(topology, { deviceOf: tracer.findDevice, basis, hostPaths });
  const links = effects.fabrics.listLinks(effects.fabrics.listLinkNumbers(() => true));
  const cables = kinds.has("CABLE") ? await readDataCables(reader, topology) : [];
  const { site, elements } = listNamedElements(topology, { kinds, scope, links, cables });
  requireMaxElementCount(elements.length);
  const { trials } = await scheduler.run(prepareTrials(site, options));
  const failures: Failure[] = [];
  for (const { element, network } of elements) {
    await scheduler.yieldIfDue();
    const outcome = trials.tryFailure([element]);
    failures.push(
      network === undefined ? effects.addEffects(outcome) : await addNetworkLoss({ effects, tracer }, outcome, network),
    );
  }
  const charged = await scheduler.run(new EffectLedger(site.power).chargeFailures(failures));
  const lines = await scheduler.run(groupFailuresIntoLines(topology, charged, options.basis));
  return {
    lines: await scheduler.run(joinPartLines([lines])),
    elements: elements.length,
    pairs: 0,
    harmless: charged.filter(({ own, smallerFailures }) => own === undefined && smallerFailures.length === 0).length,
    fabrics: effects.fabrics,
    worst: selectWorstFailure(failures, effects.fabrics),
    followed: { effects, groups: new Map() },
  };
}

type ElementNetwork = NonNullable<ElementSelection["elements"][number]["network"]>;

async function addNetworkLoss(
  { effects, tracer }: { readonly effects: CoolingAndFabricEffects; readonly tracer: NetworkTracer },
  outcome: Parameters<CoolingAndFabricEffects["addEffects"]>[0],
  network: ElementNetwork,
): Promise<Failure> {
  const cut = await tracer.findCutLinks(effects.fabrics, network);
  const off = listOutcomeOffNodes(outcome);
  const { cutOff } = effects.fabrics.computeFabricLoss(off, cut);
  const isolated = await tracer.findIsolatedDevices({ off, cutOff, ports: network.networkPorts });
  return effects.addEffectsWithNetwork(outcome, { cut, isolated });
}

/** Reads the connected data cables. Omits cables with a power port, because their failure is that of the inlet. */
async function readDataCables(reader: DcReader, topology: Topology): Promise<readonly Cable[]> {
  const found: Cable[] = [];
  const isPowerPort = ({ deviceCode, portName }: Cable["a"]) =>
    topology.device(deviceCode)?.ports?.some(({ name }) => name === portName) === true;
  for await (const page of readResourcePages(reader, "cable")) {
    found.push(...page.filter((cable) => isActiveDataCable(cable) && !isPowerPort(cable.a) && !isPowerPort(cable.b)));
  }
  return found;
}

/** Limits the number of elements. @throws Refusal for more elements than one request may fail */
function requireMaxElementCount(elements: number): void {
  if (elements <= MAX_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot fail ${elements} elements`, {
    field: "kinds",
    value: elements,
    expected: `at most ${MAX_ELEMENTS} elements: a smaller scope_ref, or fewer kinds`,
  });
}
