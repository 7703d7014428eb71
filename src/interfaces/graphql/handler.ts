import {
  type DocumentNode,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionNode,
  validate,
} from "graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "#dc/limits.ts";
import type { Reason } from "#dc/model/finding.ts";
import { refuse } from "#dc/model/refusal.ts";
import { MAX_REFUSAL_BYTES, OperationError, shortenMiddle, shortenText } from "#kernel/errors.ts";
import { createRefusalHeaders, findHttpStatus, HttpRefusal, noteOutcome } from "../connect/errors.ts";
import { createTextReply, type WholeReply } from "../connect/kept_replies.ts";
import {
  addLiteralPaths,
  addValuePaths,
  GRAPHQL_MEDIA_TYPE,
  type GraphqlParams,
  JSON_MEDIA_TYPE,
  MAX_ALIAS_CHARS,
  MAX_ALIASES,
  MAX_CACHED_DOCUMENT_CHARS,
  MAX_CACHED_DOCUMENTS,
  MAX_COST,
  MAX_FIELD_DEPTH,
  MAX_QUERY_BODY_BYTES,
  MAX_TOKENS,
  readParams,
  selectMediaType,
} from "./request.ts";
import { buildGraphqlSchema, createErrorExtensions, type GraphqlContext } from "./schema.ts";

/** Functions of the server for reading one request. */
interface GraphqlRequestAccess {
  /** Authenticates the caller. @throws OperationError for a wrong token */
  readonly createContext: () => Promise<GraphqlContext>;
  /** Body of the request, if it has the media type. */
  readonly body: Uint8Array | undefined;
}

type GraphqlHandler = (request: Request, how: GraphqlRequestAccess) => Promise<WholeReply>;

interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLError[];
}

/**
 * Serves GraphQL over HTTP. POST accepts only JSON, which a foreign page's browser cannot send without permission, and
 * GET never changes anything. Source: GraphQL over HTTP; docs/decisions.md#d-03.
 */
export function createGraphqlHandler(): GraphqlHandler {
  const documents = new DocumentCache(buildGraphqlSchema());
  return async (request, { createContext, body }) => {
    const type = selectMediaType(request.headers.get("accept"));
    if (type === undefined) {
      const expected = `${GRAPHQL_MEDIA_TYPE} or ${JSON_MEDIA_TYPE}`;
      return createRefusalResponse(
        refuse("NOT_ACCEPTABLE", `No accepted media type: expected ${expected}`),
        JSON_MEDIA_TYPE,
      );
    }
    try {
      const context = await createContext();
      const params = await readParams(request, body, context.run);
      const answer = await runOperation(documents, params, { method: request.method, context });
      if (answer.data === undefined) noteOutcome("invalid_argument");
      // With the older media type, the status is 200 for every request that could be parsed.
      return createGraphqlResponse(answer, answer.data === undefined && type === GRAPHQL_MEDIA_TYPE ? 400 : 200, type);
    } catch (error) {
      return createRefusalResponse(error, type);
    }
  };
}

/** Returns the response to an error that occurred before the document ran. Rethrows defects. */
function createRefusalResponse(error: unknown, type: string): WholeReply {
  if (!(error instanceof OperationError)) throw error;
  noteOutcome(error.kind);
  const shown = new GraphQLError(error.message, { extensions: createErrorExtensions(error) });
  return createGraphqlResponse({ errors: [shown] }, findHttpStatus(error), type, createRefusalHeaders(error));
}

interface OperationRequest {
  readonly method: string;
  readonly context: GraphqlContext;
}

