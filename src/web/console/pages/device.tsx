import type { Cable, Device as DeviceFields, GetDeviceResponse, Port } from "#gen/datacenter/v1/json.ts";
import { bandwidth, decimal, watts } from "#words/figures.ts";
import { enumWord, refName } from "#words/names.ts";
import { Share } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { useMayWrite } from "../edit/edit_buttons.tsx";
import { factsOf } from "../edit/facts.ts";
import { PortAction } from "../edit/port_action.tsx";
import { portName, portRef } from "../labels.ts";
import { linkTo, type Place } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";
import { Badge, Card, Empty, Facts, Moment, RefLink, type Tone } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Entries } from "./entries.tsx";
import { placeTrail } from "./place_trail.ts";
import { place as placeWords } from "./place_words.tsx";
import { Reasons } from "./reasons.tsx";
import { ThingActions } from "./thing_actions.tsx";

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  DEVICE_STATUS_ACTIVE: "ok",
  DEVICE_STATUS_FAILED: "fault",
  DEVICE_STATUS_OFFLINE: "watch",
};

export function Device({ place }: { readonly place: Place }) {
  const ref = `device:${place.subject}`;
  const asked = useCall("GetDevice", { code: place.subject, view: "DEVICE_VIEW_FULL" });
  const isMissing = asked.error?.code === "not_found";
  return (
    <>
      <PageHead
        kind="Device"
        title={place.subject}
        {...trailOf(asked.reply?.device)}
        action={
          isMissing ? null : (
            <ThingActions target={ref} edit={{ kind: "device", identity: { code: place.subject } }} history={ref} />
          )
        }
      />
      <Answer asked={asked}>{(reply) => <Shown answer={reply} />}</Answer>
    </>
  );
}

/** The places around the device; the list of devices while they are not known. */
function trailOf(device: DeviceFields | undefined) {
  const trail = placeTrail(device?.location, device?.rack_code);
  return trail.length === 0 ? {} : { trail };
}

function Shown({ answer }: { readonly answer: GetDeviceResponse }) {
  const { device, recent } = answer;
  return (
    <>
      <div class="columns even">
        <Card
          title="Device"
          action={
            <Badge tone={STATUS_TONES[device.status] ?? "info"}>{enumWord(device.status, "DEVICE_STATUS")}</Badge>
          }
        >
          <Facts rows={fields(device)} />
        </Card>
        <Power answer={answer} />
      </div>
      <Ports answer={answer} />
      <Card title="Latest changes">
        <Entries entries={recent} />
      </Card>
    </>
  );
}

function fields(device: DeviceFields): Parameters<typeof Facts>[0]["rows"] {
  const { parent_device_code: parent } = device;
  return [
    ...factsOf("device", device, "name kind role"),
    ["Place", placeWords(device.location, device.rack_code)],
    [
      "Unit",
      device.position_u === undefined ? "" : `${decimal(device.position_u)}, ${decimal(device.u_height, "U")} high`,
    ],
    ["Inside", parent === "" ? "" : <RefLink key="parent" to={`device:${parent}`} />],
    ["Maker and model", [device.manufacturer, device.model].filter((part) => part !== "").join(" ")],
    ...factsOf("device", device, "serial asset_tag allocated_draw_w max_draw_w measured_draw_w heat_w cooling_method"),
    ["Weight", device.weight_kg === undefined ? "not recorded" : decimal(device.weight_kg, "kg")],
    ...factsOf("device", device, "tenant tags labels comments"),
    ["Changed", device.update_time && <Moment key="changed" at={device.update_time} />],
  ];
}

