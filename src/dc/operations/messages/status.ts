import { create, createRegistry, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { createRejection } from "#dc/model/finding.ts";
import { convertToRefusal, Refusal } from "#dc/model/refusal.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "#gen/google/rpc/error_details_pb.ts";
import { type Status, StatusSchema } from "#gen/google/rpc/status_pb.ts";
import type { ErrorKind, OperationError } from "#kernel/errors.ts";

export const ERROR_DOMAIN = "datacenter.v1";

/** The canonical gRPC code of each kind of error. */
export const GRPC_CODE_BY_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  already_exists: 6,
  permission_denied: 7,
  resource_exhausted: 8,
  failed_precondition: 9,
  aborted: 10,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
};

/** Types of the error details, for converting a status to JSON or back. */
export const detailRegistry = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
);

export interface ErrorDetail<Desc extends DescMessage = DescMessage> {
  readonly schema: Desc;
  readonly init: MessageInitShape<Desc>;
}

/**
 * Error details that every interface sends with a refusal, each type at most once: ErrorInfo always, BadRequest for the
 * request's fields, PreconditionFailure for failed preconditions, ResourceInfo for a missing or existing resource.
 * Source: AIP-193; docs/contract/datacenter-errors.md#reasons.
 */
export function listErrorDetails(error: OperationError): readonly ErrorDetail[] {
  const { reason, violations, kind } = convertToRefusal(error);
  const [first] = violations;
  const metadata = { ...(first?.field && { field: first.field }), ...(first?.ref && { ref: first.ref }) };
  const info = { schema: ErrorInfoSchema, init: { reason, domain: ERROR_DOMAIN, metadata } };
  return [info, ...listDetailsByKind(kind, violations), ...listFieldViolationDetails(kind, violations)];
}

/**
 * Returns the BadRequest detail. Violations without a field are in it only for `invalid_argument`; for other kinds,
 * another detail reports them.
 */
function listFieldViolationDetails(kind: ErrorKind, violations: Refusal["violations"]): readonly ErrorDetail[] {
  const fieldViolations = violations
    .filter(({ field }) => field !== "" || kind === "invalid_argument")
    .map(({ field, message, code }) => ({ field, description: message, reason: code }));
  return fieldViolations.length === 0 ? [] : [{ schema: BadRequestSchema, init: { fieldViolations } }];
}

function listDetailsByKind(kind: ErrorKind, violations: Refusal["violations"]): readonly ErrorDetail[] {
  if (kind === "invalid_argument") return [];
  if (kind === "failed_precondition" || kind === "aborted") {
    const failures = violations.map(({ code, ref, field, message }) => ({
      type: code,
      subject: ref ?? field,
      description: message,
    }));
    return [{ schema: PreconditionFailureSchema, init: { violations: failures } }];
  }
  const [first] = violations;
  const [resourceType = "", ...name] = (first?.ref ?? "").split(":");
  if (name.length === 0) return [];
  const init = { resourceType, resourceName: name.join(":"), description: first?.message ?? "" };
  return [{ schema: ResourceInfoSchema, init }];
}

/** A refusal of an invalid token, as opposed to one for a missing token. */
export class InvalidTokenRefusal extends Refusal {
  constructor(message: string) {
    super(createRejection("UNAUTHENTICATED", "", message));
  }
}

/** Returns the value of `WWW-Authenticate` in a 401 response. Source: RFC 9110, 15.5.2; RFC 6750, 3. */
export function createAuthChallenge(error: OperationError): string {
  return error instanceof InvalidTokenRefusal ? 'Bearer error="invalid_token"' : "Bearer";
}

/** Converts an error to the status message that bulk replies contain for each item. */
export function convertErrorToStatus(error: OperationError): Status {
  return create(StatusSchema, {
    code: GRPC_CODE_BY_KIND[error.kind],
    message: error.message,
    details: listErrorDetails(error).map(({ schema, init }) => anyPack(schema, create(schema, init as never))),
  });
}
