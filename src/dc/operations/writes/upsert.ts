import type { DescMessage } from "@bufbuild/protobuf";
import { completeCable, completeCrac, completeDevice, completeFabricLink, completeRack } from "#dc/model/defaults.ts";
import { applyRules, type RulePhases, type WarningFinding } from "#dc/model/finding.ts";
import type { SiteReader } from "#dc/model/inventory.ts";
import { codeKey, getResourceKey, getResourceRef, isSamePort, parsePortName } from "#dc/model/ref.ts";
import { formatSiblingPath, joinFieldPath, Refusal, refuse } from "#dc/model/refusal.ts";
import type { Crac, Device, DeviceBody, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { cableRules } from "#dc/model/rules/cable.ts";
import { deviceRules } from "#dc/model/rules/device.ts";
import { fabricLinkRules } from "#dc/model/rules/fabric_link.ts";
import { cracRules, rackRules } from "#dc/model/rules/floor.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { isSameJson } from "#kernel/json_object.ts";
import { getRefName } from "#words/names.ts";
import type { WriteSession } from "../rpc.ts";
import { RESOURCE_SCHEMAS } from "./changes.ts";

export interface UpsertInput<Kind extends ResourceKind> {
  readonly resource: ResourceByKind[Kind];
  /** Request path of the resource, such as `items[7]`; empty without a request. Refusals name fields relative to it. */
  readonly at: string;
  readonly maskPaths: readonly string[];
  /** Required version; empty for any version. */
  readonly etag: string;
}

export interface UpsertResult<Kind extends ResourceKind> {
  readonly stored: StoredVersion<ResourceByKind[Kind]>;
  readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED";
  readonly warnings: readonly WarningFinding[];
}

/**
 * Creates or updates one resource. All single and bulk calls of every kind use this function.
 * @throws Refusal when the version differs or a rule refuses
 */
export async function upsertResource<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  { resource: patch, at, maskPaths, etag }: UpsertInput<Kind>,
): Promise<UpsertResult<Kind>> {
  const { writer, changes, now } = session;
  requireEnds(patch, at);
  const before = await writer.stored(kind, getResourceKey(patch));
  requirePrecondition(etag, before, {
    ref: getResourceRef(kind, patch),
    field: joinFieldPath(at, "code" in patch ? "code" : "a"),
    etagField: formatSiblingPath(at, "etag"),
  });
  requireValidMask(RESOURCE_SCHEMAS[kind], maskPaths, formatSiblingPath(at, "update_mask"));
  const after = await mergeWantedResource(session, kind, patch, before?.resource, maskPaths);
  if (before !== undefined && isSameJson(after, before.resource)) {
    return { stored: before, outcome: "UNCHANGED", warnings: [] };
  }
  const { errors, warnings } = await applyRules(
    RULES_BY_KIND[kind].rules,
    { before: before?.resource, after, now },
    writer,
  );
  const isTurned = "a" in patch && "a" in after && !isSamePort(patch.a, after.a);
  const [first, ...others] = errors.map((found) => ({
    ...found,
    field: joinFieldPath(at, isTurned ? findOtherEndField(found.field) : found.field),
  }));
  if (first !== undefined) throw new Refusal(first, others);
  const stored = await changes.putResource(kind, after, before);
  if (before !== undefined) await updateContents(session, kind, before.resource, after);
  return { stored, outcome: before === undefined ? "CREATED" : "UPDATED", warnings };
}

/** Returns the field of the other end. Ends are stored in sort order, but a refusal names the end as it was sent. */
function findOtherEndField(field: string): string {
  return field.replace(/^[ab]\b/, (end) => (end === "a" ? "b" : "a"));
}

async function mergeWantedResource<Kind extends ResourceKind>(
  { writer }: WriteSession,
  kind: Kind,
  patch: ResourceByKind[Kind],
  before: ResourceByKind[Kind] | undefined,
  maskPaths: readonly string[],
): Promise<ResourceByKind[Kind]> {
  const { clearDerived, fillDefaults } = RULES_BY_KIND[kind];
  const merged =
    before === undefined
      ? patch
      : clearDerived(applyMask(RESOURCE_SCHEMAS[kind], before, patch, maskPaths), before, patch);
  return fillDefaults(merged, writer);
}

