import type { CablePath } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal } from "#words/figures.ts";
import { formatEnum, getRefName } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { formatPortName, formatPortRef, formatQuantity } from "../labels.ts";
import { changeSettings, changeSubject, formatPageUrl, type PageAddress } from "../router.ts";
import { FilterRow, RefField, SwitchField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, Card, type Column, EmptyText, joinWithCommas, Table, type Tone } from "../ui/parts.tsx";
import { PictureView } from "../ui/picture.tsx";

const TONES_BY_STATUS: Readonly<Record<string, Tone>> = {
  PATH_STATUS_COMPLETE: "ok",
  PATH_STATUS_LOOP: "fault",
  PATH_STATUS_SPLIT: "info",
};

type Hop = CablePath["hops"][number];

const HOP_COLUMNS: readonly Column<Hop>[] = [
  { name: "Device", cell: ({ device_code }) => <a href={formatPageUrl("device", device_code)}>{device_code}</a> },
  { name: "Kind", cell: ({ kind }) => formatEnum(kind, "DEVICE_KIND") },
  { name: "In", cell: ({ in_port }) => in_port },
  { name: "Out", cell: ({ out_port }) => out_port },
  {
    name: "Rack",
    cell: ({ rack_code }) => (rack_code === "" ? null : <a href={formatPageUrl("rack", rack_code)}>{rack_code}</a>),
  },
  { name: "U", numeric: true, cell: ({ position_u }) => formatDecimal(position_u) },
];

export function TracePage({ place }: { readonly place: PageAddress }) {
  const { subject, settings } = place;
  const branches = settings.get("branches") === "1";
  const render = useRenderOptions();
  const request = { port_ref: subject, follow_splits: branches, render };
  return (
    <>
      <PageHead kind="Cable trace" title={subject === "" ? "Where does this cable end?" : getRefName(subject)} />
      <FilterRow>
        <RefField
          label="From port"
          placeholder="SRV-B03-07/eth0"
          kinds={["PORT"]}
          value={subject}
          change={changeSubject}
        />
        <SwitchField
          label="Follow every branch"
          on={branches}
          change={(on) => changeSettings({ branches: on ? "1" : "" })}
        />
      </FilterRow>
      {subject === "" ? (
        <EmptyText>Name a port above, or choose one on a device's page.</EmptyText>
      ) : (
        <CablePaths key={subject} request={request} />
      )}
    </>
  );
}

function CablePaths({ request }: { readonly request: { readonly port_ref: string } }) {
  const asked = useCall("TraceCablePath", request);
  return (
    <ReplyView asked={asked}>
      {({ paths, render }) => (
        <>
          <PictureView
            label={`Trace of ${getRefName(request.port_ref)}`}
            render={render}
            question={{ rpc: "TraceCablePath", request }}
            omitsHeading
          />
          {paths.map((path, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: paths have no identifier and keep their order
            <PathCard key={index} path={path} />
          ))}
        </>
      )}
    </ReplyView>
  );
}

function isHopAtPathEnd({ device_code, in_port, out_port }: Hop, end: CablePath["branches"][number]["to"]): boolean {
  return device_code === end.device_code && (in_port === end.port_name || out_port === end.port_name);
}

/** Describes the length and state of a path's cables, and each device on it that is not active. */
function describePath({ length_is_partial, total_length_m, segments, hops }: CablePath): string {
  const cables = segments.flatMap(({ cable }) => cable ?? []);
  const length = `${length_is_partial ? "at least " : ""}${formatDecimal(total_length_m, "m")}`;
  const loose = cables.filter(({ status }) => status !== "CABLE_STATUS_CONNECTED");
  const state = loose.length === 0 ? "connected" : `${formatCount(loose.length)} of them not connected`;
  const devices = hops
    .filter(({ status }) => !WORKING_STATUSES.has(status))
    .map(({ device_code, status }) => `${device_code} is ${formatEnum(status, "DEVICE_STATUS").toLowerCase()}`);
  const first =
    cables.length === 0
      ? "No cable is recorded on the way"
      : `${formatQuantity(cables.length, "cable")}, ${length}, ${state}`;
  return `${[first, ...devices].join("; ")}.`;
}

const WORKING_STATUSES: ReadonlySet<string> = new Set(["DEVICE_STATUS_ACTIVE", "DEVICE_STATUS_UNSPECIFIED"]);

function PathCard({ path }: { readonly path: CablePath }) {
  const { origin, destination, status, hops, findings, branches } = path;
  // A path ends at one inlet of a device. Other inlets of that device are not shown as branches.
  const others = branches.filter(({ to }) => !hops.some((hop) => isHopAtPathEnd(hop, to)));
  const end = destination === undefined ? "an open end" : formatPortName(destination);
  return (
    <Card
      title={`${origin === undefined ? "" : formatPortName(origin)} → ${end}`}
      action={<Badge tone={TONES_BY_STATUS[status] ?? "watch"}>{formatEnum(status, "PATH_STATUS")}</Badge>}
    >
      <p>{describePath(path)}</p>
      <Table
        caption="Devices on the way"
        columns={HOP_COLUMNS}
        rows={hops}
        rowKey={({ device_code, in_port, out_port }) => `${device_code} ${in_port} ${out_port}`}
        empty="The port leads nowhere."
      />
      {findings.length === 0 ? null : (
        <ul>
          {findings.map(({ code, message }) => (
            <li key={`${code} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {others.length === 0 ? null : (
        <p>
          Could go on:{" "}
          {joinWithCommas(
            others.map(({ from, to, position }) => (
              <a key={`${formatPortName(to)} ${position}`} href={formatPageUrl("trace", formatPortRef(to))}>
                {from.device_code === to.device_code ? "" : `${formatPortName(from)} position ${position} to `}
                {formatPortName(to)}
              </a>
            )),
          )}
        </p>
      )}
    </Card>
  );
}
