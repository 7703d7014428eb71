import type { Cable, Device as DeviceFields, GetDeviceResponse, Port } from "#gen/datacenter/v1/json.ts";
import { formatBandwidth, formatDecimal, formatKnownSum, formatWatts } from "#words/figures.ts";
import { formatEnum, formatPortType, getRefName } from "#words/names.ts";
import { ShareText } from "../../shared/marks.tsx";
import { useCall } from "../api/client.ts";
import { useCanWrite } from "../edit/changes_panel.tsx";
import { PortCableButton } from "../edit/unit_menu.tsx";
import { listResourceFacts } from "../edit/values.ts";
import { formatPortName, formatPortRef } from "../labels.ts";
import { ReadingsCard } from "../readings/measured.tsx";
import { formatPageUrl, type PageAddress } from "../router.ts";
import {
  Badge,
  Card,
  type Column,
  FactList,
  joinWithCommas,
  MarkedSentence,
  RefLink,
  TableCard,
  TimeText,
  type Tone,
} from "../ui/parts.tsx";
import {
  createLocationTrail,
  ElementActions,
  ElementPage,
  HealthReasons,
  renderLocation as placeWords,
} from "./element_parts.tsx";
import { LogEntries } from "./entries.tsx";

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  DEVICE_STATUS_ACTIVE: "ok",
  DEVICE_STATUS_FAILED: "fault",
  DEVICE_STATUS_OFFLINE: "watch",
};

export function DevicePage({ place }: { readonly place: PageAddress }) {
  const ref = `device:${place.subject}`;
  const asked = useCall("GetDevice", { code: place.subject, view: "DEVICE_VIEW_FULL" });
  const device = asked.reply?.device;
  return (
    <ElementPage
      place={place}
      asked={asked}
      kind={device === undefined ? "Device" : describeDevice(device)}
      trail={createLocationTrail(device?.location, device?.rack_code)}
      state={
        device === undefined ? null : (
          <Badge tone={STATUS_TONES[device.status] ?? "info"}>{formatEnum(device.status, "DEVICE_STATUS")}</Badge>
        )
      }
      sentence={asked.reply === undefined ? <>&nbsp;</> : <SupplySentence answer={asked.reply} />}
      actions={
        <ElementActions target={ref} edit={{ kind: "device", identity: { code: place.subject } }} history={ref} />
      }
      tabs={[
        { key: "", name: "Overview", content: (answer) => <DeviceSummary answer={answer} /> },
        {
          key: "ports",
          name: "Ports",
          count: device?.ports.length,
          content: (answer) => <PortTable answer={answer} />,
        },
        { key: "history", name: "Changes", content: ({ recent }) => <LogEntries entries={recent} /> },
      ]}
    />
  );
}

/** Describes a device by its kind and role: "Server, compute". */
function describeDevice({ role, kind }: DeviceFields): string {
  const word = formatEnum(kind, "DEVICE_KIND");
  return role === "" || role === kind ? word : `${word}, ${role}`;
}

/** Sentence about the losses that would turn the device off. */
function SupplySentence({ answer }: { readonly answer: GetDeviceResponse }) {
  const { supply_state, power_single_points: points } = answer;
  if (supply_state === "SUPPLY_STATE_NO_LIVE_SUPPLY")
    return <MarkedSentence state="fault">No live supply: its recorded supply is dead.</MarkedSentence>;
  if (supply_state === "SUPPLY_STATE_UNSPECIFIED")
    return <>No inlet and no draw is recorded, or it is not in service.</>;
  if (supply_state !== "SUPPLY_STATE_LIVE")
    return <MarkedSentence state="unknown">No power source is recorded.</MarkedSentence>;
  if (points.length === 0)
    return <MarkedSentence state="ok">No one loss cuts its supply, unless overloads trip.</MarkedSentence>;
  return (
    <MarkedSentence state="watch">
      {points.length === 1 ? "One loss alone turns it off" : `Any of ${points.length} losses alone turns it off`}
      {": "}
      {joinWithCommas(points.map((ref) => <RefLink key={ref} to={ref} />))}
    </MarkedSentence>
  );
}

