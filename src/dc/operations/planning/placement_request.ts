import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import type { FindPlacementRequest as PlacementMessage } from "#gen/datacenter/v1/messages.ts";
import { type FindPlacementRequest, FindPlacementRequestSchema } from "#gen/datacenter/v1/placement_pb.ts";
import type { PlacementRequest, RequestedInlet, RequestedPorts } from "../../analysis/placement/limits.ts";
import { computeAirHeatW, getDrawW, getHeatW, isPowerKind } from "../../model/draw.ts";
import { type LoadBasis, PLACEMENT_SPREADS, type Redundancy } from "../../model/enum_values.ts";
import { getInheritedFields } from "../../model/inventory.ts";
import { CODE_GRAMMAR, parseCode } from "../../model/ref.ts";
import { refuse } from "../../model/refusal.ts";
import type { Device, Port } from "../../model/resources.ts";
import { checkNumberBounds, checkNumbers } from "../../model/rules/general.ts";
import { createMissingFieldRefusal, readScope } from "../answers/parameters.ts";
import { convertFromMessage } from "../messages/convert.ts";
import type { ReadSession } from "../rpc.ts";
import { readDeviceType } from "./device_types.ts";

/** The fields of the request in the model's form. */
type RequestedFields = Partial<Omit<PlacementMessage, "ports">> & { readonly ports?: readonly RequestedPorts[] };

/** Devices to place, with the names of the ports that are connected. */
export interface PlacementQuestion {
  readonly wanted: PlacementRequest;
  /** Names of the devices' ports, in the order in which the request asks for connections. */
  readonly portNames: readonly string[];
  readonly codePrefix: string;
  readonly maxPlaces: number;
}

/** Maximum length of the code prefix; device numbers follow it. */
const MAX_PREFIX_CHARS = 56;

/** Parses a request. @throws Refusal naming the field, the value and what was expected */
export async function parsePlacementRequest(
  session: ReadSession,
  request: FindPlacementRequest,
): Promise<PlacementQuestion> {
  const { render: _, ...rest } = request;
  const asked = convertFromMessage<RequestedFields>(FindPlacementRequestSchema, rest);
  requireValidNumbers(asked);
  const template = applyRequestToTemplate(await readTemplate(session, asked), asked);
  const inlets = listRequestedInlets(template, asked);
  const need = template.power?.minLiveInlets ?? 1;
  const redundancy = readRedundancy(template, asked, { inlets: inlets.length, need });
  const { ports, names, added } = assignDevicePorts(template, asked.ports ?? []);
  const basis = asked.loadBasis ?? "ALLOCATED";
  const tenant = asked.tenant ?? template.tenant;
  const wanted: PlacementRequest = {
    count: asked.count ?? 1,
    template: {
      ...template,
      ...omitUndefinedFields({ tenant }),
      ports: [...replaceInlets(template, inlets), ...added],
    },
    uHeight: template.uHeight ?? 1,
    face: template.face ?? "FRONT",
    ...computeDrawAndHeat(template, basis),
    powerFactor: template.powerFactor ?? 1,
    inlets,
    need,
    redundancy,
    ports,
    coolingMethod: template.coolingMethod ?? "AIR",
    ...omitUndefinedFields({ tenant, scope: readScope(await session.topology(), asked.scopeRef ?? "") }),
    basis,
    spread: asked.spread === undefined || asked.spread.length === 0 ? PLACEMENT_SPREADS : [...new Set(asked.spread)],
    keep: (asked.headroomPct ?? 0) / 100,
    allowExisting: asked.allowExistingWarnings === true,
    now: session.now,
  };
  return { wanted, portNames: names, codePrefix: readCodePrefix(asked.codePrefix), maxPlaces: asked.maxPlaces ?? 0 };
}

/** Returns draw and heat in watts, each the larger of the planned value and the value of the load basis. */
function computeDrawAndHeat(
  template: DeviceTemplate,
  basis: LoadBasis,
): Pick<PlacementRequest, "drawW" | "airW" | "liquidW"> {
  const selectLarger = (of: typeof getHeatW) => Math.max(of(template, "ALLOCATED"), of(template, basis));
  const airW = selectLarger(computeAirHeatW);
  return {
    drawW: selectLarger((device, of) => getDrawW(device, of) ?? 0),
    airW,
    liquidW: Math.max(0, selectLarger(getHeatW) - airW),
  };
}

