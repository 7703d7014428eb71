import { GraphQLError } from "graphql";
import type { Reason } from "#dc/model/finding.ts";
import { MAX_REFUSAL_BYTES } from "#kernel/errors.ts";
import { shortenMiddle, shortenText } from "#kernel/shortened.ts";

/** Lengths to which texts are shortened until one error fits, in characters. */
const TEXT_LENGTHS = [1024, 512, 256, 128, 64] as const;

/**
 * Returns the errors of a reply as JSON that is small whatever the caller sent: texts are shortened, and the errors that
 * fit are listed. An error of the library is the caller's: it gets the code BAD_USER_INPUT and a reason.
 */
export function boundErrors(errors: readonly GraphQLError[]): readonly object[] {
  const shown: object[] = [];
  for (const [index, error] of errors.entries()) {
    const left = errors.length - index;
    const more = { message: `${left} more are not listed`, extensions: { code: "BAD_USER_INPUT" } };
    const room = MAX_REFUSAL_BYTES - measureJson(shown) - (left > 1 ? measureJson(more) : 0);
    const fitting = fitError(error, room, index === 0);
    if (fitting === undefined) return [...shown, more];
    shown.push(fitting);
  }
  return shown;
}

/** @param isFirst whether the error is shortened to fit, because at least one is listed */
function fitError(error: GraphQLError, room: number, isFirst: boolean): object | undefined {
  for (const chars of TEXT_LENGTHS) {
    const shown = convertError(error, chars);
    if (measureJson(shown) <= room) return shown;
    if (!isFirst) return undefined;
  }
  return convertError(new GraphQLError("The request is refused", { extensions: error.extensions }), 0);
}

interface ShownViolation {
  readonly field: string;
  readonly message: string;
}

/** What the library's scalars expected, which its messages do not say. */
const EXPECTED_BY_SCALAR: Readonly<Record<string, string>> = {
  Int: "a number",
  Float: "a number",
  String: "a text",
  Boolean: "true or false",
};

function addExpectation(message: string): string {
  const [, scalar = ""] = /\b(Int|Float|String|Boolean) cannot represent (?:a )?non[ -]/.exec(message) ?? [];
  return scalar === "" ? message : `${message}: expected ${EXPECTED_BY_SCALAR[scalar]}`;
}

function convertError({ message, locations, path, extensions }: GraphQLError, chars: number): object {
  const { code = "BAD_USER_INPUT", violations, ...rest } = extensions;
  const reason =
    extensions["reason"] ?? (code === "BAD_USER_INPUT" ? ("MALFORMED_REQUEST" satisfies Reason) : undefined);
  const listed = (violations as readonly ShownViolation[] | undefined)?.map((one) => ({
    ...one,
    field: shortenMiddle(one.field, chars / 2),
    message: shortenMiddle(addExpectation(one.message), chars),
  }));
  return {
    message: shortenMiddle(addExpectation(message), chars),
    ...(locations !== undefined && { locations: locations.slice(0, 5) }),
    ...(path !== undefined && { path: path.map((one) => (typeof one === "string" ? shortenText(one) : one)) }),
    extensions: {
      ...rest,
      code,
      ...(reason !== undefined && { reason }),
      ...(listed !== undefined && { violations: listed }),
    },
  };
}

function measureJson(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
