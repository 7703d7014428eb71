import type { DevicePreview as DeviceChange } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { RackMoment } from "../racks/rack_facts.ts";
import type { DraftTopology, Topology } from "../topology.ts";
import { type CoolingChange, listCoolingChanges } from "./cooling.ts";
import { countSupplyEffects, type EffectCounts, listDeviceChanges } from "./devices.ts";
import { type FindingChanges, FindingComparison } from "./findings.ts";
import { listRackChanges, type RackChange } from "./racks.ts";
import { listSupplyChanges, type SupplyChange } from "./supplies.ts";

export interface Preview {
  readonly supplies: readonly SupplyChange[];
  readonly racks: readonly RackChange[];
  readonly cooling: readonly CoolingChange[];
  readonly devices: readonly DeviceChange[];
  readonly counts: EffectCounts;
  readonly findings: FindingChanges;
}

/**
 * Compares an inventory before and after changes. Both states are computed with the functions of the read calls, so the
 * figures agree with theirs. The topology before is not modified.
 *
 * Cost: O(nodes), and the affected losses, racks and areas.
 */
export function* computePreview(before: Topology, draft: DraftTopology, moment: RackMoment): Steps<Preview> {
  const { topology: after } = draft;
  const findings = new FindingComparison();
  const supplies = yield* listSupplyChanges(before, after, moment.basis);
  const devices = listDeviceChanges(before, after);
  yield;
  const racks = yield* listRackChanges(before, draft, moment, findings);
  const cooling = yield* listCoolingChanges(before, after, moment.basis, findings);
  return { supplies, racks, cooling, devices, counts: countSupplyEffects(devices), findings: findings.listChanges() };
}