function DeviceSummary({ answer }: { readonly answer: GetDeviceResponse }) {
  return (
    <div class="cards">
      <Card title="Facts">
        <FactList rows={listDeviceFacts(answer.device)} />
      </Card>
      <PowerInlets answer={answer} />
      <ReadingsCard target={`device:${answer.device.code}`} plannedW={answer.device.allocated_draw_w} />
      {answer.device.ports.length > MAX_LISTED_PORTS ? (
        <PortCounts answer={answer} />
      ) : (
        <div class="wide">
          <PortTable answer={answer} />
        </div>
      )}
    </div>
  );
}

function listDeviceFacts(device: DeviceFields): Parameters<typeof FactList>[0]["rows"] {
  const { parent_device_code: parent } = device;
  return [
    ...listResourceFacts("device", device, "name"),
    ["Place", placeWords(device.location, device.rack_code)],
    [
      "Unit",
      device.position_u === undefined
        ? ""
        : `${formatDecimal(device.position_u)}, ${formatDecimal(device.u_height, "U")} high`,
    ],
    ["Inside", parent === "" ? "" : <RefLink key="parent" to={`device:${parent}`} />],
    ["Maker and model", [device.manufacturer, device.model].filter((part) => part !== "").join(" ")],
    ...listResourceFacts(
      "device",
      device,
      "serial asset_tag allocated_draw_w max_draw_w measured_draw_w heat_w cooling_method",
    ),
    ["Weight", device.weight_kg === undefined ? "not recorded" : formatDecimal(device.weight_kg, "kg")],
    ...listResourceFacts("device", device, "tenant tags labels comments"),
    ["Changed", device.update_time && <TimeText key="changed" at={device.update_time} />],
  ];
}

