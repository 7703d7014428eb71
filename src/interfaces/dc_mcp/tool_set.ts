import {
  create,
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { type TSchema, Type } from "@sinclair/typebox";
import { createUnreadableRefusal, readJsonValue, UnreadableJson } from "#dc/operations/messages/json_place.ts";
import {
  buildMessageFieldSchema,
  buildMessageSchema,
  type SchemaOptions,
} from "#dc/operations/messages/message_schema.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import { DatacenterService, RenderFormat, RenderOptionsSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { createInvalidArgumentError, type OperationError, shortenText } from "#kernel/errors.ts";
import { readJsonText } from "#kernel/json_object.ts";
import { findNearest } from "#kernel/nearest.ts";
import { type CallOptions, defineTool, type ToolDefinition, type ToolResult } from "#kernel/tool.ts";
import { buildToolSet, type ToolSet } from "../mcp/tool_set.ts";
import type { DcBackend } from "./service_backend.ts";

/**
 * Returns the datacenter's tools for an MCP server.
 * @param open opens the database or connects to the server; called at the first call, and again until it succeeds, so
 * that a database that appears later requires no new process
 * @param withPlanning adds the planning tools
 */
export function createDcTools(open: () => Promise<DcBackend>, withPlanning = false): ToolSet {
  let opening: Promise<DcBackend> | undefined;
  const openBackend = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return buildToolSet(withPlanning ? [...datacenterTools, ...planningTools] : datacenterTools, {
    runTool: async (tool, args, signal) => tool.run(await openBackend(), args as never, { signal }),
    findSubject: () => "whole",
  });
}

/**
 * Reply fields that each tool returns by default, by the tool's name: a few thousand tokens at most. A tool without an
 * entry returns every field. Source: docs/decisions.md#d-04.
 */
const DEFAULT_REPLY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  power_blast_radius: [
    ..."source_ref impact overloads cascade_cut fabric_links_down fabric_lost_mbps switches_cut_off".split(" "),
    ..."devices_without_data_path truncated".split(" "),
    ...prefixNames("affected", "kind code state rack_code role draw_w"),
    ...prefixNames("protected", "kind code state rack_code role"),
    ...prefixNames("undocumented", "kind code rack_code undocumented_inlets"),
    ...prefixNames("cascade_steps", "step devices_offline trips"),
    ...prefixNames("zones", "ref medium short heat_kw capacity_kw"),
  ],
  get_rack: [
    ..."rack capacity conflicts".split(" "),
    ...prefixNames("occupants", "device_code name role kind position_u u_height face status draw_w"),
  ],
  fabric_topology: [
    ..."congested missing summary".split(" "),
    ...prefixNames("nodes", "code role oversubscription uplinks_up uplinks_total failed"),
    ...prefixNames("findings", "severity code message"),
  ],
  floor_plan: [
    ..."floor_ref load_basis counts unplaced".split(" "),
    ...["racks", "unplaced_racks"].flatMap((list) =>
      prefixNames(
        list,
        "code health reasons.code power_pct devices_without_draw heat_w devices_without_heat inlet_temp_c",
      ),
    ),
    ...prefixNames("cracs", "code status utilization_pct devices_without_heat"),
    ...prefixNames("devices", "code kind status power_pct power_failover_pct"),
  ],
  search_devices: [
    ..."next_page_token total_count role_counts".split(" "),
    ...prefixNames("devices", "code name kind role status rack_code position_u"),
  ],
  get_device: [
    ..."device power_chain power_single_points cables power_load_w power_failover_w power_failover_ref".split(" "),
    ..."power_pct power_failover_pct power_reasons supply_state undocumented_inlets active_inlet".split(" "),
    ..."draw_source consumers_without_draw".split(" "),
    ...prefixNames("recent", "occurred_at actor.principal action changed_fields message"),
  ],
};

/** @param names separated by blanks */
function prefixNames(place: string, names: string): readonly string[] {
  return names.split(" ").map((name) => `${place}.${name}`);
}

/** Default and maximum number of items per list. Source: docs/decisions.md#d-04. */
const DEFAULT_LIST_ITEMS = 50;
const MAX_LIST_ITEMS = 1000;

/** Fields of requests that parameters of the tools replace. */
const REPLACED_FIELDS = ["render", "max_items"];

const { method } = DatacenterService;

/** An RPC and the description by which an agent chooses its tool: purpose, reply, and when another tool is better. */
type ReadTool = readonly [rpc: DescMethodUnary, summary: string];

