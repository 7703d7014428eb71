import { type DescMessage, fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  validateInputValue,
  visit,
} from "graphql";
import { refuse } from "#dc/model/refusal.ts";
import { findUnreadablePath } from "#dc/operations/messages/json_place.ts";
import { describeError, shortenText } from "#kernel/errors.ts";
import { isJsonObject, parseJson, parseUniqueJson } from "#kernel/json_object.ts";
import type { Steps } from "#kernel/steps.ts";
import { createBodyRefusal, createEncodingRefusal, createMediaTypeRefusal, HttpRefusal } from "../connect/errors.ts";
import { JsonShapeScan } from "../connect/message_shape.ts";

/** An argument that cannot be parsed, with its path and the library's reason. */
export class UnreadableArgument extends Error {
  readonly path: string;

  constructor(message: string, place: string) {
    super(message);
    this.path = place;
  }
}

/** Converts arguments, which the library has just read, to a message, in another step. @throws UnreadableArgument */
export function* convertArguments(desc: DescMessage, args: object): Steps<Message> {
  yield;
  // Turns the library's objects without prototypes into plain JSON objects.
  const json = JSON.parse(JSON.stringify(args)) as JsonValue;
  try {
    return fromJson(desc, json);
  } catch (error) {
    const why = describeError(error).replace(/^cannot decode .* from JSON: /, "");
    throw new UnreadableArgument(why, findUnreadablePath(desc, json, {}));
  }
}

/** Media types of replies. Source: GraphQL over HTTP, Media Types. */
export const GRAPHQL_MEDIA_TYPE = "application/graphql-response+json";
export const JSON_MEDIA_TYPE = "application/json";

/** Parameters of a GraphQL request. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly bodyBytes: number;
}

/** Selects the best accepted media type, undefined if none is supported; without an Accept header, plain JSON. */
export function selectMediaType(accept: string | null): string | undefined {
  if (accept === null || accept.trim() === "") return JSON_MEDIA_TYPE;
  const ranges = accept.split(",").map(parseMediaRange);
  // Of equally preferred types, selects the more expressive one.
  const rankMediaType = (type: string) => (type === GRAPHQL_MEDIA_TYPE ? 1 : 0);
  const taken = ranges.filter(({ type, quality }) => type !== "" && quality > 0);
  return taken.toSorted((a, b) => b.quality - a.quality || rankMediaType(b.type) - rankMediaType(a.type))[0]?.type;
}

function parseMediaRange(text: string): { readonly type: string; readonly quality: number } {
  const { type: range, parameters, isUtf8 } = parseMediaType(text);
  const quality = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1);
  if (!isUtf8) return { type: "", quality };
  if (range === GRAPHQL_MEDIA_TYPE) return { type: GRAPHQL_MEDIA_TYPE, quality };
  return { type: ["application/json", "application/*", "*/*"].includes(range) ? JSON_MEDIA_TYPE : "", quality };
}

function parseMediaType(text: string) {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((one) => one.startsWith("charset="))?.slice("charset=".length);
  return { type, parameters, isUtf8: charset === undefined || /^"?utf-?8"?$/.test(charset) };
}

/** Runs work in steps, with other calls between them. */
export type RunSteps = <Result>(steps: Steps<Result>) => Promise<Result>;

/** Reads the parameters of a request. @param bytes its body, if it has the media type @throws Refusal */
export async function readParams(
  request: Request,
  bytes: Uint8Array = new Uint8Array(),
  run: RunSteps,
): Promise<GraphqlParams> {
  if (request.method === "GET" || request.method === "HEAD")
    return requireGraphqlParams(parseQueryParams(new URL(request.url).searchParams), 0);
  if (request.method !== "POST") {
    const message = `${shortenText(request.method)} is not supported: expected GET, POST`;
    throw new HttpRefusal("METHOD_NOT_ALLOWED", message, { allow: "GET, POST" });
  }
  const { type, isUtf8 } = parseMediaType(request.headers.get("content-type") ?? "");
  if (type !== JSON_MEDIA_TYPE || !isUtf8)
    throw createMediaTypeRefusal(request.headers.get("content-type"), `${JSON_MEDIA_TYPE} in UTF-8`);
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") throw createEncodingRefusal(encoding, ["identity"]);
  return requireGraphqlParams(await parseJsonBody(bytes, run), bytes.length);
}

