import {
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type Findings,
  type ResourceWrite,
  type RulePhases,
} from "../finding.ts";
import { overlayCable, type SiteReader } from "../inventory.ts";
import { canConnectPortKinds, findOutletType, isCablelessType } from "../port_types.ts";
import { findPowerCycle } from "../power_walk.ts";
import { formatCableRef, formatPort, formatPortReference, isSamePort } from "../ref.ts";
import type { Cable, Device, Port } from "../resources.ts";
import {
  checkNumbers,
  checkSharedFields,
  checkTexts,
  createMissingRefRejection,
  createSyntaxRejection,
} from "./general.ts";
import {
  checkEndShape,
  checkPlugMatch,
  checkSourceAgreement,
  createPowerCycleRejection,
  findEndPort,
} from "./power_in.ts";

interface MediumReach {
  readonly types: readonly string[];
  readonly maxM: number;
  /** Lowest speed that this row covers, in Mbit/s. */
  readonly fromMbps: number;
}

/** Maximum length per medium. Source: docs/contract/datacenter-rules.md#cable; SR4 standard for OM3 and OM4 at 100G. */
const MEDIUM_REACHES: readonly MediumReach[] = [
  { types: ["DAC_PASSIVE"], maxM: 7, fromMbps: 0 },
  { types: ["DAC_ACTIVE"], maxM: 15, fromMbps: 0 },
  { types: ["CAT5", "CAT5E", "CAT6", "CAT6A", "CAT7", "CAT7A"], maxM: 100, fromMbps: 0 },
  { types: ["CAT8"], maxM: 30, fromMbps: 25_000 },
  { types: ["MMF_OM3"], maxM: 100, fromMbps: 100_000 },
  { types: ["MMF_OM4", "MMF_OM5"], maxM: 150, fromMbps: 100_000 },
];

type CableEnds = readonly [
  { readonly device: Device; readonly port: Port },
  { readonly device: Device; readonly port: Port },
];

/** Warns about a medium, optics, speeds, connectors or sites that do not fit each other. */
async function checkCableMedia({ after }: ResourceWrite<Cable>, site: SiteReader): Promise<Findings> {
  const a = await findEndPort(after.a, site);
  const b = await findEndPort(after.b, site);
  if (a === undefined || b === undefined) return [];
  const ends: CableEnds = [a, b];
  return [
    ...checkMediumReach(after, ends),
    ...checkOpticTypes(after, ends),
    ...checkPortSpeeds(ends),
    ...checkConnectorPolish(ends),
    ...checkEndSites(after, ends),
  ];
}

function checkMediumReach(cable: Cable, [a, b]: CableEnds): readonly Finding[] {
  const speed = Math.max(a.port.speedMbps ?? 0, b.port.speedMbps ?? 0);
  return MEDIUM_REACHES.filter(({ types }) => types.includes(cable.type ?? ""))
    .filter(({ maxM, fromMbps }) => (cable.lengthM ?? 0) > maxM && speed >= fromMbps)
    .map(({ maxM }) =>
      createWarning("MEDIA_TOO_LONG", "length_m", `A cable of type ${cable.type} does not carry that far`, {
        value: cable.lengthM,
        expected: `at most ${maxM} m`,
      }),
    );
}

const MULTI_MODE_OPTIC = /base-(?:sr|sx|sw|lrm|vr)/;
const SINGLE_MODE_OPTIC = /base-(?:lr|er|zr|fr|dr|lx|ex|zx|bx|psm|cwdm)/;

function checkOpticTypes(cable: Cable, ends: CableEnds): readonly Finding[] {
  const single = cable.type?.startsWith("SMF") === true;
  const multi = cable.type?.startsWith("MMF") === true;
  return ends
    .filter(
      ({ port: { type = "" } }) => (single && MULTI_MODE_OPTIC.test(type)) || (multi && SINGLE_MODE_OPTIC.test(type)),
    )
    .map(({ device, port }) =>
      createWarning("MEDIA_MISMATCH", "type", `Port "${device.code}/${port.name}" is no optic for this fibre`, {
        value: cable.type,
        expected: single ? "multi-mode fibre" : "single-mode fibre",
        ref: formatPortReference({ deviceCode: device.code, portName: port.name }),
      }),
    );
}

function checkPortSpeeds([a, b]: CableEnds): readonly Finding[] {
  const [one, other] = [a.port.speedMbps, b.port.speedMbps];
  if (one === undefined || other === undefined || one === other) return [];
  return [
    createWarning("SPEED_MISMATCH", "b", "The two ends run at different speeds", {
      value: other,
      expected: String(one),
    }),
  ];
}

function checkConnectorPolish([a, b]: CableEnds): readonly Finding[] {
  const isAngled = ({ type }: Port) => type?.endsWith("-apc");
  const isFlat = ({ type }: Port) => type?.endsWith("-upc") === true || type?.endsWith("-pc") === true;
  const mixed = (isAngled(a.port) && isFlat(b.port)) || (isAngled(b.port) && isFlat(a.port));
  if (mixed !== true) return [];
  return [
    createWarning("POLISH_MISMATCH", "b", "An angled and a flat fibre connector do not mate", {
      value: b.port.type,
      expected: a.port.type ?? "",
    }),
  ];
}

function checkEndSites(cable: Cable, [a, b]: CableEnds): readonly Finding[] {
  const [one, other] = [a.device.location?.siteId, b.device.location?.siteId];
  if (one === undefined || other === undefined || one === other) return [];
  return [
    createWarning("CABLE_ACROSS_SITES", "b", `The cable runs from site "${one}" to site "${other}"`, {
      value: other,
      expected: one,
      ref: formatPortReference(cable.b),
    }),
  ];
}

const COLOR_PATTERN = /^[0-9A-Fa-f]{6}$/;

function checkCableShape({ after }: ResourceWrite<Cable>): Findings {
  const found: Finding[] = [
    ...checkEndShape("a", after.a),
    ...checkEndShape("b", after.b),
    ...checkNumbers("Cable", after),
    ...checkTexts("Cable", after),
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
