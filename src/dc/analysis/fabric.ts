import { codeKey } from "#dc/model/code.ts";
import type { Health, PhysicalMatch } from "#dc/model/enum_values.ts";
import { fabricLinkRef, formatPort, portKey } from "#dc/model/ref.ts";
import type { Device, FabricLink, PortRef } from "#dc/model/resources.ts";
import type { CablePath } from "./cable_path.ts";

export interface FabricOptions {
  /** Utilisation in percent from which a link is congested. */
  readonly congestionPct: number;
  /** Utilisation in percent from which a link is watched. */
  readonly watchPct: number;
  readonly failedDeviceCodes: readonly string[];
}

export interface FabricLinkView {
  readonly link: FabricLink;
  readonly ref: string;
  readonly utilizationPct: number;
  readonly health: Health;
  /** Up, with both ends working. */
  readonly live: boolean;
}

/** A switch of the fabric. Bandwidths are megabits per second. */
export interface FabricNode {
  readonly device: Device;
  readonly tier: "leaf" | "spine";
  readonly downlinkMbps: number;
  readonly uplinkMbps: number;
  readonly oversubscription?: number;
  /** The same with the spine lost that carries most of its uplinks. */
  readonly oversubscriptionN1?: number;
  readonly uplinksUp: number;
  readonly uplinksTotal: number;
  readonly failed: boolean;
}

export interface FabricFinding {
  readonly code: "UNEQUAL_LINKS" | "ECMP_IMBALANCE" | "LINK_DOWN" | "NO_UPLINK";
  readonly message: string;
  readonly ref: string;
  readonly value: string;
  readonly expected: string;
}

export interface FabricAnswer {
  /** Spines first, each tier by code. */
  readonly nodes: readonly FabricNode[];
  readonly links: readonly FabricLinkView[];
  readonly congested: readonly string[];
  readonly missing: readonly { readonly leafCode: string; readonly spineCode: string }[];
  readonly findings: readonly FabricFinding[];
  readonly summary: {
    readonly linksUp: number;
    readonly linksDown: number;
    readonly congested: number;
    readonly maxUtilPct: number;
    readonly p95UtilPct: number;
    readonly bisectionMbps: number;
  };
}

/**
 * Spread of the utilisation in one ECMP group that is worth telling, in percent of its mean. Source:
 * docs/contract/datacenter-analyses.md#fabric.
 */
const IMBALANCE_PCT = 25;

/**
 * Looks at a leaf-spine fabric: what each switch has up and down, what is congested, missing or uneven.
 * @param links of the fabric; `a` is the leaf's end
 * @param devices every device that a link names
 *
 * Cost: O(links + leaves × spines). Source: docs/contract/datacenter-analyses.md#fabric.
 */
export function fabricTopology(
  links: readonly FabricLink[],
  devices: ReadonlyMap<string, Device>,
  options: FabricOptions,
): FabricAnswer {
  const failed = new Set(options.failedDeviceCodes.map(codeKey));
  const views = links.map((link) => viewOf(link, failed, options));
  const bound = new Set(links.flatMap(({ a, b }) => [portKey(a), portKey(b)]));
  const leaves = nodesOf("leaf", views, devices, { failed, bound });
  const spines = nodesOf("spine", views, devices, { failed, bound });
  const loads = views.filter(({ live }) => live).map(({ utilizationPct }) => utilizationPct);
  const congested = views.filter((view) => view.live && view.utilizationPct >= options.congestionPct);
  const uplinks = Map.groupBy(views, ({ link }) => codeKey(link.a.deviceCode));
  return {
    nodes: [...spines, ...leaves],
    links: views,
    congested: congested.map(({ ref }) => ref),
    missing: missingLinks(views, leaves, spines),
    findings: [
      ...views.flatMap((view) => downFinding(view, failed)),
      ...leaves.flatMap((leaf) => leafFindings(leaf, uplinks.get(codeKey(leaf.device.code)) ?? [])),
    ],
    summary: {
      linksUp: loads.length,
      linksDown: views.length - loads.length,
      congested: congested.length,
      maxUtilPct: Math.max(0, ...loads),
      p95UtilPct: percentile(loads, 95),
      bisectionMbps: views.reduce((sum, { live, link }) => sum + (live ? (link.capacityMbps ?? 0) : 0), 0) / 2,
    },
  };
}

