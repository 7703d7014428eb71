import { completeCable, completeCrac, completeDevice, completeFabricLink, completeRack } from "#dc/model/defaults.ts";
import type { Crac, Device, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { RulePhases } from "#dc/model/rule.ts";
import { cableRules } from "#dc/model/rules/cable.ts";
import { cracRules } from "#dc/model/rules/crac.ts";
import { deviceRules } from "#dc/model/rules/device.ts";
import { fabricLinkRules } from "#dc/model/rules/fabric_link.ts";
import { rackRules } from "#dc/model/rules/rack.ts";
import type { SiteReader } from "#dc/model/site.ts";

/** The parts of an upsert that differ by kind of resource. */
export interface KindRules<Resource> {
  /** Drops stored values that were derived from something which the request changes. */
  readonly forget: (merged: Resource, before: Resource, patch: Resource) => Resource;
  readonly complete: (resource: Resource, site: SiteReader) => Resource | Promise<Resource>;
  readonly rules: RulePhases<Resource>;
}

const keep = <Resource>(merged: Resource): Resource => merged;

export const KINDS: { readonly [Kind in ResourceKind]: KindRules<ResourceByKind[Kind]> } = {
  device: { forget: forgetDerived, complete: completeDevice, rules: deviceRules },
  rack: { forget: keep, complete: completeRack, rules: rackRules },
  crac: { forget: forgetPlace, complete: completeCrac, rules: cracRules },
  cable: { forget: keep, complete: completeCable, rules: cableRules },
  fabric_link: { forget: keep, complete: completeFabricLink, rules: fabricLinkRules },
};

/**
 * Clears rack, location and mount of a device that moves, so that the new position sets them, unless the request does.
 */
function forgetDerived(merged: Device, before: Device, patch: Device): Device {
  const otherParent = merged.parentDeviceCode !== before.parentDeviceCode;
  const otherRack = merged.rackCode !== before.rackCode;
  if (!(otherParent || otherRack)) return merged;
  const { location, mount, rackCode, ...rest } = merged;
  const keepsRack = rackCode !== undefined && !(otherParent && patch.rackCode === undefined && !otherRack);
  const keepsMount = patch.mount !== undefined || (mount !== "UNRACKED" && mount !== "BAY");
  return {
    ...rest,
    ...(patch.location !== undefined && { location: patch.location }),
    ...(keepsMount && mount !== undefined && { mount }),
    ...(keepsRack && { rackCode }),
  };
}

function forgetPlace(merged: Crac, before: Crac, patch: Crac): Crac {
  // The capacity has no presence in the proto, so an update that leaves it out sends 0.
  const sensibleCapacityKw = patch.sensibleCapacityKw === 0 ? before.sensibleCapacityKw : merged.sensibleCapacityKw;
  if (merged.rackCode === before.rackCode) return { ...merged, sensibleCapacityKw };
  const { location, ...rest } = merged;
  return { ...rest, sensibleCapacityKw, ...(patch.location !== undefined && { location: patch.location }) };
}
