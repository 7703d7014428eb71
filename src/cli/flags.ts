import type { BooleanFlag, IntegerFlag, StringFlag } from "./command.ts";

/** Properties that few flags have. */
type FlagExtras = Omit<StringFlag, "type" | "summary"> & Pick<IntegerFlag, "maximum">;

type NoExtras = Record<never, never>;

/** A flag with extra properties, whose types come only from the arguments of the call. */
type DeclaredFlag<Base, Extras> = Readonly<Base> & NoInfer<Extras>;

function declareFlag<Base, Extras>(base: Base, extras: Extras | undefined): DeclaredFlag<Base, Extras> {
  return { ...base, ...(extras as NoInfer<Extras>) };
}

/** Declares a flag without a value. */
export function booleanFlag<const Extras extends Omit<BooleanFlag, "type" | "summary"> = NoExtras>(
  summary: string,
  extras?: Extras,
) {
  return declareFlag({ type: "boolean" as const, summary }, extras);
}

/** Declares a flag with a text; `value` is the placeholder of the text in help. */
export function textFlag<const Extras extends FlagExtras = NoExtras>(value: string, summary: string, extras?: Extras) {
  return declareFlag({ type: "string" as const, value, summary }, extras);
}

/** Declares a flag with the path of a file. */
export function fileFlag<const Extras extends FlagExtras = NoExtras>(summary: string, extras?: Extras) {
  return declareFlag({ type: "string" as const, value: "file", completes: "file" as const, summary }, extras);
}

/** Declares a flag with an integer of at least `least`. */
export function integerFlag<const Extras extends FlagExtras = NoExtras>(
  least: number,
  summary: string,
  extras?: Extras,
) {
  return declareFlag({ type: "integer" as const, least, summary }, extras);
}

/** Declares a flag with one of `options`. */
export function enumFlag<const Options extends readonly string[], const Extras extends FlagExtras = NoExtras>(
  options: Options,
  summary: string,
  extras?: Extras,
) {
  return declareFlag({ type: "enum" as const, options, summary }, extras);
}
