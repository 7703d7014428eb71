import { create } from "@bufbuild/protobuf";
import { applyRules } from "#dc/model/finding.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { formatSiblingPath, joinFieldPath, Refusal, refuse } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { deviceTypeRules } from "#dc/model/rules/ports.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { DeviceTypeSchema, PlanningService, UpsertDeviceTypeResponseSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { isSameJson } from "#kernel/json_object.ts";
import { defineWrite, type WriteSession } from "../rpc.ts";
import { computeEtag } from "../writes/changes.ts";
import type { RemoveOptions } from "../writes/remove.ts";
import { requireEtag, requirePrecondition, type UpsertInput } from "../writes/upsert.ts";
import { createDeviceTypeMessage, DEVICE_TYPE_SPACE, readDeviceType, readRequestedDeviceType } from "./device_types.ts";

/** Creates or replaces a device type. @throws Refusal if the version differs or the type breaks a rule */
export async function putDeviceType(
  { writer, changes, now }: WriteSession,
  type: DeviceType,
  { etag, at }: Pick<UpsertInput<ResourceKind>, "etag" | "at">,
): Promise<{ readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED"; readonly stored: StoredVersion<DeviceType> }> {
  const { errors } = await applyRules(deviceTypeRules, { after: type, now }, writer);
  const [first, ...others] = errors.map((found) => ({ ...found, field: joinFieldPath(at, found.field) }));
  if (first !== undefined) throw new Refusal(first, others);
  const before = await readDeviceType(writer, type.code);
  const ref = `device_type:${type.code}`;
  requirePrecondition(etag, before, {
    ref,
    field: joinFieldPath(at, "code"),
    etagField: formatSiblingPath(at, "etag"),
  });
  if (before !== undefined && isSameJson(before.resource, type)) return { outcome: "UNCHANGED", stored: before };
  const stored = { resource: type, etag: computeEtag(type), createTime: before?.createTime ?? now, updateTime: now };
  await writer.putDocument(DEVICE_TYPE_SPACE, type.code, JSON.stringify(stored));
  changes.recordDocument(DeviceTypeSchema, ref, before?.resource, type);
  return { outcome: before === undefined ? "CREATED" : "UPDATED", stored };
}

/** Removes a device type, but no devices created from it. @throws Refusal if it is missing or the version differs. */
export async function removeDeviceType(
  { writer, changes }: WriteSession,
  code: string,
  { field, etag }: Pick<RemoveOptions, "field" | "etag">,
): Promise<void> {
  const ref = `device_type:${code}`;
  const stored = await readDeviceType(writer, code);
  if (stored === undefined) throw refuse("NOT_FOUND", `Cannot find "${ref}"`, { field, ref, value: ref });
  requireEtag(etag, stored.etag, { ref, field: formatSiblingPath(field, "etag") });
  await writer.dropDocument(DEVICE_TYPE_SPACE, code);
  changes.recordDocument(DeviceTypeSchema, ref, stored.resource, undefined);
}

const DEVICE_TYPE_FIELD = "device_type";

export const upsertDeviceType = defineWrite({
  method: PlanningService.method.upsertDeviceType,
  effect: "write",
  async run(session, { deviceType, etag }) {
    if (deviceType === undefined)
      throw refuse("REQUIRED_FIELD", `Field "${DEVICE_TYPE_FIELD}" is required`, { field: DEVICE_TYPE_FIELD });
    const given = readRequestedDeviceType(deviceType, DEVICE_TYPE_FIELD);
    const { outcome, stored } = await putDeviceType(session, given, { etag, at: DEVICE_TYPE_FIELD });
    return create(UpsertDeviceTypeResponseSchema, {
      deviceType: createDeviceTypeMessage(stored),
      outcome: Outcome[outcome],
    });
  },
});
