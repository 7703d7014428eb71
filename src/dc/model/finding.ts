import { type ErrorKind, shortenMiddle } from "#kernel/errors.ts";
import type { SiteReader } from "./inventory.ts";

/**
 * Error kind of each reason for a rejection. Clients compare reasons, so reasons are never renamed. Source:
 * docs/contract/datacenter-errors.md#reasons; the reasons after DEPENDENCY_FAILED name rules of
 * docs/contract/datacenter-rules.md#general and below.
 */
export const ERROR_KIND_BY_REASON = {
  INVALID_CODE: "invalid_argument",
  INVALID_REF: "invalid_argument",
  FIELD_OUT_OF_RANGE: "invalid_argument",
  UNKNOWN_FIELD: "invalid_argument",
  BATCH_TOO_LARGE: "invalid_argument",
  PAGE_TOKEN_INVALID: "invalid_argument",
  MESSAGE_TOO_COMPLEX: "invalid_argument",
  MALFORMED_REQUEST: "invalid_argument",
  MALFORMED_MESSAGE: "invalid_argument",
  UNSUPPORTED_MEDIA_TYPE: "invalid_argument",
  NOT_ACCEPTABLE: "invalid_argument",
  NOT_FOUND: "not_found",
  CODE_CASE_CONFLICT: "already_exists",
  ALREADY_STORED: "already_exists",
  FEED_ALREADY_DECLARED: "already_exists",
  ASSET_TAG_TAKEN: "already_exists",
  U_SPACE_OCCUPIED: "failed_precondition",
  PORT_ALREADY_CABLED: "failed_precondition",
  PORT_MARKED_CONNECTED: "failed_precondition",
  POWER_CYCLE: "failed_precondition",
  RACK_NOT_EMPTY: "failed_precondition",
  DEVICE_HAS_CABLES: "failed_precondition",
  RACK_TOO_SHORT: "failed_precondition",
  DEPENDENCY_FAILED: "failed_precondition",
  SOURCE_CABLE_DISAGREE: "failed_precondition",
  REQUIRED_FIELD: "invalid_argument",
  DUPLICATE: "invalid_argument",
  FIELD_CONFLICT: "invalid_argument",
  REQUEST_ID_REUSED: "invalid_argument",
  REF_NOT_FOUND: "failed_precondition",
  LOCATION_MISMATCH: "failed_precondition",
  UNIT_RESERVED: "failed_precondition",
  BAY_OCCUPIED: "failed_precondition",
  PARENT_CYCLE: "failed_precondition",
  WEIGHT_EXCEEDED: "failed_precondition",
  PORT_IN_USE: "failed_precondition",
  PORT_INCOMPATIBLE: "failed_precondition",
  DEVICE_FEEDS_OTHERS: "failed_precondition",
  DEVICE_HAS_CHILDREN: "failed_precondition",
  ETAG_MISMATCH: "aborted",
  TX_CONTENTION: "aborted",
  BATCH_ABORTED: "aborted",
  UNAUTHENTICATED: "unauthenticated",
  PERMISSION_DENIED: "permission_denied",
  HOST_NOT_ALLOWED: "permission_denied",
  ORIGIN_NOT_ALLOWED: "permission_denied",
  SERVER_BUSY: "resource_exhausted",
  RESULT_TOO_LARGE: "resource_exhausted",
  MESSAGE_TOO_LARGE: "resource_exhausted",
  QUERY_TOO_COMPLEX: "resource_exhausted",
  QUEUE_FULL: "resource_exhausted",
  DEADLINE: "deadline_exceeded",
  UNKNOWN_METHOD: "unimplemented",
  METHOD_NOT_ALLOWED: "unimplemented",
  UNSUPPORTED_ENCODING: "unimplemented",
  MESSAGE_COUNT: "unimplemented",
  DB_UNAVAILABLE: "unavailable",
  CREDENTIALS_UNAVAILABLE: "unavailable",
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type Reason = keyof typeof ERROR_KIND_BY_REASON;

/** Reasons for a warning; a warning does not reject the write. Source: docs/contract/datacenter-rules.md#general. */
type WarningCode =
  | "TILE_OVERLAP"
  | "WEIGHT_NEAR_LIMIT"
  | "OPPOSITE_AIRFLOW"
  | "UNIT_RESERVED_BY_OWNER"
  | "DEEPER_THAN_RACK"
  | "AIRFLOW_AGAINST_RACK"
  | "LIQUID_IN_AIR_ONLY_RACK"
  | "RACK_POWER_EXCEEDED"
  | "RACK_COOLING_EXCEEDED"
  | "MEASURED_ABOVE_MAX"
  | "INLET_DRAWS_DIFFER"
  | "UNDECLARED_FEED"
  | "SAME_PATH"
  | "SINGLE_CORDED"
  | "SOURCE_NEAR_LIMIT"
  | "FAILOVER_OVERLOAD"
  | "PHASE_IMBALANCE"
  | "REDUNDANCY_UNMET"
  | "PLUG_MISMATCH"
  | "MEDIA_TOO_LONG"
  | "MEDIA_MISMATCH"
  | "SPEED_MISMATCH"
  | "POLISH_MISMATCH"
  | "CABLE_ACROSS_SITES"
  | "UNUSUAL_ROLES"
  | "CAPACITY_ABOVE_PORT"
  | "MEASURED_ABOVE_CAPACITY"
  | "NO_PHYSICAL_PATH"
  | "UNEQUAL_LINKS"
  | "NO_POWER_INLETS"
  | "ZONE_WITHOUT_RESERVE";

/** Maximum length of a message, and of a value, expectation or reference in it. Our choice: gRPC headers carry them. */
const MAX_MESSAGE_CHARS = 1024;
const MAX_DETAIL_CHARS = 1024;
/** Maximum length of a value that is added to a message. */
const MAX_QUOTED_CHARS = 80;

interface FindingBase {
  /** Path of the field in snake_case, such as `ports[3].type`; empty for the whole resource. */
  readonly field: string;
  /** One sentence for a person: sentence case, no final period. */
  readonly message: string;
  readonly value?: string;
  readonly expected?: string;
  /** Reference of the other affected resource. */
  readonly ref?: string;
}

export type ErrorFinding = FindingBase & { readonly severity: "ERROR"; readonly code: Reason };
export type WarningFinding = FindingBase & { readonly severity: "WARNING"; readonly code: WarningCode };
/** Result of a rule. An error rejects the write; a warning accompanies it. */
export type Finding = ErrorFinding | WarningFinding;

export interface FindingDetail {
  readonly value?: string | number | undefined;
  readonly expected?: string;
  readonly ref?: string;
}

/** Returns a finding that rejects the write. Appends value and expectation to a message that does not name them. */
export function createRejection(
  code: Reason,
  field: string,
  message: string,
  detail: FindingDetail = {},
): ErrorFinding {
  const text = `${message}${formatMessageDetail(message, detail)}`;
  return {
    severity: "ERROR",
    code,
    field,
    message: shortenMiddle(text, MAX_MESSAGE_CHARS),
    ...shortenDetailTexts(detail),
  };
}

/** Returns a finding that rejects mutually exclusive fields. */
export function createConflictRejection(field: string, message: string, expected: string): ErrorFinding {
  return createRejection("FIELD_CONFLICT", field, message, { expected });
}

function formatMessageDetail(message: string, { value = "", expected = "" }: FindingDetail): string {
  const given = String(value);
  const own = message.replace(given, "");
  const missing = [
    ...(given === "" || given.length > MAX_QUOTED_CHARS || message.includes(given) ? [] : [given]),
    ...(expected === "" || own.includes("expected") ? [] : [`expected ${expected}`]),
  ];
  if (missing.length === 0) return "";
  return `${own.includes(": ") ? ", " : ": "}${missing.join(", ")}`;
}

export function createWarning(
  code: WarningCode,
  field: string,
  message: string,
  detail: FindingDetail = {},
): WarningFinding {
  return {
    severity: "WARNING",
    code,
    field,
    message: shortenMiddle(message, MAX_MESSAGE_CHARS),
    ...shortenDetailTexts(detail),
  };
}

function shortenDetailTexts({ value, expected, ref }: FindingDetail): Partial<FindingBase> {
  return {
    ...(value !== undefined && { value: shortenMiddle(String(value), MAX_DETAIL_CHARS) }),
    ...(expected !== undefined && { expected: shortenMiddle(expected, MAX_DETAIL_CHARS) }),
    ...(ref !== undefined && { ref: shortenMiddle(ref, MAX_DETAIL_CHARS) }),
  };
}

/** A write to check: the stored resource before it, if any, and the resource after it. `now` is ISO 8601 in UTC. */
export interface ResourceWrite<Resource> {
  readonly before?: Resource | undefined;
  readonly after: Resource;
  readonly now: string;
}

export type Findings = readonly Finding[];

/** Checks one aspect of a write. A rule may assume that all rules of earlier phases passed. */
export type Rule<Resource> = (change: ResourceWrite<Resource>, site: SiteReader) => Findings | Promise<Findings>;

/** Rules in phases. A phase runs only if the earlier phases found no error, so later rules get valid data. */
export type RulePhases<Resource> = readonly (readonly Rule<Resource>[])[];

interface RuleResult {
  readonly errors: readonly ErrorFinding[];
  readonly warnings: readonly WarningFinding[];
}

/** Runs the phases in order and separates errors from warnings. Reads of one phase are sequential. */
export async function applyRules<Resource>(
  phases: RulePhases<Resource>,
  change: ResourceWrite<Resource>,
  site: SiteReader,
): Promise<RuleResult> {
  const findings: Finding[] = [];
  for (const phase of phases) {
    for (const rule of phase) {
      const found = rule(change, site);
      // Most rules are synchronous. Awaiting those too would cost every write a microtask per rule.
      const list = found instanceof Promise ? await found : found;
      if (list.length > 0) findings.push(...list);
    }
    if (findings.some(isErrorFinding)) break;
  }
  return {
    errors: findings.filter(isErrorFinding),
    warnings: findings.filter((finding): finding is WarningFinding => !isErrorFinding(finding)),
  };
}

function isErrorFinding(finding: Finding): finding is ErrorFinding {
  return finding.severity === "ERROR";
}
