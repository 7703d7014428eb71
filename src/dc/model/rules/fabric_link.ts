import {
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type Findings,
  type ResourceWrite,
  type RulePhases,
} from "../finding.ts";
import type { SiteReader } from "../inventory.ts";
import { codeKey, formatPort, formatPortReference, getFabricKey, isSamePort } from "../ref.ts";
import type { Device, FabricLink, PortRef } from "../resources.ts";
import {
  checkCode,
  checkNumberBounds,
  checkNumbers,
  checkSharedFields,
  checkTexts,
  createMissingRefRejection,
} from "./general.ts";
import { checkLinkEndShape, findEndPort } from "./power_in.ts";

const LEAF_ROLES = ["leaf", "border-leaf", "tor"];
const SPINE_ROLES = ["spine", "super-spine"];

/** Returns the tier of links that a device belongs to by its role; undefined for other roles. */
export function findLinkTier(device: Device | undefined): "leaf" | "spine" | undefined {
  const role = device?.role ?? "";
  if (LEAF_ROLES.includes(role)) return "leaf";
  return SPINE_ROLES.includes(role) ? "spine" : undefined;
}

function checkLinkNumbers({ after }: ResourceWrite<FabricLink>): Findings {
  return checkNumbers("FabricLink", after);
}

function checkLinkShape({ after }: ResourceWrite<FabricLink>): Findings {
  const found: ErrorFinding[] = [
    ...checkLinkEndShape("a", after.a),
    ...checkLinkEndShape("b", after.b),
    ...(after.fabricId === undefined ? [] : checkCode("fabric_id", after.fabricId)),
    ...checkTexts("FabricLink", after),
  ];
  if (found.length === 0 && (after.a.portName === "") !== (after.b.portName === "")) {
    found.push(
      createRejection(
        "FIELD_CONFLICT",
        "b.port_name",
        `Only one of the ends "${formatPort(after.a)}" and "${formatPort(after.b)}" has a port name`,
        {
          expected: "port names at both ends or at neither",
        },
      ),
    );
  }
  return found;
}

function checkLinkEndsDiffer({ after: { a, b } }: ResourceWrite<FabricLink>): Findings {
  if (codeKey(a.deviceCode) !== codeKey(b.deviceCode)) return [];
  return [
    createRejection("FIELD_CONFLICT", "b", `Both ends of the link are on device "${b.deviceCode}"`, {
      value: formatPort(b),
      expected: "two different devices",
    }),
  ];
}

async function checkLinkEnds({ after }: ResourceWrite<FabricLink>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  for (const field of ["a", "b"] as const) {
    const end = after[field];
    const known =
      end.portName === ""
        ? (await site.device(end.deviceCode))?.code === end.deviceCode
        : (await findEndPort(end, site))?.port.kind === "NETWORK";
    if (known) continue;
    const ref = end.portName === "" ? `device:${end.deviceCode}` : formatPortReference(end);
    found.push(
      createMissingRefRejection(field, "network port", formatPort(end), { expected: "an existing network port", ref }),
    );
  }
  return found;
}

/** Rejects a second link on a port. Links without ports need no check: their key is the pair of devices. */
async function checkLinkPortsFree({ after }: ResourceWrite<FabricLink>, site: SiteReader): Promise<Findings> {
  if (after.a.portName === "") return [];
  const found: Finding[] = [];
  for (const field of ["a", "b"] as const) {
    const other = (await site.fabricLinksOf(after[field].deviceCode)).find(
      (link) => isLinkAtEnd(link, after[field]) && !(isLinkAtEnd(link, after.a) && isLinkAtEnd(link, after.b)),
    );
    if (other === undefined) continue;
    found.push(
      createRejection("PORT_IN_USE", field, `Port "${formatPort(after[field])}" carries another fabric link`, {
        value: formatPort(after[field]),
        expected: "a port without a fabric link",
        ref: formatPortReference(after[field]),
      }),
    );
  }
  return found;
}

function isLinkAtEnd(link: FabricLink, end: PortRef): boolean {
  return isSamePort(link.a, end) || isSamePort(link.b, end);
}

