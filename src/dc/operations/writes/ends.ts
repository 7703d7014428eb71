import { Refusal } from "#dc/model/refusal.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { endShape, linkEndShape } from "#dc/model/rules/ends.ts";

interface Ends {
  readonly a: PortRef;
  readonly b: PortRef;
}

const SHAPES = { cable: endShape, fabric_link: linkEndShape } as const;

/** The two ends of a request that names an edge. @throws Refusal when one is missing or no port by its spelling */
export function namedEnds(
  kind: keyof typeof SHAPES,
  { a, b }: { readonly a?: PortRef | undefined; readonly b?: PortRef | undefined },
): Ends {
  const shape = SHAPES[kind];
  const [first, ...others] = [...shape("a", a), ...shape("b", b)];
  if (first !== undefined) throw new Refusal(first, others);
  return { a: end(a), b: end(b) };
}

function end(given: PortRef | undefined): PortRef {
  return { deviceCode: given?.deviceCode ?? "", portName: given?.portName ?? "" };
}
