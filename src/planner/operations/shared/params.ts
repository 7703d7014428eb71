import { Type } from "@sinclair/typebox";
import { DEFAULT_LIST_LIMIT } from "../../limits.ts";

/** The `id` parameter of every tool that works on one spec. */
export const specIdParam = Type.String({ description: "Whole or partial id" });

/** Parameters for completing a spec that other clones may have claimed. Tools for agents do not have them. */
export const sharedClaimParams = { steal: Type.Optional(Type.Boolean()), offline: Type.Optional(Type.Boolean()) };

/** The `limit` parameter of every tool that lists specs; 0 returns only the total. */
export const limitParam = Type.Optional(
  Type.Integer({ description: "Most returned", minimum: 0, default: DEFAULT_LIST_LIMIT }),
);

/** The `offset` parameter of every tool that lists specs. */
export const offsetParam = Type.Optional(Type.Integer({ description: "Skip so many", minimum: 0 }));
