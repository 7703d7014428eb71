import type { ComponentChildren } from "preact";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { getVisibleShareState } from "../../shared/state_of_share.ts";
import { useCall } from "../api/use_call.ts";
import type { ResourceValues } from "../edit/form_model.ts";
import { formatColumnFigure } from "../lists/column_words.ts";
import { WorstLossSentence } from "../overview/worst_loss.tsx";
import { formatPageUrl, type OBJECT_PAGE_KINDS } from "../router.ts";
import type { PictureRequest } from "../ui/download.tsx";
import { Card, Meter } from "../ui/parts.tsx";
import { FreeCapacityCard } from "./capacity_left.tsx";
import { PortPowerCard } from "./port_power.tsx";
import { FailureEffectsCard, SupplyCard } from "./rack_cards.tsx";
import { ElementActions } from "./thing_actions.tsx";
import { TypePorts } from "./type_ports.tsx";

/** A kind of element whose page shows the data of its list row. */
export interface ObjectKind {
  /** Value of InventoryKind without its prefix. */
  readonly kind: string;
  readonly one: string;
  /** Renders the buttons for actions on the element. */
  readonly actions: (row: InventoryRow) => ComponentChildren;
  /** Renders a sentence about the most important fact of the element. */
  readonly sentence?: (row: InventoryRow) => ComponentChildren;
  /** Returns the request whose reply contains the element's picture. */
  readonly picture?: (row: InventoryRow) => PictureRequest;
  /** Whether the element is a location. Locations exist only in the location fields of other elements. */
  readonly isPlace?: true;
  /** Returns the reference under which the change log stores the element's changes; the element's own if absent. */
  readonly changed?: (row: InventoryRow) => string;
  /** Renders data that the list row lacks. */
  readonly details?: (row: InventoryRow) => ComponentChildren;
  /** Returns links to lists of related elements: name, page and conditions. */
  readonly related: (row: InventoryRow) => readonly Related[];
}

type Related = readonly [name: string, page: string, settings: Readonly<Record<string, string>>];

const link = (text: string, href: string) => (
  <a class="button" href={href}>
    {text}
  </a>
);

/** Returns links to the racks, devices, cooling units and supplies that match the same conditions. */
function listContentLinks(settings: Readonly<Record<string, string>>, hasRow: boolean): readonly Related[] {
  const all: readonly Related[] = [
    ["Racks", "racks", settings],
    ["Devices", "devices", settings],
    ["Cooling units", "cooling", settings],
  ];
  return hasRow ? all : [...all, ["Feeds and sources", "supplies", settings]];
}

/** Properties that the kinds site, room and row share. */
const PLACE = {
  isPlace: true,
  sentence: ({ ref }: InventoryRow) => <WorstLossSentence scope={ref} />,
  actions: ({ ref }: InventoryRow) => (
    <ElementActions target={ref}>{link("Fabric", formatPageUrl("fabric", "", { scope: ref }))}</ElementActions>
  ),
  details: ({ ref }: InventoryRow) => (
    <>
      <FreeCapacityCard scope={ref} />
      <FailureEffectsCard scope={ref} />
    </>
  ),
} as const;

const pathPicture = (port: string): PictureRequest => ({ rpc: "TraceCablePath", request: { port_ref: port } });

/** Returns the reference of the device that declares a feed. The change log stores the feed's changes under it. */
const feedChanges = ({ ref, texts: { source = "" } }: InventoryRow) =>
  source === "" ? ref : `device:${source.split("/")[0]}`;

