import { MAX_CABLE_M } from "#dc/limits.ts";
import { type ErrorFinding, type Finding, rejectWrite } from "../finding.ts";
import { withCable } from "../overlay.ts";
import { isCableless, kindsJoin, outletTypeFor } from "../port_types.ts";
import { powerCycle } from "../power_walk.ts";
import { cableRef, formatPort, portRef, samePort } from "../ref.ts";
import type { Cable } from "../resources.ts";
import type { Change, Findings, RulePhases } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { mediaRules } from "./cable_media.ts";
import { checkTexts, number, rejectMissing, rejectSyntax } from "./checks.ts";
import { endShape, portAt } from "./ends.ts";
import { checkDescribed } from "./general.ts";
import { cycleFinding, disagreement, plugMismatch } from "./power_in.ts";

const COLOR = /^[0-9A-Fa-f]{6}$/;

function shape({ after }: Change<Cable>): Findings {
  const found: Finding[] = [
    ...endShape("a", after.a),
    ...endShape("b", after.b),
    ...number("length_m", after.lengthM, { above: 0, max: MAX_CABLE_M }),
    ...checkTexts(after, ["label", "bundle", "tenant"]),
  ];
  if (after.color !== undefined && !COLOR.test(after.color)) {
    found.push(rejectSyntax("FIELD_OUT_OF_RANGE", "color", "colour", after.color, "six hexadecimal digits"));
  }
  return found;
}

function differ({ after: { a, b } }: Change<Cable>): Findings {
  if (!samePort(a, b)) return [];
  return [
    rejectWrite("FIELD_CONFLICT", "b", `Both ends of the cable are "${formatPort(b)}"`, {
      value: formatPort(b),
      expected: "two different ends",
    }),
  ];
}

async function checkEnds({ after }: Change<Cable>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  for (const field of ["a", "b"] as const) found.push(...(await oneEnd(after, field, site)));
  return found;
}

async function oneEnd(cable: Cable, field: "a" | "b", site: SiteReader): Promise<Findings> {
  const end = cable[field];
  const place = await portAt(end, site);
  const ref = portRef(end);
  if (place === undefined) {
    return [rejectMissing(field, "port", formatPort(end), { ref })];
  }
  const { port } = place;
  const found: ErrorFinding[] = [];
  if (isCableless(port.type)) {
    found.push(
      rejectWrite("PORT_INCOMPATIBLE", field, `Port "${formatPort(end)}" of type ${port.type} takes no cable`, {
        value: port.type,
        expected: "a physical port",
        ref,
      }),
    );
  }
  if (port.markConnected === true) {
    found.push(
      rejectWrite("PORT_MARKED_CONNECTED", field, `Port "${formatPort(end)}" is marked as connected`, { ref }),
    );
  }
  const other = await site.cableAt(end);
  if (other !== undefined && cableRef(other.a, other.b) !== cableRef(cable.a, cable.b)) {
    const taken = cableRef(other.a, other.b);
    found.push(
      rejectWrite("PORT_ALREADY_CABLED", field, `Port "${formatPort(end)}" holds another cable`, {
        value: taken,
        expected: "a free port",
        ref: taken,
      }),
    );
  }
  return found;
}

async function compatible({ after }: Change<Cable>, site: SiteReader): Promise<Findings> {
  const a = await portAt(after.a, site);
  const b = await portAt(after.b, site);
  if (a === undefined || b === undefined || kindsJoin(a.port.kind, b.port.kind)) return [];
  return [
    rejectWrite(
      "PORT_INCOMPATIBLE",
      "b",
      `No cable joins a port of kind ${a.port.kind} to one of kind ${b.port.kind}`,
      {
        value: b.port.kind,
        expected: `a kind that fits ${a.port.kind}`,
        ref: portRef(after.b),
      },
    ),
  ];
}

/** Checks a power cable: it matches the inlet's source, closes no cycle, and fits the outlet. */
async function power({ after }: Change<Cable>, site: SiteReader): Promise<Findings> {
  const a = await portAt(after.a, site);
  const b = await portAt(after.b, site);
  const [inlet, outlet] = a?.port.kind === "POWER_IN" ? [a, b] : [b, a];
  if (inlet?.port.kind !== "POWER_IN" || outlet === undefined) return [];
  const field = inlet === a ? "a" : "b";
  const disagrees = await disagreement(inlet.device, inlet.port, after, site, field);
  if (disagrees.length > 0) return disagrees;
  const path = await powerCycle(inlet.device, withCable(site, after));
  if (path !== undefined) return [cycleFinding(field, path)];
  const wanted = inlet.port.type === undefined ? undefined : outletTypeFor(inlet.port.type);
  return wanted === undefined ? [] : plugMismatch(field, wanted, outlet.device, outlet.port.name);
}

/** Source: docs/contract/datacenter-rules.md#cable. */
export const cableRules: RulePhases<Cable> = [
  [shape, checkDescribed],
  [differ],
  [checkEnds],
  [compatible],
  [power, ...mediaRules],
];
