import { Type } from "@sinclair/typebox";
import { DEFAULT_LIST_LIMIT } from "../../limits.ts";

/** The `id` parameter of every tool that works on one spec. */
export const specIdParam = Type.String({ description: "Full or partial spec id" });

/** The `limit` parameter of every tool that lists specs; 0 asks for the total alone. */
export const limitParam = Type.Optional(
  Type.Integer({ description: "Most specs returned", minimum: 0, default: DEFAULT_LIST_LIMIT }),
);
