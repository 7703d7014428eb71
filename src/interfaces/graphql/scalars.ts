import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** A moment in RFC 3339. */
export const DATE_TIME = new GraphQLScalarType<string>({
  name: "DateTime",
  description: "A moment in RFC 3339, such as 2026-01-05T12:00:00Z",
  coerceOutputValue: String,
  coerceInputValue: (value) => moment(value),
  coerceInputLiteral: (node) => moment(node.kind === Kind.STRING ? node.value : undefined, node),
});

/** Values without a fixed structure: labels, counts by name, nested objects. */
export const JSON_VALUE = new GraphQLScalarType<unknown>({
  name: "JSON",
  description: "Any JSON value: labels and counts by name, structures",
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
  coerceInputLiteral: literal,
});

function moment(value: unknown, nodes?: ValueNode): string {
  if (typeof value === "string" && MOMENT.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new GraphQLError("Cannot read the moment: expected RFC 3339, such as 2026-01-05T12:00:00Z", { nodes });
}

function literal(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(literal);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, literal(value)]));
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      throw new GraphQLError("A JSON value cannot hold variables: expected the whole value as one variable");
    default:
      return node.value;
  }
}
