import { refuse } from "#dc/model/refusal.ts";
import type { PortRef } from "#dc/model/resources.ts";

/** The two ends of a request that names an edge. @throws Refusal when one is missing */
export function namedEnds({ a, b }: { readonly a?: PortRef | undefined; readonly b?: PortRef | undefined }): {
  readonly a: PortRef;
  readonly b: PortRef;
} {
  return { a: end("a", a), b: end("b", b) };
}

function end(field: string, given: PortRef | undefined): PortRef {
  if (given === undefined) throw refuse("REQUIRED_FIELD", `End "${field}" is required`, { field });
  return { deviceCode: given.deviceCode, portName: given.portName };
}