function parseQueryParams(given: { get(name: string): string | null }): Record<string, unknown> {
  const parseJsonParam = (name: string) => {
    const text = given.get(name);
    if (text === null || text === "") return undefined;
    const problem = new JsonShapeScan().scanChunk(Buffer.from(text));
    if (problem !== undefined) throw refuse("MESSAGE_TOO_COMPLEX", `Cannot read parameter "${name}": ${problem}`);
    try {
      return parseUniqueJson(text);
    } catch {
      throw refuse("MALFORMED_MESSAGE", `Parameter "${name}" is no JSON`);
    }
  };
  return {
    query: given.get("query"),
    operationName: given.get("operationName"),
    variables: parseJsonParam("variables"),
    extensions: parseJsonParam("extensions"),
  };
}

async function parseJsonBody(bytes: Uint8Array, run: RunSteps): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = await run(parseJson(bytes));
  } catch (error) {
    throw createBodyRefusal(error);
  }
  if (!isJsonObject(value))
    throw refuse("MALFORMED_MESSAGE", "Expected a JSON object with a query; batches are not supported");
  return value;
}

function requireGraphqlParams(
  { query, operationName, variables, extensions }: Record<string, unknown>,
  bodyBytes: number,
): GraphqlParams {
  if (typeof query !== "string")
    throw refuse("REQUIRED_FIELD", 'Parameter "query" is missing or no text', { field: "query" });
  const name = operationName ?? undefined;
  if (name !== undefined && typeof name !== "string")
    throw refuse("MALFORMED_MESSAGE", 'Parameter "operationName" is no text');
  for (const [parameter, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      throw refuse("MALFORMED_MESSAGE", `Parameter "${parameter}" is no object`);
    }
  }
  return { query, operationName: name, variables: isJsonObject(variables) ? variables : {}, bodyBytes };
}

// Limits of one GraphQL request. Source: docs/decisions.md#d-03, unless a comment names another.

/** Maximum number of nested levels of fields. */
export const MAX_FIELD_DEPTH = 12;
/** Maximum number of field aliases. */
export const MAX_ALIASES = 30;
/** Maximum length of an alias, which the reply repeats, in characters. Our choice: a person's names are shorter. */
export const MAX_ALIAS_CHARS = 100;
/** Maximum number of tokens of the document. */
export const MAX_TOKENS = 2000;
/** Maximum number of fields to resolve; those of a page count once per item. */
export const MAX_COST = 10_000;
/** Maximum size in bytes of a request body, except that of a bulk mutation. */
export const MAX_QUERY_BODY_BYTES = 1024 * 1024;
/** Maximum number of cached documents. Our choice: the queries of one client. */
export const MAX_CACHED_DOCUMENTS = 500;
/** Maximum length of a cached document, in characters. */
export const MAX_CACHED_DOCUMENT_CHARS = 20_000;

type ViolationReason = "FIELD_OUT_OF_RANGE" | "UNKNOWN_FIELD" | "REQUIRED_FIELD";

/** An error about an argument: the path to the wrong value, and the reason. */
interface ArgumentError {
  readonly field: string;
  readonly reason: ViolationReason;
}

/** Form of the library's message about a field that the type does not have; its path ends at the object. */
const UNKNOWN_FIELD_PATTERN =
  /^Expected value of type "[^"]*" not to include unknown field "(.*?)"(?:, found|\. Did you mean)/s;

/** Form of the library's message about a required argument that is missing: it has the node of the field. */
const MISSING_ARGUMENT_PATTERN = /^Argument "\w+\.\w+\((\w+):\)" of type ".*" is required/;

/** An executed operation. */
interface ExecutedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Adds the argument to each of the library's errors about a value in the document, in `extensions.violations`, as in
 * the service's own refusals. Other errors are not changed.
 */
