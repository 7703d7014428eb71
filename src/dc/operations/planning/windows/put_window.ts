import { create } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { applyRules, type ResourceWrite, type RulePhases } from "#dc/model/finding.ts";
import { MAX_WINDOW_ELEMENTS, type MaintenanceWindow } from "#dc/model/inventory.ts";
import { codeKey, parseCode, parseRef, toRefKey } from "#dc/model/ref.ts";
import { formatSiblingPath, joinFieldPath, Refusal, refuse } from "#dc/model/refusal.ts";
import { maintenanceWindowRules, restoredWindowRules } from "#dc/model/rules/maintenance_window.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import {
  DeleteWindowResponseSchema,
  MaintenanceWindowSchema,
  UpsertWindowResponseSchema,
  type MaintenanceWindow as WindowMessage,
} from "#gen/datacenter/v1/windows_pb.ts";
import { isSameJson } from "#kernel/json_object.ts";
import { readCode } from "../../answers/parameters.ts";
import { convertFromMessage } from "../../messages/convert.ts";
import { defineWrite, type WriteSession } from "../../rpc.ts";
import { computeEtag } from "../../writes/changes.ts";
import { applyMask, requireEtag, requirePrecondition, requireValidMask } from "../../writes/upsert.ts";
import { createMissingRefRefusal, requireStoredElements, requireStoredLosses } from "./judge_piece.ts";
import { createWindowMessage, readWindow, WINDOW_SPACE } from "./list_windows.ts";

interface WindowWriteInput {
  readonly window?: WindowMessage | undefined;
  readonly updateMask?: FieldMask | undefined;
  readonly etag: string;
  /** Name of the request's field that holds the window. */
  readonly at?: string;
}

interface WindowWriteResult {
  readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED";
  readonly stored: StoredVersion<MaintenanceWindow>;
}

/**
 * Creates or updates a window. @throws Refusal if the version differs, the window breaks a rule, or an element is
 * missing
 */
export async function putWindow(
  session: WriteSession,
  { window, updateMask, etag, at = "window" }: WindowWriteInput,
): Promise<WindowWriteResult> {
  if (window === undefined) throw refuse("REQUIRED_FIELD", `Field "${at}" is required`, { field: at });
  const { writer, now } = session;
  const given = readRequestedWindow(window, at);
  // A malformed code is left to the rules, which report it together with all other errors.
  const before = parseCode(given.code) === undefined ? undefined : await readWindow(writer, given.code);
  const ref = `window:${given.code}`;
  requirePrecondition(etag, before, { ref, field: `${at}.code`, etagField: formatSiblingPath(at, "etag") });
  const paths = updateMask?.paths ?? [];
  requireValidMask(MaintenanceWindowSchema, paths, formatSiblingPath(at, "update_mask"));
  const places = findFirstIndexes(given.elementRefs);
  const resource = mergeWindow(removeDuplicateRefs(given, places), before?.resource, paths);
  if (before !== undefined && isSameJson(before.resource, resource)) return { outcome: "UNCHANGED", stored: before };
  const formatField = (field: string) =>
    joinFieldPath(
      at,
      field.replace(ELEMENT_FIELD, (_, index) => `element_refs[${places[index]}]`),
    );
  await requireWindowRules(
    maintenanceWindowRules,
    { before: before?.resource, after: resource, now },
    writer,
    formatField,
  );
  await requireStoredElements(
    writer,
    findAddedRefs(formatField, "element_refs", resource.elementRefs, before?.resource.elementRefs),
  );
  await requireStoredLosses(
    writer,
    findAddedRefs(formatField, "accepted_refs", resource.acceptedRefs, before?.resource.acceptedRefs),
  );
  return storeWindow(session, resource, before);
}

async function requireWindowRules(
  rules: RulePhases<MaintenanceWindow>,
  change: ResourceWrite<MaintenanceWindow>,
  writer: WriteSession["writer"],
  fieldOf: (field: string) => string,
): Promise<void> {
  const { errors } = await applyRules(rules, change, writer);
  const [first, ...others] = errors.map((found) => ({ ...found, field: fieldOf(found.field) }));
  if (first !== undefined) throw new Refusal(first, others);
}

/** Stores a window and writes its changes to the change log. */
async function storeWindow(
  { writer, changes, now }: Pick<WriteSession, "writer" | "changes" | "now">,
  resource: MaintenanceWindow,
  before: StoredVersion<MaintenanceWindow> | undefined,
): Promise<WindowWriteResult> {
  const stored = { resource, etag: computeEtag(resource), createTime: before?.createTime ?? now, updateTime: now };
  await writer.putDocument(WINDOW_SPACE, codeKey(resource.code), JSON.stringify(stored));
  changes.recordDocument(MaintenanceWindowSchema, `window:${resource.code}`, before?.resource, resource);
  return { outcome: before === undefined ? "CREATED" : "UPDATED", stored };
}

