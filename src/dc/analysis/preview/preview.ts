import type { DevicePreview as DeviceChange } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { RackMoment } from "../racks/rack_facts.ts";
import type { Drafted, Topology } from "../topology.ts";
import { type CoolingChange, coolingChanges } from "./cooling.ts";
import { deviceChanges, type EffectCounts, effectCounts } from "./devices.ts";
import { type FindingChanges, FindingDifference } from "./findings.ts";
import { type RackChange, rackChanges } from "./racks.ts";
import { type SupplyChange, supplyChanges } from "./supplies.ts";

export interface Preview {
  readonly supplies: readonly SupplyChange[];
  readonly racks: readonly RackChange[];
  readonly cooling: readonly CoolingChange[];
  readonly devices: readonly DeviceChange[];
  readonly counts: EffectCounts;
  readonly findings: FindingChanges;
}

/**
 * Compares an inventory with the same after changes. Both sides are asked what the reads ask, so that the figures are
 * theirs; the topology from before is left as it is.
 *
 * Cost: O(nodes), and what the changes reach: loads after single losses, racks, areas.
 */
export function* previewSteps(before: Topology, draft: Drafted, moment: RackMoment): Steps<Preview> {
  const { topology: after } = draft;
  const findings = new FindingDifference();
  const supplies = yield* supplyChanges(before, after, moment.basis);
  const devices = deviceChanges(before, after);
  yield;
  const racks = yield* rackChanges(before, draft, moment, findings);
  const cooling = yield* coolingChanges(before, after, moment.basis, findings);
  return { supplies, racks, cooling, devices, counts: effectCounts(devices), findings: findings.changes() };
}