function PowerInlets({ answer }: { readonly answer: GetDeviceResponse }) {
  const { power_chain, device, undocumented_inlets } = answer;
  return (
    <Card
      title="Power"
      action={<a href={formatPageUrl("devices", "", { fed_by: `device:${device.code}` })}>What it feeds</a>}
    >
      <CarriedLoad answer={answer} />
      {undocumented_inlets.length === 0 ? null : <p>Source not recorded: {undocumented_inlets.join(", ")}.</p>}
      <ol class="chains">
        {power_chain.map(({ inlet, path, path_label, live }) => (
          <li key={inlet}>
            <strong>{inlet}</strong> {path_label === "" ? "" : `side ${getRefName(path_label)} `}
            <Badge tone={live ? "ok" : "fault"}>{live ? "live" : "no power"}</Badge>
            <span class="chain">
              {path.map((ref) => (
                <span key={ref}>
                  <span aria-hidden="true">← </span>
                  <RefLink to={ref} />{" "}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Devices that need no power record no draw; their load is 0. */
function formatCarriedLoad({ device, power_load_w, consumers_without_draw, draw_source }: GetDeviceResponse): string {
  const isOwnUnknown = draw_source === "DRAW_SOURCE_NOT_RECORDED" && device?.kind !== "DEVICE_KIND_PATCH_PANEL";
  const load = formatKnownSum(power_load_w, consumers_without_draw + (isOwnUnknown ? 1 : 0));
  return load === "not recorded" ? "The load is not recorded" : `Carries ${load}`;
}

/** Load that a device carries as a supply, now and after one failure, and its health reasons. */
function CarriedLoad({ answer }: { readonly answer: GetDeviceResponse }) {
  const { power_pct, power_failover_w, power_failover_pct, power_failover_ref, power_reasons } = answer;
  return (
    <>
      <p>
        {formatCarriedLoad(answer)}
        {power_pct === undefined ? null : (
          <>
            , <ShareText pct={power_pct} /> of its capacity
          </>
        )}
        .
        {power_failover_ref === "" ? null : (
          <>
            {" "}
            {formatWatts(power_failover_w)}
            {power_failover_pct === undefined ? null : (
              <>
                {" "}
                (<ShareText pct={power_failover_pct} />)
              </>
            )}{" "}
            after the loss of <RefLink to={power_failover_ref} />.
          </>
        )}
      </p>
      <HealthReasons reasons={power_reasons} all />
    </>
  );
}

/** Maximum number of ports that the first tab lists. */
const MAX_LISTED_PORTS = 6;

function groupCablesByPort({ device, cables }: GetDeviceResponse): ReadonlyMap<string, Cable> {
  const ends = cables.flatMap((cable) => [cable.a, cable.b].map((end) => ({ cable, end })));
  const own = ends.filter(({ end }) => end.device_code === device.code);
  return new Map(own.map(({ cable, end }) => [end.port_name, cable]));
}

/** Card with the numbers of all ports and of connected ports, by kind. */
function PortCounts({ answer }: { readonly answer: GetDeviceResponse }) {
  const { ports, code } = answer.device;
  const byPort = groupCablesByPort(answer);
  const kinds = Map.groupBy(ports, ({ kind }) => formatEnum(kind, "PORT_KIND"));
  const isUsed = (port: Port) => byPort.has(port.name) || (port.power_in?.source_ref ?? "") !== "";
  return (
    <Card title="Ports" action={<a href={formatPageUrl("device", code, { tab: "ports" })}>All {ports.length} ports</a>}>
      <FactList
        rows={[...kinds].map(
          ([kind, all]) => [kind, `${all.filter(isUsed).length} of ${all.length} connected`] as const,
        )}
      />
    </Card>
  );
}

function PortTable({ answer }: { readonly answer: GetDeviceResponse }) {
  const isWriter = useCanWrite();
  const { device } = answer;
  const byPort = groupCablesByPort(answer);
  const columns: readonly Column<Port>[] = [
    {
      name: "Port",
      cell: ({ name }) => (
        <a
          href={formatPageUrl("trace", formatPortRef({ device_code: device.code, port_name: name }))}
          aria-label={`Trace ${name}`}
        >
          {name}
        </a>
      ),
    },
    { name: "Kind", cell: ({ kind }) => formatEnum(kind, "PORT_KIND") },
    { name: "Type", cell: ({ type }) => formatPortType(type) },
    { name: "Speed", numeric: true, cell: ({ speed_mbps }) => formatBandwidth(speed_mbps) },
    { name: "Leads to", cell: (port) => <CableFarEnd port={port} cable={byPort.get(port.name)} code={device.code} /> },
    { name: "Cable", cell: ({ name }) => describeCable(byPort.get(name)) },
    ...(isWriter
      ? [
          {
            name: "Change",
            cell: (port: Port) => <PortCableButton device={device.code} port={port} cable={byPort.get(port.name)} />,
          },
        ]
      : []),
  ];
  return (
    <TableCard
      title="Ports"
      caption="Ports; a port's link traces its cable"
      columns={columns}
      rows={device.ports}
      rowKey={({ name }) => name}
      empty="No port is recorded."
    />
  );
}

function CableFarEnd(props: { readonly port: Port; readonly cable: Cable | undefined; readonly code: string }) {
  const { port, cable, code } = props;
  if (cable !== undefined) {
    const far = cable.a.device_code === code && cable.a.port_name === port.name ? cable.b : cable.a;
    return <a href={formatPageUrl("device", far.device_code)}>{formatPortName(far)}</a>;
  }
  const source = port.power_in?.source_ref ?? "";
  if (source !== "") return <RefLink to={source} />;
  const feed = port.power_out?.feed_id ?? "";
  return feed === "" ? null : <RefLink to={`feed:${feed}`} label={`feed ${feed}`} />;
}

function describeCable(cable: Cable | undefined): string {
  if (cable === undefined) return "";
  const length = cable.length_m === undefined ? "" : formatDecimal(cable.length_m, "m");
  return [cable.label, formatEnum(cable.type, "CABLE_TYPE"), length].filter((part) => part !== "").join(", ");
}
