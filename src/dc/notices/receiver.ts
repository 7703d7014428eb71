import { isLocatedIn } from "#dc/analysis/location_scope.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { FAILURE_SEVERITIES, type FailureSeverity } from "#dc/model/enum_values.ts";
import { formatRef, parseRef, type Ref } from "#dc/model/ref.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { NoticeBody, RiskKind } from "#dc/operations/notices/notice.ts";

/** Who gets which notices. */
export interface Receiver {
  readonly name: string;
  readonly minSeverity: FailureSeverity;
  readonly kinds: ReadonlySet<RiskKind>;
  /** Sites, floors, rooms, rows, zones or racks; everything if empty. */
  readonly places: readonly Ref[];
}

/** Whether a receiver gets a notice about a risk: one of its elements is in one of the receiver's places. */
export function isFor(receiver: Receiver, { type, severity, elements }: NoticeBody, topology: Topology): boolean {
  const [kind] = type.split(".");
  if (![...receiver.kinds].some((one) => one === kind)) return false;
  if (FAILURE_SEVERITIES.indexOf(severity) < FAILURE_SEVERITIES.indexOf(receiver.minSeverity)) return false;
  if (receiver.places.length === 0) return true;
  return receiver.places.some((place) => elements.some((ref) => isWithin(topology, ref, place)));
}

function isWithin(topology: Topology, text: string, place: Ref): boolean {
  const ref = parseRef(text);
  if (ref === undefined) return false;
  switch (ref.kind) {
    case "rack": {
      const rack = topology.rack(ref.code);
      return rack !== undefined && isLocatedIn({ ...rack, rackCode: rack.code }, place);
    }
    case "crac": {
      const unit = topology.crac(ref.code);
      return unit !== undefined && isLocatedIn(unit, place);
    }
    case "device":
    case "port":
    case "feed":
      return isDeviceWithin(topology, ref, place);
    default:
      // A place: within another one if its reference begins with that one's.
      return `${formatRef(ref)}/`
        .replace(/^\w+:/, "")
        .toLowerCase()
        .startsWith(`${bare(place)}/`);
  }
}

function bare(place: Ref): string {
  return formatRef(place).replace(/^\w+:/, "").toLowerCase();
}

function isDeviceWithin(topology: Topology, ref: Ref, place: Ref): boolean {
  const { power } = topology;
  const node = power.nodes[power.indexOf.get(refKey(formatRef(ref))) ?? -1];
  const code = ref.kind === "port" ? ref.end.deviceCode : ref.kind === "device" ? ref.code : portOwner(node?.ref ?? "");
  const device = topology.device(code);
  if (device === undefined) return false;
  const rack = device.rackCode === undefined ? undefined : topology.rack(device.rackCode);
  return isLocatedIn({ ...rack, ...device }, place);
}

/** The device of a feed's outlet; empty for an undeclared feed. */
function portOwner(text: string): string {
  const ref = parseRef(text);
  return ref?.kind === "port" ? ref.end.deviceCode : "";
}