/** The reading tools except `render`. Source: docs/contract/datacenter-interfaces.md#mcp-adapter. */
const READ_TOOLS: readonly ReadTool[] = [
  [
    method.powerBlastRadius,
    "What goes dark, degrades or stays protected when power sources fail: counts in impact, then the items. For what feeds one device use get_device.",
  ],
  [
    method.traceCablePath,
    "Follow the cables from a port through patch panels, for power up to the root: hops and segments. For the one cable in a port use get_port.",
  ],
  [
    method.getRack,
    "One rack with its occupants, free units, capacity and conflicts. For one device use get_device, for every rack of a floor floor_plan.",
  ],
  [
    method.thermalHeadroom,
    "Heat against cooling in a scope, zone by zone, with hotspots, now or with cooling units failed. For the health of each rack use floor_plan.",
  ],
  [
    method.fabricTopology,
    "Leaves, spines and the links between them: load, congestion, what is missing. For the cables under one link use trace_cable_path.",
  ],
  [
    method.floorPlan,
    "A floor from above: health of each rack with reasons, and cooling units. Begin here with a site's state; then get_rack or thermal_headroom.",
  ],
  [
    method.searchDevices,
    "Find devices by a filter, page by page, with a total and counts per role. Begin here when no code is known; then get_device.",
  ],
  [
    method.getDevice,
    "One device with its power chain, single points of failure, cables and recent changes. For its code use search_devices, for a port get_port.",
  ],
  [method.getPort, "One port with its device, its cable and the far end. For the whole path use trace_cable_path."],
];

const INLINE_SCHEMA_OPTIONS: SchemaOptions = {
  message: (desc) => buildMessageSchema(desc, INLINE_SCHEMA_OPTIONS),
  isComplete: false,
};

const planningMethods = PlanningService.method;

/** The planning tools, which are offered if the client asks for them. To add a tool, add a row. */
const PLANNING_READ_TOOLS: readonly ReadTool[] = [
  [planningMethods.getDeviceType, "One type of device with its ports and bays. For its code use search_device_types."],
  [planningMethods.listDeviceTypes, "All types of devices, page by page. By words use search_device_types."],
  [
    planningMethods.searchDeviceTypes,
    "Find types of devices by words, page by page. For ports and bays use get_device_type.",
  ],
  [
    planningMethods.rehearseFailures,
    "Fail every element in turn and rank what causes loss. For one failure use power_blast_radius.",
  ],
  [
    planningMethods.findPlacement,
    "Where new equal devices fit, with the figures afterwards, else why not. For what is free use get_capacity.",
  ],
  [
    planningMethods.getCapacity,
    "What areas have left of space, power, cooling and ports, now and after the worst single failure. For a place for devices use find_placement.",
  ],
  [
    planningMethods.checkWindow,
    "May elements be switched off for a time: verdict, reasons, what one more failure takes, whom to tell. For a failure now use power_blast_radius.",
  ],
  [planningMethods.listWindows, "Planned maintenance with verdicts. For a new window use check_window."],
];

/** Parameters that are accepted but not listed: the list has a token budget, and other parameters replace them. */
const UNLISTED_PARAMETERS = ["page_size", "max_age_s", "during_window"];
const UNLISTED_PARAMETERS_BY_TOOL: Readonly<Record<string, readonly string[]>> = {
  floor_plan: ["load_basis"],
  check_window: ["except_code", "ignore_stored"],
  list_windows: ["verdicts"],
};

/** The ten tools. Source: docs/contract/datacenter-interfaces.md#mcp-adapter; docs/decisions.md#d-04. */
export const datacenterTools: readonly ToolDefinition<DcBackend>[] = [
  ...READ_TOOLS.map(createReadTool),
  createRenderTool(),
];

/** The planning tools, which are served in addition to the ten. */
export const planningTools: readonly ToolDefinition<DcBackend>[] = PLANNING_READ_TOOLS.map(createReadTool);

function createReadTool([rpc, summary]: ReadTool): ToolDefinition<DcBackend> {
  const shown = DEFAULT_REPLY_FIELDS[formatToolName(rpc)] ?? [];
  const takes = rpc.input.fields.filter(({ name }) => !REPLACED_FIELDS.includes(name));
  const limit = rpc.input.fields.find(({ name }) => name === "max_items" || name === "page_size");
  const params = {
    ...createToolParameters(rpc, takes),
    max_items: Type.Optional(
      Type.Integer({
        maximum: MAX_LIST_ITEMS,
        default: DEFAULT_LIST_ITEMS,
      }),
    ),
    fields: Type.Optional(Type.Array(Type.String(), { description: describeFields(rpc, shown) })),
  };
  const unlisted = [...UNLISTED_PARAMETERS, ...(UNLISTED_PARAMETERS_BY_TOOL[formatToolName(rpc)] ?? [])];
  const listed = Object.fromEntries(Object.entries(params).filter(([name]) => !unlisted.includes(name)));
  return defineTool<DcBackend>()({
    name: formatToolName(rpc),
    summary,
    effect: "read",
    idempotent: true,
    slow: true,
    params: Type.Object(listed),
    async run(backend, args, options) {
      const { max_items: items, fields, ...rest } = requireKnownArguments(args, params);
      const maxItems = requireMaxItems(items ?? (rest as { page_size?: unknown }).page_size, items === undefined);
      const selection = parseSelection(rpc.output, requireFieldPaths(fields) ?? shown);
      const request = readRequest(rpc, {
        ...(rest as JsonObject),
        ...(limit !== undefined && { [limit.name]: (rest as JsonObject)[limit.name] ?? maxItems }),
        ...createNoRenderOptions(rpc),
      });
      return createShortenedResult(rpc, await backend.callRpc(rpc, request, options?.signal), (value) =>
        shortenResult(value, selection, maxItems),
      );
    },
  });
}

