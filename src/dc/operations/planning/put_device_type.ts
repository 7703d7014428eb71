import type { DeviceType } from "#dc/model/device_type.ts";
import { fieldWithin, Refusal } from "#dc/model/refusal.ts";
import { judge } from "#dc/model/rule.ts";
import { deviceTypeRules } from "#dc/model/rules/device_type.ts";
import type { Stored } from "#dc/ports.ts";
import { DeviceTypeSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { canonicalJson } from "#kernel/canonical_json.ts";
import { modelJson } from "../messages/model_json.ts";
import type { WriteSession } from "../rpc.ts";
import { etagOf } from "../writes/changes.ts";
import { checkEtag } from "../writes/upsert.ts";
import { DEVICE_TYPES, storedDeviceType } from "./device_types.ts";

const FIELD = "device_type";

/** Creates or replaces a type. @throws Refusal when the version differs or a rule refuses */
export async function putDeviceType(
  { writer, changes, now }: WriteSession,
  type: DeviceType,
  etag: string,
): Promise<{ readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED"; readonly stored: Stored<DeviceType> }> {
  const { errors } = await judge(deviceTypeRules, { after: type, now }, writer);
  const [first, ...others] = errors.map((found) => ({ ...found, field: fieldWithin(FIELD, found.field) }));
  if (first !== undefined) throw new Refusal(first, others);
  const before = await storedDeviceType(writer, type.code);
  const ref = `device_type:${type.code}`;
  checkEtag(etag, before?.etag, ref);
  if (before !== undefined && canonicalJson(before.resource) === canonicalJson(type))
    return { outcome: "UNCHANGED", stored: before };
  const stored = { resource: type, etag: etagOf(type), createTime: before?.createTime ?? now, updateTime: now };
  await writer.putDocument(DEVICE_TYPES, type.code, JSON.stringify(stored));
  const json = (one: DeviceType | undefined) => (one === undefined ? undefined : modelJson(DeviceTypeSchema, one));
  changes.noteDocument(before === undefined ? "CREATE" : "UPDATE", ref, json(before?.resource), json(type));
  return { outcome: before === undefined ? "CREATED" : "UPDATED", stored };
}
