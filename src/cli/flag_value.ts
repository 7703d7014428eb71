import type { Flag } from "./command.ts";

/** Reads a text as the type of a flag has it. A text that is no such value stays a text, which `fitsFlag` refuses. */
export function readFlagText({ type }: Flag, text: string): unknown {
  if (type === "integer") return /^\d+$/.test(text) ? Number(text) : text;
  if (type !== "boolean") return text;
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  return /^(?:false|0|no|off|)$/i.test(text) ? false : text;
}

/** Whether a flag may have this value; of a repeatable flag, whether it may be one of its values. */
export function fitsFlag(flag: Flag, value: unknown): boolean {
  switch (flag.type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= flag.least && Number(value) <= (flag.most ?? Infinity);
    case "enum":
      return flag.options.some((option) => option === value);
    case "string":
      return typeof value === "string" && value !== "";
  }
}

/** Describes the values of a flag, as in "expected one of red, green". */
export function expectedValue(flag: Flag): string {
  switch (flag.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number ${flag.most === undefined ? `of at least ${flag.least}` : `from ${flag.least} to ${flag.most}`}`;
    case "enum":
      return oneOf(flag.options);
    case "string":
      return flag.value === undefined ? "a text" : `<${flag.value}>`;
  }
}

export function oneOf(options: readonly string[]): string {
  return `one of ${options.join(", ")}`;
}