function Power({ answer }: { readonly answer: GetDeviceResponse }) {
  const { power_chain, power_single_points, device, supply_state, undocumented_inlets } = answer;
  return (
    <Card title="Power" action={<a href={linkTo("devices", "", { fed_by: `device:${device.code}` })}>What it feeds</a>}>
      {power_chain.length === 0 ? <Empty>No power source is recorded.</Empty> : null}
      {supply_state === "SUPPLY_STATE_NO_LIVE_SUPPLY" ? (
        <p>
          <Badge tone="fault">No live supply</Badge> Its recorded supply is dead.
        </p>
      ) : null}
      <Carried answer={answer} />
      {undocumented_inlets.length === 0 ? null : <p>Source not recorded: {undocumented_inlets.join(", ")}.</p>}
      <ol class="chains">
        {power_chain.map(({ inlet, path, path_label, live }) => (
          <li key={inlet}>
            <strong>{inlet}</strong> {path_label === "" ? "" : `side ${refName(path_label)} `}
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
      {supply_state !== "SUPPLY_STATE_LIVE" ? null : power_single_points.length === 0 ? (
        <p>
          <Badge tone="ok">No single point</Badge> Nothing alone turns it off.
        </p>
      ) : (
        <div>
          <Badge tone="watch">
            {power_single_points.length} single {power_single_points.length === 1 ? "point" : "points"}
          </Badge>{" "}
          The loss of any of these alone turns it off:
          <ul class="inline">
            {power_single_points.map((ref) => (
              <li key={ref}>
                <a href={linkTo("power", ref)}>{refName(ref)}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}

/** What it carries now and after one failure. */
function Carried({ answer }: { readonly answer: GetDeviceResponse }) {
  const { power_load_w, power_pct, power_failover_w, power_failover_pct, power_failover_ref, power_reasons } = answer;
  return (
    <>
      <p>
        Carries {watts(power_load_w)}
        {power_pct === undefined ? null : (
          <>
            , <Share pct={power_pct} /> of its capacity
          </>
        )}
        .
        {power_failover_ref === "" ? null : (
          <>
            {" "}
            {watts(power_failover_w)}
            {power_failover_pct === undefined ? null : (
              <>
                {" "}
                (<Share pct={power_failover_pct} />)
              </>
            )}{" "}
            after the loss of <RefLink to={power_failover_ref} />.
          </>
        )}
      </p>
      <Reasons reasons={power_reasons} all />
    </>
  );
}

function Ports({ answer: { device, cables } }: { readonly answer: GetDeviceResponse }) {
  const may = useMayWrite();
  const byPort = new Map<string, Cable>();
  for (const cable of cables) {
    for (const end of [cable.a, cable.b]) if (end.device_code === device.code) byPort.set(end.port_name, cable);
  }
  const columns: readonly Column<Port>[] = [
    {
      name: "Port",
      cell: ({ name }) => (
        <a href={linkTo("trace", portRef({ device_code: device.code, port_name: name }))} aria-label={`Trace ${name}`}>
          {name}
        </a>
      ),
    },
    { name: "Kind", cell: ({ kind }) => enumWord(kind, "PORT_KIND") },
    { name: "Type", cell: ({ type }) => type },
    { name: "Speed", numeric: true, cell: ({ speed_mbps }) => bandwidth(speed_mbps) },
    { name: "Leads to", cell: (port) => <FarEnd port={port} cable={byPort.get(port.name)} code={device.code} /> },
    { name: "Cable", cell: ({ name }) => cableWords(byPort.get(name)) },
    ...(may
      ? [
          {
            name: "Change",
            cell: (port: Port) => <PortAction device={device.code} port={port} cable={byPort.get(port.name)} />,
          },
        ]
      : []),
  ];
  return (
    <Card title="Ports">
      <Table
        caption="Ports; a port's link traces its cable"
        columns={columns}
        rows={device.ports}
        rowKey={({ name }) => name}
        empty="No port is recorded."
      />
    </Card>
  );
}

function FarEnd({
  port,
  cable,
  code,
}: {
  readonly port: Port;
  readonly cable: Cable | undefined;
  readonly code: string;
}) {
  if (cable !== undefined) {
    const far = cable.a.device_code === code && cable.a.port_name === port.name ? cable.b : cable.a;
    return <a href={linkTo("device", far.device_code)}>{portName(far)}</a>;
  }
  const source = port.power_in?.source_ref ?? "";
  if (source !== "") return <RefLink to={source} />;
  const feed = port.power_out?.feed_id ?? "";
  return feed === "" ? null : <RefLink to={`feed:${feed}`} label={`feed ${feed}`} />;
}

function cableWords(cable: Cable | undefined): string {
  if (cable === undefined) return "";
  const length = cable.length_m === undefined ? "" : decimal(cable.length_m, "m");
  return [cable.label, enumWord(cable.type, "CABLE_TYPE"), length].filter((part) => part !== "").join(", ");
}