async function runOperation(
  documents: DocumentCache,
  params: GraphqlParams,
  { method, context }: OperationRequest,
): Promise<GraphqlAnswer> {
  const { document, errors } = documents.getPrepared(params.query);
  if (document === undefined) return { errors };
  const operation = getOperationAST(document, params.operationName);
  if (operation === undefined || operation === null)
    return { errors: [createUnknownOperationError(document, params.operationName)] };
  if (method !== "POST" && operation.operation !== OperationTypeNode.QUERY) {
    throw new HttpRefusal("METHOD_NOT_ALLOWED", "Only queries are answered by GET: expected POST", { allow: "POST" });
  }
  if (params.bodyBytes > MAX_QUERY_BODY_BYTES && !isBulkMutation(operation)) {
    const expected = `expected at most ${MAX_QUERY_BODY_BYTES} bytes beside bulk mutations`;
    throw refuse("MESSAGE_TOO_LARGE", `The body is too large: ${expected}`);
  }
  const { schema, introspection } = documents;
  try {
    checkQueryLimits({ document, operation, variables: params.variables, introspection });
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
  const { variables, operationName } = params;
  const given = { schema, document, contextValue: context, variableValues: variables, operationName };
  const answer = await execute(given);
  if (answer.errors !== undefined) addValuePaths(answer.errors, { schema, document, operation, variables });
  return answer;
}

function createUnknownOperationError({ definitions }: DocumentNode, name: string | undefined): GraphQLError {
  if (name !== undefined) return new GraphQLError(`The document has no operation "${shortenText(name)}"`);
  const count = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  return new GraphQLError(
    count === 0 ? "The document has no operation" : 'Parameter "operationName" must say which one',
  );
}

function isBulkMutation({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const fields = selectionSet.selections.filter((one) => one.kind === Kind.FIELD);
  return operation === OperationTypeNode.MUTATION && fields.some(({ name }) => name.value.startsWith("bulk"));
}

function createGraphqlResponse(
  { data, errors }: GraphqlAnswer,
  status: number,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): WholeReply {
  const text = JSON.stringify({
    ...(errors !== undefined && { errors: boundErrors(errors) }),
    ...(data !== undefined && { data }),
  });
  const head = { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store", ...headers };
  return createTextReply(status, head, text);
}

/** A document that can be executed, or the errors that prevent its execution. */
type PreparedDocument =
  | { readonly document: DocumentNode; readonly errors?: never }
  | { readonly document?: never; readonly errors: readonly GraphQLError[] };

const MAX_VALIDATION_ERRORS = 20;

/** Parses and validates documents, and caches the most recently used ones. */
class DocumentCache {
  readonly schema: GraphQLSchema;
  readonly introspection: IntrospectionListSizes;
  readonly #prepared = new Map<string, PreparedDocument>();

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
    this.introspection = measureIntrospectionLists(schema);
  }

  getPrepared(text: string): PreparedDocument {
    const known = this.#prepared.get(text);
    // Inserted again at the end, so that the first document is the least recently used.
    this.#prepared.delete(text);
    const prepared = known ?? this.#prepareDocument(text);
    if (text.length <= MAX_CACHED_DOCUMENT_CHARS) this.#prepared.set(text, prepared);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MAX_CACHED_DOCUMENTS && oldest !== undefined) this.#prepared.delete(oldest);
    return prepared;
  }

  #prepareDocument(text: string): PreparedDocument {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: MAX_TOKENS });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { errors: [error] };
    }
    const errors = validate(this.schema, document, undefined, { maxErrors: MAX_VALIDATION_ERRORS });
    if (errors.length === 0) return { document };
    addLiteralPaths(errors, document);
    return { errors };
  }
}

/** Lengths to which texts are shortened until one error fits, in characters. */
const TEXT_LENGTHS = [1024, 512, 256, 128, 64] as const;

/**
 * Returns the errors of a reply as JSON that is small whatever the caller sent: texts are shortened, and the errors that
 * fit are listed. An error of the library is the caller's: it gets the code BAD_USER_INPUT and a reason.
 */
function boundErrors(errors: readonly GraphQLError[]): readonly object[] {
  const shown: object[] = [];
  for (const [index, error] of errors.entries()) {
    const left = errors.length - index;
    const more = { message: `${left} more are not listed`, extensions: { code: "BAD_USER_INPUT" } };
    const room = MAX_REFUSAL_BYTES - measureJson(shown) - (left > 1 ? measureJson(more) : 0);
    const fitting = fitError(error, room, index === 0);
    if (fitting === undefined) return [...shown, more];
    shown.push(fitting);
  }
  return shown;
}

