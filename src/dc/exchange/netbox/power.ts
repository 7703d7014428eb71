import type { Device, Port, PowerOut } from "#dc/model/resources.ts";
import { convertToCode, takeUnusedName } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { readFlagCell, readNumberCell, readTextCell } from "./dataset.ts";
import type { NetboxMapping } from "./mapping.ts";
import { UniquePortNames } from "./port_names.ts";
import type { NetboxRow } from "./read_row.ts";

/** Returns names of the power panels, which become devices and need codes. */
export function listPanelNames(mapping: NetboxMapping) {
  const { data, where } = mapping;
  return data.all("powerpanel").map((panel) => ({
    id: `powerpanel/${panel.id}`,
    name: readTextCell(panel, "name"),
    within: [
      where.getSiteCode(data.findReferencedRow("site", panel, "site")),
      readTextCell(data.findReferencedRow("location", panel, "location"), "slug"),
    ],
  }));
}

/** Maps every power panel as a device of kind RPP with a breaker for each of its feeds. */
export function mapPowerPanels(mapping: NetboxMapping): void {
  const feeds = mapping.data.groupRowsByField("powerfeed", "panel");
  const feedIds = new UniqueFeedIds(mapping);
  const sides = findPanelSides(mapping);
  for (const row of mapping.data.all("powerpanel")) {
    const code = mapping.devices.get(`powerpanel/${row.id}`);
    const location = mapping.where.findLocation(row);
    if (code === undefined || location === undefined) {
      mapping.noteOmission("A power panel names no site that exists", "powerpanel", row);
      continue;
    }
    const names = new UniquePortNames();
    const labels: [string, string][] = [];
    const ports = (feeds.get(row.id) ?? []).map((feed) => {
      const name = names.takeName(readTextCell(feed, "name"), "feed", feed.id);
      mapping.ports.set(`powerfeed/${feed.id}`, { deviceCode: code, portName: name, kind: "POWER_OUT" });
      labels.push([`feed_type.${name}`, readTextCell(feed, "type")]);
      return createBreakerPort(mapping, feed, name, feedIds.takeId(code, name));
    });
    const name = mapping.readShortText("powerpanel", row, "name");
    const resource = removeEmptyFields<Device>({
      code,
      name,
      kind: "RPP",
      role: "power-panel",
      location,
      mount: "FLOOR",
      ports,
      ...(sides.has(row.id) && { power: { powerPath: sides.get(row.id) ?? "" } }),
      ...mapping.createRemarks("powerpanel", row, joinEqualLabels("feed_type", labels)),
    });
    mapping.items.push({ kind: "device", id: `powerpanel/${row.id}`, resource });
  }
  for (const feed of mapping.data.all("powerfeed")) {
    if (!mapping.data.rows("powerpanel").has(readTextCell(feed, "panel")))
      mapping.noteOmission("A power feed names no panel that exists", "powerfeed", feed);
  }
}

/** Returns one label if all have the same value. */
function joinEqualLabels(key: string, labels: readonly [string, string][]): readonly [string, string][] {
  const [value, ...others] = new Set(labels.map(([, one]) => one));
  return value === undefined || others.length > 0 ? labels : [[key, value]];
}

/**
 * Returns the types of feeds that tell the sides of a site's panels apart. NetBox calls a feed primary by default,
 * so the types of a site are no sides if they are all the same or equal for two panels of a rack.
 */
function findPanelSides({ data }: NetboxMapping): ReadonlyMap<string, string> {
  const feeds = data.all("powerfeed").filter((feed) => readTextCell(feed, "type") !== "");
  const byPanel = Map.groupBy(feeds, (feed) => readTextCell(feed, "panel"));
  const bySite = Map.groupBy(feeds, (feed) =>
    readTextCell(data.findReferencedRow("powerpanel", feed, "panel"), "site"),
  );
  const sides = new Map<string, string>();
  for (const ofSite of bySite.values()) {
    const racks = Map.groupBy(
      ofSite.filter((feed) => readTextCell(feed, "rack") !== ""),
      (feed) => readTextCell(feed, "rack"),
    );
    const isMixed = new Set(ofSite.map((feed) => readTextCell(feed, "type"))).size > 1;
    if (!isMixed || [...racks.values()].some(haveEqualTypes)) continue;
    for (const panel of new Set(ofSite.map((feed) => readTextCell(feed, "panel")))) {
      const [type, ...others] = new Set((byPanel.get(panel) ?? []).map((feed) => readTextCell(feed, "type")));
      if (type !== undefined && others.length === 0) sides.set(panel, type);
    }
  }
  return sides;
}