export function addLiteralPaths(errors: readonly GraphQLError[], document: DocumentNode): void {
  const fields = new Map<ASTNode, string>();
  visitArgumentParts(document, (node, place) => void fields.set(node, place));
  for (const error of errors) {
    const missing = MISSING_ARGUMENT_PATTERN.exec(error.message)?.[1];
    if (missing !== undefined) addViolation(error, { field: missing, reason: "REQUIRED_FIELD" });
    const node = error.nodes?.find((one) => fields.has(one));
    if (node === undefined || missing !== undefined) continue;
    // The library reports a wrong value with its own node, and an unknown name with the node that contains it.
    const isName = node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD;
    addViolation(error, { field: fields.get(node) ?? "", reason: isName ? "UNKNOWN_FIELD" : "FIELD_OUT_OF_RANGE" });
  }
}

/** Adds the argument to errors of execution: values of variables, and literals that contain variables. */
export function addValuePaths(errors: readonly GraphQLError[], execution: ExecutedOperation): void {
  const open = errors.filter(({ extensions }) => extensions["code"] === undefined);
  if (open.length === 0) return;
  const ofVariables = open.filter(({ nodes }) => nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION);
  // The library lists the errors in the order of the definitions, up to its limit.
  const places: ArgumentError[] = [];
  try {
    if (ofVariables.length > 0) visitWrongArguments(execution, createLimitedCollector(places, ofVariables.length));
  } catch (error) {
    if (!(error instanceof ErrorLimitReached)) throw error;
  }
  for (const [index, error] of ofVariables.entries()) {
    const place = places[index];
    if (place !== undefined) addViolation(error, place);
  }
  addLiteralPaths(open, execution.document);
}

/** Thrown to end the traversal of a value: each item of a list of millions may be wrong. */
class ErrorLimitReached extends Error {}

function createLimitedCollector(places: ArgumentError[], most: number): (place: ArgumentError) => void {
  return (place) => {
    places.push(place);
    if (places.length === most) throw new ErrorLimitReached();
  };
}

/** Calls `found` for each argument that gets a wrong value of a variable, where the variable is first used. */
function visitWrongArguments(
  { schema, document, operation, variables }: ExecutedOperation,
  onError: (place: ArgumentError) => void,
): void {
  const uses = findFirstUses(document, operation);
  for (const { variable, type: written, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, written);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!isInputType(type)) continue;
    if (value === undefined && (defaultValue !== undefined || !isNonNullType(type))) continue;
    const start = uses.get(name) ?? name;
    validateInputValue(value, type, ({ message }, path) =>
      onError(parseArgumentError(message, start + path.map(formatPathStep).join(""))),
    );
  }
}

function parseArgumentError(message: string, field: string): ArgumentError {
  const unknown = UNKNOWN_FIELD_PATTERN.exec(message)?.[1];
  if (unknown === undefined) return { field, reason: "FIELD_OUT_OF_RANGE" };
  return { field: field + formatPathStep(unknown), reason: "UNKNOWN_FIELD" };
}

function formatPathStep(key: string | number): string {
  return typeof key === "number" ? `[${key}]` : `.${key}`;
}

function findFirstUses(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, string> {
  const uses = new Map<string, string>();
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  for (const root of [operation, ...fragments]) {
    visitArgumentParts(root, (node, place) => {
      if (node.kind === Kind.VARIABLE && !uses.has(node.name.value)) uses.set(node.name.value, place);
    });
  }
  return uses;
}

function addViolation({ extensions, message }: GraphQLError, { field, reason }: ArgumentError): void {
  extensions["reason"] = reason;
  extensions["violations"] = [{ reason, field, message, ref: "" }];
}

/** Receives the path of a node within the arguments of its field: `rack.location.siteId`, `items[3].kind`. */
type VisitArgumentPart = (node: ASTNode, place: string) => void;

/** Visits every part of every argument in document order. Cost: one traversal. */
function visitArgumentParts(root: ASTNode, visitPart: VisitArgumentPart): void {
  visit(root, {
    Argument(node) {
      visitParts(node, node.name.value, visitPart);
      return false;
    },
  });
}

function visitParts(node: ASTNode, place: string, tell: VisitArgumentPart): void {
  tell(node, place);
  switch (node.kind) {
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      visitParts(node.value, place, tell);
      break;
    case Kind.OBJECT:
      for (const field of node.fields) visitParts(field, `${place}.${field.name.value}`, tell);
      break;
    case Kind.LIST:
      for (const [index, value] of node.values.entries()) visitParts(value, `${place}[${index}]`, tell);
  }
}
