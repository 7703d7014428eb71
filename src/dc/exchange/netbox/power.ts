import type { Device, Port, PowerOut } from "#dc/model/resources.ts";
import { codeFrom } from "../codes.ts";
import { compact } from "../item.ts";
import { number, readFlag, text } from "./dataset.ts";
import type { Mapping } from "./mapping.ts";
import { PortNames } from "./port_names.ts";
import type { Row } from "./read_row.ts";

/** Power panels need codes as devices do. */
export function panelNames(mapping: Mapping) {
  const { data, where } = mapping;
  return data.all("powerpanel").map((panel) => ({
    id: `powerpanel/${panel.id}`,
    name: text(panel, "name"),
    within: [where.site(data.named("site", panel, "site")), text(data.named("location", panel, "location"), "slug")],
  }));
}

/** Maps every power panel as a device of kind RPP with a breaker for each of its feeds. */
export function mapPanels(mapping: Mapping): void {
  const feeds = mapping.data.grouped("powerfeed", "panel");
  const feedIds = new FeedIds(mapping);
  for (const row of mapping.data.all("powerpanel")) {
    const code = mapping.devices.get(`powerpanel/${row.id}`);
    const location = mapping.where.of(row);
    if (code === undefined || location === undefined) {
      mapping.omit("A power panel names no site that exists", "powerpanel", row);
      continue;
    }
    const names = new PortNames();
    const ports = (feeds.get(row.id) ?? []).map((feed) => {
      const name = names.take(text(feed, "name"), "feed", feed.id);
      mapping.ports.set(`powerfeed/${feed.id}`, { deviceCode: code, portName: name, kind: "POWER_OUT" });
      return breaker(mapping, feed, name, feedIds.take(code, name));
    });
    const name = mapping.short("powerpanel", row, "name");
    const resource = compact<Device>({
      code,
      name,
      kind: "RPP",
      role: "power-panel",
      location,
      mount: "FLOOR",
      ports,
      ...mapping.remarks("powerpanel", row),
    });
    mapping.items.push({ kind: "device", id: `powerpanel/${row.id}`, resource });
  }
  for (const feed of mapping.data.all("powerfeed")) {
    if (!mapping.data.rows("powerpanel").has(text(feed, "panel")))
      mapping.omit("A power feed names no panel that exists", "powerfeed", feed);
  }
}

function breaker(mapping: Mapping, feed: Row, name: string, feedId: string): Port {
  const voltage = number(feed, "voltage");
  const direct = text(feed, "supply") === "dc";
  const possible = voltage !== undefined && voltage !== 0 && (voltage > 0 || direct);
  if (voltage !== undefined && !possible)
    mapping.omit("A voltage that a feed cannot have", "powerfeed", feed, String(voltage));
  const amperes = readNumberInRange(mapping, feed, "amperage", Number.POSITIVE_INFINITY);
  const most = readNumberInRange(mapping, feed, "max_utilization", 100);
  const rack = mapping.racks.get(text(feed, "rack"));
  return compact<Port>({
    name,
    kind: "POWER_OUT",
    label: mapping.shortened(
      [rack === undefined ? "" : `rack ${rack}`, text(feed, "description")].filter((one) => one !== "").join(", "),
      "powerfeed",
      feed,
      "description",
    ),
    markConnected: readFlag(feed, "marked"),
    powerOut: compact<PowerOut>({
      feedId,
      supply: direct ? "DC" : "AC",
      phase: text(feed, "phase") === "three-phase" ? "THREE" : "SINGLE",
      voltageV: possible ? voltage : undefined,
      amperageA: amperes,
      maxUtilizationPct: most === undefined ? undefined : Math.round(most),
      state: stateOf(mapping, feed),
    }),
  });
}

/** A number of a feed from 1 to `most`; another one is noted. */
function readNumberInRange(mapping: Mapping, feed: Row, field: string, most: number): number | undefined {
  const given = number(feed, field);
  if (given === undefined || (given >= 1 && given <= most)) return given;
  mapping.omit(`A feed's ${field} is out of range`, "powerfeed", feed, String(given));
  return undefined;
}

/** A feed that is planned or offline supplies nothing. */
function stateOf(mapping: Mapping, feed: Row): PowerOut["state"] | undefined {
  const status = text(feed, "status");
  if (!["", "active", "failed", "planned", "offline"].includes(status))
    mapping.omit("A status is none of ours: the feed supplies nothing", "powerfeed", feed, status);
  if (status === "failed") return "FAULTY";
  return status === "" || status === "active" ? undefined : "DISABLED";
}

/** Identifiers of feeds: the panel's code and the feed's name, which are unique together. */
class FeedIds {
  readonly #used: Set<string>;

  constructor({ options }: Mapping) {
    this.#used = new Set(options.foreign.feed);
  }

  take(panel: string, feed: string): string {
    const base = codeFrom(`${panel}.${codeFrom(feed) || "feed"}`).slice(0, 60);
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? base : `${base}-${number}`;
      if (this.#used.has(id.toLowerCase())) continue;
      this.#used.add(id.toLowerCase());
      return id;
    }
  }
}