async function checkEndRoles({ after }: ResourceWrite<FabricLink>, site: SiteReader): Promise<Findings> {
  const a = await site.device(after.a.deviceCode);
  const b = await site.device(after.b.deviceCode);
  const tiers = [findLinkTier(a), findLinkTier(b)];
  if (tiers[0] !== tiers[1] && !tiers.includes(undefined)) return [];
  if (a?.role === "spine" && b?.role === "super-spine") return [];
  return [
    createWarning("UNUSUAL_ROLES", "b", "A fabric link usually joins a leaf to a spine", {
      value: `${a?.role ?? ""} to ${b?.role ?? ""}`,
      expected: "leaf, border-leaf or tor to spine or super-spine",
    }),
  ];
}

async function checkLinkCapacity({ after }: ResourceWrite<FabricLink>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  const limit = after.capacityMbps;
  if (limit === undefined) return [];
  for (const field of ["a", "b"] as const) {
    const speed = (await findEndPort(after[field], site))?.port.speedMbps;
    if (speed === undefined || limit <= speed) continue;
    found.push(
      createWarning(
        "CAPACITY_ABOVE_PORT",
        "capacity_mbps",
        `Port "${formatPort(after[field])}" is slower than the link`,
        {
          value: limit,
          expected: `at most ${speed}`,
          ref: formatPortReference(after[field]),
        },
      ),
    );
  }
  for (const [field, value] of [
    ["a_to_b_mbps", after.aToBMbps],
    ["b_to_a_mbps", after.bToAMbps],
  ] as const) {
    found.push(
      ...checkNumberBounds(field, value, { max: limit }).map(({ message }) =>
        createWarning("MEASURED_ABOVE_CAPACITY", field, message, { value, expected: `at most ${limit}` }),
      ),
    );
  }
  return found;
}

/** Warns if the ports of a link have no cables. The topology analysis checks whether the cables reach the other end. */
async function checkLinkCables({ after }: ResourceWrite<FabricLink>, site: SiteReader): Promise<Findings> {
  if (after.a.portName === "" || after.status === "PLANNED") return [];
  const found: Finding[] = [];
  for (const field of ["a", "b"] as const) {
    if ((await site.cableAt(after[field])) !== undefined) continue;
    found.push(
      createWarning("NO_PHYSICAL_PATH", field, `Port "${formatPort(after[field])}" holds no cable`, {
        value: formatPort(after[field]),
        expected: "a cabled port",
        ref: formatPortReference(after[field]),
      }),
    );
  }
  return found;
}

/** Warns if a leaf has more links to one spine than to another, which causes hotspots. */
async function checkEqualLinks({ after }: ResourceWrite<FabricLink>, site: SiteReader): Promise<Findings> {
  const leaf = codeKey(after.a.deviceCode);
  const counts = new Map([[codeKey(after.b.deviceCode), 1]]);
  for (const link of await site.fabricLinksOf(after.a.deviceCode)) {
    const itself = isLinkAtEnd(link, after.a) && isLinkAtEnd(link, after.b);
    if (itself || codeKey(link.a.deviceCode) !== leaf || getFabricKey(link) !== getFabricKey(after)) continue;
    const spine = codeKey(link.b.deviceCode);
    counts.set(spine, (counts.get(spine) ?? 0) + 1);
  }
  const [fewest, most] = [Math.min(...counts.values()), Math.max(...counts.values())];
  if (fewest === most) return [];
  return [
    createWarning("UNEQUAL_LINKS", "b", `Device "${after.a.deviceCode}" has ${fewest} to ${most} links per spine`, {
      value: `${fewest} to ${most}`,
      expected: "the same number to every spine",
      ref: `device:${after.a.deviceCode}`,
    }),
  ];
}

/** Rules for a fabric link, in phases. Source: docs/contract/datacenter-rules.md#fabriclink. */
export const fabricLinkRules: RulePhases<FabricLink> = [
  [checkLinkShape, checkLinkNumbers, checkSharedFields],
  [checkLinkEndsDiffer],
  [checkLinkEnds],
  [checkLinkPortsFree],
  [checkEndRoles, checkLinkCapacity, checkLinkCables, checkEqualLinks],
];
