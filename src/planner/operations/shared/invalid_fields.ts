import { OperationError } from "#kernel/errors.ts";
import type { SpecRules } from "../../config/config.ts";
import type { PlannerContext } from "../../context.ts";
import { createReadChecker } from "../../lint/read_findings.ts";
import type { Spec } from "../../spec/spec.ts";

/** One reason why a spec that can be read is not valid. Source: docs/contract/spec-tool.md#lint-json-report. */
export interface InvalidField {
  readonly field: string;
  readonly message: string;
  /** Empty where nothing is enumerated. */
  readonly allowed: readonly string[];
}

/** The part of an answer that says why a spec is not valid; empty for one that is. */
export interface InvalidPart {
  readonly invalid?: readonly InvalidField[];
}

const VALID: InvalidPart = {};

/** Returns a function that judges the project's specs as they are read. */
export async function openReadChecks(context: PlannerContext): Promise<(spec: Spec) => InvalidPart> {
  const [rules, ids, archivedIds] = await Promise.all([
    rulesOrNull(context),
    context.specs.ids(),
    context.specs.archivedIds(),
  ]);
  // Made at the first dependency: a project without one needs no set of 10,000 ids.
  let known: Set<string> | undefined;
  const isKnown = (id: string): boolean => {
    known ??= new Set<string>([...ids, ...archivedIds]);
    return known.has(id);
  };
  const findingsOf = createReadChecker({ rules, isKnown });
  return (spec) => {
    const found = findingsOf(spec);
    if (found.length === 0) return VALID;
    return { invalid: found.map(({ field, message, allowed = [] }) => ({ field, message, allowed })) };
  };
}

/** @throws OperationError `failed_precondition` for a spec that is not valid: nothing can be said of its work */
export async function refuseInvalid(context: PlannerContext, spec: Spec, action: string): Promise<void> {
  const { invalid = [] } = (await openReadChecks(context))(spec);
  if (invalid.length === 0) return;
  const found = invalid.map(({ message }) => message).join("; ");
  throw new OperationError("failed_precondition", `Cannot ${action} spec '${spec.id}': it is not valid: ${found}`);
}

/** A configuration that cannot be read is for lint to report. */
async function rulesOrNull(context: PlannerContext): Promise<SpecRules | null> {
  try {
    return await context.settings("schema", "lint");
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}
