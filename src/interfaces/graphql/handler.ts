import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  executeRootSelectionSet,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  typeFromAST,
  validate,
  validateExecutionArgs,
} from "graphql";
import { refuse } from "#dc/model/refusal.ts";
import { noteOutcome } from "#interfaces/connect/call_accounting.ts";
import { createRefusalHeaders, findHttpStatus, HttpRefusal } from "#interfaces/connect/errors.ts";
import { createTextReply, type WholeReply } from "#interfaces/connect/whole_reply.ts";
import { OperationError } from "#kernel/errors.ts";
import { shortenText } from "#kernel/shortened.ts";
import { boundErrors } from "./error_json.ts";
import {
  GRAPHQL_MEDIA_TYPE,
  type GraphqlParams,
  JSON_MEDIA_TYPE,
  readParams,
  selectMediaType,
} from "./http_request.ts";
import { type IntrospectionListSizes, measureIntrospectionLists } from "./introspection_size.ts";
import { coerceVariableInSteps, emptyLargeLists, isLargeValue, TooManyErrors, type WrongPart } from "./large_values.ts";
import { MAX_CACHED_DOCUMENT_CHARS, MAX_CACHED_DOCUMENTS, MAX_QUERY_BODY_BYTES, MAX_TOKENS } from "./limits.ts";
import { checkQueryLimits } from "./query_limits.ts";
import { buildGraphqlSchema, createErrorExtensions, type GraphqlContext } from "./schema.ts";
import { addLiteralPaths, addValuePaths, listWrongPartErrors } from "./violations.ts";

/** Functions of the server for reading one request. */
export interface GraphqlRequestAccess {
  /** Authenticates the caller. @throws OperationError for a wrong token */
  readonly createContext: () => Promise<GraphqlContext>;
  /**
   * Reads at most `limit` bytes of body.
   * @throws OperationError for a body that is longer, too deep or too complex
   */
  readonly readBody: (limit: number) => Promise<Uint8Array>;
}

export type GraphqlHandler = (request: Request, how: GraphqlRequestAccess) => Promise<WholeReply>;

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
  return async (request, { createContext, readBody }) => {
    const type = selectMediaType(request.headers.get("accept"));
    if (type === undefined) {
      const expected = `${GRAPHQL_MEDIA_TYPE} or ${JSON_MEDIA_TYPE}`;
      return createRefusalResponse(
        refuse("NOT_ACCEPTABLE", `No accepted media type: expected ${expected}`),
        JSON_MEDIA_TYPE,
      );
    }
    try {
      // Authenticates before the body is read, so that an anonymous caller cannot make the server read one.
      const context = await createContext();
      const params = await readParams(request, readBody, context.run);
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
  const answer = await executeInSteps(given, operation, context);
  if (answer.errors !== undefined) addValuePaths(answer.errors, { schema, document, operation, variables });
  return answer;
}

/** Executes an operation; reads large lists among its variables in steps first. */
async function executeInSteps(
  given: ExecutionArgs,
  operation: OperationDefinitionNode,
  { run }: GraphqlContext,
): Promise<GraphqlAnswer> {
  const { schema, document, variableValues: variables = {} } = given;
  const large = (operation.variableDefinitions ?? []).filter((one) =>
    isLargeValue(variables?.[one.variable.name.value]),
  );
  if (large.length === 0) return execute(given);
  const names = large.map(({ variable }) => variable.name.value);
  const small = Object.fromEntries(Object.entries(variables ?? {}).filter(([name]) => !names.includes(name)));
  // Objects without prototypes, because a variable may be named __proto__.
  const coerced: Record<string, unknown> = Object.create(null);
  // The same values with empty lists in place of large ones, for the library's validation.
  const rest: Record<string, unknown> = Object.create(null);
  const errors: GraphQLError[] = [];
  for (const definition of large) {
    const { name } = definition.variable;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return execute({ ...given, variableValues: small });
    rest[name.value] = emptyLargeLists(variables?.[name.value], type);
    const wrong: WrongPart[] = [];
    try {
      coerced[name.value] = await run(coerceVariableInSteps(variables?.[name.value], type, wrong));
    } catch (error) {
      if (!(error instanceof TooManyErrors)) throw error;
    }
    errors.push(...listWrongPartErrors({ document, operation }, definition, wrong));
  }
  if (errors.length > 0) return { errors };
  const checked = validateExecutionArgs({ ...given, variableValues: { ...small, ...rest } });
  if (!("schema" in checked)) return { errors: checked };
  const { sources, coerced: others } = checked.variableValues;
  return executeRootSelectionSet({ ...checked, variableValues: { sources, coerced: { ...others, ...coerced } } });
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
