import { type DescMethod, type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  GraphQLError,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLObjectType,
  GraphQLSchema,
} from "graphql";
import type { Caller } from "#dc/context.ts";
import { convertToRefusal } from "#dc/model/refusal.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import { describeProblem } from "#dc/operations/messages/json_place.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { DcService } from "#dc/service.ts";
import { noteOutcome } from "#interfaces/connect/call_accounting.ts";
import { type ErrorKind, OperationError } from "#kernel/errors.ts";
import { convertFieldNames, convertToArgumentPath } from "./argument_names.ts";
import type { RunSteps } from "./http_request.ts";
import { convertArgumentsInSteps, UnreadableArgument } from "./large_values.ts";
import { describeByComment, GraphqlTypes } from "./types.ts";

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
    return await run(convertArgumentsInSteps(method.input, args));
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