// Lists only the fields that a reply omits by default. The refusal of an unknown field lists all of them.
function describeFields({ output }: DescMethodUnary, shown: readonly string[]): string {
  const usual = shown.map((path) => path.split(".")[0]);
  const isOmittedByDefault = (name: string) =>
    name !== "render" && !name.startsWith("omitted_") && !usual.includes(name);
  const further = shown.length === 0 ? [] : output.fields.map(({ name }) => name).filter(isOmittedByDefault);
  return `Parts, as a or a.b${further.length === 0 ? "" : `; by default not ${further.join(", ")}`}`;
}

function createShortenedResult<Method extends DescMethodUnary>(
  rpc: Method,
  reply: MessageShape<Method["output"]>,
  shorten: (value: JsonObject) => ReturnType<typeof shortenResult>,
): ToolResult {
  const json = toJson(rpc.output, reply, { useProtoFieldName: true, registry: detailRegistry }) as JsonObject;
  const { value, omitted } = shorten(json);
  const all = { ...omitted };
  for (const [list, count] of countServerOmissions(json))
    if (Object.hasOwn(value, list)) all[list] = (all[list] ?? 0) + count;
  return { value: { ...value, ...(Object.keys(all).length > 0 && { omitted: all }) }, structured: true };
}

/** Returns the number of items that the service omitted from each list, or left for further pages. */
function countServerOmissions(json: JsonObject): readonly (readonly [list: string, count: number])[] {
  const counted = Object.entries(json).flatMap(([name, count]): [string, number][] =>
    name.startsWith("omitted_") && typeof count === "number" ? [[name.slice("omitted_".length), count]] : [],
  );
  const { total_count: total, devices } = json;
  const others = typeof total === "number" ? total - (Array.isArray(devices) ? devices.length : 0) : 0;
  return [
    ...counted,
    ...(others > 0 && total !== undefined && "role_counts" in json ? [["devices", others] as const] : []),
  ];
}

/** Returns the tool that draws pictures; its reply is the picture itself. */
function createRenderTool(): ToolDefinition<DcBackend> {
  const rpc = method.render;
  const params = createToolParameters(rpc, rpc.input.fields);
  return defineTool<DcBackend>()({
    name: formatToolName(rpc),
    summary:
      "Draw a subject, or chosen elements, as SVG, HTML or DOT (a text) or PNG (an image). For facts use the other tools: their answers are smaller.",
    effect: "read",
    idempotent: true,
    slow: true,
    params: Type.Object(params),
    async run(backend, args, options?: CallOptions) {
      const request = readRequest(rpc, requireKnownArguments(args, params) as JsonObject);
      const { artifact, data: _, ...facts } = await backend.callRpc(rpc, request, options?.signal);
      const { mediaType, widthPx, heightPx, contentHash, truncated, omittedNodes } = facts;
      const value = {
        media_type: mediaType,
        width_px: widthPx,
        height_px: heightPx,
        content_hash: contentHash,
        truncated,
        omitted_nodes: omittedNodes,
      };
      if (artifact.case === "text") return { value, text: artifact.value, structured: true };
      if (artifact.case !== "binary") return { value, structured: true };
      return { value, structured: true, image: { data: Buffer.from(artifact.value).toString("base64"), mediaType } };
    },
  });
}

function createToolParameters(rpc: DescMethodUnary, fields: readonly DescField[]): Record<string, TSchema> {
  const { required = [] } = buildMessageSchema(rpc.input, INLINE_SCHEMA_OPTIONS) as {
    readonly required?: readonly string[];
  };
  return Object.fromEntries(
    fields.map((field) => {
      const schema = Type.Unsafe(buildMessageFieldSchema(field, INLINE_SCHEMA_OPTIONS));
      return [field.name, required.includes(field.name) ? schema : Type.Optional(schema)];
    }),
  );
}

