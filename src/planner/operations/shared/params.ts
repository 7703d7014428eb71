import { Type } from "@sinclair/typebox";
import { DEFAULT_LIST_LIMIT } from "../../limits.ts";

/** The `id` parameter of every tool that works on one spec. */
export const specIdParam = Type.String({ description: "Whole or partial id" });

/** How a person finishes a spec that other clones may have. No tool for agents has these parameters. */
export const sharedClaimParams = { steal: Type.Optional(Type.Boolean()), offline: Type.Optional(Type.Boolean()) };

/** The `limit` parameter of every tool that lists specs; 0 asks for the total alone. */
export const limitParam = Type.Optional(
  Type.Integer({ description: "Most returned", minimum: 0, default: DEFAULT_LIST_LIMIT }),
);

/** The `offset` parameter beside it. */
export const offsetParam = Type.Optional(Type.Integer({ description: "Skip so many", minimum: 0 }));
