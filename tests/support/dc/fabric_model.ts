import type { Inventory } from "#dc/model/inventory.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import { around, TierModel } from "./fabric_tier_model.ts";

// A plain, slow model of the laws of fabrics. It asks every switch and every pair anew and keeps nothing between questions
// except the tiers. It shares no code with the product.

export interface FabricQuestion {
  readonly fabric?: string;
  /** A reference of a place, in lower case. */
  readonly scope?: string;
  readonly failed: readonly string[];
  readonly congestionPct: number;
  readonly watchPct: number;
}

const TIER_NAMES: Readonly<Record<number, string>> = { 0: "leaf", 1: "spine", 2: "super-spine" };

export class FabricModel {
  private readonly links: readonly FabricLink[];
  private readonly devices: ReadonlyMap<string, Device>;
  private readonly tiers: TierModel;

  constructor(inventory: Inventory) {
    this.links = inventory.fabricLinks;
    this.devices = new Map(inventory.devices.map((device) => [device.code, device]));
    this.tiers = new TierModel(inventory);
  }

  answer(asked: FabricQuestion) {
    const listed = this.listed(asked);
    const ends = listed.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]);
    const codes = [...new Set(ends)].toSorted(
      (x, y) => this.tier(y) - this.tier(x) || (x.toLowerCase() < y.toLowerCase() ? -1 : 1),
    );
    const views = listed.map((link) => this.view(link, asked));
    const loads = views.filter(({ live }) => live).map(({ pct }) => pct);
    const sorted = loads.toSorted((x, y) => x - y);
    const congested = views.filter(({ live, pct }) => live && pct >= asked.congestionPct);
    return {
      nodes: codes.map((code) => this.node(code, asked)),
      links: views.map(({ ref, pct, live, health }) => ({ ref, pct: pct.toFixed(6), live, health })),
      congested: congested.map(({ ref }) => ref),
      missing: this.missing(asked).toSorted(),
      findings: [
        ...listed.flatMap((link) => this.down(link, asked)),
        ...codes.flatMap((code) => this.found(code, asked)),
      ]
        .map((parts) => parts.join(" "))
        .toSorted(),
      summary: {
        up: loads.length,
        down: views.length - loads.length,
        congested: congested.length,
        most: Math.max(0, ...loads).toFixed(6),
        // The nearest rank: the first value that at least 95 % of all do not exceed.
        p95: (
          sorted.find((one) => sorted.filter((other) => other <= one).length * 100 >= sorted.length * 95) ?? 0
        ).toFixed(6),
        ...this.bisection(listed, asked),
      },
    };
  }

  private tier(code: string): number {
    return this.tiers.of(code);
  }

  private listed({ fabric, scope }: FabricQuestion): readonly FabricLink[] {
    return this.links.filter(
      (link) =>
        (fabric === undefined || fabricOf(link) === fabric) &&
        (scope === undefined || [link.a, link.b].some(({ deviceCode }) => this.isIn(deviceCode, scope))),
    );
  }

  private isIn(code: string, scope: string): boolean {
    const { location, rackCode } = this.device(code);
    return around(location, rackCode).includes(scope);
  }

  private device(code: string): Device {
    const found = this.devices.get(code);
    if (found === undefined) throw new Error(`No device ${code}`);
    return found;
  }

  /** Why a link carries nothing: "meant" if somebody decided so. */
  private cause(link: FabricLink, { failed }: FabricQuestion): "meant" | "broken" | undefined {
    const state = link.status ?? "UP";
    if (state === "PLANNED" || state === "ADMIN_DOWN") return "meant";
    if (state === "DOWN") return "broken";
    const ends = [link.a, link.b];
    if (ends.some(({ deviceCode }) => failed.includes(deviceCode))) return "broken";
    for (const { deviceCode, portName } of ends) {
      const { status = "ACTIVE", ports = [] } = this.device(deviceCode);
      if (["PLANNED", "STAGED", "INVENTORY"].includes(status)) return "meant";
      if (["OFFLINE", "FAILED"].includes(status)) return "broken";
      if (ports.some(({ name, enabled }) => name === portName && enabled === false)) return "meant";
    }
    return undefined;
  }

  private view(link: FabricLink, asked: FabricQuestion) {
    const { a, b, capacityMbps, aToBMbps = 0, bToAMbps = 0 } = link;
    const pct = capacityMbps === undefined ? 0 : (100 * Math.max(aToBMbps, bToAMbps)) / capacityMbps;
    const cause = this.cause(link, asked);
    const isTense = pct >= asked.watchPct || pct >= asked.congestionPct || link.status === "DEGRADED";
    const carrying = pct >= 100 ? "FAULT" : isTense ? "WATCH" : "OK";
    const health = cause === undefined ? carrying : cause === "meant" ? "WATCH" : "FAULT";
    return { ref: `fabric_link:${nameOf(a)}~${nameOf(b)}`, pct, live: cause === undefined, health, link };
  }

  private isLive(link: FabricLink, asked: FabricQuestion): boolean {
    return this.cause(link, asked) === undefined;
  }

  /** All links of a switch to switches of higher, of lower or of any tiers. */
  private linksOf(
    code: string,
    way: "up" | "down" | "all",
  ): readonly { readonly link: FabricLink; readonly far: string }[] {
    return this.links
      .filter(({ a, b }) => a.deviceCode === code || b.deviceCode === code)
      .map((link) => ({ link, far: link.a.deviceCode === code ? link.b.deviceCode : link.a.deviceCode }))
      .filter(({ far }) => {
        const rise = this.tier(far) - this.tier(code);
        return way === "all" || (way === "up" ? rise > 0 : rise < 0);
      });
  }

  private node(code: string, asked: FabricQuestion) {
    const device = this.device(code);
    const up = this.linksOf(code, "up");
    const down = this.linksOf(code, "down");
    const live = up.filter(({ link }) => this.isLive(link, asked));
    const bandwidth = (links: typeof up) => sum(links.map(({ link }) => link.capacityMbps ?? 0));
    const uplink = bandwidth(live);
    const downlink =
      down.length === 0 ? this.hosts(code) : bandwidth(down.filter(({ link }) => this.isLive(link, asked)));
    // N-1: every upper switch is lost in turn, and the worst is taken.
    const left = Math.min(uplink, ...live.map(({ far }) => bandwidth(live.filter((one) => one.far !== far))));
    const counted = up.length > 0 ? up : this.linksOf(code, "all");
    return {
      code,
      role: device.role ?? "",
      rack: device.rackCode ?? "",
      tier: this.tier(code),
      downlink,
      uplink,
      over: uplink > 0 ? (downlink / uplink).toFixed(6) : undefined,
      overN1: left > 0 ? (downlink / left).toFixed(6) : undefined,
      up: counted.filter(({ link }) => this.isLive(link, asked)).length,
      total: counted.length,
      failed: asked.failed.includes(code),
    };
  }

  /** Bandwidth of a switch's ports towards hosts. */
  private hosts(code: string): number {
    const own = (this.device(code).ports ?? []).filter(
      ({ kind, parentPort, enabled }) => kind === "NETWORK" && parentPort === undefined && enabled !== false,
    );
    const marked = own.filter(({ netRole }) => netRole === "DOWNLINK" || netRole === "HOST");
    const isLinked = (name: string) =>
      this.links.some(({ a, b }) => [a, b].some((end) => end.deviceCode === code && end.portName === name));
    const unmarked = own.filter(
      ({ name, netRole, mgmtOnly, type }) => netRole === undefined && !mgmtOnly && type !== "lag" && !isLinked(name),
    );
    return sum((marked.length > 0 ? marked : unmarked).map(({ speedMbps }) => speedMbps ?? 0));
  }

  /** Pairs that a full mesh joins and no link does. */
  private missing(asked: FabricQuestion): readonly string[] {
    const fabrics = new Set(this.listed(asked).map(fabricOf));
    const found = [...fabrics].flatMap((fabric) => {
      const links = this.links.filter((link) => fabricOf(link) === fabric);
      const members = [...new Set(links.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]))];
      const tiers = [...new Set(members.map((code) => this.tier(code)))].toSorted((x, y) => x - y);
      return tiers.slice(1).flatMap((tier, at) => {
        const lows = members.filter((code) => this.tier(code) === tiers[at]);
        const highs = members.filter((code) => this.tier(code) === tier);
        const pods = new Map([...lows, ...highs].map((code) => [code, this.pods(code, { lows, highs, links })]));
        return lows.flatMap((low) =>
          highs
            .filter(
              (high) => isTogether(pods.get(low), pods.get(high)) && !links.some((link) => joins(link, low, high)),
            )
            .map((high) => [low, high] as const),
        );
      });
    });
    return found
      .filter((pair) => asked.scope === undefined || pair.some((code) => this.isIn(code, asked.scope ?? "")))
      .map(([low, high]) => `${low} ${high}`);
  }

  /** The label of a switch; of one without it, the labels of what it reaches over links that a label does not explain. */
  private pods(code: string, { lows, highs, links }: Between): Pods {
    const upward = this.tier(lows[0] ?? "") <= 0 ? ["pod", "plane"] : ["plane", "pod"];
    const has = (label: string) => (one: string) => this.device(one).labels?.[label] !== undefined;
    const name = upward.find((label) => lows.some(has(label)) && highs.some(has(label)));
    const labelOf = (one: string) => (name === undefined ? undefined : this.device(one).labels?.[name]);
    const own = labelOf(code);
    const reached = [code];
    for (const one of reached) {
      const others = (lows.includes(one) ? highs : lows).filter(
        (far) => labelOf(one) === undefined || labelOf(far) === undefined,
      );
      reached.push(...others.filter((far) => !reached.includes(far) && links.some((link) => joins(link, one, far))));
    }
    const labels = own === undefined ? reached.flatMap((one) => labelOf(one) ?? []) : [own];
    return { code, isLabelled: own !== undefined, labels, switches: reached };
  }

  private down(link: FabricLink, asked: FabricQuestion): readonly (readonly string[])[] {
    if (this.cause(link, asked) !== "broken") return [];
    return [["LINK_DOWN", "WARNING", this.view(link, asked).ref]];
  }

  private found(code: string, asked: FabricQuestion): readonly (readonly string[])[] {
    const up = this.linksOf(code, "up");
    const ref = `device:${code}`;
    const found: string[][] = [];
    const live = up.filter(({ link }) => this.isLive(link, asked));
    if (up.length > 0 && live.length === 0) found.push(["NO_UPLINK", "WARNING", ref]);
    const groups = new Set(up.map(({ link, far }) => `${this.tier(far)} ${fabricOf(link)}`));
    for (const group of groups) {
      const own = up.filter(({ link, far }) => `${this.tier(far)} ${fabricOf(link)}` === group).map(({ far }) => far);
      const counts = own.map((far) => own.filter((other) => other === far).length);
      const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
      if (fewest !== most) found.push(["UNEQUAL_LINKS", "WARNING", ref, `${fewest} to ${most}`]);
    }
    const measured = live.filter(
      ({ link }) => link.capacityMbps !== undefined && (link.aToBMbps !== undefined || link.bToAMbps !== undefined),
    );
    for (const group of new Set(measured.map(({ link }) => link.ecmpGroup))) {
      const loads = measured
        .filter(({ link }) => link.ecmpGroup === group)
        .map(({ link }) => this.view(link, asked).pct);
      const mean = sum(loads) / loads.length;
      const spread = mean === 0 ? 0 : (100 * (Math.max(...loads) - Math.min(...loads))) / mean;
      if (spread <= 25) continue;
      const severity = Math.max(...loads) > asked.watchPct ? "WARNING" : "INFO";
      found.push(["ECMP_IMBALANCE", severity, ref, `${Math.round(spread)} %`]);
    }
    return found;
  }

  /** Half of what works across the boundary below a tier, of the boundary with the least. */
  private bisection(listed: readonly FabricLink[], asked: FabricQuestion) {
    const tierOfEnds = ({ a, b }: FabricLink) => [this.tier(a.deviceCode), this.tier(b.deviceCode)];
    const tiers = [...new Set(listed.flatMap(tierOfEnds))].toSorted((x, y) => x - y);
    const cuts = tiers.slice(1).map((high, at) => {
      const across = listed.filter((link) => {
        const [one = 0, other = 0] = tierOfEnds(link);
        return Math.min(one, other) < high && Math.max(one, other) >= high;
      });
      const working = across.filter((link) => this.isLive(link, asked));
      const names = [tiers[at] ?? 0, high].map((tier) => TIER_NAMES[tier] ?? `tier ${tier}`);
      return { mbps: sum(working.map(({ capacityMbps }) => capacityMbps ?? 0)) / 2, count: across.length, names };
    });
    const least = cuts.find(({ mbps }) => cuts.every((other) => other.mbps >= mbps));
    const narrowest = cuts.length > 1 ? ", the tiers with the least of it" : "";
    return {
      bisection: least?.mbps ?? 0,
      counted:
        least === undefined
          ? "No links between tiers"
          : `Half of the working capacity of the ${least.count} listed links between ${least.names.join(" and ")}${narrowest}`,
    };
  }
}

interface Between {
  readonly lows: readonly string[];
  readonly highs: readonly string[];
  readonly links: readonly FabricLink[];
}

/** What says to which pods or planes a switch belongs. */
interface Pods {
  readonly code: string;
  readonly isLabelled: boolean;
  readonly labels: readonly string[];
  readonly switches: readonly string[];
}

/** Whether two switches of neighbouring tiers are in one pod or plane: by their labels, else by what links join. */
function isTogether(low: Pods | undefined, high: Pods | undefined): boolean {
  if (low === undefined || high === undefined) return false;
  const isNamed = low.labels.some((label) => high.labels.includes(label));
  return isNamed || (!(low.isLabelled && high.isLabelled) && low.switches.includes(high.code));
}

function joins({ a, b }: FabricLink, one: string, other: string): boolean {
  return a.deviceCode === one ? b.deviceCode === other : a.deviceCode === other && b.deviceCode === one;
}

/** Fabric ids are codes, in which capitals do not count. */
function fabricOf({ fabricId = "" }: FabricLink): string {
  return fabricId.toLowerCase();
}

function nameOf({ deviceCode, portName }: FabricLink["a"]): string {
  return portName === "" ? deviceCode : `${deviceCode}/${portName}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
