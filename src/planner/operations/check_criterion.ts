import { createInvalidArgumentError, createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../context.ts";
import {
  type Criterion,
  describeNearItems,
  formatCriterionText,
  type NearItem,
  parseCriteria,
  readCriteria,
} from "../spec/criteria.ts";
import { parseReadable } from "../spec/document.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { listCompletionObstacles } from "../work/provenance.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { formatPassedChecks } from "./shared/prove_completion.ts";

const MAX_LISTED_CRITERIA = 20;

export interface CheckedCriterion {
  readonly spec_id: SpecId;
  /** Number of the criterion among the items that a person sees, from 1. */
  readonly number: number;
  readonly criterion: string;
  readonly checked: boolean;
  readonly open: number;
  /** Result of the criterion's check as text; null for a criterion without a check. */
  readonly proof: string | null;
  /** What looks like a criterion and is not read as one; absent without such a line. */
  readonly not_read?: string;
}

/** A criterion's number from 1, or a text: the number, or a part of its text that no other criterion has. */
type WantedCriterion = string | number;

/**
 * Checks or unchecks one criterion of a spec. A criterion with a verify command is checked only if the command
 * succeeds.
 * @throws OperationError that lists the criteria if no criterion or several match
 */
export async function checkCriterion(
  context: PlannerContext,
  { id, wanted, checked }: { readonly id: SpecId; readonly wanted: WantedCriterion; readonly checked: boolean },
): Promise<CheckedCriterion> {
  const before = await context.specs.load(id);
  const proof = checked ? await proveCriterion(context, before, { wanted }) : null;
  let found: Omit<CheckedCriterion, "open"> | undefined;
  await changeSpec(context, id, (text, spec) => {
    const one = findCriterion(spec, wanted);
    const [{ number, verify }, criterion] = [one, formatCriterionText(one)];
    if (checked) refuseChangedCheck(id, verify, proof);
    found = { spec_id: id, number, criterion, checked, proof: proof?.text ?? null };
    return setCriterionChecked(text, number, checked);
  });
  if (found === undefined) throw new OperationError("not_found", `Spec not found: ${id}`);
  const after = await context.specs.load(id);
  const near = describeNearItems(after);
  const open = parseCriteria(after.body).filter((criterion) => !criterion.checked).length;
  return { ...found, open, ...(near === null ? {} : { not_read: near }) };
}

interface CriterionCheckRequest {
  readonly wanted: WantedCriterion;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a criterion's verify command and returns the edit that checks it. @throws OperationError as `checkCriterion` */
export async function createCriterionEdit(
  context: PlannerContext,
  id: SpecId,
  check: CriterionCheckRequest,
): Promise<(text: string) => string> {
  const proof = await proveCriterion(context, await context.specs.load(id), check);
  return (text) => {
    const { number, verify } = findCriterion({ id, body: parseReadable(text).body }, check.wanted);
    refuseChangedCheck(id, verify, proof);
    return setCriterionChecked(text, number, true);
  };
}

/** Checks a criterion in a text without running its verify command. @throws OperationError as `checkCriterion` */
export function checkCriterionText(id: SpecId, text: string, wanted: WantedCriterion): string {
  return setCriterionChecked(text, findCriterion({ id, body: parseReadable(text).body }, wanted).number, true);
}

function refuseChangedCheck(id: SpecId, verify: string | null, proof: { readonly command: string } | null): void {
  if (verify === (proof?.command ?? null)) return;
  throw new OperationError("aborted", `The criteria of spec '${id}' changed while the check ran: try again`);
}

/** Runs a criterion's verify command; returns null without one. @throws OperationError unless the command succeeds */
async function proveCriterion(context: PlannerContext, { id, body }: Spec, { wanted, signal }: CriterionCheckRequest) {
  const { number: only, verify: command } = findCriterion({ id, body }, wanted);
  if (command === null) return null;
  const proof = await context.proveSpec({ id, body, only, ...(signal !== undefined && { signal }) });
  const reasons = listCompletionObstacles(id, proof);
  if (reasons.length === 0) return { command, text: formatPassedChecks(proof) };
  throw createPreconditionError(`Criterion ${only} of spec '${id}' is not proven: ${reasons.join("; ")}`);
}

type WantedItem = Pick<NearItem, "number" | "label"> & Pick<Criterion, "continuation">;

function findCriterion({ id, body }: Pick<Spec, "id" | "body">, wanted: WantedCriterion): Criterion {
  const { criteria, dropped, near } = readCriteria(body);
  const items: readonly WantedItem[] = [...criteria, ...dropped, ...near];
  const number = /^\d+$/.test(String(wanted)) ? Number(wanted) : null;
  const isNumber = typeof wanted === "number" || (number !== null && items.some((item) => item.number === number));
  const text = String(wanted).toLowerCase().replace(/\s+/g, " ").trim();
  const isWanted = (item: WantedItem): boolean =>
    isNumber ? item.number === number : text !== "" && formatCriterionText(item).toLowerCase().includes(text);
  const matches = criteria.filter(isWanted);
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const [left, other] = only === undefined ? [dropped.find(isWanted), near.find(isWanted)] : [];
  if (left !== undefined) throw createPreconditionError(`'${left.label}' of spec '${id}' was dropped: ${left.reason}`);
  const unread = other ?? (criteria.length === 0 ? near[0] : undefined);
  if (unread !== undefined) {
    throw createPreconditionError(`'${unread.text}' of spec '${id}' is not read as a criterion: ${unread.advice}`);
  }
  if (criteria.length === 0) throw createPreconditionError(`Spec '${id}' has no acceptance criteria`);
  const problem = matches.length > 1 ? `means ${matches.length} criteria` : "means no criterion";
  const expected = `expected a number from 1 to ${criteria.at(-1)?.number} or a part of one text`;
  throw createInvalidArgumentError(`"${wanted}" ${problem} of spec '${id}': ${expected}\n${formatCriteria(criteria)}`);
}

function formatCriteria(criteria: readonly Criterion[]): string {
  const shown = criteria.slice(0, MAX_LISTED_CRITERIA).map((criterion) => {
    return `  ${criterion.number}. [${criterion.checked ? "x" : " "}] ${formatCriterionText(criterion)}`;
  });
  return [
    ...shown,
    ...(criteria.length > MAX_LISTED_CRITERIA ? [`  and ${criteria.length - MAX_LISTED_CRITERIA} more`] : []),
  ].join("\n");
}

/**
 * Returns the text of a spec's file with one checkbox changed and every other byte unchanged.
 * @param number the criterion's number
 * @throws OperationError `failed_precondition` with line and column if `text` does not parse; RangeError if there is no
 * such criterion
 */
export function setCriterionChecked(text: string, number: number, checked: boolean): string {
  const { body } = parseReadable(text);
  const criterion = parseCriteria(body).find((one) => one.number === number);
  if (criterion === undefined) throw new RangeError(`No criterion ${number}`);
  if (criterion.checked === checked) return text;
  const box = text.length - body.length + body.indexOf("[", criterion.start) + 1;
  return `${text.slice(0, box)}${checked ? "x" : " "}${text.slice(box + 1)}`;
}
