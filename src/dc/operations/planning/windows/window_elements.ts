import { codeKey } from "#dc/model/code.ts";
import type { Ref } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { formatEdgeKey } from "#dc/model/resource_key.ts";
import type { Location } from "#dc/model/resources.ts";
import type { DcReader, DeviceFilter } from "#dc/ports.ts";
import { FAILING_REF_KINDS, type RequestedRef } from "../../answers/failing_sources.ts";
import { readRef } from "../../answers/parameters.ts";

/** Kinds of references that accept the loss of an element, and the prefix that accepts the loss of a role. */
export const ACCEPTED_KINDS = ["device", "rack", "crac", "row", "room", "zone", "floor", "site"] as const;
export const ROLE_PREFIX = "role:";

/** Checks the references of a window. @throws Refusal for the first with an unsupported kind or a missing element */
export async function requireStoredElements(reader: DcReader, refs: readonly RequestedRef[]): Promise<void> {
  for (const { field, text } of refs)
    if (!(await isRefStored(reader, readRef(field, text, FAILING_REF_KINDS))))
      throw createMissingRefRefusal(field, text);
}

/** Checks accepted losses. @throws Refusal for the first with an unsupported kind or a missing element */
export async function requireStoredLosses(reader: DcReader, refs: readonly RequestedRef[]): Promise<void> {
  for (const { field, text } of refs) {
    const isThere = text.startsWith(ROLE_PREFIX)
      ? await hasDevice(reader, { roles: [text.slice(ROLE_PREFIX.length)] })
      : await isRefStored(reader, readRef(field, text, ACCEPTED_KINDS));
    if (!isThere) throw createMissingRefRefusal(field, text);
  }
}

export function createMissingRefRefusal(field: string, text: string) {
  return refuse("NOT_FOUND", `Cannot find ${field} "${text}"`, { field, value: text, ref: text });
}

async function isRefStored(reader: DcReader, ref: Ref): Promise<boolean> {
  switch (ref.kind) {
    case "device":
    case "rack":
    case "crac":
      return (await reader.stored(ref.kind, codeKey(ref.code))) !== undefined;
    case "fabric_link":
    case "cable":
      return (await reader.stored(ref.kind, formatEdgeKey(ref.a, ref.b))) !== undefined;
    case "feed":
      // A feed whose source is outside of the inventory has only consumers.
      return (
        (await reader.feedDeclarer(ref.code)) !== undefined ||
        (await reader.consumersOf([`feed:${ref.code}`])).length > 0
      );
    case "port": {
      const device = await reader.device(ref.end.deviceCode);
      return device?.ports?.some(({ name }) => name === ref.end.portName) === true;
    }
    case "site":
      return hasDevice(reader, { siteIds: [ref.site] }, async () => {
        const { floors } = await reader.inventoryCounts();
        return floors.some(({ siteId }) => codeKey(siteId) === codeKey(ref.site));
      });
    case "floor":
    case "room":
    case "row":
    case "zone":
      return isLocationStored(reader, ref);
    default:
      return false;
  }
}

type LocationRef = Extract<Ref, { readonly kind: "floor" | "room" | "row" | "zone" }>;

/** Whether a rack, a cooling unit or a device has the location. For a zone, devices do not count. */
async function isLocationStored(reader: DcReader, ref: LocationRef): Promise<boolean> {
  const { site: siteId, floor: floorNumber } = ref;
  const getAreaName = (location: Location) =>
    ref.kind === "room" ? location.room : ref.kind === "row" ? location.row : location.zoneId;
  const holds = ({ location }: { readonly location?: Location }) =>
    location !== undefined && (ref.kind === "floor" || codeKey(getAreaName(location) ?? "") === codeKey(ref.name));
  if ((await reader.racksOnFloor(siteId, floorNumber)).some(holds)) return true;
  if ((await reader.cracsOnFloor(siteId, floorNumber)).some(holds)) return true;
  if (ref.kind === "floor") return hasDevice(reader, { floors: [{ siteId, floorNumber }] });
  if (ref.kind === "zone") return false;
  return hasDevice(reader, { [`${ref.kind}s`]: [{ siteId, floorNumber, name: ref.name }] });
}

async function hasDevice(
  reader: DcReader,
  filter: DeviceFilter,
  otherwise: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  const { total } = await reader.searchDevices({ filter, order: "code", descending: false, limit: 1 });
  return total > 0 || otherwise();
}