/** Whether feeds of different panels have the same type. */
function haveEqualTypes(feeds: readonly NetboxRow[]): boolean {
  const panels = new Set(feeds.map((feed) => readTextCell(feed, "panel")));
  const pairs = new Set(feeds.map((feed) => `${readTextCell(feed, "panel")}\n${readTextCell(feed, "type")}`));
  const types = new Set(feeds.map((feed) => readTextCell(feed, "type")));
  return panels.size > 1 && pairs.size > types.size;
}

function createBreakerPort(mapping: NetboxMapping, feed: NetboxRow, name: string, feedId: string): Port {
  const voltage = readNumberCell(feed, "voltage");
  const isDirectCurrent = readTextCell(feed, "supply") === "dc";
  const isVoltageValid = voltage !== undefined && voltage !== 0 && (voltage > 0 || isDirectCurrent);
  if (voltage !== undefined && !isVoltageValid)
    mapping.noteOmission("A voltage that a feed cannot have", "powerfeed", feed, String(voltage));
  const amperes = readNumberInRange(mapping, feed, "amperage", Number.POSITIVE_INFINITY);
  const most = readNumberInRange(mapping, feed, "max_utilization", 100);
  const rack = mapping.racks.get(readTextCell(feed, "rack"));
  return removeEmptyFields<Port>({
    name,
    kind: "POWER_OUT",
    label: mapping.shortenText(
      [rack === undefined ? "" : `rack ${rack}`, readTextCell(feed, "description")]
        .filter((one) => one !== "")
        .join(", "),
      "powerfeed",
      feed,
      "description",
    ),
    markConnected: readFlagCell(feed, "marked"),
    powerOut: removeEmptyFields<PowerOut>({
      feedId,
      supply: isDirectCurrent ? "DC" : "AC",
      phase: readTextCell(feed, "phase") === "three-phase" ? "THREE" : "SINGLE",
      voltageV: isVoltageValid ? voltage : undefined,
      amperageA: amperes,
      maxUtilizationPct: most === undefined ? undefined : Math.round(most),
      state: findFeedState(mapping, feed),
    }),
  });
}

/** Reads a number of a feed from 1 to `most`; notes a number out of range. */
function readNumberInRange(mapping: NetboxMapping, feed: NetboxRow, field: string, most: number): number | undefined {
  const given = readNumberCell(feed, field);
  if (given === undefined || (given >= 1 && given <= most)) return given;
  mapping.noteOmission(`A feed's ${field} is out of range`, "powerfeed", feed, String(given));
  return undefined;
}

/** Returns the state of a feed. A planned or offline feed supplies nothing. */
function findFeedState(mapping: NetboxMapping, feed: NetboxRow): PowerOut["state"] | undefined {
  const status = readTextCell(feed, "status");
  if (!["", "active", "failed", "planned", "offline"].includes(status))
    mapping.noteOmission("A status is none of ours: the feed supplies nothing", "powerfeed", feed, status);
  if (status === "failed") return "FAULTY";
  return status === "" || status === "active" ? undefined : "DISABLED";
}

/** Assigns unique identifiers to feeds, from the panel's code and the feed's name. */
class UniqueFeedIds {
  readonly #usedIds: Set<string>;

  constructor({ options }: NetboxMapping) {
    this.#usedIds = new Set(options.foreign.feed);
  }

  takeId(panel: string, feed: string): string {
    const base = convertToCode(`${panel}.${convertToCode(feed) || "feed"}`).slice(0, 60);
    return takeUnusedName([base], (number) => `${base}-${number}`, this.#usedIds);
  }
}
