import { parsePortName } from "#dc/model/code.ts";
import type { WarningFinding } from "#dc/model/finding.ts";
import { fieldBeside, fieldWithin, Refusal, refuse } from "#dc/model/refusal.ts";
import { resourceKey, resourceRef } from "#dc/model/resource_key.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { judge } from "#dc/model/rule.ts";
import type { Stored } from "#dc/ports.ts";
import { canonicalJson } from "#kernel/canonical_json.ts";
import { refName } from "#words/names.ts";
import { applyMask, checkMask } from "../messages/update_mask.ts";
import type { WriteSession } from "../rpc.ts";
import { SCHEMAS } from "./changes.ts";
import { followUp } from "./follow_up.ts";
import { KINDS } from "./kinds.ts";

export interface UpsertInput<Kind extends ResourceKind> {
  readonly resource: ResourceByKind[Kind];
  /**
   * Path of the resource in the request, such as `items[7]`; empty outside of requests. Refusals name fields relative
   * to it.
   */
  readonly at: string;
  readonly maskPaths: readonly string[];
  /** Empty for any version. */
  readonly etag: string;
}

export interface Upserted<Kind extends ResourceKind> {
  readonly stored: Stored<ResourceByKind[Kind]>;
  readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED";
  readonly warnings: readonly WarningFinding[];
}

/**
 * Creates or updates one resource: the one way in for single and bulk calls of every kind.
 * @throws Refusal when the version differs or a rule refuses
 */
export async function upsertResource<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  { resource: patch, at, maskPaths, etag }: UpsertInput<Kind>,
): Promise<Upserted<Kind>> {
  const { writer, changes, now } = session;
  demandIdentity(patch, at);
  const before = await writer.stored(kind, resourceKey(patch));
  checkPrecondition(etag, before, {
    ref: resourceRef(kind, patch),
    field: fieldWithin(at, "code" in patch ? "code" : "a"),
    etagField: fieldBeside(at, "etag"),
  });
  checkMask(SCHEMAS[kind], maskPaths, fieldBeside(at, "update_mask"));
  const after = await wanted(session, kind, patch, before?.resource, maskPaths);
  if (before !== undefined && canonicalJson(after) === canonicalJson(before.resource)) {
    return { stored: before, outcome: "UNCHANGED", warnings: [] };
  }
  const { errors, warnings } = await judge(KINDS[kind].rules, { before: before?.resource, after, now }, writer);
  const [first, ...others] = errors.map((found) => ({ ...found, field: fieldWithin(at, found.field) }));
  if (first !== undefined) throw new Refusal(first, others);
  const stored = await changes.put(kind, after, before);
  if (before !== undefined) await followUp(session, kind, before.resource, after);
  return { stored, outcome: before === undefined ? "CREATED" : "UPDATED", warnings };
}

async function wanted<Kind extends ResourceKind>(
  { writer }: WriteSession,
  kind: Kind,
  patch: ResourceByKind[Kind],
  before: ResourceByKind[Kind] | undefined,
  maskPaths: readonly string[],
): Promise<ResourceByKind[Kind]> {
  const { forget, complete } = KINDS[kind];
  const merged =
    before === undefined ? patch : forget(applyMask(SCHEMAS[kind], before, patch, maskPaths), before, patch);
  return complete(merged, writer);
}

/** Rejects an edge without both ends, because they are its identity. */
function demandIdentity(resource: ResourceByKind[ResourceKind], at: string): void {
  if ("code" in resource) return;
  for (const field of ["a", "b"] as const) {
    const end: { readonly portName: string } | undefined = resource[field];
    if (end === undefined) {
      throw refuse("REQUIRED_FIELD", `End "${field}" is required`, { field: fieldWithin(at, field) });
    }
    if (end.portName !== "" && parsePortName(end.portName) === undefined) {
      throw refuse("INVALID_CODE", `Cannot read port name "${end.portName}"`, {
        field: fieldWithin(at, `${field}.port_name`),
        value: end.portName,
      });
    }
  }
}

/** The version that a request demands of a resource that must be new. */
export const NOTHING_STORED = "none";

/** @throws Refusal if the stored version is not the required one, or if a resource exists that must not */
export function checkPrecondition(
  etag: string,
  stored: { readonly etag: string } | undefined,
  { ref, field, etagField }: { readonly ref: string; readonly field: string; readonly etagField: string },
): void {
  if (etag !== NOTHING_STORED) checkEtag(etag, stored?.etag, { ref, field: etagField });
  if (etag !== NOTHING_STORED || stored === undefined) return;
  const value = refName(ref);
  const what = ref.slice(0, ref.indexOf(":")).replaceAll("_", " ");
  const message = `There is a ${what} "${value}" already: expected one that is not stored yet`;
  throw refuse("ALREADY_STORED", message, { field, value, expected: "one that is not stored yet", ref });
}

/** @throws Refusal ETAG_MISMATCH if a version is required and another one, or none, is stored */
export function checkEtag(
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
