import { isLocatedIn } from "#dc/analysis/location_scope.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { FAILURE_SEVERITIES, type FailureSeverity } from "#dc/model/enum_values.ts";
import { formatRef, parseRef, type Ref } from "#dc/model/ref.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { NoticeBody, RiskKind } from "#dc/operations/notices/notice.ts";

/** A receiver of notices, and the conditions for notices that it gets. */
export interface Receiver {
  readonly name: string;
  readonly minSeverity: FailureSeverity;
  readonly kinds: ReadonlySet<RiskKind>;
  /** Sites, floors, rooms, rows, zones or racks; an empty list includes everything. */
  readonly places: readonly Ref[];
}

/** Whether a receiver gets a notice: type and severity match, and an element is in a location of the receiver. */
export function isNoticeReceivedBy(
  receiver: Receiver,
  { type, severity, elements }: NoticeBody,
  topology: Topology,
): boolean {
  const [kind] = type.split(".");
  if (![...receiver.kinds].some((one) => one === kind)) return false;
  if (FAILURE_SEVERITIES.indexOf(severity) < FAILURE_SEVERITIES.indexOf(receiver.minSeverity)) return false;
  if (receiver.places.length === 0) return true;
  return receiver.places.some((place) => elements.some((ref) => isElementInLocation(topology, ref, place)));
}

function isElementInLocation(topology: Topology, text: string, place: Ref): boolean {
  const ref = parseRef(text);
  const isDeviceIn = (code: string) => isDeviceInLocation(topology, code, place);
  switch (ref?.kind) {
    case "rack": {
      const rack = topology.rack(ref.code);
      return rack !== undefined && isLocatedIn({ ...rack, rackCode: rack.code }, place);
    }
    case "crac": {
      const unit = topology.crac(ref.code);
      return unit !== undefined && isLocatedIn(unit, place);
    }
    case "device":
      return isDeviceIn(ref.code);
    case "port":
      return isDeviceIn(ref.end.deviceCode);
    case "feed":
      return isDeviceIn(findFeedOwnerCode(topology, text));
    case "cable":
    case "fabric_link":
      return isDeviceIn(ref.a.deviceCode) || isDeviceIn(ref.b.deviceCode);
    default:
      return ref !== undefined && isLocationWithin(ref, place);
  }
}

/**
 * Whether a location equals another location, or is on that floor or site. A room does not include the rows and zones
 * in it, because references do not name their room.
 */
function isLocationWithin(ref: Ref, place: Ref): boolean {
  const [inner, outer] = [ref, place].map((one) => formatRef(one).toLowerCase());
  if (inner === outer) return true;
  const isWide = place.kind === "site" || place.kind === "floor";
  return isWide && omitRefKind(inner ?? "").startsWith(`${omitRefKind(outer ?? "")}/`);
}

const omitRefKind = (text: string) => text.slice(text.indexOf(":") + 1);

function isDeviceInLocation(topology: Topology, code: string, place: Ref): boolean {
  const device = topology.device(code);
  if (device === undefined) return false;
  const rack = device.rackCode === undefined ? undefined : topology.rack(device.rackCode);
  return isLocatedIn({ ...rack, ...device }, place);
}

/** Returns the code of the device that declares a feed; empty for an undeclared feed. */
function findFeedOwnerCode({ power }: Topology, text: string): string {
  const ref = parseRef(power.nodes[power.indexOf.get(toRefKey(text)) ?? -1]?.ref ?? "");
  return ref?.kind === "port" ? ref.end.deviceCode : "";
}