/** Rejects an edge without both ends, because they are its identity, and ends with an invalid port name. */
function requireEnds(resource: ResourceByKind[ResourceKind], at: string): void {
  if ("code" in resource) return;
  for (const field of ["a", "b"] as const) {
    const end: { readonly portName: string } | undefined = resource[field];
    if (end === undefined) {
      throw refuse("REQUIRED_FIELD", `End "${field}" is required`, { field: joinFieldPath(at, field) });
    }
    if (end.portName !== "" && parsePortName(end.portName) === undefined) {
      throw refuse("INVALID_CODE", `Cannot read port name "${end.portName}"`, {
        field: joinFieldPath(at, `${field}.port_name`),
        value: end.portName,
      });
    }
  }
}

/** Version with which a request demands that the resource does not exist yet. */
export const NO_VERSION = "none";

/**
 * Checks the version that a request demands.
 * @throws Refusal if another version is stored, or if the resource exists although the request demands that it does not
 */
export function requirePrecondition(
  etag: string,
  stored: { readonly etag: string } | undefined,
  { ref, field, etagField }: { readonly ref: string; readonly field: string; readonly etagField: string },
): void {
  if (etag !== NO_VERSION) requireEtag(etag, stored?.etag, { ref, field: etagField });
  if (etag !== NO_VERSION || stored === undefined) return;
  const value = getRefName(ref);
  const what = ref.slice(0, ref.indexOf(":")).replaceAll("_", " ");
  const message = `There is a ${what} "${value}" already: expected one that is not stored yet`;
  throw refuse("ALREADY_STORED", message, { field, value, expected: "one that is not stored yet", ref });
}

/** Requires that the given version is stored. @throws Refusal ETAG_MISMATCH if another version, or none, is stored */
export function requireEtag(
  demanded: string,
  stored: string | undefined,
  { ref, field }: { readonly ref: string; readonly field: string },
): void {
  if (demanded === "" || demanded === stored) return;
  throw refuse("ETAG_MISMATCH", `"${ref}" was changed by someone else: expected etag "${demanded}"`, {
    field,
    value: stored ?? "",
    expected: demanded,
    ref,
  });
}

/** Updates the contents of a rack or chassis that moved, each with its own log entry. */
async function updateContents<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  before: ResourceByKind[Kind],
  after: ResourceByKind[Kind],
): Promise<void> {
  // `kind` and the resource agree, which the compiler cannot infer.
  if (kind === "rack") await updateRackContents(session, before as Rack, after as Rack);
  if (kind === "device") await updateChassisContents(session, before as Device, after as Device);
}

async function updateRackContents(session: WriteSession, before: Rack, after: Rack): Promise<void> {
  const { location } = after;
  if (isSameJson(before.location, location) || location === undefined) return;
  await moveResources(session, await session.writer.devicesInRack(after.code), (device) => ({ ...device, location }));
  const { siteId, floorNumber } = before.location ?? location;
  for (const crac of await session.writer.cracsOnFloor(siteId, floorNumber)) {
    if (crac.rackCode === undefined || codeKey(crac.rackCode) !== codeKey(after.code)) continue;
    const stored = await session.writer.stored("crac", codeKey(crac.code));
    await session.changes.putResource("crac", { ...crac, location }, stored);
  }
}

async function updateChassisContents(session: WriteSession, before: Device, after: Device): Promise<void> {
  if (before.rackCode === after.rackCode && isSameJson(before.location, after.location)) return;
  const children = await session.writer.childrenOf(after.code);
  await moveResources(session, children, ({ rackCode: _, location: __, ...rest }) => ({
    ...rest,
    ...pickInheritedLocation(after),
  }));
  for (const child of children)
    await updateChassisContents(session, child, { ...child, ...pickInheritedLocation(after) });
}

function pickInheritedLocation({ rackCode, location }: Device): Partial<Device> {
  return { ...(rackCode !== undefined && { rackCode }), ...(location !== undefined && { location }) };
}

async function moveResources(
  { writer, changes }: WriteSession,
  devices: readonly DeviceBody[],
  move: (device: Device) => Device,
): Promise<void> {
  for (const { code } of devices) {
    const stored = await writer.stored("device", codeKey(code));
    if (stored !== undefined) await changes.putResource("device", move(stored.resource), stored);
  }
}

