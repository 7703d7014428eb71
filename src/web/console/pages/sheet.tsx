import type { ComponentChildren } from "preact";
import type { GetRackResponse, InventoryRow, Location } from "#gen/datacenter/v1/json.ts";
import { getColorName } from "#words/color_name.ts";
import { formatCount, formatDecimal } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { useCall } from "../api/client.ts";
import { BoardFace } from "../edit/rack_board.tsx";
import { FACE_VALUES, type FaceName, listDeviceBoxes } from "../edit/rack_cells.ts";
import { listResourceFacts } from "../edit/values.ts";
import { formatMoment } from "../labels.ts";
import { formatColumnText } from "../lists/list_kinds.ts";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Card, type Column, EmptyText, FactList, RefLink, Table } from "../ui/parts.tsx";
import { createLocationTrail } from "./element_parts.tsx";
import { useInventoryRows, useInventoryRowsCall } from "./rack.tsx";

/** A port and its cable. */
interface PortLine {
  readonly port: InventoryRow;
  readonly cable: InventoryRow | undefined;
}

/** Printed page for a technician at a device or rack: its location, each port's cable, and space for notes. */
export function TechnicianSheet({ place: { subject } }: { readonly place: PageAddress }) {
  if (subject.startsWith("rack:")) return <RackSheet code={getRefName(subject)} />;
  if (subject !== "") return <DeviceSheet code={getRefName(subject)} />;
  return (
    <>
      <PageHead title="Technician's sheet" />
      <EmptyText>Choose the sheet in the menu of a device or a rack.</EmptyText>
    </>
  );
}

function RackSheet({ code }: { readonly code: string }) {
  const asked = useCall("GetRack", { code });
  return (
    <SheetFrame target={`rack:${code}`} rack={code} location={asked.reply?.rack.location} at={code}>
      {asked.reply === undefined ? <span /> : <RackStrip rack={asked.reply} own={[]} />}
      <ReplyView asked={asked}>
        {({ occupants }) => <SheetPorts of={{ rack: [code] }} devices={occupants.map((one) => one.device_code)} />}
      </ReplyView>
    </SheetFrame>
  );
}

function DeviceSheet({ code }: { readonly code: string }) {
  const asked = useCall("GetDevice", { code });
  const { rack_code = "", location, position_u, parent_device_code = "" } = asked.reply?.device ?? {};
  const rack = useCall("GetRack", rack_code === "" ? undefined : { code: rack_code });
  const at = position_u === undefined ? "" : `U${formatDecimal(position_u)}`;
  return (
    <SheetFrame target={`device:${code}`} rack={rack_code} location={location} at={at}>
      {rack.reply === undefined ? <span /> : <RackStrip rack={rack.reply} own={[code, parent_device_code]} />}
      <ReplyView asked={asked}>
        {({ device }) => (
          <>
            <FactList
              rows={[
                ["Maker and model", [device.manufacturer, device.model].filter(Boolean).join(" ")],
                ...listResourceFacts("device", device, "serial asset_tag"),
              ]}
            />
            <SheetPorts of={{ device: [device.code] }} devices={[device.code]} />
          </>
        )}
      </ReplyView>
    </SheetFrame>
  );
}

interface SheetFrameProps {
  readonly target: string;
  /** Code of the rack that the sheet describes, or that contains the device. */
  readonly rack: string;
  readonly location: Location | undefined;
  /** Text that follows the locations in the sheet's heading, such as the unit. */
  readonly at: string;
  readonly children: readonly [strip: ComponentChildren, ports: ComponentChildren];
}

/** Heading of a sheet with its revision and time, followed by the rack, the notes and the ports. */
function SheetFrame({ target, rack, location, at, children: [strip, ports] }: SheetFrameProps) {
  const code = getRefName(target);
  const isRack = target.startsWith("rack:");
  const scope_ref = rack === "" ? "" : `rack:${rack}`;
  const { reply } = useCall("datacenter.v1.PlanningService/GetCapacity", { scope_ref });
  const trail = createLocationTrail(location, isRack ? "" : rack);
  const back = formatPageUrl(isRack ? "rack" : "device", code);
  return (
    <>
      <PageHead
        title={code}
        kind={`Technician's sheet, revision ${formatCount(reply?.revision)}, ${formatMoment(new Date().toISOString())}`}
        trail={[...trail, { name: code, href: back }]}
        crumb="Sheet"
        action={
          <>
            <a class="button" href={back}>
              Back to {code}
            </a>
            <button type="button" class="primary" onClick={() => print()}>
              Print
            </button>
          </>
        }
      >
        <p class="sentence">{[...trail.map(({ name }) => name), at].filter(Boolean).join(" / ")}</p>
      </PageHead>
      <div class={isRack ? "tech-sheet of-rack" : "tech-sheet"}>
        {strip}
        <Card title="Notes">
          <div class="ruled" />
        </Card>
        <div class="sheet-ports">{ports}</div>
      </div>
    </>
  );
}

const DEVICE_COLUMN: Column<PortLine> = {
  name: "Device",
  cell: ({ port }) => <RefLink to={`device:${port.texts["device"]}`} />,
};

