import type { ComponentChildren } from "preact";
import type { InventoryRow, PhaseLoad, Port, PortPower } from "#gen/datacenter/v1/json.ts";
import {
  formatBandwidth,
  formatCount,
  formatDecimal,
  formatKnownSum,
  formatPercent,
  formatWatts,
  isSumUnknown,
} from "#words/figures.ts";
import { formatEnum, formatPortType, getRefName } from "#words/names.ts";
import { getVisibleShareState } from "../../shared/state_of_share.ts";
import { useCall } from "../api/client.ts";
import type { ResourceValues } from "../edit/form_model.ts";
import { formatColumnFigure } from "../lists/list_kinds.ts";
import { WorstLossSentence } from "../overview/causes.tsx";
import { formatPageUrl, type OBJECT_PAGE_KINDS } from "../router.ts";
import { ReplyView } from "../ui/page.tsx";
import { Card, type Column, FactList, MarkedSentence, Meter, RefLink, Table } from "../ui/parts.tsx";
import type { PictureRequest } from "../ui/picture.tsx";
import { FreeCapacityCard } from "./capacity.tsx";
import { ElementActions } from "./element_parts.tsx";
import { FailureEffectsCard, SupplyCard } from "./rack.tsx";

/** A kind of element whose page shows the data of its list row. */
export interface ObjectKind {
  /** Value of InventoryKind without its prefix. */
  readonly kind: string;
  readonly singular: string;
  /** Renders the buttons for actions on the element. */
  readonly renderActions: (row: InventoryRow) => ComponentChildren;
  /** Renders a sentence about the most important fact of the element. */
  readonly renderSentence?: (row: InventoryRow) => ComponentChildren;
  /** Returns the request whose reply contains the element's picture. */
  readonly createPictureRequest?: (row: InventoryRow) => PictureRequest;
  /** Whether the element is a location. Locations exist only in the location fields of other elements. */
  readonly isLocation?: true;
  /** Returns the reference under which the change log stores the element's changes; the element's own if absent. */
  readonly getChangeLogRef?: (row: InventoryRow) => string;
  /** Renders data that the list row lacks. */
  readonly renderDetails?: (row: InventoryRow) => ComponentChildren;
  /** Returns links to lists of related elements: name, page and conditions. */
  readonly listRelatedLinks: (row: InventoryRow) => readonly RelatedLink[];
}

type RelatedLink = readonly [name: string, page: string, settings: Readonly<Record<string, string>>];

const renderLinkButton = (text: string, href: string) => (
  <a class="button" href={href}>
    {text}
  </a>
);

/** Returns links to the racks, devices, cooling units and supplies that match the same conditions. */
function listContentLinks(settings: Readonly<Record<string, string>>, hasRow: boolean): readonly RelatedLink[] {
  const all: readonly RelatedLink[] = [
    ["Racks", "racks", settings],
    ["Devices", "devices", settings],
    ["Cooling units", "cooling", settings],
  ];
  return hasRow ? all : [...all, ["Feeds and sources", "supplies", settings]];
}

/** Properties that the kinds site, room and row share. */
const LOCATION_PROPERTIES = {
  isLocation: true,
  renderSentence: ({ ref }: InventoryRow) => <WorstLossSentence scope={ref} />,
  renderActions: ({ ref }: InventoryRow) => (
    <ElementActions target={ref}>
      {renderLinkButton("Fabric", formatPageUrl("fabric", "", { scope: ref }))}
    </ElementActions>
  ),
  renderDetails: ({ ref }: InventoryRow) => (
    <>
      <FreeCapacityCard scope={ref} />
      <FailureEffectsCard scope={ref} />
    </>
  ),
} as const;

const createPathPictureRequest = (port: string): PictureRequest => ({
  rpc: "TraceCablePath",
  request: { port_ref: port },
});

/** Returns the reference of the device that declares a feed. The change log stores the feed's changes under it. */
const getFeedChangeLogRef = ({ ref, texts: { source = "" } }: InventoryRow) =>
  source === "" ? ref : `device:${source.split("/")[0]}`;

