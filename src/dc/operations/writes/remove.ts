import { listSupplyKeys } from "#dc/analysis/power/power_node_table.ts";
import { createRejection, type ErrorFinding } from "#dc/model/finding.ts";
import type { SourceConsumer } from "#dc/model/inventory.ts";
import {
  codeKey,
  formatCableRef,
  formatFabricLinkRef,
  getResourceKey,
  getResourceRef,
  toRefKey,
} from "#dc/model/ref.ts";
import { formatSiblingPath, Refusal, refuse } from "#dc/model/refusal.ts";
import type { Crac, Device, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { WriteSession } from "../rpc.ts";
import { requireEtag } from "./upsert.ts";

export interface RemoveOptions {
  /** Path of the request field that names the resource, such as `codes[3]`; empty for an edge, named by two fields. */
  readonly field: string;
  /** Required version; empty for any version. */
  readonly etag: string;
  readonly cascade: boolean;
  readonly allowMissing: boolean;
}

export interface RemovedResource {
  readonly ref: string;
  /** False if the resource did not exist and the request allowed that. */
  readonly deleted: boolean;
  /** References of other resources that were removed or changed. */
  readonly cascadedRefs: readonly string[];
}

/**
 * Removes one resource, for single and bulk calls of every kind.
 * @param named the resource with at least its identity
 * @throws Refusal not_found, etag_mismatch, or for dependents if `cascade` is not set
 */
export async function removeResource<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  named: ResourceByKind[Kind],
  options: RemoveOptions,
): Promise<RemovedResource> {
  const ref = getResourceRef(kind, named);
  const stored = await session.writer.stored(kind, getResourceKey(named));
  if (stored === undefined) {
    if (options.allowMissing) return { ref, deleted: false, cascadedRefs: [] };
    throw refuse("NOT_FOUND", `Cannot find "${ref}"`, { field: options.field, ref, value: ref });
  }
  requireEtag(options.etag, stored.etag, { ref, field: formatSiblingPath(options.field, "etag") });
  const cascadedRefs: string[] = [];
  const { resource } = stored;
  // `kind` and the resource agree, which the compiler cannot infer.
  if (kind === "device") await removeDeviceParts(session, resource as Device, options, cascadedRefs);
  if (kind === "rack") await removeRackParts(session, resource as Rack, options, cascadedRefs);
  await session.changes.removeResource(kind, resource);
  return { ref: getResourceRef(kind, resource), deleted: true, cascadedRefs };
}

type PartRemovalOptions = Pick<RemoveOptions, "field" | "cascade">;

async function removeDeviceParts(
  session: WriteSession,
  device: Device,
  { field, cascade }: PartRemovalOptions,
  gone: string[],
): Promise<void> {
  const { writer, changes } = session;
  const cables = await writer.cablesOf(device.code);
  const links = await writer.fabricLinksOf(device.code);
  const children = await writer.childrenOf(device.code);
  const consumers = await writer.consumersOf(listSupplyKeys(device));
  if (!cascade) {
    const depends = createDependentReporter(device, field);
    requireNoDependents([
      ...cables.map(({ a, b }) => depends("DEVICE_HAS_CABLES", "cable", formatCableRef(a, b))),
      ...links.map(({ a, b }) => depends("DEVICE_HAS_CABLES", "fabric link", formatFabricLinkRef(a, b))),
      ...children.map(({ code }) => depends("DEVICE_HAS_CHILDREN", "child", `device:${code}`)),
      ...consumers.map(({ kind, code, inlet }) =>
        depends("DEVICE_FEEDS_OTHERS", "consumer", kind === "crac" ? `crac:${code}` : `port:${code}/${inlet}`),
      ),
    ]);
  }
  for (const cable of cables) {
    await changes.removeResource("cable", cable);
    gone.push(formatCableRef(cable.a, cable.b));
  }
  for (const link of links) {
    await changes.removeResource("fabric_link", link);
    gone.push(formatFabricLinkRef(link.a, link.b));
  }
  await disconnectConsumers(session, device, consumers, gone);
  for (const { code } of children) await removeInnerDevice(session, code, gone);
}

async function removeInnerDevice(session: WriteSession, code: string, gone: string[]): Promise<void> {
  const child = await session.writer.device(code);
  if (child === undefined) return;
  await removeDeviceParts(session, child, { field: "", cascade: true }, gone);
  await session.changes.removeResource("device", child);
  gone.push(`device:${child.code}`);
}