/** @param isFirst whether the error is shortened to fit, because at least one is listed */
function fitError(error: GraphQLError, room: number, isFirst: boolean): object | undefined {
  for (const chars of TEXT_LENGTHS) {
    const shown = convertError(error, chars);
    if (measureJson(shown) <= room) return shown;
    if (!isFirst) return undefined;
  }
  return convertError(new GraphQLError("The request is refused", { extensions: error.extensions }), 0);
}

interface ShownViolation {
  readonly field: string;
  readonly message: string;
}

/** What the library's scalars expected, which its messages do not say. */
const EXPECTED_BY_SCALAR: Readonly<Record<string, string>> = {
  Int: "a number",
  Float: "a number",
  String: "a text",
  Boolean: "true or false",
};

function addExpectation(message: string): string {
  const [, scalar = ""] = /\b(Int|Float|String|Boolean) cannot represent (?:a )?non[ -]/.exec(message) ?? [];
  return scalar === "" ? message : `${message}: expected ${EXPECTED_BY_SCALAR[scalar]}`;
}

function convertError({ message, locations, path, extensions }: GraphQLError, chars: number): object {
  const { code = "BAD_USER_INPUT", violations, ...rest } = extensions;
  const reason =
    extensions["reason"] ?? (code === "BAD_USER_INPUT" ? ("MALFORMED_REQUEST" satisfies Reason) : undefined);
  const listed = (violations as readonly ShownViolation[] | undefined)?.map((one) => ({
    ...one,
    field: shortenMiddle(one.field, chars / 2),
    message: shortenMiddle(addExpectation(one.message), chars),
  }));
  return {
    message: shortenMiddle(addExpectation(message), chars),
    ...(locations !== undefined && { locations: locations.slice(0, 5) }),
    ...(path !== undefined && { path: path.map((one) => (typeof one === "string" ? shortenText(one) : one)) }),
    extensions: {
      ...rest,
      code,
      ...(reason !== undefined && { reason }),
      ...(listed !== undefined && { violations: listed }),
    },
  };
}

function measureJson(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

type GraphqlVariables = Readonly<Record<string, unknown>>;

interface MeasuredOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: GraphqlVariables;
  readonly introspection: IntrospectionListSizes;
}

/**
 * Refuses an operation that would cost too much to answer, before it runs. Introspection counts against the same
 * limits.
 *
 * Source: docs/decisions.md#d-03.
 * @throws GraphQLError QUERY_TOO_COMPLEX
 */
export function checkQueryLimits(measured: MeasuredOperation): void {
  new QueryCostMeter(measured).measureSelections(measured.operation.selectionSet.selections, {
    depth: 1,
    times: 1,
    isAboutSchema: false,
  });
}

/** Position of a selection: nesting level, number of times it is resolved, and whether it is introspection. */
interface SelectionPosition {
  readonly depth: number;
  readonly times: number;
  readonly isAboutSchema: boolean;
}