/** Kinds of elements by the names of their pages. */
export const OBJECT_KINDS: Readonly<Record<(typeof OBJECT_PAGE_KINDS)[number], ObjectKind>> = {
  site: {
    kind: "SITE",
    singular: "Site",
    ...LOCATION_PROPERTIES,
    listRelatedLinks: ({ name }) => [
      ["Floors", "floors", { site: name }],
      ["Rooms", "rooms", { site: name }],
      ...listContentLinks({ site: name }, false),
    ],
  },
  room: {
    kind: "ROOM",
    singular: "Room",
    ...LOCATION_PROPERTIES,
    listRelatedLinks: (row) => listContentLinks(getLocationConditions(row, "room"), false),
  },
  row: {
    kind: "ROW",
    singular: "Row",
    ...LOCATION_PROPERTIES,
    listRelatedLinks: (row) => listContentLinks(getLocationConditions(row, "row"), true),
  },
  crac: {
    kind: "CRAC",
    singular: "Cooling unit",
    renderSentence: ({ figures, texts }) => (
      <LoadSentence share={figures["load_pct"]}>
        It carries {describeCarriedHeat(figures["load_kw"])} from{" "}
        {splitServedZones(texts["serves"]).map(getRefName).join(" and ") || "an unknown zone"},{" "}
        {figures["load_pct"] === undefined
          ? figures["load_kw"] === undefined
            ? "an unknown share of what it can"
            : "of an unknown capacity"
          : `${formatPercent(figures["load_pct"])} of what it can`}
        .
      </LoadSentence>
    ),
    renderDetails: ({ name, texts }) => (
      <Card title="If it fails">
        {splitServedZones(texts["serves"]).map((zone) => (
          <ZoneWithoutUnit key={zone} zone={zone} unit={name} isLiquid={texts["medium"] === "LIQUID"} />
        ))}
      </Card>
    ),
    createPictureRequest: ({ texts }) => ({
      rpc: "ThermalHeadroom",
      request: { scope_ref: splitServedZones(texts["serves"])[0] ?? "" },
    }),
    renderActions: ({ ref, name }) => (
      <ElementActions target={ref} edit={{ kind: "crac", identity: { code: name } }} history={ref} />
    ),
    listRelatedLinks: ({ texts }) =>
      splitServedZones(texts["serves"]).map(
        (ref): RelatedLink => [`Cooling of ${getRefName(ref)}`, `thermal/${encodeURIComponent(ref)}`, {}],
      ),
  },
  feed: {
    kind: "SUPPLY",
    singular: "Feed",
    renderSentence: ({ figures, texts }) => (
      <LoadSentence share={getGreatestShare(figures["load_pct"], figures["failover_pct"])}>
        It carries {formatWatts(figures["load_w"])} of {formatWatts(figures["capacity_w"])}
        {texts["failover_ref"] === undefined
          ? "."
          : `, and ${formatWatts(figures["failover_w"])} when ${getRefName(texts["failover_ref"])} is lost.`}
      </LoadSentence>
    ),
    renderDetails: (row) => <SupplyCard supplies={[row]} />,
    getChangeLogRef: getFeedChangeLogRef,
    createPictureRequest: ({ ref }) => ({ rpc: "PowerBlastRadius", request: { source_ref: ref } }),
    renderActions: (row) => <ElementActions target={row.ref} history={getFeedChangeLogRef(row)} />,
    listRelatedLinks: ({ ref }) => [["Devices that it feeds", "devices", { fed_by: ref }]],
  },
  cable: {
    kind: "CABLE",
    singular: "Cable",
    createPictureRequest: ({ texts }) => createPathPictureRequest(`port:${texts["a_device"]}/${texts["a_port"]}`),
    renderActions: ({ ref, texts }) => (
      <>
        {renderLinkButton("Where does it end", formatPageUrl("trace", `port:${texts["a_device"]}/${texts["a_port"]}`))}
        <ElementActions
          target={ref}
          canFail={false}
          edit={{ kind: "cable", identity: parseEndValues(texts) }}
          history={ref}
        />
      </>
    ),
    listRelatedLinks: ({ texts }) => [
      [`Ports of ${texts["a_device"]}`, "ports", { device: texts["a_device"] ?? "" }],
      [`Ports of ${texts["b_device"]}`, "ports", { device: texts["b_device"] ?? "" }],
    ],
  },
  fabric_link: {
    kind: "FABRIC_LINK",
    singular: "Fabric link",
    renderActions: ({ ref, texts }) => (
      <>
        {renderLinkButton("Fabric", formatPageUrl("fabric", texts["fabric"] ?? ""))}
        <ElementActions
          target={ref}
          canFail={false}
          edit={{ kind: "fabric_link", identity: parseEndValues(texts) }}
          history={ref}
        />
      </>
    ),
    listRelatedLinks: ({ texts }) => [
      [`Links of ${texts["a_device"]}`, "links", { a_device: texts["a_device"] ?? "" }],
      [`Links of ${texts["b_device"]}`, "links", { b_device: texts["b_device"] ?? "" }],
    ],
  },
  port: {
    kind: "PORT",
    singular: "Port",
    createPictureRequest: ({ ref }) => createPathPictureRequest(ref),
    renderDetails: ({ ref }) => <PortPowerCard port={ref} />,
    renderActions: ({ ref }) => (
      <>
        {renderLinkButton("Where does it lead", formatPageUrl("trace", ref))}
        <ElementActions target={ref} canFail={false} history={ref} />
      </>
    ),
    listRelatedLinks: ({ texts }) => [[`Ports of ${texts["device"]}`, "ports", { device: texts["device"] ?? "" }]],
  },
  device_type: {
    kind: "DEVICE_TYPE",
    singular: "Device type",
    renderActions: ({ ref, name }) => (
      <>
        {renderLinkButton("Where does it fit?", formatPageUrl("placement", "", { type: name }))}
        <ElementActions edit={{ kind: "device_type", identity: { code: name } }} history={ref} />
      </>
    ),
    renderDetails: ({ name }) => <TypePorts code={name} />,
    listRelatedLinks: ({ texts: { manufacturer = "", model = "" } }) => [
      ["Devices of this type", "devices", { manufacturer, model }],
    ],
  },
};

