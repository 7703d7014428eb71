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
  for (const row of mapping.data.all("powerpanel")) {
    const code = mapping.devices.get(`powerpanel/${row.id}`);
    const location = mapping.where.findLocation(row);
    if (code === undefined || location === undefined) {
      mapping.noteOmission("A power panel names no site that exists", "powerpanel", row);
      continue;
    }
    const names = new UniquePortNames();
    const ports = (feeds.get(row.id) ?? []).map((feed) => {
      const name = names.takeName(readTextCell(feed, "name"), "feed", feed.id);
      mapping.ports.set(`powerfeed/${feed.id}`, { deviceCode: code, portName: name, kind: "POWER_OUT" });
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
      ...mapping.createRemarks("powerpanel", row),
    });
    mapping.items.push({ kind: "device", id: `powerpanel/${row.id}`, resource });
  }
  for (const feed of mapping.data.all("powerfeed")) {
    if (!mapping.data.rows("powerpanel").has(readTextCell(feed, "panel")))
      mapping.noteOmission("A power feed names no panel that exists", "powerfeed", feed);
  }
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
