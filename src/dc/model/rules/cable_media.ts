import { createWarning, type Finding } from "../finding.ts";
import { formatPortReference } from "../ref.ts";
import type { Cable, Device, Port } from "../resources.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { findEndPort } from "./ends.ts";

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
export async function checkCableMedia({ after }: ResourceWrite<Cable>, site: SiteReader): Promise<Findings> {
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
