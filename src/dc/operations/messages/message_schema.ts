import { type DescEnum, type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { COMMENTS } from "#gen/datacenter/v1/comments.ts";
import { rule } from "#gen/datacenter/v1/rules_pb.ts";

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SchemaOptions {
  /** Returns the schema of a nested message: the schema itself or a reference to it. */
  readonly message: (desc: DescMessage) => JsonSchema;
  /** Whether the schema includes the `..._UNSPECIFIED` value of enumerations and the 32-bit bounds of integers. */
  readonly isComplete: boolean;
}

/** Messages that proto JSON writes in a special form. Source: ProtoJSON format. */
const WELL_KNOWN_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.FieldMask": { type: "string", description: "Paths joined by commas." },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.Any": { type: "object", properties: { "@type": { type: "string" } }, required: ["@type"] },
};

const INT32_SCHEMA = { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 } as const;

/** Returns the proto comment of a message, field, enumeration value or method; "" without one. */
export function findProtoComment(name: string): string {
  return COMMENTS[name] ?? "";
}

/** Returns the JSON Schema of a message in proto JSON with the proto's names. Proto comments become descriptions. */
export function buildMessageSchema(desc: DescMessage, options: SchemaOptions): JsonSchema {
  const known = WELL_KNOWN_SCHEMAS[desc.typeName];
  if (known !== undefined) return known;
  const required = desc.fields.filter(isRequired).map(({ name }) => name);
  return {
    type: "object",
    ...describeByComment(desc.typeName),
    properties: Object.fromEntries(desc.fields.map((field) => [field.name, buildMessageFieldSchema(field, options)])),
    ...(required.length > 0 && { required }),
  };
}

/**
 * Whether a request without the field is rejected. False in resources, because the stored resource may contain the
 * field.
 */
export function isRequired(field: DescField): boolean {
  return field.parent.name.endsWith("Request") && getOption(field, rule).required;
}

export function buildMessageFieldSchema(field: DescField, options: SchemaOptions): JsonSchema {
  return { ...buildValueSchema(field, options), ...describeByComment(`${field.parent.typeName}.${field.name}`) };
}

function describeByComment(name: string): JsonSchema {
  const description = findProtoComment(name);
  return description === "" ? {} : { description };
}

function buildValueSchema(field: DescField, options: SchemaOptions): JsonSchema {
  switch (field.fieldKind) {
    case "list":
      return { type: "array", items: buildSingleValueSchema(field, options), ...describeLengthLimit(field) };
    case "map":
      return {
        type: "object",
        additionalProperties: buildSingleValueSchema({ ...field, listKind: field.mapKind }, options),
      };
    default:
      return buildSingleValueSchema({ ...field, listKind: field.fieldKind }, options);
  }
}

function describeLengthLimit(field: DescField): JsonSchema {
  const { items } = getOption(field, rule);
  return items === 0 ? {} : { maxItems: items };
}

interface SingleValue {
  readonly listKind: "scalar" | "enum" | "message";
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
}

function buildSingleValueSchema({ scalar, enum: words, message }: SingleValue, options: SchemaOptions): JsonSchema {
  if (message !== undefined) return WELL_KNOWN_SCHEMAS[message.typeName] ?? options.message(message);
  if (words !== undefined) {
    const shown = options.isComplete ? words.values : words.values.filter(({ number }) => number !== 0);
    return { type: "string", enum: shown.map(({ name }) => name) };
  }
  const schema = buildScalarSchema(scalar);
  return schema === INT32_SCHEMA && !options.isComplete ? { type: "integer" } : schema;
}

function buildScalarSchema(scalar: ScalarType | undefined): JsonSchema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
      return INT32_SCHEMA;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    default:
      return { type: "string" };
  }
}
