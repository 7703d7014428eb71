import { Type } from "@sinclair/typebox";
import { createInvalidArgumentError } from "#kernel/errors.ts";
import { DEFAULT_LIST_LIMIT } from "../../limits.ts";
import { isCalendarDay } from "../../spec/spec.ts";

/** The `id` parameter of every tool that works on one spec. */
export const specIdParam = Type.String({ description: "Whole or partial id" });

/** Parameters for completing a spec that other clones may have claimed. Tools for agents do not have them. */
export const sharedClaimParams = { steal: Type.Optional(Type.Boolean()), offline: Type.Optional(Type.Boolean()) };

/** Returns an optional parameter with a list of non-empty texts. */
export function createTextsParam(description: string) {
  return Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }));
}

/** Rejects a due day that is not a calendar day. */
export function refuseInvalidDueDay(due: string): void {
  if (isCalendarDay(due)) return;
  throw createInvalidArgumentError(`Invalid due "${due}": expected a day, YYYY-MM-DD`);
}

/** The `limit` parameter of every tool that lists specs; 0 returns only the total. */
export const limitParam = Type.Optional(
  Type.Integer({ description: "Most returned", minimum: 0, default: DEFAULT_LIST_LIMIT }),
);

/** The `offset` parameter of every tool that lists specs. */
export const offsetParam = Type.Optional(Type.Integer({ description: "Skip so many", minimum: 0 }));