const PORT_COLUMNS: readonly Column<PortLine>[] = [
  { name: "Port", cell: ({ port: { texts } }) => [texts["port"], texts["label"]].filter(Boolean).join(", ") },
  {
    name: "Type",
    cell: ({ port: { texts } }) =>
      formatColumnText("type", texts["type"] ?? "") || formatColumnText("kind", texts["kind"] ?? ""),
  },
  { name: "Far end", cell: PathEnd },
  { name: "Cable", cell: ({ cable }) => describeCable(cable) },
  { name: "Colour", cell: CableColour },
  { name: "Done", cell: () => <span class="tick" /> },
];

/** The port at the other end of the cable, and the end of the cable path if that end is farther away. */
function PathEnd({ port, cable }: PortLine) {
  const { leads_to = "", source = "", feed = "" } = port.texts;
  if (cable === undefined) return source === "" ? feed : <RefLink to={source} />;
  const far = listCableEnds(cable).find((end) => end !== port.name) ?? "";
  return (
    <>
      <RefLink to={`port:${far}`} />
      {leads_to === "" || getRefName(leads_to) === far ? null : (
        <>
          , on to <RefLink to={leads_to} />
        </>
      )}
    </>
  );
}

function listCableEnds({ texts }: InventoryRow): readonly string[] {
  return [`${texts["a_device"]}/${texts["a_port"]}`, `${texts["b_device"]}/${texts["b_port"]}`];
}

function describeCable(cable: InventoryRow | undefined): string {
  if (cable === undefined) return "";
  const { texts, figures } = cable;
  return [
    texts["label"] ?? "no label",
    formatColumnText("type", texts["type"] ?? ""),
    formatDecimal(figures["length_m"], "m"),
  ]
    .filter((word) => word !== "" && word !== "–")
    .join(", ");
}

/** A cable's colour as a sample and in words, for people who cannot distinguish colours. */
function CableColour({ cable }: PortLine) {
  const color = cable?.texts["color"] ?? "";
  if (color === "") return null;
  return (
    <span class="swatch">
      <i style={{ background: `#${color}` }} /> {getColorName(color)}
    </span>
  );
}

/** Table of the cabled ports of devices, in the order of `devices`. Free ports are listed below the table. */
function SheetPorts(props: {
  readonly of: Readonly<Record<string, readonly string[]>>;
  readonly devices: readonly string[];
}) {
  const { of, devices } = props;
  const asked = useInventoryRowsCall("PORT", of);
  const cables = [
    ...useInventoryRows("CABLE", { a_device: devices }),
    ...useInventoryRows("CABLE", { b_device: devices }),
  ];
  const byPort = new Map(cables.flatMap((cable) => listCableEnds(cable).map((end) => [end, cable] as const)));
  const createPortLine = (port: InventoryRow): PortLine => ({ port, cable: byPort.get(port.name) });
  return (
    <ReplyView asked={asked}>
      {({ rows, total_count }) => {
        const lines = devices.flatMap((device) =>
          rows.filter(({ texts }) => texts["device"] === device).map(createPortLine),
        );
        const free = Map.groupBy(
          lines.filter((line) => !isPortInUse(line)),
          ({ port }) => port.texts["device"] ?? "",
        );
        return (
          <>
            <Table
              caption="Ports"
              columns={devices.length === 1 ? PORT_COLUMNS : [DEVICE_COLUMN, ...PORT_COLUMNS]}
              rows={lines.filter(isPortInUse)}
              rowKey={({ port }) => port.ref}
              empty={lines.length === 0 ? "No port is recorded." : "No port is connected."}
            />
            {[...free].map(([device, all]) => (
              <p key={device} class="muted">
                Free on {device}: {all.map(({ port }) => port.texts["port"]).join(", ")}.
              </p>
            ))}
            {total_count > rows.length ? (
              <p>{formatCount(total_count - rows.length)} more ports are not on this sheet.</p>
            ) : null}
          </>
        );
      }}
    </ReplyView>
  );
}

function isPortInUse({ port: { texts }, cable }: PortLine): boolean {
  return (cable ?? texts["source"] ?? texts["feed"]) !== undefined;
}

/**
 * Rack elevation from the side of the highlighted device; both sides if no device is highlighted.
 * @param own codes of the highlighted devices
 */
function RackStrip(props: { readonly rack: GetRackResponse; readonly own: readonly string[] }) {
  const {
    rack: { units, occupants, rack },
    own,
  } = props;
  const isOwn = (code: string) => own.includes(code);
  const device = occupants.find(({ device_code }) => isOwn(device_code));
  const faces: readonly FaceName[] =
    own.length === 0 ? ["front", "rear"] : [device?.face === FACE_VALUES.rear ? "rear" : "front"];
  return (
    <div class="board" role="img" aria-label={`Rack ${rack.code}`}>
      {faces.map((face) => (
        <BoardFace key={face} face={face} units={units} title={`${rack.code}, ${face}`}>
          {listDeviceBoxes(units, occupants, face).map(({ device: { device_code }, top, bottom, side, isMounted }) => (
            <span
              key={device_code}
              class={`board-device ${side} ${isMounted ? "" : "through"} ${isOwn(device_code) ? "own" : ""}`}
              style={{ gridRow: `${top + 1} / ${bottom + 2}` }}
            >
              {device_code}
            </span>
          ))}
        </BoardFace>
      ))}
    </div>
  );
}