function viewOf(
  link: FabricLink,
  failed: ReadonlySet<string>,
  { congestionPct, watchPct }: FabricOptions,
): FabricLinkView {
  const { a, b, status = "UP", capacityMbps = 0, aToBMbps = 0, bToAMbps = 0 } = link;
  const utilizationPct = capacityMbps === 0 ? 0 : (Math.max(aToBMbps, bToAMbps) / capacityMbps) * 100;
  const live = (status === "UP" || status === "DEGRADED") && ![a, b].some((end) => failed.has(codeKey(end.deviceCode)));
  const ref = fabricLinkRef(a, b);
  if (!live)
    return {
      link,
      ref,
      utilizationPct,
      live,
      health: status === "PLANNED" || status === "ADMIN_DOWN" ? "WATCH" : "FAULT",
    };
  if (utilizationPct >= congestionPct) return { link, ref, utilizationPct, live, health: "FAULT" };
  return {
    link,
    ref,
    utilizationPct,
    live,
    health: utilizationPct >= watchPct || status === "DEGRADED" ? "WATCH" : "OK",
  };
}

interface NodeInput {
  readonly failed: ReadonlySet<string>;
  /** Ports that fabric links use. */
  readonly bound: ReadonlySet<string>;
}

const END = { leaf: "a", spine: "b" } as const;
const FAR = { leaf: "b", spine: "a" } as const;

function nodesOf(
  tier: "leaf" | "spine",
  views: readonly FabricLinkView[],
  devices: ReadonlyMap<string, Device>,
  { failed, bound }: NodeInput,
): readonly FabricNode[] {
  const groups = new Map<string, FabricLinkView[]>();
  for (const view of views) {
    const key = codeKey(view.link[END[tier]].deviceCode);
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [view]);
    else own.push(view);
  }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, own]) => {
      const device = devices.get(key);
      return device === undefined ? [] : [nodeOf(tier, device, own, { failed: failed.has(key), bound })];
    });
}

function nodeOf(
  tier: "leaf" | "spine",
  device: Device,
  own: readonly FabricLinkView[],
  { failed, bound }: { readonly failed: boolean; readonly bound: ReadonlySet<string> },
): FabricNode {
  const live = own.filter((view) => view.live);
  const toFar = new Map<string, number>();
  for (const { link } of live) {
    const far = codeKey(link[FAR[tier]].deviceCode);
    toFar.set(far, (toFar.get(far) ?? 0) + (link.capacityMbps ?? 0));
  }
  const linked = [...toFar.values()].reduce((sum, one) => sum + one, 0);
  const count = { device, tier, uplinksUp: live.length, uplinksTotal: own.length, failed };
  if (tier === "spine") return { ...count, downlinkMbps: linked, uplinkMbps: 0 };
  const downlinkMbps = hostBandwidth(device, bound);
  const left = linked - Math.max(0, ...toFar.values());
  return {
    ...count,
    downlinkMbps,
    uplinkMbps: linked,
    ...(linked > 0 && { oversubscription: downlinkMbps / linked }),
    ...(left > 0 && { oversubscriptionN1: downlinkMbps / left }),
  };
}

/** Ports towards hosts: those that say so, else every network port that carries neither a link nor management. */
function hostBandwidth({ code, ports = [] }: Device, bound: ReadonlySet<string>): number {
  const network = ports.filter(
    ({ kind, enabled, parentPort }) => kind === "NETWORK" && enabled !== false && parentPort === undefined,
  );
  const told = network.filter(({ netRole }) => netRole === "DOWNLINK" || netRole === "HOST");
  const free = network.filter(
    ({ name, netRole, mgmtOnly, type }) =>
      netRole === undefined &&
      mgmtOnly !== true &&
      type !== "lag" &&
      !bound.has(portKey({ deviceCode: code, portName: name })),
  );
  return (told.length > 0 ? told : free).reduce((sum, { speedMbps = 0 }) => sum + speedMbps, 0);
}