function requireValidNumbers(asked: RequestedFields): void {
  const checks = [
    ...checkNumbers("FindPlacementRequest", asked),
    ...checkNumberBounds("ports", asked.ports?.length, { max: LIST_SIZES.FindPlacementRequest.ports }),
    ...(asked.ports ?? []).flatMap((port, at) =>
      checkNumbers("WantedPorts", { ...port, count: port.count ?? 0 }, `ports[${at}].`),
    ),
  ];
  const [first] = checks;
  if (first !== undefined) throw refuse(first.code, first.message, first);
}

/** Returns the template with the request's values applied. */
function applyRequestToTemplate(template: DeviceTemplate, asked: RequestedFields): DeviceTemplate {
  const { uHeight, face, depth, weightKg, coolingMethod, liquidFractionPct } = asked;
  const own = omitUndefinedFields({ uHeight, face, depth, weightKg, coolingMethod, liquidFractionPct });
  const { liquidFractionPct: _, ...otherwiseCooled } = template;
  const base = coolingMethod === undefined ? template : otherwiseCooled;
  const made = applyDraw({ ...base, face: base.face ?? "FRONT", depth: base.depth ?? "FULL", ...own }, asked);
  if (made.uHeight === undefined)
    throw createMissingFieldRefusal("u_height", "0.5 to 100 units, a device_type or a device_code");
  if (made.coolingMethod === "HYBRID" && made.liquidFractionPct === undefined) {
    throw createMissingFieldRefusal("liquid_fraction_pct", "0 to 100, for HYBRID");
  }
  return made;
}

/**
 * Applies the requested draw. Keeps a nameplate draw that is at least as large, and removes other draws and the heat.
 * @throws Refusal if neither the request nor the template has a draw
 */
function applyDraw(
  template: DeviceTemplate,
  { drawW: given, loadBasis = "ALLOCATED" }: RequestedFields,
): DeviceTemplate {
  const { maxDrawW, allocatedDrawW, measuredDrawW: _, heatW: __, ...others } = template;
  if (given === undefined) {
    if (maxDrawW !== undefined || allocatedDrawW !== undefined) return template;
    throw createMissingFieldRefusal("draw_w", "watts, or a device_type or device_code with a draw");
  }
  if (loadBasis === "MEASURED" || loadBasis === "MEASURED_PEAK") return { ...others, measuredDrawW: given };
  if (loadBasis === "MAX") return { ...others, maxDrawW: given };
  return { ...others, allocatedDrawW: given, ...(maxDrawW !== undefined && maxDrawW >= given && { maxDrawW }) };
}

function listRequestedInlets(
  template: DeviceTemplate,
  { inlets: asked, redundancy }: RequestedFields,
): readonly RequestedInlet[] {
  const own = (template.ports ?? []).filter(({ kind, enabled }) => kind === "POWER_IN" && enabled !== false);
  if (asked === undefined && template.ports !== undefined) return own.map(createRequestedInlet);
  const many = redundancy === "TWO_N" || redundancy === "N_PLUS_1" ? 2 : 1;
  return Array.from({ length: asked ?? many }, (_, at) => {
    const port = own[at] ?? own[0];
    return { name: own[at]?.name ?? `psu${at + 1}`, ...(port?.type !== undefined && { type: port.type }) };
  });
}

function createRequestedInlet({ name, type }: Port): RequestedInlet {
  return { name, ...(type !== undefined && { type }) };
}

function readRedundancy(
  { power }: DeviceTemplate,
  { redundancy }: RequestedFields,
  { inlets, need }: { readonly inlets: number; readonly need: number },
): Redundancy {
  const usual = inlets >= 2 * need && inlets > 1 ? "TWO_N" : inlets > need ? "N_PLUS_1" : "N";
  const wanted = redundancy ?? power?.requiredRedundancy ?? usual;
  const least = { NONE: 0, N: need, N_PLUS_1: need + 1, TWO_N: 2 * need }[wanted];
  if (inlets >= least || inlets === 0) return wanted;
  throw refuse("FIELD_CONFLICT", `Redundancy ${wanted} needs more than ${inlets} inlets`, {
    field: "redundancy",
    value: wanted,
    expected: `at least ${least} inlets`,
  });
}