interface KindRules<Resource> {
  /** Clears stored values that were derived from a value which the request changes. */
  readonly clearDerived: (merged: Resource, before: Resource, patch: Resource) => Resource;
  readonly fillDefaults: (resource: Resource, site: SiteReader) => Resource | Promise<Resource>;
  readonly rules: RulePhases<Resource>;
}

const keepUnchanged = <Resource>(merged: Resource): Resource => merged;

const RULES_BY_KIND: { readonly [Kind in ResourceKind]: KindRules<ResourceByKind[Kind]> } = {
  device: { clearDerived: clearDerivedFields, fillDefaults: completeDevice, rules: deviceRules },
  rack: { clearDerived: keepUnchanged, fillDefaults: completeRack, rules: rackRules },
  crac: { clearDerived: clearDerivedLocation, fillDefaults: completeCrac, rules: cracRules },
  cable: { clearDerived: keepUnchanged, fillDefaults: completeCable, rules: cableRules },
  fabric_link: { clearDerived: keepUnchanged, fillDefaults: completeFabricLink, rules: fabricLinkRules },
};

/** Clears a moved device's unrequested rack, location and mount, which are then derived from the new position. */
function clearDerivedFields(merged: Device, before: Device, patch: Device): Device {
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

function clearDerivedLocation(merged: Crac, before: Crac, patch: Crac): Crac {
  // The capacity has no presence in the proto, so an update that omits it sends 0.
  const sensibleCapacityKw = patch.sensibleCapacityKw === 0 ? before.sensibleCapacityKw : merged.sensibleCapacityKw;
  if (merged.rackCode === before.rackCode) return { ...merged, sensibleCapacityKw };
  const { location, ...rest } = merged;
  return { ...rest, sensibleCapacityKw, ...(patch.location !== undefined && { location: patch.location }) };
}

type PlainObject = Record<string, unknown>;

/**
 * Merges a request into the stored resource.
 *
 * An empty mask writes the populated fields: a nested message, list or map replaces the stored one. `*` replaces
 * everything. Other paths write exactly those fields, and clear the ones that the request omits; they may address
 * nested messages (`power.capacity_w`), but not elements of lists and maps. Source: AIP-134; docs/decisions.md#d-13.
 */
export function applyMask<Resource extends object>(
  schema: DescMessage,
  before: Resource,
  patch: Resource,
  paths: readonly string[],
): Resource {
  if (paths.length === 0) return { ...before, ...patch };
  if (paths.includes("*")) return patch;
  const result: PlainObject = structuredClone(before) as PlainObject;
  for (const path of paths) {
    const names = resolveMaskPath(schema, path);
    copyAtPath(result, patch as PlainObject, names);
  }
  return result as Resource;
}

/**
 * Checks the paths of an update mask.
 * @param field path of the mask in the request.
 * @throws Refusal for a path that leads to no field
 */
export function requireValidMask(schema: DescMessage, paths: readonly string[], field: string): void {
  for (const path of paths) if (path !== "*") resolveMaskPath(schema, path, field);
}

function resolveMaskPath(schema: DescMessage, path: string, mask = "update_mask"): readonly string[] {
  const names: string[] = [];
  let at: DescMessage | undefined = schema;
  for (const part of path.split(".")) {
    const field: DescMessage["fields"][number] | undefined = at?.fields.find(
      ({ name, jsonName }) => name === part || jsonName === part,
    );
    if (field === undefined) throw createUnknownPathRefusal(path, mask);
    names.push(field.localName);
    at = field.fieldKind === "message" ? field.message : undefined;
  }
  return names;
}

function createUnknownPathRefusal(path: string, mask: string): Refusal {
  return refuse("UNKNOWN_FIELD", `Cannot find field "${path}" of the update mask`, {
    field: mask,
    value: path,
    expected: "a field of the resource in snake_case",
  });
}

function copyAtPath(target: PlainObject, source: PlainObject, [name = "", ...rest]: readonly string[]): void {
  const value = source[name];
  if (rest.length === 0) {
    if (value === undefined) delete target[name];
    else target[name] = value;
    return;
  }
  const inner = { ...((target[name] as PlainObject | undefined) ?? {}) };
  copyAtPath(inner, (value as PlainObject | undefined) ?? {}, rest);
  if (Object.keys(inner).length === 0) delete target[name];
  else target[name] = inner;
}
