import { type DescEnum, type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
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
  GraphQLString,
  Kind,
  type ValueNode,
} from "graphql";
import { findProtoComment, isRequired } from "#dc/operations/messages/message_schema.ts";
import { convertFieldNames, convertRefusalNames } from "./argument_names.ts";

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
export class GraphqlTypes {
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
export function describeByComment(name: string): { readonly description?: string } {
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
