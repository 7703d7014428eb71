import { codeKey, getResourceKey, getResourceRef, parseRef, REF_GRAMMAR, type Ref, toRefKey } from "#dc/model/ref.ts";
import { Refusal, refuse } from "#dc/model/refusal.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { type BulkReply, type FloorPlanRequest, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { type InventoryChange, PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { type PreviewChangesResponse, PreviewChangesResponseSchema } from "#gen/datacenter/v1/preview_pb.ts";
import { computePreview, type Preview } from "../../analysis/preview/preview.ts";
import type { Topology } from "../../analysis/topology.ts";
import { DEFAULT_PREVIEW_ITEMS, DEFAULT_READING_AGE_S, MAX_PREVIEW_ITEMS } from "../../limits.ts";
import { computeDayNumber, computePeakFigures, DAY_MS } from "../../model/readings/reading_store.ts";
import { readCount, readLoadBasis } from "../answers/parameters.ts";
import { readChangedPart } from "../answers/topology.ts";
import { convertToMessage, limitListFields } from "../messages/convert.ts";
import { definePreview, defineWrite, type ReadSession, type WriteSession } from "../rpc.ts";
import { applyBulkItems, type BulkItem, requireBatchSize } from "../writes/bulk.ts";
import {
  type CodedKind,
  createResourceWithCode,
  groupDependants,
  parseBulkItem,
  reviewLoadsOfRefs,
  upsertBulkItem,
} from "../writes/mutations.ts";
import { type RemoveOptions, removeResource } from "../writes/remove.ts";
import { putDeviceType, readRequestedDeviceType, removeDeviceType } from "./device_types.ts";
import { putWindow, removeWindow } from "./windows/put_window.ts";

export const applyChanges = defineWrite({
  method: PlanningService.method.applyChanges,
  effect: "write",
  run: (session, { changes }) => applyInventoryChanges(session, changes, { atomic: true }),
});

/** Applies changes of any kind. @param atomic whether one failed change undoes all others */
async function applyInventoryChanges(
  session: WriteSession,
  changes: readonly InventoryChange[],
  { atomic }: { readonly atomic: boolean },
): Promise<BulkReply> {
  requireBatchSize("changes", changes.length);
  const first = await mapRemovedDependants(session, changes);
  const items = changes.map((change, index): BulkItem => {
    const item = createBulkItem(session, change, `changes[${index}]`);
    return { ...item, needs: first.get(item.key) ?? [] };
  });
  return applyBulkItems(session, items, { atomic, review: (refs) => reviewLoadsOfRefs(session, refs) });
}

