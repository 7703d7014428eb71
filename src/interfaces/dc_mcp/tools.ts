import { create, type DescMethodUnary, type JsonObject, type MessageShape, toJson } from "@bufbuild/protobuf";
import { type TSchema, Type } from "@sinclair/typebox";
import { commentOf, fieldSchema, messageSchema, type SchemaOptions } from "#dc/operations/messages/message_schema.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import { DatacenterService, RenderFormat, RenderOptionsSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { type CallOptions, defineTool, type ToolDefinition, type ToolResult } from "#kernel/tool.ts";
import type { DcBackend } from "./backend.ts";
import { checkNames, readRequest } from "./read_arguments.ts";
import { readSelection, shorten } from "./shorten.ts";
import { SHOWN_FIELDS } from "./shown_fields.ts";

/** Default and maximum number of items per list. Source: docs/decisions.md#d-04. */
const DEFAULT_ITEMS = 50;
const MAX_ITEMS = 1000;

/** Fields of requests that parameters of the tools replace. */
const REPLACED = ["render", "max_items"];

const { method } = DatacenterService;

/** The questions without the picture. Source: docs/contract/datacenter-interfaces.md#mcp-adapter. */
const READS: readonly DescMethodUnary[] = [
  method.powerBlastRadius,
  method.traceCablePath,
  method.getRack,
  method.thermalHeadroom,
  method.fabricTopology,
  method.floorPlan,
  method.searchDevices,
  method.getDevice,
  method.getPort,
];

const INLINE: SchemaOptions = { message: (desc) => messageSchema(desc, INLINE), unspecified: false };

const planning = PlanningService.method;

/** Questions of planning, which are served on request. A new one is a row here. */
const PLANNING_READS: readonly DescMethodUnary[] = [
  planning.getDeviceType,
  planning.listDeviceTypes,
  planning.searchDeviceTypes,
  planning.rehearseFailures,
  planning.findPlacement,
  planning.getCapacity,
];

/** The ten tools. Source: docs/contract/datacenter-interfaces.md#mcp-adapter; docs/decisions.md#d-04. */
export const tools: readonly ToolDefinition<DcBackend>[] = [...READS.map(readTool), renderTool()];

/** The tools of planning, beside the ten. */
export const planningTools: readonly ToolDefinition<DcBackend>[] = PLANNING_READS.map(readTool);

function readTool(rpc: DescMethodUnary): ToolDefinition<DcBackend> {
  const shown = SHOWN_FIELDS[toolName(rpc)] ?? [];
  const takes = rpc.input.fields.filter(({ name }) => !REPLACED.includes(name));
  const limit = rpc.input.fields.find(({ name }) => name === "max_items" || name === "page_size");
  const params = {
    ...parameters(
      rpc,
      takes.map(({ name }) => name),
    ),
    max_items: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ITEMS,
        description: `Items of each list that are shown; ${DEFAULT_ITEMS} unless given. "omitted" counts the others.`,
      }),
    ),
    fields: Type.Optional(Type.Array(Type.String(), { description: aboutFields(rpc, shown) })),
  };
  const { known, required } = namesOf(params);
  return defineTool<DcBackend>()({
    name: toolName(rpc),
    summary: summaryOf(rpc),
    effect: "read",
    idempotent: true,
    slow: true,
    params: Type.Object(params),
    async run(backend, args, options) {
      const { max_items: items, fields, ...rest } = checkNames(args, known, required);
      const maxItems = readMaxItems(items ?? (rest as { page_size?: unknown }).page_size, items === undefined);
      const selection = readSelection(rpc.output, readFields(fields) ?? shown);
      const request = readRequest(rpc, {
        ...(rest as JsonObject),
        ...(limit !== undefined && { [limit.name]: (rest as JsonObject)[limit.name] ?? maxItems }),
        ...noPicture(rpc),
      });
      return answer(rpc, await backend.ask(rpc, request, options?.signal), (value) =>
        shorten(value, selection, maxItems),
      );
    },
  });
}

