import { text } from "node:stream/consumers";
import { booleanFlag, requiredArgument, textFlag } from "./args.ts";

/** Arguments and flags that several commands share. */

/** Positional argument with ids of active specs: `<id...>`. */
export const ACTIVE_IDS = requiredArgument("Full or partial ids of specs", { completes: "spec", repeats: true });

export const JSON_FLAG = booleanFlag("Print one JSON document instead of text");

/** Flag that completes specs without proof, for all commands that complete specs. */
export const UNPROVEN_FLAG = textFlag(
  "why",
  "Complete without proof, whatever the checks say; the reason stays in the spec",
);

/** Positional argument of commands that change a spec. */
export const ACTIVE_ID = requiredArgument("Full or partial id of a spec", { completes: "spec" });

/** Positional argument of commands that only read; it accepts archived specs too. */
export const ANY_ID = requiredArgument("Full or partial id of a spec, active or archived", {
  completes: "archived_spec",
});

/** Returns the given text, or all of standard input for `-`. */
export function readTextOrInput(given: string): Promise<string> {
  return given === "-" ? text(process.stdin) : Promise.resolve(given);
}