/** Returns all ports of the template, with the requested inlets in place of those of the template. */
function replaceInlets(template: DeviceTemplate, inlets: readonly RequestedInlet[]): readonly Port[] {
  const others = (template.ports ?? []).filter(({ kind }) => kind !== "POWER_IN");
  return [...inlets.map((inlet): Port => ({ ...inlet, kind: "POWER_IN" })), ...others];
}

function readCodePrefix(prefix = "NEW"): string {
  if (parseCode(prefix) !== undefined && prefix.length <= MAX_PREFIX_CHARS) return prefix;
  throw refuse("INVALID_CODE", `Cannot read code_prefix "${prefix}"`, {
    field: "code_prefix",
    value: prefix,
    expected: `a code of at most ${MAX_PREFIX_CHARS} characters: ${CODE_GRAMMAR}`,
  });
}

/** Device ports that are assigned to the requested connections. */
interface ConnectedPorts {
  /** Types and speeds of the neighbours. Consecutive equal ones are grouped with a count. */
  readonly ports: readonly RequestedPorts[];
  /** Names of the devices' ports, in the order of `ports`. */
  readonly names: readonly string[];
  readonly added: readonly Port[];
}

/**
 * Assigns a device port to each requested connection; for a template without ports, creates the ports.
 * @throws Refusal if the template has too few ports
 */
function assignDevicePorts({ ports: own }: DeviceTemplate, wanted: readonly RequestedPorts[]): ConnectedPorts {
  const left = own?.filter(({ kind, mgmtOnly }) => kind === "NETWORK" && mgmtOnly !== true);
  const found = { ports: [] as RequestedPorts[], names: [] as string[], added: [] as Port[] };
  for (const [at, { count, ...want }] of wanted.entries()) {
    const field = `ports[${at}]`;
    requirePortKind(field, want);
    for (let number = 0; number < count; number += 1) {
      const port = left === undefined ? createPort(found.names.length, want) : takeMatchingPort(left, want);
      if (port === undefined) throw createTooFewPortsRefusal(field, count);
      if (left === undefined) found.added.push(port);
      found.names.push(port.name);
      found.ports.push({
        count: 1,
        ...omitUndefinedFields({ type: want.type ?? port.type, speedMbps: want.speedMbps ?? port.speedMbps }),
      });
    }
  }
  return { ...found, ports: mergePorts(found.ports) };
}

type PortRequirement = Omit<RequestedPorts, "count">;

function requirePortKind(field: string, { type, speedMbps }: PortRequirement): void {
  if (type !== undefined || speedMbps !== undefined) return;
  const expected = "a speed or a type";
  const message = `Field "${field}.speed_mbps" is required: expected ${expected}`;
  throw refuse("REQUIRED_FIELD", message, { field: `${field}.speed_mbps`, expected });
}

function createPort(number: number, { type, speedMbps }: PortRequirement): Port {
  return { name: `eth${number}`, kind: "NETWORK", ...omitUndefinedFields({ type, speedMbps }) };
}

function takeMatchingPort(ports: Port[], { type, speedMbps }: PortRequirement): Port | undefined {
  const isCompatible = (one: unknown, other: unknown) => one === undefined || other === undefined || one === other;
  const at = ports.findIndex((port) => isCompatible(type, port.type) && isCompatible(speedMbps, port.speedMbps));
  return at < 0 ? undefined : ports.splice(at, 1)[0];
}

function mergePorts(ports: readonly RequestedPorts[]): readonly RequestedPorts[] {
  const made: RequestedPorts[] = [];
  for (const one of ports) {
    const last = made.at(-1);
    if (last !== undefined && last.type === one.type && last.speedMbps === one.speedMbps) {
      made[made.length - 1] = { ...last, count: last.count + 1 };
    } else made.push(one);
  }
  return made;
}

function createTooFewPortsRefusal(field: string, count: number) {
  return refuse("FIELD_CONFLICT", `The device has fewer than ${count} such network ports`, {
    field: `${field}.count`,
    value: count,
    expected: "at most as many as the device has",
  });
}

/** Template of planned devices: a device without the fields that only one device or one location has. */
type DeviceTemplate = Omit<Device, "code">;

interface TemplateSource {
  readonly deviceType?: string;
  readonly deviceCode?: string;
}

/** Returns the named template; a server without ports if none is named. @throws Refusal naming the field. */
async function readTemplate({ reader }: Pick<ReadSession, "reader">, named: TemplateSource): Promise<DeviceTemplate> {
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
function omitUndefinedFields<Value extends object>(
  value: Value,
): { readonly [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