class QueryCostMeter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #operation: OperationDefinitionNode;
  readonly #variables: GraphqlVariables;
  readonly #introspection: IntrospectionListSizes;
  #aliases = 0;
  #cost = 0;

  constructor({ document, operation, variables, introspection }: MeasuredOperation) {
    const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((one) => [one.name.value, one]));
    this.#operation = operation;
    this.#variables = variables;
    this.#introspection = introspection;
  }

  // Fragments cannot contain themselves in a valid document. Each spread costs 1, because nested fragments without
  // fields could otherwise expand exponentially.
  measureSelections(selections: readonly SelectionNode[], place: SelectionPosition): void {
    for (const selection of selections) {
      this.#cost += selection.kind === Kind.FIELD ? computeFieldCost(selection, place) : 1;
      if (this.#cost > MAX_COST) throw createComplexityError(`asks for more than ${MAX_COST} values`);
      if (selection.kind === Kind.FIELD) this.#measureField(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        this.measureSelections(selection.selectionSet.selections, place);
      else this.measureSelections(this.#fragments.get(selection.name.value)?.selectionSet.selections ?? [], place);
    }
  }

  #measureField(field: FieldNode, { depth, times, isAboutSchema }: SelectionPosition): void {
    if (field.alias !== undefined) this.#aliases++;
    if (depth > MAX_FIELD_DEPTH) throw createComplexityError(`is nested deeper than ${MAX_FIELD_DEPTH} levels`);
    if (this.#aliases > MAX_ALIASES) throw createComplexityError(`has more than ${MAX_ALIASES} aliases`);
    const inner = field.selectionSet?.selections;
    if ((field.alias?.value.length ?? 0) > MAX_ALIAS_CHARS)
      throw createComplexityError(`has an alias of more than ${MAX_ALIAS_CHARS} characters`);
    if (inner === undefined) return;
    const { value: name } = field.name;
    const about = isAboutSchema || name.startsWith("__");
    const items = about ? (this.#introspection[name] ?? 1) : this.#findItemCount(field);
    // Type wrappers (list of, not null) are not levels: there are at most a few, and they contain no lists.
    this.measureSelections(inner, {
      depth: isTypeWrapper(field, about) ? depth : depth + 1,
      times: times * items,
      isAboutSchema: about,
    });
  }

  /** Returns a page's maximum number of items. A list without a requested size counts as one, except for devices. */
  #findItemCount({ name, arguments: given = [] }: FieldNode): number {
    const size = given.find((one) => one.name.value === "pageSize")?.value;
    if (size === undefined && name.value !== "searchDevices") return 1;
    const asked = size?.kind === Kind.VARIABLE ? this.#readVariable(size.name.value) : undefined;
    const count = size?.kind === Kind.INT ? Number(size.value) : asked;
    return typeof count === "number" && count > 0 ? Math.min(count, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  }

  /** Returns a variable's given value, else its default. */
  #readVariable(name: string): unknown {
    if (Object.hasOwn(this.#variables, name)) return this.#variables[name];
    const found = this.#operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
    return found?.defaultValue?.kind === Kind.INT ? Number(found.defaultValue.value) : undefined;
  }
}

function computeFieldCost(field: FieldNode, { times, isAboutSchema }: SelectionPosition): number {
  if (isTypeWrapper(field, isAboutSchema)) return 0;
  return isAboutSchema ? times * INTROSPECTION_WEIGHT : times;
}

function isTypeWrapper({ name }: FieldNode, isAboutSchema: boolean): boolean {
  return isAboutSchema && name.value === "ofType";
}

function createComplexityError(how: string): GraphQLError {
  return new GraphQLError(`The operation ${how}`, {
    extensions: { code: "RESOURCE_EXHAUSTED", reason: "QUERY_TOO_COMPLEX" },
  });
}

/** Cost of one introspection value; other fields cost 1. Our choice: the whole schema costs less than the limit. */
const INTROSPECTION_WEIGHT = 0.4;

/** Average number of items in the lists of an introspection, by the name of the field. */
type IntrospectionListSizes = Readonly<Record<string, number>>;

function measureIntrospectionLists(schema: GraphQLSchema): IntrospectionListSizes {
  const types = Object.values(schema.getTypeMap());
  const outputs = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()));
  const inputs = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()));
  const values = types.filter(isEnumType).flatMap((type) => type.getValues());
  const args = outputs.flatMap((field) => field.args);
  return {
    types: types.length,
    fields: outputs.length / types.length,
    inputFields: inputs.length / types.length,
    enumValues: values.length / types.length,
    args: args.length / outputs.length,
    directives: schema.getDirectives().length,
    // Our choice: few types are wrapped, and fewer at each further level.
    ofType: 0.5,
  };
}
