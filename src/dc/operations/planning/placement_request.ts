import type { PlacementRequest, RequestedInlet, RequestedPorts } from "#dc/analysis/placement/wanted.ts";
import { MAX_BATCH_ITEMS, MAX_PLACEMENT_INLETS, MAX_PLACEMENT_PORT_KINDS, MAX_PLACEMENT_PORTS } from "#dc/limits.ts";
import { CODE_GRAMMAR, parseCode } from "#dc/model/code.ts";
import { computeAirHeatW, getDrawW, getHeatW } from "#dc/model/draw.ts";
import { type LoadBasis, PLACEMENT_SPREADS, type PlacementSpread, type Redundancy } from "#dc/model/enum_values.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Port } from "#dc/model/resources.ts";
import { checkNumberBounds } from "#dc/model/rules/checks.ts";
import type { FindPlacementRequest as PlacementMessage } from "#gen/datacenter/v1/messages.ts";
import { type FindPlacementRequest, FindPlacementRequestSchema } from "#gen/datacenter/v1/placement_pb.ts";
import { createMissingFieldRefusal, readScope } from "../answers/parameters.ts";
import { convertFromMessage } from "../messages/convert.ts";
import type { ReadSession } from "../rpc.ts";
import { assignDevicePorts } from "./placement_ports.ts";
import { type DeviceTemplate, omitUndefinedFields, readTemplate } from "./placement_template.ts";

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
    spread: readSpread(asked.spread),
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
    ...checkNumberBounds("count", asked.count, { min: 0, max: MAX_BATCH_ITEMS }),
    ...checkNumberBounds("u_height", asked.uHeight, { min: 0.5, max: 100, step: 0.5 }),
    ...checkNumberBounds("weight_kg", asked.weightKg, { min: 0, max: 100_000 }),
    ...checkNumberBounds("draw_w", asked.drawW, { min: 0 }),
    ...checkNumberBounds("liquid_fraction_pct", asked.liquidFractionPct, { min: 0, max: 100 }),
    ...checkNumberBounds("headroom_pct", asked.headroomPct, { min: 0, max: 99 }),
    ...checkNumberBounds("max_places", asked.maxPlaces, { min: 0 }),
    ...checkNumberBounds("inlets", asked.inlets, { min: 1, max: MAX_PLACEMENT_INLETS }),
    ...checkNumberBounds("ports", asked.ports?.length, { max: MAX_PLACEMENT_PORT_KINDS }),
    ...(asked.ports ?? []).flatMap(({ count, speedMbps }, at) => [
      ...checkNumberBounds(`ports[${at}].count`, count ?? 0, { min: 1, max: MAX_PLACEMENT_PORTS }),
      ...checkNumberBounds(`ports[${at}].speed_mbps`, speedMbps, { above: 0 }),
    ]),
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

function readSpread(asked: readonly PlacementSpread[] = []): readonly PlacementSpread[] {
  return asked.length === 0 ? PLACEMENT_SPREADS : [...new Set(asked)];
}

function readCodePrefix(prefix = "NEW"): string {
  if (parseCode(prefix) !== undefined && prefix.length <= MAX_PREFIX_CHARS) return prefix;
  throw refuse("INVALID_CODE", `Cannot read code_prefix "${prefix}"`, {
    field: "code_prefix",
    value: prefix,
    expected: `a code of at most ${MAX_PREFIX_CHARS} characters: ${CODE_GRAMMAR}`,
  });
}
