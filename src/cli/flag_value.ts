import type { Flag } from "./command.ts";

/** Converts a text to a flag's type. Returns an inconvertible text unchanged, so that `isFlagValue` rejects it. */
export function parseFlagText({ type }: Flag, text: string): unknown {
  if (type === "integer") return /^\d+$/.test(text) ? Number(text) : text;
  if (type !== "boolean") return text;
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  return /^(?:false|0|no|off|)$/i.test(text) ? false : text;
}

/** Returns whether the value is valid for a flag; for a repeatable flag, whether it is valid as one of its values. */
export function isFlagValue(flag: Flag, value: unknown): boolean {
  switch (flag.type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= flag.least && Number(value) <= (flag.maximum ?? Infinity);
    case "enum":
      return flag.options.some((option) => option === value);
    case "string":
      return typeof value === "string" && value !== "";
  }
}

/** Describes the valid values of a flag, such as "one of red, green" after "expected". */
export function describeExpectedValue(flag: Flag): string {
  switch (flag.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number ${flag.maximum === undefined ? `of at least ${flag.least}` : `from ${flag.least} to ${flag.maximum}`}`;
    case "enum":
      return formatOptionList(flag.options);
    case "string":
      return flag.value === undefined ? "a text" : `<${flag.value}>`;
  }
}

export function formatOptionList(options: readonly string[]): string {
  return `one of ${options.join(", ")}`;
}