/** Stores a window from an export, with its state and sequence. @throws Refusal when a rule refuses */
export async function restoreWindow(
  { writer, changes, now }: WriteSession,
  message: WindowMessage,
): Promise<WindowWriteResult> {
  const at = "window";
  const { sequence } = message;
  const read = { ...readRequestedWindow(message, at), ...(sequence !== 0 && { sequence }) };
  const resource = removeDuplicateRefs({ ...read, state: read.state ?? "PLANNED" }, findFirstIndexes(read.elementRefs));
  readCode(`${at}.code`, resource.code);
  const before = await readWindow(writer, resource.code);
  if (before !== undefined && isSameJson(before.resource, resource)) return { outcome: "UNCHANGED", stored: before };
  await requireWindowRules(restoredWindowRules, { before: before?.resource, after: resource, now }, writer, (field) =>
    joinFieldPath(at, field),
  );
  for (const [index, ref] of read.elementRefs.entries()) {
    if (parseRef(ref) === undefined) throw createMissingRefRefusal(`${at}.element_refs[${index}]`, ref);
  }
  return storeWindow({ writer, changes, now }, resource, before);
}

/** Removes a window. @returns false if it did not exist. @throws Refusal if its version is another one */
export async function removeWindow(
  { writer, changes }: WriteSession,
  {
    code,
    etag,
    allowMissing = false,
    field = "code",
  }: { readonly code: string; readonly etag: string; readonly allowMissing?: boolean; readonly field?: string },
): Promise<{ readonly ref: string; readonly deleted: boolean }> {
  readCode(field, code);
  const stored = await readWindow(writer, code);
  if (stored === undefined) {
    const ref = `window:${code}`;
    if (allowMissing) return { ref, deleted: false };
    throw refuse("NOT_FOUND", `Cannot find "${ref}"`, { field, ref, value: code });
  }
  const ref = `window:${stored.resource.code}`;
  requireEtag(etag, stored.etag, { ref, field: formatSiblingPath(field, "etag") });
  await writer.dropDocument(WINDOW_SPACE, codeKey(code));
  changes.recordDocument(MaintenanceWindowSchema, ref, stored.resource, undefined);
  return { ref, deleted: true };
}

/** Converts a request's window, without the fields that the service sets. */
function readRequestedWindow(message: WindowMessage, at: string): MaintenanceWindow {
  const given = convertFromMessage<MaintenanceWindow>(MaintenanceWindowSchema, message, at);
  return { ...given, code: given.code ?? "" };
}

/** Returns the window to store: merged by the mask, planned unless the request sets a state, with its next sequence. */
function mergeWindow(
  given: MaintenanceWindow,
  before: MaintenanceWindow | undefined,
  paths: readonly string[],
): MaintenanceWindow {
  const merged = before === undefined ? given : applyMask(MaintenanceWindowSchema, before, given, paths);
  const { sequence: _, ...rest } = { ...merged, state: merged.state ?? "PLANNED" };
  const known = before?.sequence ?? 0;
  const isRaised = before !== undefined && ANNOUNCED_FIELDS.some((name) => !isSameJson(before[name], rest[name]));
  const sequence = known + (isRaised ? 1 : 0);
  return { ...rest, ...(sequence > 0 && { sequence }) };
}

/** Fields whose change calendars announce. */
const ANNOUNCED_FIELDS = ["startsAt", "endsAt", "elementRefs", "state"] as const;

/**
 * Returns the references that the stored window lacks, with their fields. Stored references are not checked again,
 * because their elements may have been deleted.
 */
function findAddedRefs(
  fieldOf: (field: string) => string,
  name: string,
  refs: readonly string[] = [],
  known: readonly string[] = [],
) {
  return refs.flatMap((text, index) => (known.includes(text) ? [] : [{ field: fieldOf(`${name}[${index}]`), text }]));
}

const ELEMENT_FIELD = /^element_refs\[(\d+)\]/;

/**
 * Returns the index of each element's first reference. Returns all indexes of a list that is too long, so that the
 * rules reject it.
 */
function findFirstIndexes(refs: readonly string[] = []): readonly number[] {
  const all = [...refs.keys()];
  if (refs.length > MAX_WINDOW_ELEMENTS) return all;
  const keys = refs.map(toRefKey);
  return all.filter((at) => keys.indexOf(keys[at] ?? "") === at);
}

function removeDuplicateRefs(window: MaintenanceWindow, places: readonly number[]): MaintenanceWindow {
  const { elementRefs } = window;
  // Leaves the list absent if the request changes other fields only.
  return elementRefs === undefined ? window : { ...window, elementRefs: places.map((at) => elementRefs[at] ?? "") };
}

export const upsertWindow = defineWrite({
  method: PlanningService.method.upsertWindow,
  effect: "write",
  async run(session, request) {
    const { outcome, stored } = await putWindow(session, request);
    return create(UpsertWindowResponseSchema, { window: createWindowMessage(stored), outcome: Outcome[outcome] });
  },
});

export const deleteWindow = defineWrite({
  method: PlanningService.method.deleteWindow,
  effect: "write",
  async run(session, request) {
    return create(DeleteWindowResponseSchema, await removeWindow(session, request));
  },
});
