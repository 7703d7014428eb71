import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  Kind,
  type ValueNode,
} from "graphql";
import type { Caller } from "#dc/context.ts";
import { convertToRefusal } from "#dc/model/refusal.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import { describeProblem } from "#dc/operations/messages/json_place.ts";
import { findProtoComment, isRequired } from "#dc/operations/messages/message_schema.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { DcService } from "#dc/service.ts";
import { type ErrorKind, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { noteOutcome } from "../connect/errors.ts";
import { convertArguments, type RunSteps, UnreadableArgument } from "./request.ts";

export interface GraphqlContext {
  readonly service: DcService;
  readonly caller: Caller;
  /** Called for each defect, with the name of the RPC. */
  readonly reportDefect: (method: string, error: unknown) => void;
  /** Aborts when the caller disconnects. */
  readonly signal?: AbortSignal;
  /** Runs work in steps, with other calls between them. */
  readonly run: RunSteps;
}

/** Returns the error code for client programs. Source: docs/contract/datacenter-errors.md#reasons. */
function getErrorCode(kind: ErrorKind): string {
  return kind === "invalid_argument" ? "BAD_USER_INPUT" : kind.toUpperCase();
}

type GraphqlRootField = GraphQLFieldConfig<unknown, GraphqlContext>;

/**
 * Returns a schema with one query or mutation per RPC of the proto and its request's fields as arguments: a field added
 * to the proto appears here. Source: docs/decisions.md#d-03.
 */
export function buildGraphqlSchema(): GraphQLSchema {
  const methods = SERVICES.flatMap(({ service }): readonly DescMethod[] => service.methods);
  const types = new GraphqlTypes(methods.map(({ output }) => output));
  const createRootType = (name: string, of: readonly DescMethod[]) =>
    new GraphQLObjectType<unknown, GraphqlContext>({
      name,
      fields: Object.fromEntries(
        of.map((method) => [findRootFieldName(method), createMethodField(types, method as DescMethodUnary)]),
      ) as GraphQLFieldConfigMap<unknown, GraphqlContext>,
    });
  return new GraphQLSchema({
    query: createRootType("Query", methods.filter(isReadMethod)),
    mutation: createRootType(
      "Mutation",
      methods.filter((method) => !isReadMethod(method)),
    ),
  });
}

function isReadMethod({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** Returns the RPC's name, without its verb for `GetRack` and the like: docs/contract/datacenter-interfaces.md#graphql. */
export function findRootFieldName({ localName }: DescMethod): string {
  return localName.replace(/^get([A-Z])/, (_, first: string) => first.toLowerCase());
}

function createMethodField(types: GraphqlTypes, method: DescMethodUnary): GraphqlRootField {
  return {
    type: types.getOutputType(method.output),
    ...describeByComment(`${method.parent.typeName}.${method.name}`),
    args: types.listArguments(method.input),
    resolve: (_, args, context) => answerField(method, args, context),
  };
}

async function answerField(method: DescMethodUnary, args: object, context: GraphqlContext) {
  const { service, caller, reportDefect, signal, run } = context;
  const rpc = findRpc(method);
  if (rpc === undefined) throw createGraphqlRefusal(`${method.name} is not implemented yet`, { code: "UNIMPLEMENTED" });
  try {
    const request = await readArguments(method, args, run);
    const reply = await service.call(rpc, request, caller, signal);
    return toJson(method.output, reply, { alwaysEmitImplicit: true, registry: detailRegistry });
  } catch (error) {
    if (error instanceof GraphQLError) throw error;
    if (signal?.aborted === true) throw createGraphqlRefusal("The caller closed the request", { code: "CANCELLED" });
    if (error instanceof OperationError)
      throw createGraphqlRefusal(convertFieldNames(error.message), createErrorExtensions(error));
    reportDefect(method.name, error);
    throw createGraphqlRefusal("Internal error", { code: "INTERNAL_SERVER_ERROR" });
  }
}

async function readArguments(method: DescMethodUnary, args: object, run: GraphqlContext["run"]) {
  try {
    return await run(convertArguments(method.input, args));
  } catch (error) {
    if (!(error instanceof UnreadableArgument)) throw error;
    const field = convertToArgumentPath(error.path);
    const message = `Cannot read the argument ${field}: ${describeProblem(error.message)}`;
    const reason = "FIELD_OUT_OF_RANGE";
    throw createGraphqlRefusal(message, {
      code: getErrorCode("invalid_argument"),
      reason,
      violations: [{ reason, field, message, ref: "" }],
    });
  }
}

/** Returns the extensions of an error that clients read in addition to its message. */
export function createErrorExtensions(error: OperationError): Record<string, unknown> {
  const refusal = convertToRefusal(error);
  noteOutcome(error.kind);
  const violations = refusal.violations.map(({ code, field, message, ref = "" }) => ({
    reason: code,
    field: convertToArgumentPath(field),
    message: convertFieldNames(message),
    ref,
  }));
  return { code: getErrorCode(error.kind), reason: refusal.reason, violations };
}

function createGraphqlRefusal(message: string, extensions: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, { extensions });
}

/** Field names and indexes of a path, up to the key of a map, which the caller chose. */
const PATH_PREFIX_PATTERN = /^(?:[a-z0-9_.]|\[\d+\])*/;

/** Converts a field's path to argument names: `device.ports[3].speed_mbps` to `device.ports[3].speedMbps`. */
function convertToArgumentPath(field: string): string {
  return field.replace(PATH_PREFIX_PATTERN, (names) =>
    names.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** Names of fields that GraphQL spells otherwise. */
const FIELD_NAMES: ReadonlySet<string> = new Set(
  SERVICES.flatMap(({ service }) => [
    ...service.file.messages,
    ...service.file.dependencies.flatMap((one) => one.messages),
  ])
    .flatMap(({ fields }) => fields.map(({ name }) => name))
    .filter((name) => name.includes("_")),
);

/** A name of several words, as a text about fields has it: alone, or in quotes after the word "Field". */
const WRITTEN_NAME = /(?<!["\w/:<-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?!["\w/-]|:\S)|(?<=Field ")[a-z0-9_]+(?=")/g;

/** Returns a text with fields in the names of GraphQL; values of the caller, which are in quotes, stay as they are. */
export function convertFieldNames(text: string): string {
  return text.replace(WRITTEN_NAME, (name) => (FIELD_NAMES.has(name) ? convertToArgumentPath(name) : name));
}

/** Returns the refusal of an item as JSON; its paths and texts name fields as the arguments do. */
function convertRefusalNames(told: JsonValue): JsonValue {
  if (Array.isArray(told)) return told.map(convertRefusalNames);
  if (!isJsonObject<JsonValue>(told)) return told;
  return Object.fromEntries(Object.entries(told).map(([key, value]) => [key, convertNamedValue(key, value)]));
}

function convertNamedValue(key: string, value: JsonValue): JsonValue {
  if (typeof value !== "string") return convertRefusalNames(value);
  switch (key) {
    case "message":
    case "description":
      return convertFieldNames(value);
    case "field":
      return convertToArgumentPath(value);
    case "subject":
      // A reference has a colon behind its kind; without a reference the subject is the field.
      return value.includes(":") ? value : convertToArgumentPath(value);
    default:
      return value;
  }
}

const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** A time in RFC 3339. */
const DATE_TIME_TYPE = new GraphQLScalarType<string>({
  name: "DateTime",
  description: "A moment in RFC 3339, such as 2026-01-05T12:00:00Z",
  coerceOutputValue: String,
  coerceInputValue: (value) => requireTimestamp(value),
  coerceInputLiteral: (node) => requireTimestamp(node.kind === Kind.STRING ? node.value : undefined, node),
});

/** Values without a fixed structure: labels, counts by name, nested objects. */
const JSON_TYPE = new GraphQLScalarType<unknown>({
  name: "JSON",
  description: "Any JSON value: labels and counts by name, structures",
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
  coerceInputLiteral: convertLiteral,
});

function requireTimestamp(value: unknown, nodes?: ValueNode): string {
  if (typeof value === "string" && TIMESTAMP_PATTERN.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new GraphQLError("Cannot read the moment: expected RFC 3339, such as 2026-01-05T12:00:00Z", { nodes });
}

function convertLiteral(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(convertLiteral);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, convertLiteral(value)]));
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      throw new GraphQLError("A JSON value cannot hold variables: expected the whole value as one variable");
    default:
      return node.value;
  }
}

type NamedOutputType = GraphQLObjectType | GraphQLScalarType | GraphQLEnumType;
type NamedInputType = GraphQLInputObjectType | GraphQLScalarType | GraphQLEnumType;

/** Type names that do not follow from the message's name. Source: docs/contract/datacenter-interfaces.md#graphql. */
const SPECIAL_TYPE_NAMES: Readonly<Record<string, string>> = {
  SearchDevicesResponse: "DevicePage",
  BulkReply: "BulkResult",
};

/** Type of the refusal of an item, which names fields of the request. */
const REFUSAL_TYPE = "google.rpc.Status";

/** Messages of the protobuf runtime that have a special JSON form. */
const SCALAR_BY_WELL_KNOWN_TYPE: Readonly<Record<string, GraphQLScalarType>> = {
  "google.protobuf.Timestamp": DATE_TIME_TYPE,
  "google.protobuf.FieldMask": GraphQLString,
  "google.protobuf.Struct": JSON_TYPE,
  "google.protobuf.Any": JSON_TYPE,
};

/**
 * GraphQL types of the proto's messages, each built once. Values are proto JSON with camelCase names, so that a reply
 * needs no conversion: enumerations have the proto's full names internally and lose their prefix in replies.
 *
 * Source: docs/decisions.md#d-03.
 */
class GraphqlTypes {
  readonly #outputs = new Map<DescMessage, GraphQLObjectType>();
  readonly #inputs = new Map<DescMessage, GraphQLInputObjectType>();
  readonly #enums = new Map<DescEnum, GraphQLEnumType>();
  /** Messages that occur in replies; input types of these messages need another name. */
  readonly #replyMessages: ReadonlySet<DescMessage>;

  constructor(answers: readonly DescMessage[]) {
    const found = new Set(answers);
    // A Set also iterates over elements that are added during the loop, so it serves as the queue.
    for (const message of found) {
      for (const { message: inner } of message.fields) if (inner !== undefined) found.add(inner);
    }
    this.#replyMessages = found;
  }

  getOutputType(message: DescMessage): GraphQLObjectType {
    const known = this.#outputs.get(message);
    if (known !== undefined) return known;
    const type = new GraphQLObjectType({
      name: SPECIAL_TYPE_NAMES[message.name] ?? message.name.replace(/Response$/, "Result"),
      ...describeByComment(message.typeName),
      fields: () => Object.fromEntries(message.fields.map((field) => [field.jsonName, this.#createOutputField(field)])),
    });
    this.#outputs.set(message, type);
    return type;
  }

  listArguments(message: DescMessage): GraphQLInputFieldConfigMap {
    return Object.fromEntries(
      message.fields.map((field) => {
        const type = this.#createInputType(field);
        return [field.jsonName, { type: isRequired(field) ? new GraphQLNonNull(type) : type, ...describeField(field) }];
      }),
    );
  }

  #createOutputField(field: DescField): GraphQLFieldConfigMap<unknown, unknown>[string] {
    return { ...this.#createResolvedField(field), ...describeField(field) };
  }

  #createResolvedField(field: DescField): GraphQLFieldConfigMap<unknown, unknown>[string] {
    const { jsonName, enum: words, message } = field;
    const type = this.#createOutputType(field);
    if (message?.typeName === REFUSAL_TYPE)
      return {
        type,
        resolve: (source) => convertRefusalNames((source as Readonly<Record<string, JsonValue>>)[jsonName] ?? null),
      };
    if (words === undefined || field.fieldKind === "list") return { type };
    const unspecified = words.value[0]?.name;
    return {
      type,
      resolve: (source) => {
        const value = (source as Record<string, unknown>)[jsonName];
        return value === unspecified ? null : value;
      },
    };
  }

  #createOutputType(field: DescField): GraphQLOutputType {
    switch (field.fieldKind) {
      case "map":
        return new GraphQLNonNull(JSON_TYPE);
      case "list":
        return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(this.#findNamedOutputType(field))));
      case "scalar":
        return field.presence === FeatureSet_FieldPresence.IMPLICIT
          ? new GraphQLNonNull(this.#findNamedOutputType(field))
          : this.#findNamedOutputType(field);
      default:
        return this.#findNamedOutputType(field);
    }
  }

  #findNamedOutputType({ message, enum: words, scalar }: DescField): NamedOutputType {
    if (message !== undefined) return findWellKnownScalar(message) ?? this.getOutputType(message);
    return words === undefined ? findScalarType(scalar) : this.#getEnumType(words);
  }

  #createInputType(field: DescField): NamedInputType | GraphQLList<GraphQLInputType> {
    if (field.fieldKind === "map") return JSON_TYPE;
    const item = this.#findNamedInputType(field);
    return field.fieldKind === "list" ? new GraphQLList(new GraphQLNonNull(item)) : item;
  }

  #findNamedInputType({ message, enum: words, scalar }: DescField): NamedInputType {
    if (message !== undefined) return findWellKnownScalar(message) ?? this.#getInputType(message);
    return words === undefined ? findScalarType(scalar) : this.#getEnumType(words);
  }

  #getInputType(message: DescMessage): GraphQLInputObjectType {
    const known = this.#inputs.get(message);
    if (known !== undefined) return known;
    const type = new GraphQLInputObjectType({
      name: this.#replyMessages.has(message) ? `${message.name}Input` : message.name,
      ...describeByComment(message.typeName),
      fields: () => this.listArguments(message),
    });
    this.#inputs.set(message, type);
    return type;
  }

  #getEnumType(words: DescEnum): GraphQLEnumType {
    const known = this.#enums.get(words);
    if (known !== undefined) return known;
    const [zero, ...values] = words.values;
    const prefix = (zero?.name ?? "").replace(/UNSPECIFIED$/, "");
    const type = new GraphQLEnumType({
      name: words.name,
      ...describeByComment(words.typeName),
      values: Object.fromEntries(
        values.map(({ name }) => [
          name.slice(prefix.length),
          { value: name, ...describeByComment(`${words.typeName}.${name}`) },
        ]),
      ),
    });
    this.#enums.set(words, type);
    return type;
  }
}

/** Returns the comment of a name in the proto as a description, with fields in the names of GraphQL. */
function describeByComment(name: string): { readonly description?: string } {
  const comment = findProtoComment(name);
  return comment === "" ? {} : { description: convertFieldNames(comment) };
}

function describeField({ parent, name }: DescField): { readonly description?: string } {
  return describeByComment(`${parent.typeName}.${name}`);
}

function findWellKnownScalar(message: DescMessage): GraphQLScalarType | undefined {
  return SCALAR_BY_WELL_KNOWN_TYPE[message.typeName];
}

function findScalarType(scalar: ScalarType | undefined): GraphQLScalarType {
  switch (scalar) {
    case ScalarType.BOOL:
      return GraphQLBoolean;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return GraphQLFloat;
    case ScalarType.INT32:
    case ScalarType.SINT32:
      return GraphQLInt;
    default:
      return GraphQLString;
  }
}
