/** Type of a field's values. */
export type FormType = "text" | "int" | "number" | "flag" | "choice" | "group" | "time";

/** A field of a message, as a form shows it. */
export interface FormField {
  /** The message that it is a field of. */
  readonly message: string;
  /** Name on the wire. */
  readonly name: string;
  readonly type: FormType;
  readonly shape: "one" | "list" | "map";
  /** Name of the enumeration of a choice, or of the message of a group. */
  readonly of?: string;
  /** Whether an unset value differs from zero, so that it may be left unknown. */
  readonly optional?: true;
  readonly required?: true;
  /** Whether the server computes it. */
  readonly output?: true;
  readonly min?: number;
  /** Whether `min` itself is refused. */
  readonly above?: true;
  readonly max?: number;
  readonly step?: number;
  /** The only numbers allowed. */
  readonly numbers?: readonly number[];
  /** Longest text, in characters. */
  readonly length?: number;
}

/** The values of an enumeration. */
export interface FormEnum {
  readonly prefix: string;
  /** Values without the prefix and without UNSPECIFIED. */
  readonly values: readonly string[];
}

type Forms = Readonly<Record<string, readonly FormField[]>>;

/** Reads messages with a line for each field: its name, its type, and words such as `required`, `min:0` or `of:Port`. */
export function readForms(text: string): Forms {
  return Object.fromEntries(
    text.split("\n\n").map((block) => {
      const [message = "", ...lines] = block.trim().split("\n");
      return [message, lines.map((line) => readField(message, line))];
    }),
  );
}

function readField(message: string, line: string): FormField {
  const [name, type, ...words] = line.trim().split(" ");
  const field: Record<string, unknown> = { message, name, type, shape: "one" };
  for (const word of words) {
    const [key = "", value] = word.split(":");
    if (key === "list" || key === "map") field["shape"] = key;
    else if (key === "of") field["of"] = value;
    else if (key === "numbers") field[key] = value?.split(",").map(Number);
    else field[key] = value === undefined ? true : Number(value);
  }
  return field as unknown as FormField;
}

/** Reads enumerations with a line for each: its name, of which the prefix follows, and its values. */
export function readEnums(text: string): Readonly<Record<string, FormEnum>> {
  return Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => {
        const [name = "", ...values] = line.split(" ");
        return [name, { prefix: name.replaceAll(/\B[A-Z]/g, "_$&").toUpperCase(), values }];
      }),
  );
}
