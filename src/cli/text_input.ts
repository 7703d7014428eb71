import { text } from "node:stream/consumers";

/** The text itself, or all of standard input for `-`. */
export function textOrInput(given: string): Promise<string> {
  return given === "-" ? text(process.stdin) : Promise.resolve(given);
}
