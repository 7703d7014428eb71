import { expect, test } from "bun:test";
import fc from "fast-check";
import { PORT_KINDS } from "#dc/model/enum_values.ts";
import { canConnectPortKinds } from "#dc/model/port_types.ts";
import { doFootprintsOverlap, doSpacesOverlap, getRackSpace, listCoveredUnits } from "#dc/model/rack_space.ts";
import {
  comparePortRefs,
  formatCableRef,
  formatEdgeKey,
  formatRef,
  orderCableEnds,
  parseRef,
  toPortKey,
  toRefKey,
} from "#dc/model/ref.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import { law } from "../../support/law.ts";

const code = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/);
const portName = fc.stringMatching(/^[!-}](?:[ -}]{0,10}[!-}])?$/);
const floor = fc.integer({ min: -99, max: 999 });
const end = fc.record({ deviceCode: code, portName });

const refText = fc.oneof(
  fc
    .tuple(fc.constantFrom("site", "rack", "device", "crac", "fabric", "feed"), code)
    .map(([kind, id]) => `${kind}:${id}`),
  fc.tuple(code, floor).map(([site, n]) => `floor:${site}/${n}`),
  fc
    .tuple(fc.constantFrom("room", "row", "zone"), code, floor, code)
    .map(([kind, site, n, name]) => `${kind}:${site}/${n}/${name}`),
  end.map(({ deviceCode, portName: name }) => `port:${deviceCode}/${name}`),
  fc.tuple(end, end).map(([a, b]) => formatCableRef(a, b)),
);

const device: fc.Arbitrary<DeviceBody> = fc.record({
  code,
  kind: fc.constant("SERVER" as const),
  positionU: fc.integer({ min: 2, max: 84 }).map((half) => half / 2),
  uHeight: fc.integer({ min: 1, max: 20 }).map((half) => half / 2),
  face: fc.constantFrom("FRONT" as const, "REAR" as const),
  depth: fc.constantFrom("FULL" as const, "HALF" as const),
  slot: fc.constantFrom("FULL" as const, "LEFT" as const, "RIGHT" as const),
});

const placement = fc.record({
  xMm: fc.integer({ min: 0, max: 5000 }),
  yMm: fc.integer({ min: 0, max: 5000 }),
  widthMm: fc.integer({ min: 1, max: 2000 }),
  depthMm: fc.integer({ min: 1, max: 2000 }),
  rotationDeg: fc.constantFrom(0, 90, 180, 270),
});

law("parseRef gives back what formatRef spells", [refText], (text) => {
  const ref = parseRef(text);

  expect(ref).toBeDefined();
  expect(ref && formatRef(ref)).toBe(text);
});

law(
  "parseRef takes no text but its own spelling",
  [
    fc.oneof(
      fc.string(),
      refText.chain((text) => fc.constantFrom(` ${text}`, `${text} `, `x${text}`)),
    ),
  ],
  (text) => {
    const ref = parseRef(text);

    if (ref !== undefined) expect(formatRef(ref)).toBe(text);
  },
);

law("formatCableRef names one cable whichever end is given first", [end, end], (a, b) => {
  fc.pre(comparePortRefs(a, b) !== 0);

  expect(formatCableRef(a, b)).toBe(formatCableRef(b, a));
  expect(orderCableEnds(a, b)).toEqual(orderCableEnds(b, a));
});

law("overlaps is symmetric, and a device overlaps itself", [device, device], (one, other) => {
  const a = getRackSpace(one);
  const b = getRackSpace(other);
  if (a === undefined || b === undefined) throw new Error("a positioned device takes space");

  expect(doSpacesOverlap(a, b)).toBe(doSpacesOverlap(b, a));
  expect(doSpacesOverlap(a, a)).toBe(true);
});

law("overlaps never joins devices without a common unit", [device, device], (one, other) => {
  const a = getRackSpace(one);
  const b = getRackSpace(other);
  if (a === undefined || b === undefined) throw new Error("a positioned device takes space");
  const common = listCoveredUnits(a).some((unit) => listCoveredUnits(b).includes(unit));

  if (!common) expect(doSpacesOverlap(a, b)).toBe(false);
});

law(
  "doFootprintsOverlap is symmetric and survives a common shift",
  [placement, placement, fc.nat(1000)],
  (a, b, shift) => {
    const moved = (tile: typeof a) => ({ ...tile, xMm: tile.xMm + shift });

    expect(doFootprintsOverlap(a, b)).toBe(doFootprintsOverlap(b, a));
    expect(doFootprintsOverlap(moved(a), moved(b))).toBe(doFootprintsOverlap(a, b));
  },
);

test("canConnectPortKinds is symmetric and keeps power apart from data", () => {
  for (const a of PORT_KINDS) {
    for (const b of PORT_KINDS) {
      expect(canConnectPortKinds(a, b)).toBe(canConnectPortKinds(b, a));
      if (a.startsWith("POWER") !== b.startsWith("POWER")) expect(canConnectPortKinds(a, b)).toBe(false);
    }
  }
});

/** Ends in all spellings that a reference may have, some of which no parser takes. */
const anyEnd = fc.record({
  deviceCode: fc.oneof(code, fc.constantFrom("a", "A", "a-b", "a.B", "-a", "é")),
  portName: fc.oneof(portName, fc.constantFrom("x", "X", "x/Y", "x y", " x", "ü", "İ", "")),
});

const spelled = ({ deviceCode, portName: name }: { deviceCode: string; portName: string }) => `${deviceCode}/${name}`;
const kind = fc.constantFrom("port", "cable", "fabric_link", "Port", "CABLE");

law(
  "the key of a reference to a port or a cable is that of its parsed ends, and lower case if it cannot be parsed",
  [kind, anyEnd, anyEnd],
  (prefix, a, b) => {
    const text = prefix.toLowerCase() === "port" ? `${prefix}:${spelled(a)}` : `${prefix}:${spelled(a)}~${spelled(b)}`;
    const ref = parseRef(text);

    const key = toRefKey(text);

    if (ref?.kind === "port") expect(key).toBe(`port:${toPortKey(ref.end)}`);
    else if (ref?.kind === "cable" || ref?.kind === "fabric_link")
      expect(key).toBe(`${prefix}:${formatEdgeKey(ref.a, ref.b)}`);
    else expect(key).toBe(text.toLowerCase());
  },
);