/** Maps each removed device, by its key, to the removed devices that depend on it: dependants are removed first. */
async function mapRemovedDependants(
  session: WriteSession,
  changes: readonly InventoryChange[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const removed = changes.flatMap(({ write }) => {
    const ref = write.case === "deleteRef" ? parseRef(write.value) : undefined;
    return ref?.kind === "device" ? [ref.code] : [];
  });
  if (removed.length < 2) return new Map();
  const dependants = await groupDependants(session, "device", removed);
  return new Map([...dependants].map(([key, codes]) => [`device:${key}`, codes.map((code) => `device:${code}`)]));
}

/** Converts one change to a bulk item. Changes apply in the request's order, except for removals of devices. */
function createBulkItem(session: WriteSession, change: InventoryChange, at: string): BulkItem {
  const { case: writeCase, value } = change.write;
  const misplaced = findMisplacedFieldRefusal(change, at);
  if (misplaced !== undefined) return createFailingItem(at, misplaced);
  switch (writeCase) {
    case "deleteRef":
      return createRemovalItem(session, value, {
        etag: change.etag,
        cascade: change.cascade,
        field: `${at}.delete_ref`,
      });
    case "deviceType": {
      const field = `${at}.device_type`;
      return createWholeItem(field, `device_type:${value.code}`, () =>
        putDeviceType(session, readRequestedDeviceType(value, field), { etag: change.etag, at: field }),
      );
    }
    case "window": {
      const field = `${at}.window`;
      const { updateMask, etag } = change;
      return createWholeItem(field, `window:${value.code}`, () =>
        putWindow(session, { window: value, updateMask, etag, at: field }),
      );
    }
    case undefined:
      return createFailingItem(
        at,
        refuse("REQUIRED_FIELD", `Change "${at}" is empty: expected a resource or delete_ref`, {
          field: at,
          expected: "a resource or delete_ref",
        }),
      );
    default:
      return createUpsertItem(session, writeCase === "fabricLink" ? "fabric_link" : writeCase, {
        change,
        message: value,
        at,
      });
  }
}

/** Returns the refusal of a field that applies only to another kind of change; undefined without such a field. */
function findMisplacedFieldRefusal({ write, updateMask, cascade }: InventoryChange, at: string): Refusal | undefined {
  const paths = updateMask?.paths ?? [];
  if (write.case === "deleteRef" && paths.length > 0)
    return createMisplacedFieldRefusal(`${at}.update_mask`, "none with delete_ref");
  if (write.case === "deviceType" && paths.some((path) => path !== "*"))
    return createMisplacedFieldRefusal(`${at}.update_mask`, "none or *, since a device type is replaced as a whole");
  return cascade && write.case !== "deleteRef"
    ? createMisplacedFieldRefusal(`${at}.cascade`, "delete_ref beside it")
    : undefined;
}

function createMisplacedFieldRefusal(field: string, expected: string): Refusal {
  return refuse("FIELD_OUT_OF_RANGE", `Cannot take "${field}"`, { field, expected });
}

interface RequestedChange {
  readonly change: InventoryChange;
  readonly message: object;
  /** Path of the change in the request, such as `changes[3]`. */
  readonly at: string;
}

function createUpsertItem(
  session: WriteSession,
  kind: ResourceKind,
  { change, message, at }: RequestedChange,
): BulkItem {
  const field = `${at}.${kind}`;
  const resource = parseBulkItem(kind, message, field);
  if (resource instanceof Refusal) return createFailingItem(field, resource);
  const hasIdentity = "code" in resource || (resource.a !== undefined && resource.b !== undefined);
  const ref = hasIdentity ? getResourceRef(kind, resource as never) : "";
  return {
    field,
    code: ref,
    key: hasIdentity ? `${kind}:${getResourceKey(resource)}` : field,
    ...RESOURCE_ITEM,
    apply: () => {
      const maskPaths = change.updateMask?.paths ?? [];
      return upsertBulkItem(session, kind, { resource, at: field, maskPaths, etag: change.etag });
    },
  };
}

/** Builds the item of a device type or a window. */
function createWholeItem(
  field: string,
  ref: string,
  put: () => Promise<{ readonly outcome: keyof typeof Outcome; readonly stored: { readonly etag: string } }>,
): BulkItem {
  return {
    field,
    code: ref,
    key: toRefKey(ref),
    ...RESOURCE_ITEM,
    apply: async () => {
      const { outcome, stored } = await put();
      return { outcome: Outcome[outcome], etag: stored.etag, warnings: [] };
    },
  };
}

const RESOURCE_ITEM = { name: "Resource", needs: [] } as const;

const REMOVABLE_KINDS = ["rack", "device", "crac", "cable", "fabric_link", "device_type", "window"] as const;

function createRemovalItem(
  session: WriteSession,
  text: string,
  how: Pick<RemoveOptions, "etag" | "cascade" | "field">,
): BulkItem {
  const ref = parseRef(text);
  const kind = REMOVABLE_KINDS.find((one) => one === ref?.kind);
  if (ref === undefined || kind === undefined) {
    const expected = REMOVABLE_KINDS.map((one) => REF_GRAMMAR[one]).join(", ");
    const message = `Cannot remove "${text}": expected ${expected}`;
    return createFailingItem(how.field, refuse("INVALID_REF", message, { field: how.field, value: text, expected }));
  }
  return {
    field: how.field,
    code: text,
    key: toRefKey(text),
    ...RESOURCE_ITEM,
    apply: async () => {
      const cascadedRefs = await removeByRef(session, kind, ref, how);
      return { outcome: Outcome.DELETED, etag: "", warnings: [], cascadedRefs };
    },
  };
}

/** Removes the resource that a reference names. @returns references of other resources that were removed or changed */
async function removeByRef(
  session: WriteSession,
  kind: (typeof REMOVABLE_KINDS)[number],
  ref: Ref,
  how: Pick<RemoveOptions, "etag" | "cascade" | "field">,
): Promise<readonly string[]> {
  const options = { ...how, allowMissing: false };
  if (ref.kind === "device_type") {
    await removeDeviceType(session, ref.code, how);
    return [];
  }
  if (ref.kind === "window") {
    await removeWindow(session, { ...how, code: ref.code });
    return [];
  }
  // `kind` and `ref` agree, which the compiler cannot infer.
  const named =
    "code" in ref ? createResourceWithCode(kind as CodedKind, ref.code) : (ref as ResourceByKind["cable"] & Ref);
  return (await removeResource(session, kind as ResourceKind, named, options)).cascadedRefs;
}

/** Builds an item that fails when it is applied, so that the reply reports an unreadable change beside others. */
function createFailingItem(field: string, refusal: Refusal): BulkItem {
  return { field, code: "", key: field, ...RESOURCE_ITEM, apply: () => Promise.reject(refusal) };
}

export const previewChanges = definePreview({
  method: PlanningService.method.previewChanges,
  effect: "preview",
  async run(session, { changes: asked, loadBasis, maxItems }) {
    const { topology, writer, changes, now, revision } = session;
    const moment = { basis: readLoadBasis(loadBasis), now };
    const most = readCount("max_items", maxItems, { usual: DEFAULT_PREVIEW_ITEMS, most: MAX_PREVIEW_ITEMS });
    const reply = await applyInventoryChanges(session, asked, { atomic: false });
    const part = await readChangedPart(writer, topology, changes.entityRefs);
    if (part === undefined) throw new Error(`Cannot read a reference among ${changes.entityRefs.join(", ")}`);
    return async (scheduler) => {
      const draft = topology.createDraft(part.keys, part.after);
      const preview = await scheduler.run(computePreview(topology, draft, moment));
      return createPreviewReply(reply, preview, { revision, most });
    };
  },
});

function createPreviewReply(
  { results, failed }: BulkReply,
  { supplies, racks, cooling, devices, counts, findings: { added, removed } }: Preview,
  { revision, most }: { readonly revision: number; readonly most: number },
): PreviewChangesResponse {
  return convertToMessage(PreviewChangesResponseSchema, {
    results,
    refused: failed,
    revision,
    ...limitListFields("supplies", supplies, most),
    ...limitListFields("racks", racks, most),
    ...limitListFields("cooling", cooling, most),
    ...limitListFields("devices", devices, most),
    lostCount: counts.LOST,
    reducedCount: counts.REDUCED,
    gainedCount: counts.GAINED,
    increasedCount: counts.INCREASED,
    ...limitListFields("newFindings", added, most),
    ...limitListFields("resolvedFindings", removed, most),
  });
}

/** Measured values of racks: their draw in watts and their warmest inlet temperature, by the key of the rack code. */
export interface MeasuredRacks {
  readonly watts: ReadonlyMap<string, number>;
  readonly inletsC: ReadonlyMap<string, number>;
}

/** Reads racks' measured device draw and warmest inlet; undefined unless the request asks for measured loads. */
export async function readMeasuredRacks(
  session: ReadSession,
  topology: Topology,
  { loadBasis, maxAgeS }: Pick<FloorPlanRequest, "loadBasis" | "maxAgeS">,
): Promise<MeasuredRacks | undefined> {
  const basis = readLoadBasis(loadBasis);
  if (basis !== "MEASURED" && basis !== "MEASURED_PEAK") return undefined;
  const byNode = (await session.measuredW?.()) ?? new Map<number, number>();
  const byElement = await readInletTemperatures(session, { isPeak: basis === "MEASURED_PEAK", maxAgeS });
  const watts = new Map<string, number>();
  const warmest = new Map<string, number>();
  for (const { code } of topology.inventory.racks) {
    await session.scheduler.yieldIfDue();
    const key = codeKey(code);
    const devices = topology.listDevicesInRack(code).map((device) => `device:${codeKey(device.code)}`);
    const draws = devices.flatMap((device) => byNode.get(topology.power.indexOf.get(device) ?? -1) ?? []);
    if (draws.length > 0)
      watts.set(
        key,
        draws.reduce((sum, one) => sum + one, 0),
      );
    const inlets = [`rack:${key}`, ...devices].flatMap((element) => byElement.get(element) ?? []);
    if (inlets.length > 0) warmest.set(key, Math.max(...inlets));
  }
  return { watts, inletsC: warmest };
}

/** Reads inlet temperatures in degrees Celsius, by the key of the element. */
async function readInletTemperatures(
  { reader, now, lapsesAt, scheduler }: ReadSession,
  { isPeak, maxAgeS = DEFAULT_READING_AGE_S }: { readonly isPeak: boolean; readonly maxAgeS: number | undefined },
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const at = Date.parse(now);
  const today = computeDayNumber(at);
  if (isPeak) lapsesAt((today + 1) * DAY_MS);
  for (const { element, kept } of await reader.readings({ quantities: ["INLET_C"], withDays: isPeak })) {
    await scheduler.yieldIfDue();
    const lapse = kept.at + maxAgeS * 1000;
    const celsius = isPeak ? computePeakFigures(kept.days, today)?.p95 : lapse > at ? kept.value : undefined;
    if (celsius === undefined) continue;
    found.set(element.key, celsius);
    if (!isPeak) lapsesAt(lapse);
  }
  return found;
}