function createNoRenderOptions(rpc: DescMethodUnary): JsonObject {
  if (!rpc.input.fields.some(({ name }) => name === "render")) return {};
  return { render: toJson(RenderOptionsSchema, create(RenderOptionsSchema, { format: RenderFormat.NONE })) };
}

function requireMaxItems(value: unknown, isPage = false): number {
  // 0 is the default of a page.
  if (value === undefined || (isPage && value === 0)) return DEFAULT_LIST_ITEMS;
  if (isPage && typeof value === "number" && value > MAX_LIST_ITEMS) return MAX_LIST_ITEMS;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_LIST_ITEMS) return value;
  const shown = JSON.stringify(value);
  throw createInvalidArgumentError(
    `Wrong value ${shown} for "${isPage ? "page_size" : "max_items"}": expected 1 to ${MAX_LIST_ITEMS}`,
  );
}

function requireFieldPaths(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw createInvalidArgumentError(`Wrong value ${JSON.stringify(value)} for "fields": expected a list of paths`);
}

export function formatToolName({ name }: DescMethodUnary): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

/** Converts a tool's arguments to the request of its RPC. @throws OperationError naming the field */
function readRequest<Method extends DescMethodUnary>(method: Method, args: JsonObject): MessageShape<Method["input"]> {
  try {
    return readJsonValue(method.input, args) as MessageShape<Method["input"]>;
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    const { message } = createUnreadableRefusal(error);
    throw createInvalidArgumentError(error.path === "" ? `Cannot read "arguments": ${message}` : message);
  }
}

/**
 * Rejects unknown and missing arguments, and reads JSON texts of the parameters' types.
 * @throws OperationError naming the argument
 */
function requireKnownArguments(
  args: unknown,
  params: Readonly<Record<string, TSchema>>,
): Readonly<Record<string, unknown>> {
  const known = Object.keys(params);
  const { required = [] } = Type.Object(params);
  const given = args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw createInvalidArgumentError("Cannot read the arguments: expected an object");
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const close = findNearest(name, known);
    const hint = close === undefined ? `expected one of ${known.join(", ")}` : `did you mean "${close}"?`;
    throw createInvalidArgumentError(`Unknown parameter "${shortenText(name)}": ${hint}`);
  }
  for (const name of required) {
    if (Reflect.get(given, name) === undefined) {
      throw createInvalidArgumentError(`Missing required parameter "${name}"`);
    }
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readJsonText(value, params[name])]));
}

/** Selected parts of a reply, by field name. An empty value selects the whole field, others a part of it. */
interface FieldSelection {
  readonly [name: string]: FieldSelection;
}

/** Parses paths such as `impact` or `affected.code`. @throws OperationError for a path that the reply does not have */
function parseSelection(reply: DescMessage, paths: readonly string[]): FieldSelection {
  const selection: Record<string, FieldSelection> = {};
  for (const path of paths) {
    let place = selection;
    let desc: DescMessage | undefined = reply;
    for (const name of path.split(".")) {
      const field: DescField | undefined = desc?.fields.find((one) => one.name === name);
      if (field === undefined) throw createUnknownPathError(path, desc);
      place[name] ??= {};
      place = place[name] as Record<string, FieldSelection>;
      desc = field.message;
    }
  }
  return selection;
}

function createUnknownPathError(path: string, desc: DescMessage | undefined): OperationError {
  const expected = desc === undefined ? "nothing below it" : `one of ${desc.fields.map(({ name }) => name).join(", ")}`;
  return createInvalidArgumentError(`Parameter "fields" names "${path}", which is not there: expected ${expected}`);
}

interface ShortenedResult {
  readonly value: JsonObject;
  /** Number of omitted items, by the path of their list. */
  readonly omitted: Readonly<Record<string, number>>;
}

/** Returns the selected parts, and at most `maxItems` of every list. Cost: one walk over the result. */
function shortenResult(value: JsonObject, selection: FieldSelection, maxItems: number): ShortenedResult {
  const omitted: Record<string, number> = {};
  const shortenValue = (one: JsonValue, wanted: FieldSelection, path: string): JsonValue => {
    if (Array.isArray(one)) {
      if (one.length > maxItems) omitted[path] = (omitted[path] ?? 0) + one.length - maxItems;
      return one.slice(0, maxItems).map((item) => shortenValue(item, wanted, path));
    }
    if (typeof one !== "object" || one === null) return one;
    const all = Object.keys(wanted).length === 0;
    const kept = Object.entries(one).filter(([name]) => all || wanted[name] !== undefined);
    return Object.fromEntries(
      kept.map(([name, inner]) => [
        name,
        shortenValue(inner, wanted[name] ?? {}, path === "" ? name : `${path}.${name}`),
      ]),
    );
  };
  return { value: shortenValue(value, selection, "") as JsonObject, omitted };
}
