import type { ComponentChildren } from "preact";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { judgeVisibleShare } from "../../shared/state_of_share.ts";
import { useCall } from "../api/use_call.ts";
import type { ResourceValues } from "../edit/form_model.ts";
import { figureWords } from "../lists/column_words.ts";
import { WorstLoss } from "../overview/worst_loss.tsx";
import { formatPageUrl, type OBJECT_PAGES } from "../router.ts";
import type { Question } from "../ui/download.tsx";
import { Card, Meter } from "../ui/parts.tsx";
import { CapacityLeft } from "./capacity_left.tsx";
import { PortPowerCard } from "./port_power.tsx";
import { Supply, WhatIf } from "./rack_cards.tsx";
import { ThingActions } from "./thing_actions.tsx";
import { TypePorts } from "./type_ports.tsx";

/** A kind of object whose page shows the data of its list row. */
export interface ObjectKind {
  /** The value of InventoryKind without its prefix. */
  readonly kind: string;
  readonly one: string;
  /** What can be done with it. */
  readonly actions: (row: InventoryRow) => ComponentChildren;
  /** The answer to the first question about it. */
  readonly sentence?: (row: InventoryRow) => ComponentChildren;
  /** The question whose answer has its picture. */
  readonly picture?: (row: InventoryRow) => Question;
  /** Whether it is made of the locations of other things, and changes with them alone. */
  readonly isPlace?: true;
  /** Reference under which the change log has its changes; its own if absent. */
  readonly changed?: (row: InventoryRow) => string;
  /** Renders data that its list does not have. */
  readonly details?: (row: InventoryRow) => ComponentChildren;
  /** Lists of what belongs to it: their names, pages and conditions. */
  readonly related: (row: InventoryRow) => readonly Related[];
}

type Related = readonly [name: string, page: string, settings: Readonly<Record<string, string>>];

const link = (text: string, href: string) => (
  <a class="button" href={href}>
    {text}
  </a>
);

/** The racks, devices, cooling units and supplies that match the same conditions. */
function contents(settings: Readonly<Record<string, string>>, hasRow: boolean): readonly Related[] {
  const all: readonly Related[] = [
    ["Racks", "racks", settings],
    ["Devices", "devices", settings],
    ["Cooling units", "cooling", settings],
  ];
  return hasRow ? all : [...all, ["Feeds and sources", "supplies", settings]];
}

/** What a site, a room and a row have in common. */
const PLACE = {
  isPlace: true,
  sentence: ({ ref }: InventoryRow) => <WorstLoss scope={ref} />,
  actions: ({ ref }: InventoryRow) => (
    <ThingActions target={ref}>{link("Fabric", formatPageUrl("fabric", "", { scope: ref }))}</ThingActions>
  ),
  details: ({ ref }: InventoryRow) => (
    <>
      <CapacityLeft scope={ref} />
      <WhatIf scope={ref} />
    </>
  ),
} as const;

const pathPicture = (port: string): Question => ({ rpc: "TraceCablePath", request: { port_ref: port } });

/** The change log has a feed under the device that declares it. */
const feedChanges = ({ ref, texts: { source = "" } }: InventoryRow) =>
  source === "" ? ref : `device:${source.split("/")[0]}`;