/** A sentence about a load, marked with the state of its share of the limit. */
/** Returns the greater of two shares; undefined if neither is known. */
function getGreatestShare(now: number | undefined, after: number | undefined): number | undefined {
  return now === undefined && after === undefined ? undefined : Math.max(now ?? 0, after ?? 0);
}

function LoadSentence(props: { readonly share: number | undefined; readonly children: ComponentChildren }) {
  const { share, children } = props;
  const state = share === undefined ? "unknown" : (getVisibleShareState(share) ?? "ok");
  return <MarkedSentence state={state}>{children}</MarkedSentence>;
}

function describeCarriedHeat(kw: number | undefined): string {
  return kw === undefined ? "heat that is not recorded" : `${formatColumnFigure("load_kw", kw)} of heat`;
}

function splitServedZones(serves = ""): readonly string[] {
  return serves.split(", ").filter((ref) => ref !== "");
}

/** Heat of a zone and the cooling that remains without a unit. */
function ZoneWithoutUnit(props: { readonly zone: string; readonly unit: string; readonly isLiquid: boolean }) {
  const { zone, unit, isLiquid } = props;
  const { reply } = useCall("ThermalHeadroom", { scope_ref: zone, failed_crac_codes: [unit] });
  if (reply === undefined) return null;
  const [heat, left, unknown] = isLiquid
    ? [reply.liquid_heat_kw, reply.liquid_effective_kw, reply.devices_without_liquid_heat]
    : [reply.air_heat_kw, reply.effective_kw, reply.devices_without_heat];
  return (
    <Meter
      label={getRefName(zone)}
      share={left === 0 || isSumUnknown(heat, unknown) ? undefined : (100 * heat) / left}
      text={`Heat ${formatKnownSum(heat, unknown, (kw) => formatDecimal(kw, "kW"))}, cooling ${formatDecimal(left, "kW")}`}
    />
  );
}

