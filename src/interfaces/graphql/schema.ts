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
import { Refusal } from "#dc/model/refusal.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { DcService } from "#dc/service.ts";
import { type ErrorKind, OperationError } from "#kernel/errors.ts";
import { argumentPath } from "./argument_names.ts";
import type { Run } from "./http_request.ts";
import { messageInSteps, UnreadableArgument } from "./large_values.ts";
import { Types } from "./types.ts";

export interface GraphqlContext {
  readonly service: DcService;
  readonly caller: Caller;
  /** Called for each defect, with the name of the RPC. */
  readonly report: (method: string, error: unknown) => void;
  /** Aborts when the caller disconnects. */
  readonly signal?: AbortSignal;
  /** Does work in steps, with other calls between them. */
  readonly run: Run;
}

/** Queries are named after the RPC, except these. Source: docs/contract/datacenter-interfaces.md#graphql. */
const QUERY_NAMES: Readonly<Record<string, string>> = {
  GetRack: "rack",
  GetDevice: "device",
  GetPort: "port",
  GetDeviceType: "deviceType",
  GetCapacity: "capacity",
  GetWindow: "window",
};

/** Codes that clients switch on. Source: docs/contract/datacenter-errors.md#reasons. */
const CODE: Readonly<Record<ErrorKind, string>> = {
  invalid_argument: "BAD_USER_INPUT",
  not_found: "NOT_FOUND",
  already_exists: "ALREADY_EXISTS",
  failed_precondition: "FAILED_PRECONDITION",
  aborted: "ABORTED",
  permission_denied: "PERMISSION_DENIED",
  unauthenticated: "UNAUTHENTICATED",
  resource_exhausted: "RESOURCE_EXHAUSTED",
  deadline_exceeded: "DEADLINE_EXCEEDED",
  unavailable: "UNAVAILABLE",
};

type Field = GraphQLFieldConfig<unknown, GraphqlContext>;

/**
 * One query or mutation per RPC of the proto, its request's fields as arguments: a field added there appears here.
 * Source: docs/decisions.md#d-03.
 */
export function graphqlSchema(): GraphQLSchema {
  const methods = SERVICES.flatMap(({ service }): readonly DescMethod[] => service.methods);
  const types = new Types(methods.map(({ output }) => output));
  const root = (name: string, of: readonly DescMethod[]) =>
    new GraphQLObjectType<unknown, GraphqlContext>({
      name,
      fields: Object.fromEntries(
        of.map((method) => [fieldName(method), fieldOf(types, method as DescMethodUnary)]),
      ) as GraphQLFieldConfigMap<unknown, GraphqlContext>,
    });
  return new GraphQLSchema({
    query: root("Query", methods.filter(isRead)),
    mutation: root(
      "Mutation",
      methods.filter((method) => !isRead(method)),
    ),
  });
}

function isRead({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

export function fieldName({ name, localName }: DescMethod): string {
  return QUERY_NAMES[name] ?? localName;
}

function fieldOf(types: Types, method: DescMethodUnary): Field {
  return {
    type: types.output(method.output),
    args: types.arguments(method.input),
    resolve: (_, args, context) => answer(method, args, context),
  };
}

async function answer(method: DescMethodUnary, args: object, context: GraphqlContext) {
  const { service, caller, report, signal, run } = context;
  const rpc = findRpc(method);
  if (rpc === undefined) throw refusal(`${method.name} is not implemented yet`, { code: "UNIMPLEMENTED" });
  try {
    const request = await readArguments(method, args, run);
    const reply = await service.call(rpc, request, caller, signal);
    return toJson(method.output, reply, { alwaysEmitImplicit: true, registry: detailRegistry });
  } catch (error) {
    if (error instanceof GraphQLError) throw error;
    if (signal?.aborted === true) throw refusal("The caller closed the request", { code: "CANCELLED" });
    if (error instanceof OperationError) throw refusal(error.message, extensionsOf(error));
    report(method.name, error);
    throw refusal("Internal error", { code: "INTERNAL_SERVER_ERROR" });
  }
}

async function readArguments(method: DescMethodUnary, args: object, run: GraphqlContext["run"]) {
  try {
    return await run(messageInSteps(method.input, args));
  } catch (error) {
    if (!(error instanceof UnreadableArgument)) throw error;
    const field = argumentPath(error.place);
    const message = `Cannot read the argument ${field}: ${error.message}`;
    const reason = "FIELD_OUT_OF_RANGE";
    throw refusal(message, { code: CODE.invalid_argument, reason, violations: [{ reason, field, message, ref: "" }] });
  }
}

/** Extensions of an error that clients read besides its message. */
export function extensionsOf(error: OperationError): Record<string, unknown> {
  if (!(error instanceof Refusal)) return { code: CODE[error.kind] };
  const violations = error.violations.map(({ code, field, message, ref = "" }) => ({
    reason: code,
    field: argumentPath(field),
    message,
    ref,
  }));
  return { code: CODE[error.kind], reason: error.reason, violations };
}

function refusal(message: string, extensions: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, { extensions });
}