function aboutFields({ output }: DescMethodUnary, shown: readonly string[]): string {
  const names = output.fields.map(({ name }) => name).filter((name) => name !== "render");
  const usual = shown.length === 0 ? "everything" : shown.join(", ");
  return `Parts of the answer that are wanted: ${names.join(", ")}, and parts of these behind a dot. Unless given: ${usual}.`;
}

function answer<Method extends DescMethodUnary>(
  rpc: Method,
  reply: MessageShape<Method["output"]>,
  cut: (value: JsonObject) => ReturnType<typeof shorten>,
): ToolResult {
  const json = toJson(rpc.output, reply, { useProtoFieldName: true, registry: detailRegistry }) as JsonObject;
  const { value, omitted } = cut(json);
  const all = { ...omitted };
  for (const [list, count] of leftByServer(json)) if (Object.hasOwn(value, list)) all[list] = (all[list] ?? 0) + count;
  return { value: { ...value, ...(Object.keys(all).length > 0 && { omitted: all }) }, structured: true };
}

/** Items that the service itself omitted from a list: counted ones, and those on further pages. */
function leftByServer(json: JsonObject): readonly (readonly [list: string, count: number])[] {
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

/** Draws; the picture itself is the answer. */
function renderTool(): ToolDefinition<DcBackend> {
  const rpc = method.render;
  const params = parameters(
    rpc,
    rpc.input.fields.map(({ name }) => name),
  );
  const { known, required } = namesOf(params);
  return defineTool<DcBackend>()({
    name: toolName(rpc),
    summary: `${summaryOf(rpc)} SVG, HTML and DOT come as text, PNG as an image.`,
    effect: "read",
    idempotent: true,
    slow: true,
    params: Type.Object(params),
    async run(backend, args, options?: CallOptions) {
      const request = readRequest(rpc, checkNames(args, known, required) as JsonObject);
      const { artifact, data: _, ...facts } = await backend.ask(rpc, request, options?.signal);
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

function parameters(rpc: DescMethodUnary, names: readonly string[]): Record<string, TSchema> {
  const { required = [] } = messageSchema(rpc.input, INLINE) as { readonly required?: readonly string[] };
  return Object.fromEntries(
    rpc.input.fields
      .filter(({ name }) => names.includes(name))
      .map((field) => {
        const schema = Type.Unsafe(fieldSchema(field, INLINE));
        return [field.name, required.includes(field.name) ? schema : Type.Optional(schema)];
      }),
  );
}

function namesOf(params: Record<string, TSchema>) {
  const { required = [] } = Type.Object(params);
  return { known: Object.keys(params), required };
}

function noPicture(rpc: DescMethodUnary): JsonObject {
  if (!rpc.input.fields.some(({ name }) => name === "render")) return {};
  return { render: toJson(RenderOptionsSchema, create(RenderOptionsSchema, { format: RenderFormat.NONE })) };
}

function readMaxItems(value: unknown, isPage = false): number {
  // 0 is the default of a page.
  if (value === undefined || (isPage && value === 0)) return DEFAULT_ITEMS;
  if (isPage && typeof value === "number" && value > MAX_ITEMS) return MAX_ITEMS;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_ITEMS) return value;
  const shown = JSON.stringify(value);
  throw new OperationError(
    "invalid_argument",
    `Wrong value ${shown} for "${isPage ? "page_size" : "max_items"}": expected 1 to ${MAX_ITEMS}`,
  );
}

function readFields(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new OperationError(
    "invalid_argument",
    `Wrong value ${JSON.stringify(value)} for "fields": expected a list of paths`,
  );
}

function toolName({ name }: DescMethodUnary): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

function summaryOf({ name, parent }: DescMethodUnary): string {
  return commentOf(`${parent.typeName}.${name}`);
}
