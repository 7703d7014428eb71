import { MAX_CABLE_M } from "#dc/limits.ts";
import { createRejection, type ErrorFinding, type Finding } from "../finding.ts";
import { overlayCable } from "../overlay.ts";
import { canConnectPortKinds, findOutletType, isCablelessType } from "../port_types.ts";
import { findPowerCycle } from "../power_walk.ts";
import { formatCableRef, formatPort, formatPortReference, isSamePort } from "../ref.ts";
import type { Cable } from "../resources.ts";
import type { Findings, ResourceWrite, RulePhases } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { checkCableMedia } from "./cable_media.ts";
import { checkNumberBounds, checkTableTexts, createMissingRefRejection, createSyntaxRejection } from "./checks.ts";
import { checkEndShape, findEndPort } from "./ends.ts";
import { checkSharedFields } from "./general.ts";
import { checkPlugMatch, checkSourceAgreement, createPowerCycleRejection } from "./power_in.ts";

const COLOR_PATTERN = /^[0-9A-Fa-f]{6}$/;

function checkCableShape({ after }: ResourceWrite<Cable>): Findings {
  const found: Finding[] = [
    ...checkEndShape("a", after.a),
    ...checkEndShape("b", after.b),
    ...checkNumberBounds("length_m", after.lengthM, { above: 0, max: MAX_CABLE_M }),
    ...checkTableTexts(after, ["label", "bundle", "tenant"]),
  ];
  if (after.color !== undefined && !COLOR_PATTERN.test(after.color)) {
    found.push(createSyntaxRejection("FIELD_OUT_OF_RANGE", "color", "colour", after.color, "six hexadecimal digits"));
  }
  return found;
}

function checkCableEndsDiffer({ after: { a, b } }: ResourceWrite<Cable>): Findings {
  if (!isSamePort(a, b)) return [];
  return [
    createRejection("FIELD_CONFLICT", "b", `Both ends of the cable are "${formatPort(b)}"`, {
      value: formatPort(b),
      expected: "two different ends",
    }),
  ];
}

async function checkCableEnds({ after }: ResourceWrite<Cable>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  for (const field of ["a", "b"] as const) found.push(...(await checkCableEnd(after, field, site)));
  return found;
}

async function checkCableEnd(cable: Cable, field: "a" | "b", site: SiteReader): Promise<Findings> {
  const end = cable[field];
  const place = await findEndPort(end, site);
  const ref = formatPortReference(end);
  if (place === undefined) {
    return [createMissingRefRejection(field, "port", formatPort(end), { ref })];
  }
  const { port } = place;
  const found: ErrorFinding[] = [];
  if (isCablelessType(port.type)) {
    found.push(
      createRejection("PORT_INCOMPATIBLE", field, `Port "${formatPort(end)}" of type ${port.type} takes no cable`, {
        value: port.type,
        expected: "a physical port",
        ref,
      }),
    );
  }
  if (port.markConnected === true) {
    found.push(
      createRejection("PORT_MARKED_CONNECTED", field, `Port "${formatPort(end)}" is marked as connected`, { ref }),
    );
  }
  const other = await site.cableAt(end);
  if (other !== undefined && formatCableRef(other.a, other.b) !== formatCableRef(cable.a, cable.b)) {
    const taken = formatCableRef(other.a, other.b);
    found.push(
      createRejection("PORT_ALREADY_CABLED", field, `Port "${formatPort(end)}" holds another cable`, {
        value: taken,
        expected: "a free port",
        ref: taken,
      }),
    );
  }
  return found;
}

async function checkCompatibleEnds({ after }: ResourceWrite<Cable>, site: SiteReader): Promise<Findings> {
  const a = await findEndPort(after.a, site);
  const b = await findEndPort(after.b, site);
  if (a === undefined || b === undefined || canConnectPortKinds(a.port.kind, b.port.kind)) return [];
  return [
    createRejection(
      "PORT_INCOMPATIBLE",
      "b",
      `No cable joins a port of kind ${a.port.kind} to one of kind ${b.port.kind}`,
      {
        value: b.port.kind,
        expected: `a kind that fits ${a.port.kind}`,
        ref: formatPortReference(after.b),
      },
    ),
  ];
}

/** Checks a power cable: it matches the inlet's source, closes no cycle, and its plug fits the outlet. */
async function checkPowerCable({ after }: ResourceWrite<Cable>, site: SiteReader): Promise<Findings> {
  const a = await findEndPort(after.a, site);
  const b = await findEndPort(after.b, site);
  const [inlet, outlet] = a?.port.kind === "POWER_IN" ? [a, b] : [b, a];
  if (inlet?.port.kind !== "POWER_IN" || outlet === undefined) return [];
  const field = inlet === a ? "a" : "b";
  const disagrees = await checkSourceAgreement(inlet.device, inlet.port, after, site, field);
  if (disagrees.length > 0) return disagrees;
  const path = await findPowerCycle(inlet.device, overlayCable(site, after));
  if (path !== undefined) return [createPowerCycleRejection(field, path)];
  const wanted = inlet.port.type === undefined ? undefined : findOutletType(inlet.port.type);
  return wanted === undefined ? [] : checkPlugMatch(field, wanted, outlet.device, outlet.port.name);
}

/** Rules for a cable, in phases. Source: docs/contract/datacenter-rules.md#cable. */
export const cableRules: RulePhases<Cable> = [
  [checkCableShape, checkSharedFields],
  [checkCableEndsDiffer],
  [checkCableEnds],
  [checkCompatibleEnds],
  [checkPowerCable, checkCableMedia],
];