/** Kinds of objects by the names of their pages. */
export const OBJECT_KINDS: Readonly<Record<(typeof OBJECT_PAGES)[number], ObjectKind>> = {
  site: {
    kind: "SITE",
    one: "Site",
    ...PLACE,
    related: ({ name }) => [
      ["Floors", "floors", { site: name }],
      ["Rooms", "rooms", { site: name }],
      ...contents({ site: name }, false),
    ],
  },
  room: {
    kind: "ROOM",
    one: "Room",
    ...PLACE,
    related: (row) => contents(placeOf(row, "room"), false),
  },
  row: {
    kind: "ROW",
    one: "Row",
    ...PLACE,
    related: (row) => contents(placeOf(row, "row"), true),
  },
  crac: {
    kind: "CRAC",
    one: "Cooling unit",
    sentence: ({ figures, texts }) => (
      <Carried share={figures["load_pct"]}>
        It carries {figureWords("load_kw", figures["load_kw"] ?? 0)} of heat from{" "}
        {zonesOf(texts["serves"]).map(getRefName).join(" and ") || "an unknown zone"},{" "}
        {figures["load_pct"] === undefined
          ? "of an unknown capacity"
          : `${formatPercent(figures["load_pct"])} of what it can`}
        .
      </Carried>
    ),
    details: ({ name, texts }) => (
      <Card title="If it fails">
        {zonesOf(texts["serves"]).map((zone) => (
          <ZoneWithout key={zone} zone={zone} unit={name} isLiquid={texts["medium"] === "LIQUID"} />
        ))}
      </Card>
    ),
    picture: ({ texts }) => ({
      rpc: "ThermalHeadroom",
      request: { scope_ref: zonesOf(texts["serves"])[0] ?? "" },
    }),
    actions: ({ ref, name }) => (
      <ThingActions target={ref} edit={{ kind: "crac", identity: { code: name } }} history={ref} />
    ),
    related: ({ texts }) =>
      zonesOf(texts["serves"]).map(
        (ref): Related => [`Cooling of ${getRefName(ref)}`, `thermal/${encodeURIComponent(ref)}`, {}],
      ),
  },
  feed: {
    kind: "SUPPLY",
    one: "Feed",
    sentence: ({ figures, texts }) => (
      <Carried share={Math.max(figures["load_pct"] ?? 0, figures["failover_pct"] ?? 0)}>
        It carries {formatWatts(figures["load_w"])} of {formatWatts(figures["capacity_w"])}
        {texts["failover_ref"] === undefined
          ? "."
          : `, and ${formatWatts(figures["failover_w"])} when ${getRefName(texts["failover_ref"])} is lost.`}
      </Carried>
    ),
    details: (row) => <Supply supplies={[row]} />,
    changed: feedChanges,
    picture: ({ ref }) => ({ rpc: "PowerBlastRadius", request: { source_ref: ref } }),
    actions: (row) => <ThingActions target={row.ref} history={feedChanges(row)} />,
    related: ({ ref }) => [["Devices that it feeds", "devices", { fed_by: ref }]],
  },
  cable: {
    kind: "CABLE",
    one: "Cable",
    picture: ({ texts }) => pathPicture(`port:${texts["a_device"]}/${texts["a_port"]}`),
    actions: ({ ref, texts }) => (
      <>
        {link("Where does it end", formatPageUrl("trace", `port:${texts["a_device"]}/${texts["a_port"]}`))}
        <ThingActions target={ref} fails={false} edit={{ kind: "cable", identity: endValues(texts) }} history={ref} />
      </>
    ),
    related: ({ texts }) => [
      [`Ports of ${texts["a_device"]}`, "ports", { device: texts["a_device"] ?? "" }],
      [`Ports of ${texts["b_device"]}`, "ports", { device: texts["b_device"] ?? "" }],
    ],
  },
  fabric_link: {
    kind: "FABRIC_LINK",
    one: "Fabric link",
    actions: ({ ref, texts }) => (
      <>
        {link("Fabric", formatPageUrl("fabric", texts["fabric"] ?? ""))}
        <ThingActions
          target={ref}
          fails={false}
          edit={{ kind: "fabric_link", identity: endValues(texts) }}
          history={ref}
        />
      </>
    ),
    related: ({ texts }) => [
      [`Links of ${texts["a_device"]}`, "links", { a_device: texts["a_device"] ?? "" }],
      [`Links of ${texts["b_device"]}`, "links", { b_device: texts["b_device"] ?? "" }],
    ],
  },
  port: {
    kind: "PORT",
    one: "Port",
    picture: ({ ref }) => pathPicture(ref),
    details: ({ ref }) => <PortPowerCard port={ref} />,
    actions: ({ ref }) => (
      <>
        {link("Where does it lead", formatPageUrl("trace", ref))}
        <ThingActions target={ref} fails={false} history={ref} />
      </>
    ),
    related: ({ texts }) => [[`Ports of ${texts["device"]}`, "ports", { device: texts["device"] ?? "" }]],
  },
  device_type: {
    kind: "DEVICE_TYPE",
    one: "Device type",
    actions: ({ ref, name }) => (
      <>
        {link("Where does it fit?", formatPageUrl("placement", "", { type: name }))}
        <ThingActions edit={{ kind: "device_type", identity: { code: name } }} history={ref} />
      </>
    ),
    details: ({ name }) => <TypePorts code={name} />,
    related: ({ texts: { manufacturer = "", model = "" } }) => [
      ["Devices of this type", "devices", { manufacturer, model }],
    ],
  },
};

/** A sentence about a load, with the state that its share means. */
function Carried({ share, children }: { readonly share: number | undefined; readonly children: ComponentChildren }) {
  const state = share === undefined ? "unknown" : (judgeVisibleShare(share) ?? "ok");
  return (
    <>
      <StateMark state={state} label={`${state}:`} />
      <span>{children}</span>
    </>
  );
}

function zonesOf(serves = ""): readonly string[] {
  return serves.split(", ").filter((ref) => ref !== "");
}

/** The heat of a zone beside the cooling that is left without a unit. */
function ZoneWithout(props: { readonly zone: string; readonly unit: string; readonly isLiquid: boolean }) {
  const { zone, unit, isLiquid } = props;
  const { reply } = useCall("ThermalHeadroom", { scope_ref: zone, failed_crac_codes: [unit] });
  if (reply === undefined) return null;
  const [heat, left] = isLiquid
    ? [reply.liquid_heat_kw, reply.liquid_effective_kw]
    : [reply.air_heat_kw, reply.effective_kw];
  return (
    <Meter
      label={getRefName(zone)}
      share={left === 0 ? undefined : (100 * heat) / left}
      text={`${formatDecimal(heat, "kW")} of heat, ${formatDecimal(left, "kW")} of cooling`}
    />
  );
}

function placeOf({ texts, name }: InventoryRow, kind: "room" | "row"): Readonly<Record<string, string>> {
  return { site: texts["site"] ?? "", floor: texts["floor"] ?? "", [kind]: name.slice(name.lastIndexOf("/") + 1) };
}

function endValues(texts: Readonly<Record<string, string>>): ResourceValues {
  const end = (side: "a" | "b") => ({
    device_code: texts[`${side}_device`] ?? "",
    port_name: texts[`${side}_port`] ?? "",
  });
  return { a: end("a"), b: end("b") };
}
