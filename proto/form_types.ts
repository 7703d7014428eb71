/** Type of a field's values. */
export type FormType = "text" | "int" | "number" | "flag" | "choice" | "group" | "time";

/** A field of a message, as a form shows it. */
export interface FormField {
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
  readonly help: string;
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