/** Clears the consumers' references to a device that is removed. */
async function disconnectConsumers(
  { writer, changes }: WriteSession,
  device: Device,
  consumers: readonly SourceConsumer[],
  gone: string[],
): Promise<void> {
  const supplies = new Set(listSupplyKeys(device));
  const isRemovedSource = (sourceRef: string | undefined) =>
    sourceRef !== undefined && supplies.has(toRefKey(sourceRef));
  for (const code of listConsumerCodes(consumers, "device")) {
    const stored = await writer.stored("device", codeKey(code));
    if (stored === undefined || codeKey(code) === codeKey(device.code)) continue;
    const ports = (stored.resource.ports ?? []).map((port) => {
      if (!isRemovedSource(port.powerIn?.sourceRef)) return port;
      const { sourceRef: _, ...powerIn } = port.powerIn ?? {};
      return { ...port, powerIn };
    });
    await changes.putResource("device", { ...stored.resource, ports }, stored);
    gone.push(`device:${stored.resource.code}`);
  }
  for (const code of listConsumerCodes(consumers, "crac")) {
    const stored = await writer.stored("crac", codeKey(code));
    if (stored === undefined) continue;
    const powerInputs = (stored.resource.powerInputs ?? []).map((input) => {
      if (!isRemovedSource(input.sourceRef)) return input;
      const { sourceRef: _, ...rest } = input;
      return rest;
    });
    await changes.putResource("crac", { ...stored.resource, powerInputs }, stored);
    gone.push(`crac:${stored.resource.code}`);
  }
}

function listConsumerCodes(consumers: readonly SourceConsumer[], kind: SourceConsumer["kind"]): ReadonlySet<string> {
  return new Set(consumers.filter((consumer) => consumer.kind === kind).map(({ code }) => code));
}

async function removeRackParts(
  session: WriteSession,
  rack: Rack,
  { field, cascade }: PartRemovalOptions,
  gone: string[],
): Promise<void> {
  const { writer, changes } = session;
  const devices = await writer.devicesInRack(rack.code);
  const cracs = await readCracsOfRack(session, rack);
  if (!cascade) {
    requireNoDependents([
      ...devices.map(({ code }) => createContentFinding(rack, field, `device:${code}`)),
      ...cracs.map(({ code }) => createContentFinding(rack, field, `crac:${code}`)),
    ]);
  }
  for (const { code } of devices) await removeInnerDevice(session, code, gone);
  for (const crac of cracs) {
    gone.push(`crac:${crac.code}`);
    if (crac.rackCode !== undefined && codeKey(crac.rackCode) === codeKey(rack.code))
      await changes.removeResource("crac", crac);
    else
      await changes.putResource(
        "crac",
        removeRackFromScope(crac, rack),
        await writer.stored("crac", codeKey(crac.code)),
      );
  }
}

/** Reads cooling units inside a rack, or with the rack in their scope. */
async function readCracsOfRack({ writer }: WriteSession, rack: Rack): Promise<readonly Crac[]> {
  if (rack.location === undefined) return [];
  const all = await writer.cracsOnFloor(rack.location.siteId, rack.location.floorNumber);
  const own = `rack:${codeKey(rack.code)}`;
  return all.filter(
    ({ rackCode = "", serves = [] }) =>
      codeKey(rackCode) === codeKey(rack.code) || serves.some((scope) => scope.toLowerCase() === own),
  );
}

function removeRackFromScope(crac: Crac, rack: Rack): Crac {
  const own = `rack:${codeKey(rack.code)}`;
  return { ...crac, serves: (crac.serves ?? []).filter((scope) => scope.toLowerCase() !== own) };
}

type DependenceReason = "DEVICE_HAS_CABLES" | "DEVICE_HAS_CHILDREN" | "DEVICE_FEEDS_OTHERS";

function createDependentReporter(device: Device, field: string) {
  return (reason: DependenceReason, what: string, ref: string): ErrorFinding =>
    createRejection(reason, field, `Device "${device.code}" has ${what} "${ref}"`, {
      value: ref,
      expected: "nothing that depends on it, or cascade",
      ref,
    });
}

function createContentFinding(rack: Rack, field: string, ref: string): ErrorFinding {
  return createRejection("RACK_NOT_EMPTY", field, `Rack "${rack.code}" holds "${ref}"`, {
    value: ref,
    expected: "an empty rack, or cascade",
    ref,
  });
}

function requireNoDependents([first, ...others]: readonly ErrorFinding[]): void {
  if (first !== undefined) throw new Refusal(first, others);
}
