import { codeKey } from "#dc/model/code.ts";
import type { Device, DeviceBody, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { canonicalJson } from "#kernel/canonical_json.ts";
import type { WriteSession } from "../rpc.ts";

/** Updates the contents of a rack or chassis that moved, each with its own log entry. */
export async function followUp<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  before: ResourceByKind[Kind],
  after: ResourceByKind[Kind],
): Promise<void> {
  // The kinds differ by the word, which the compiler cannot follow.
  if (kind === "rack") await rackMoved(session, before as Rack, after as Rack);
  if (kind === "device") await chassisMoved(session, before as Device, after as Device);
}

async function rackMoved(session: WriteSession, before: Rack, after: Rack): Promise<void> {
  const { location } = after;
  if (equal(before.location, location) || location === undefined) return;
  await move(session, await session.writer.devicesInRack(after.code), (device) => ({ ...device, location }));
  const { siteId, floorNumber } = before.location ?? location;
  for (const crac of await session.writer.cracsOnFloor(siteId, floorNumber)) {
    if (crac.rackCode === undefined || codeKey(crac.rackCode) !== codeKey(after.code)) continue;
    const stored = await session.writer.stored("crac", codeKey(crac.code));
    await session.changes.put("crac", { ...crac, location }, stored);
  }
}

async function chassisMoved(session: WriteSession, before: Device, after: Device): Promise<void> {
  if (before.rackCode === after.rackCode && equal(before.location, after.location)) return;
  const children = await session.writer.childrenOf(after.code);
  await move(session, children, ({ rackCode: _, location: __, ...rest }) => ({ ...rest, ...placeOf(after) }));
  for (const child of children) await chassisMoved(session, child, { ...child, ...placeOf(after) });
}

function placeOf({ rackCode, location }: Device): Partial<Device> {
  return { ...(rackCode !== undefined && { rackCode }), ...(location !== undefined && { location }) };
}

async function move(
  { writer, changes }: WriteSession,
  devices: readonly DeviceBody[],
  moved: (device: Device) => Device,
): Promise<void> {
  for (const { code } of devices) {
    const stored = await writer.stored("device", codeKey(code));
    if (stored !== undefined) await changes.put("device", moved(stored.resource), stored);
  }
}

function equal(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
