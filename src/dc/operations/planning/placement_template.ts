import { parseCode } from "#dc/model/code.ts";
import { getInheritedFields } from "#dc/model/device_type.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { ReadSession } from "../rpc.ts";
import { readDeviceType } from "./device_types.ts";

/** Template of planned devices: a device without the fields that only one device or one location has. */
export type DeviceTemplate = Omit<Device, "code">;

interface TemplateSource {
  readonly deviceType?: string;
  readonly deviceCode?: string;
}

/** Returns the named template; a server without ports if none is named. @throws Refusal naming the field. */
export async function readTemplate(
  { reader }: Pick<ReadSession, "reader">,
  named: TemplateSource,
): Promise<DeviceTemplate> {
  const { deviceType, deviceCode } = named;
  if (deviceType !== undefined && deviceCode !== undefined) {
    const expected = "device_type or device_code";
    const message = `Fields "device_type" and "device_code" exclude each other: expected ${expected}`;
    throw refuse("FIELD_CONFLICT", message, { field: "device_code", value: deviceCode, expected });
  }
  if (deviceType !== undefined) return readTypeTemplate(reader, deviceType);
  return deviceCode === undefined ? { kind: "SERVER" } : readDeviceTemplate(reader, deviceCode);
}

async function readTypeTemplate(reader: ReadSession["reader"], code: string): Promise<DeviceTemplate> {
  const stored = await readDeviceType(reader, code);
  if (stored === undefined) {
    const detail = { field: "device_type", value: code, ref: `device_type:${code}` };
    throw refuse("NOT_FOUND", `Cannot find device type "${code}"`, detail);
  }
  const { manufacturer, model, kind, uHeight = 1, ports, isBlade } = stored.resource;
  if (isBlade === true || uHeight === 0) throw createUnrackedRefusal("device_type", code);
  requireConsumer("device_type", code, { kind });
  const built = { ...getInheritedFields(stored.resource), uHeight, ports: ports?.map(clearPortUse) };
  return { kind, ...omitUndefinedFields({ manufacturer, model, ...built }) };
}

async function readDeviceTemplate(reader: ReadSession["reader"], code: string): Promise<DeviceTemplate> {
  const device = parseCode(code) === undefined ? undefined : await reader.device(code);
  if (device === undefined) {
    throw refuse("NOT_FOUND", `Cannot find device "${code}"`, {
      field: "device_code",
      value: code,
      ref: `device:${code}`,
    });
  }
  requireConsumer("device_code", code, device);
  if (device.parentDeviceCode !== undefined || device.uHeight === 0) throw createUnrackedRefusal("device_code", code);
  const { kind, role, manufacturer, model, partNumber, face, depth, airflow, thermalClass, tenant, tags, labels } =
    device;
  const { weightKg, maxDrawW, allocatedDrawW, powerFactor, heatW, coolingMethod, liquidFractionPct, power } = device;
  const { minLiveInlets, requiredRedundancy } = power ?? {};
  const needs = omitUndefinedFields({ minLiveInlets, requiredRedundancy });
  return {
    kind,
    ...omitUndefinedFields({
      role,
      manufacturer,
      model,
      partNumber,
      uHeight: device.uHeight ?? 1,
      face,
      depth,
      airflow,
      weightKg,
      maxDrawW,
      allocatedDrawW,
      powerFactor,
      heatW,
      coolingMethod,
      liquidFractionPct,
      thermalClass,
      tenant,
      tags,
      labels,
      power: Object.keys(needs).length > 0 ? needs : undefined,
      ports: device.ports?.map(clearPortUse),
    }),
  };
}

function requireConsumer(field: string, code: string, { kind }: Pick<Device, "kind">): void {
  if (!isPowerKind(kind)) return;
  throw refuse("FIELD_CONFLICT", `"${code}" is power equipment`, {
    field,
    value: code,
    expected: "a device that draws power and supplies none",
  });
}

function createUnrackedRefusal(field: string, code: string) {
  return refuse("FIELD_CONFLICT", `"${code}" takes no units of a rack`, {
    field,
    value: code,
    expected: "a device that takes units of a rack",
  });
}

/** Returns a port without the fields that connections and measurements set. */
function clearPortUse(port: Port): Port {
  const {
    macAddress: _,
    markConnected: __,
    rxMbps: ___,
    txMbps: ____,
    measuredAt: _____,
    powerIn,
    powerOut,
    ...kept
  } = port;
  return {
    ...kept,
    ...(powerIn?.maxDrawW !== undefined && { powerIn: { maxDrawW: powerIn.maxDrawW } }),
    ...(powerOut !== undefined && { powerOut: omitFeed(powerOut) }),
  };
}

function omitFeed({ feedId: _, ...kept }: NonNullable<Port["powerOut"]>) {
  return kept;
}

/** Returns the fields of an object that are not undefined. */
export function omitUndefinedFields<Value extends object>(
  value: Value,
): { readonly [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