/** Pairs of a full mesh, per fabric, that no link joins. Cost: O(links + leaves × spines of each fabric). */
function missingLinks(views: readonly FabricLinkView[], leaves: readonly FabricNode[], spines: readonly FabricNode[]) {
  const joined = new Set(views.map(({ link }) => `${codeKey(link.a.deviceCode)} ${codeKey(link.b.deviceCode)}`));
  const fabricsOf = new Map<string, Set<string>>();
  for (const { link } of views) {
    for (const { deviceCode } of [link.a, link.b]) {
      const key = codeKey(deviceCode);
      fabricsOf.set(key, (fabricsOf.get(key) ?? new Set()).add(link.fabricId ?? ""));
    }
  }
  const spinesOf = new Map<string, { readonly key: string; readonly code: string }[]>();
  for (const { device } of spines) {
    const key = codeKey(device.code);
    for (const fabric of fabricsOf.get(key) ?? []) {
      const others = spinesOf.get(fabric) ?? [];
      others.push({ key, code: device.code });
      spinesOf.set(fabric, others);
    }
  }
  return leaves.flatMap(({ device }) => {
    const key = codeKey(device.code);
    const mesh = [...(fabricsOf.get(key) ?? [])].flatMap((fabric) => spinesOf.get(fabric) ?? []);
    const missing = new Map(mesh.filter((spine) => !joined.has(`${key} ${spine.key}`)).map((one) => [one.key, one]));
    return [...missing.values()].map(({ code }) => ({ leafCode: device.code, spineCode: code }));
  });
}

function downFinding(
  { live, ref, link: { a, b, status = "UP" } }: FabricLinkView,
  failed: ReadonlySet<string>,
): readonly FabricFinding[] {
  if (live || status === "PLANNED" || status === "ADMIN_DOWN") return [];
  const gone = [a, b].map(({ deviceCode }) => deviceCode).filter((code) => failed.has(codeKey(code)));
  if (gone.length === 0 || status === "DOWN") {
    return [{ code: "LINK_DOWN", message: "The link carries no traffic", ref, value: status, expected: "UP" }];
  }
  const names = gone.map((code) => `"${code}"`).join(" and ");
  const message = `The link carries no traffic: ${names} ${gone.length === 1 ? "is" : "are"} taken as failed`;
  return [{ code: "LINK_DOWN", message, ref, value: `failed: ${gone.join(", ")}`, expected: "both ends working" }];
}

function leafFindings({ device, uplinkMbps }: FabricNode, own: readonly FabricLinkView[]): readonly FabricFinding[] {
  const ref = `device:${device.code}`;
  const found: FabricFinding[] = [];
  if (uplinkMbps === 0) {
    found.push({ code: "NO_UPLINK", message: "No uplink is left", ref, value: "0", expected: "at least one" });
  }
  const perSpine = new Map<string, number>();
  for (const { link } of own)
    perSpine.set(codeKey(link.b.deviceCode), (perSpine.get(codeKey(link.b.deviceCode)) ?? 0) + 1);
  const [fewest, most] = [Math.min(...perSpine.values()), Math.max(...perSpine.values())];
  if (fewest !== most) {
    const message = "The numbers of links to the spines differ, which makes hotspots";
    found.push({
      code: "UNEQUAL_LINKS",
      message,
      ref,
      value: `${fewest} to ${most}`,
      expected: "the same to every spine",
    });
  }
  return [...found, ...imbalance(ref, own)];
}

function imbalance(ref: string, own: readonly FabricLinkView[]): readonly FabricFinding[] {
  const groups = new Map<string, number[]>();
  for (const { live, link, utilizationPct } of own) {
    if (!live || link.aToBMbps === undefined) continue;
    const group = link.ecmpGroup ?? link.a.deviceCode;
    groups.set(group, [...(groups.get(group) ?? []), utilizationPct]);
  }
  return [...groups].flatMap(([group, list]): FabricFinding[] => {
    const mean = list.reduce((sum, one) => sum + one, 0) / list.length;
    const spread = mean === 0 ? 0 : ((Math.max(...list) - Math.min(...list)) / mean) * 100;
    if (spread <= IMBALANCE_PCT) return [];
    const message = `The links of ECMP group "${group}" are loaded unevenly`;
    const expected = `at most ${IMBALANCE_PCT} % of the mean`;
    return [{ code: "ECMP_IMBALANCE", message, ref, value: `${Math.round(spread)} %`, expected }];
  });
}

/** The nearest-rank percentile; 0 of nothing. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

/** Whether the cables from a link's leaf end on its spine. @param path traced from the leaf's port, if it has one */
export function physicalMatch({ a, b }: FabricLink, path: CablePath | undefined): PhysicalMatch {
  if (a.portName === "" || path === undefined) return "UNKNOWN";
  if (path.destination === undefined) return path.status === "UNCONNECTED" ? "MISSING" : "MISMATCH";
  return samePlace(path.destination, b) ? "MATCHED" : "MISMATCH";
}

function samePlace(one: PortRef, other: PortRef): boolean {
  return codeKey(formatPort(one)) === codeKey(formatPort(other));
}
