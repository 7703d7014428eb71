import { create } from "@bufbuild/protobuf";
import type { DcContext } from "#dc/context.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, StoredVersion } from "#dc/ports.ts";
import {
  type DeviceType as DeviceTypeMessage,
  DeviceTypeSchema,
  GetDeviceTypeResponseSchema,
  ListDeviceTypesResponseSchema,
  PlanningService,
} from "#gen/datacenter/v1/planning_pb.ts";
import { cutPage, openPageToken, readDevicePageSize } from "../answers/parameters.ts";
import { readDocumentPages } from "../database_pages.ts";
import { convertFromMessage, createStoredMessage } from "../messages/convert.ts";
import { defineRead } from "../rpc.ts";

/** Document space of device types, by code. */
export const DEVICE_TYPE_SPACE = "device_type";

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
  const after = pageToken === "" ? "" : openPageToken<string>(context.pageKey, question, pageToken);
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