/** Kinds of elements by the names of their pages. */
export const OBJECT_KINDS: Readonly<Record<(typeof OBJECT_PAGE_KINDS)[number], ObjectKind>> = {
  site: {
    kind: "SITE",
    one: "Site",
    ...PLACE,
    related: ({ name }) => [
      ["Floors", "floors", { site: name }],
      ["Rooms", "rooms", { site: name }],
      ...listContentLinks({ site: name }, false),
    ],
  },
  room: {
    kind: "ROOM",
    one: "Room",
    ...PLACE,
    related: (row) => listContentLinks(getLocationConditions(row, "room"), false),
  },
  row: {
    kind: "ROW",
    one: "Row",
    ...PLACE,
    related: (row) => listContentLinks(getLocationConditions(row, "row"), true),
  },
  crac: {
    kind: "CRAC",
    one: "Cooling unit",
    sentence: ({ figures, texts }) => (
      <LoadSentence share={figures["load_pct"]}>
        It carries {formatColumnFigure("load_kw", figures["load_kw"] ?? 0)} of heat from{" "}
        {splitServedZones(texts["serves"]).map(getRefName).join(" and ") || "an unknown zone"},{" "}
        {figures["load_pct"] === undefined
          ? "of an unknown capacity"
          : `${formatPercent(figures["load_pct"])} of what it can`}
        .
      </LoadSentence>
    ),
    details: ({ name, texts }) => (
      <Card title="If it fails">
        {splitServedZones(texts["serves"]).map((zone) => (
          <ZoneWithoutUnit key={zone} zone={zone} unit={name} isLiquid={texts["medium"] === "LIQUID"} />
        ))}
      </Card>
    ),
    picture: ({ texts }) => ({
      rpc: "ThermalHeadroom",
      request: { scope_ref: splitServedZones(texts["serves"])[0] ?? "" },
    }),
    actions: ({ ref, name }) => (
      <ElementActions target={ref} edit={{ kind: "crac", identity: { code: name } }} history={ref} />
    ),
    related: ({ texts }) =>
      splitServedZones(texts["serves"]).map(
        (ref): Related => [`Cooling of ${getRefName(ref)}`, `thermal/${encodeURIComponent(ref)}`, {}],
      ),
  },
  feed: {
    kind: "SUPPLY",
    one: "Feed",
    sentence: ({ figures, texts }) => (
      <LoadSentence share={Math.max(figures["load_pct"] ?? 0, figures["failover_pct"] ?? 0)}>
        It carries {formatWatts(figures["load_w"])} of {formatWatts(figures["capacity_w"])}
        {texts["failover_ref"] === undefined
          ? "."
          : `, and ${formatWatts(figures["failover_w"])} when ${getRefName(texts["failover_ref"])} is lost.`}
      </LoadSentence>
    ),
    details: (row) => <SupplyCard supplies={[row]} />,
    changed: feedChanges,
    picture: ({ ref }) => ({ rpc: "PowerBlastRadius", request: { source_ref: ref } }),
    actions: (row) => <ElementActions target={row.ref} history={feedChanges(row)} />,
    related: ({ ref }) => [["Devices that it feeds", "devices", { fed_by: ref }]],
  },
  cable: {
    kind: "CABLE",
    one: "Cable",
    picture: ({ texts }) => pathPicture(`port:${texts["a_device"]}/${texts["a_port"]}`),
    actions: ({ ref, texts }) => (
      <>
        {link("Where does it end", formatPageUrl("trace", `port:${texts["a_device"]}/${texts["a_port"]}`))}
        <ElementActions
          target={ref}
          fails={false}
          edit={{ kind: "cable", identity: parseEndValues(texts) }}
          history={ref}
        />
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
        <ElementActions
          target={ref}
          fails={false}
          edit={{ kind: "fabric_link", identity: parseEndValues(texts) }}
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
        <ElementActions target={ref} fails={false} history={ref} />
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
        <ElementActions edit={{ kind: "device_type", identity: { code: name } }} history={ref} />
      </>
    ),
    details: ({ name }) => <TypePorts code={name} />,
    related: ({ texts: { manufacturer = "", model = "" } }) => [
      ["Devices of this type", "devices", { manufacturer, model }],
    ],
  },
};

/** A sentence about a load, marked with the state of its share of the limit. */
function LoadSentence({
  share,
  children,
}: {
  readonly share: number | undefined;
  readonly children: ComponentChildren;
}) {
  const state = share === undefined ? "unknown" : (getVisibleShareState(share) ?? "ok");
  return (
    <>
      <StateMark state={state} label={`${state}:`} />
      <span>{children}</span>
    </>
  );
}

function splitServedZones(serves = ""): readonly string[] {
  return serves.split(", ").filter((ref) => ref !== "");
}

/** Heat of a zone and the cooling that remains without a unit. */
function ZoneWithoutUnit(props: { readonly zone: string; readonly unit: string; readonly isLiquid: boolean }) {
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

function getLocationConditions({ texts, name }: InventoryRow, kind: "room" | "row"): Readonly<Record<string, string>> {
  return { site: texts["site"] ?? "", floor: texts["floor"] ?? "", [kind]: name.slice(name.lastIndexOf("/") + 1) };
}

function parseEndValues(texts: Readonly<Record<string, string>>): ResourceValues {
  const end = (side: "a" | "b") => ({
    device_code: texts[`${side}_device`] ?? "",
    port_name: texts[`${side}_port`] ?? "",
  });
  return { a: end("a"), b: end("b") };
}