function getLocationConditions({ texts, name }: InventoryRow, kind: "room" | "row"): Readonly<Record<string, string>> {
  return { site: texts["site"] ?? "", floor: texts["floor"] ?? "", [kind]: name.slice(name.lastIndexOf("/") + 1) };
}

function parseEndValues(texts: Readonly<Record<string, string>>): ResourceValues {
  const getEnd = (side: "a" | "b") => ({
    device_code: texts[`${side}_device`] ?? "",
    port_name: texts[`${side}_port`] ?? "",
  });
  return { a: getEnd("a"), b: getEnd("b") };
}

const PORT_COLUMNS: readonly Column<Port>[] = [
  { name: "Port", cell: ({ name }) => name },
  { name: "Kind", cell: ({ kind }) => formatEnum(kind, "PORT_KIND") },
  { name: "Type", cell: ({ type }) => formatPortType(type) },
  { name: "Speed", numeric: true, cell: ({ speed_mbps }) => formatBandwidth(speed_mbps) },
];

/** Ports and bays of a device type in the catalogue. */
function TypePorts({ code }: { readonly code: string }) {
  const asked = useCall("datacenter.v1.PlanningService/GetDeviceType", { code });
  return (
    <Card title="Ports and bays">
      <ReplyView asked={asked}>
        {({ device_type: { ports, bays } }) => (
          <>
            <Table
              caption="Ports of each device of the type"
              columns={PORT_COLUMNS}
              rows={ports}
              rowKey={({ name }) => name}
              empty="The type has no ports."
            />
            {bays.length === 0 ? null : <p>Bays: {bays.join(", ")}</p>}
          </>
        )}
      </ReplyView>
    </Card>
  );
}

/** Card with the load of a power port and its phases, now and after one failure. */
function PortPowerCard({ port }: { readonly port: string }) {
  const asked = useCall("GetPort", { port_ref: port });
  return (
    <ReplyView asked={asked}>{({ power }) => (power === undefined ? null : <PortLoad power={power} />)}</ReplyView>
  );
}

function PortLoad({ power }: { readonly power: PortPower }) {
  const { live, load_w, capacity_va, worst_leg, phases } = power;
  return (
    <Card title="What it carries">
      <FactList
        rows={[
          ["Power", live ? "arrives" : "does not arrive"],
          ["Load now", `${formatKnownSum(load_w, power.consumers_without_draw)}${formatShareSuffix(power.load_pct)}`],
          ["After one failure", <LoadAfterFailure key="after" load={power} />],
          ["Rating", capacity_va === undefined ? "" : `${formatCount(capacity_va)} VA`],
          ["Busiest phase", worst_leg === "PHASE_LEG_UNSPECIFIED" ? "" : formatEnum(worst_leg, "PHASE_LEG")],
          ...phases.map(
            (phase) =>
              [
                `Phase ${formatEnum(phase.leg, "PHASE_LEG")}`,
                <span key={phase.leg}>
                  {formatDecimal(phase.load_va, "VA")}
                  {formatShareSuffix(phase.load_pct)}, after one failure <LoadAfterFailure load={phase} />
                </span>,
              ] as const,
          ),
        ]}
      />
    </Card>
  );
}

function LoadAfterFailure(props: { readonly load: PhaseLoad | PortPower }) {
  const {
    load: { failover_va, failover_pct, failover_ref },
  } = props;
  return (
    <>
      {formatDecimal(failover_va, "VA")}
      {formatShareSuffix(failover_pct)}
      {failover_ref === "" ? null : (
        <>
          {" when "}
          <RefLink to={failover_ref} />
          {" is lost"}
        </>
      )}
    </>
  );
}

function formatShareSuffix(value: number | undefined): string {
  return value === undefined ? "" : `, ${formatPercent(value)}`;
}
