import { create } from "@bufbuild/protobuf";
import type { DcContext } from "#dc/context.ts";
import { applyRules } from "#dc/model/finding.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { formatSiblingPath, joinFieldPath, Refusal, refuse } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { deviceTypeRules } from "#dc/model/rules/ports.ts";
import { type DcReader, readDocumentPages, type StoredVersion } from "#dc/ports.ts";
import { Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  type DeviceType as DeviceTypeMessage,
  DeviceTypeSchema,
  GetDeviceTypeResponseSchema,
  ListDeviceTypesResponseSchema,
  PlanningService,
  UpsertDeviceTypeResponseSchema,
} from "#gen/datacenter/v1/planning_pb.ts";
import { isSameJson } from "#kernel/json_object.ts";
import { cutPage, openPageToken, readDevicePageSize } from "../answers/parameters.ts";
import { convertFromMessage, createStoredMessage } from "../messages/convert.ts";
import { defineRead, defineWrite, type WriteSession } from "../rpc.ts";
import { computeEtag } from "../writes/changes.ts";
import type { RemoveOptions } from "../writes/remove.ts";
import { requireEtag, requirePrecondition, type UpsertInput } from "../writes/upsert.ts";

/** Document space of device types, by code. */
const DEVICE_TYPE_SPACE = "device_type";

/** Reads a device type with its version; undefined if it does not exist. */
export async function readDeviceType(reader: DcReader, code: string): Promise<StoredVersion<DeviceType> | undefined> {
  const text = await reader.document(DEVICE_TYPE_SPACE, code);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Yields all device types in the order of their codes. Cost: one read per 500 types. */
export async function* readAllDeviceTypes(reader: DcReader): AsyncGenerator<StoredVersion<DeviceType>> {
  for await (const page of readDocumentPages(reader, DEVICE_TYPE_SPACE)) {
    for (const { body } of page) yield JSON.parse(body);
  }
}

/** Converts a request's device type at path `at`, without the fields that the service sets. */
export function readRequestedDeviceType(message: DeviceTypeMessage, at: string): DeviceType {
  return convertFromMessage<DeviceType>(DeviceTypeSchema, message, at);
}

export function createDeviceTypeMessage(stored: StoredVersion<DeviceType>): DeviceTypeMessage {
  return createStoredMessage(DeviceTypeSchema, stored);
}

interface PageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
}

/**
 * Reads a page of the matching device types, and their total number.
 * @param question determines which types match: a page token is valid only for it
 */
export async function readDeviceTypePage(
  { reader, context }: { readonly reader: DcReader; readonly context: DcContext },
  { pageSize, pageToken }: PageRequest,
  question: unknown,
  matches: (type: DeviceType) => boolean,
) {
  const limit = readDevicePageSize(pageSize);
  const after = openPageToken<string>(context.pageKey, question, pageToken) ?? "";
  const found: StoredVersion<DeviceType>[] = [];
  let total = 0;
  for await (const stored of readAllDeviceTypes(reader)) {
    if (!matches(stored.resource)) continue;
    total += 1;
    if (stored.resource.code <= after) continue;
    if (found.length <= limit) found.push(stored);
  }
  const sealing = { key: context.pageKey, question };
  const { page, nextPageToken } = cutPage(sealing, found, limit, ({ resource }) => resource.code);
  return { deviceTypes: page.map(createDeviceTypeMessage), nextPageToken, totalCount: total };
}

export const listDeviceTypes = defineRead({
  method: PlanningService.method.listDeviceTypes,
  effect: "read",
  async run(session, request) {
    return create(
      ListDeviceTypesResponseSchema,
      await readDeviceTypePage(session, request, "all device types", () => true),
    );
  },
});

export const getDeviceType = defineRead({
  method: PlanningService.method.getDeviceType,
  effect: "read",
  async run({ reader }, { code }) {
    if (code === "") throw refuse("REQUIRED_FIELD", 'Field "code" is required', { field: "code" });
    const stored = await readDeviceType(reader, code);
    if (stored === undefined) {
      const ref = `device_type:${code}`;
      throw refuse("NOT_FOUND", `Cannot find device type "${code}"`, { field: "code", value: code, ref });
    }
    return create(GetDeviceTypeResponseSchema, { deviceType: createDeviceTypeMessage(stored) });
  },
});

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
