import type { FabricTopologyResponse } from "#gen/datacenter/v1/json.ts";
import { formatBandwidth, formatCount, formatDecimal, formatPercent } from "#words/figures.ts";
import { formatEnum, getRefName } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { formatPortName } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { bindSetting, changeSettings, formatPageUrl, type PageAddress } from "../router.ts";
import { FilterRow, RefField, SegmentedChoice, SwitchField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, Card, type Column, Figure, FigureRow, HealthBadge, RefLink, TableCard } from "../ui/parts.tsx";
import { type PictureRequest, PictureView } from "../ui/picture.tsx";

type TopologyLink = FabricTopologyResponse["links"][number];
type TopologyNode = FabricTopologyResponse["nodes"][number];

/** Maximum numbers of listed links below a picture and in the table view. */
const MAX_PICTURE_LINKS = 8;
const MAX_TABLE_LINKS = 100;
/** Maximum number of findings that are shown at first. */
const MAX_INITIAL_FINDINGS = 8;

const LINK_COLUMNS: readonly Column<TopologyLink>[] = [
  {
    name: "Leaf",
    cell: ({ link }) => <a href={formatPageUrl("device", link.a.device_code)}>{formatPortName(link.a)}</a>,
  },
  {
    name: "Spine",
    cell: ({ link }) => <a href={formatPageUrl("device", link.b.device_code)}>{formatPortName(link.b)}</a>,
  },
  { name: "Status", cell: describeLinkStatus },
  { name: "Capacity", numeric: true, cell: ({ link }) => formatBandwidth(link.capacity_mbps) },
  { name: "Used", numeric: true, cell: ({ link, live }) => formatPercent(live ? link.utilization_pct : undefined) },
  { name: "Health", cell: ({ health }) => <HealthBadge health={health} /> },
];

/** Returns the status of a link. A link recorded as up is down if a switch at its end is assumed to have failed. */
function describeLinkStatus({ link: { status }, live }: TopologyLink): string {
  return live || status !== "LINK_STATUS_UP" ? formatEnum(status, "LINK_STATUS") : "Down: an end fails";
}

/** Views of a fabric, by the word in the URL; the matrix is the default. */
const FABRIC_VIEWS = [
  ["", "Matrix"],
  ["bundles", "Bundles"],
  ["table", "Table"],
] as const;

export function FabricPage({ place }: { readonly place: PageAddress }) {
  const { subject, settings } = place;
  const failed = (settings.get("failed") ?? "").split(" ").filter((code) => code !== "");
  const scope = settings.get("scope") ?? "";
  const physical = settings.get("physical") === "1";
  const view = settings.get("view") ?? "";
  const request = {
    fabric_id: subject,
    scope_ref: scope,
    failed_device_codes: failed,
    check_physical: physical,
    // The table view needs no picture.
    ...getRenderOptions(useRenderOptions(), view),
  };
  const asked = useCall("FabricTopology", request);
  return (
    <>
      <PageHead
        kind="Fabric"
        title={subject === "" ? "All fabrics" : subject}
        action={<SegmentedChoice label="Shown as" {...bindSetting(settings, "view")} choices={FABRIC_VIEWS} />}
      />
      <FilterRow>
        <RefField label="Scope" placeholder="AMS1/1, B03" kinds={SCOPE_KINDS} {...bindSetting(settings, "scope")} />
        <RefField
          label="Switches taken as failed"
          placeholder="SPINE-1 SPINE-2"
          kinds={["DEVICE"]}
          value={failed.join(" ")}
          change={(value) => changeSettings({ failed: value })}
        />
        <SwitchField
          label="Compare with the cables"
          on={physical}
          change={(on) => changeSettings({ physical: on ? "1" : "" })}
        />
      </FilterRow>
      <ReplyView asked={asked}>
        {(reply) => (
          <FabricView
            answer={reply}
            question={{ rpc: "FabricTopology", request }}
            isTable={view === "table"}
            name={subject}
          />
        )}
      </ReplyView>
    </>
  );
}

function getRenderOptions(usual: object, view: string): { readonly render?: object } {
  if (view === "table") return {};
  return { render: view === "bundles" ? { ...usual, view: "RENDER_VIEW_COMPACT" } : usual };
}

const NODE_COLUMNS: readonly Column<TopologyNode>[] = [
  { name: "Switch", cell: ({ code }) => <a href={formatPageUrl("device", code)}>{code}</a> },
  { name: "Role", cell: ({ role }) => role },
  { name: "Rack", cell: ({ rack_code }) => (rack_code === "" ? null : <RefLink to={`rack:${rack_code}`} />) },
  { name: "Links up", numeric: true, cell: ({ uplinks_up, uplinks_total }) => `${uplinks_up} of ${uplinks_total}` },
  { name: "Oversubscription", numeric: true, cell: ({ oversubscription }) => formatRatio(oversubscription) },
  { name: "With a spine lost", numeric: true, cell: ({ oversubscription_n1 }) => formatRatio(oversubscription_n1) },
];

function formatRatio(value: number | undefined): string {
  return value === undefined ? "–" : `${formatDecimal(value)} : 1`;
}

interface FabricViewProps {
  readonly answer: FabricTopologyResponse;
  readonly question: PictureRequest;
  readonly isTable: boolean;
  readonly name: string;
}

function FabricView({ answer, question, isTable, name }: FabricViewProps) {
  const { nodes, missing, summary, render } = answer;
  const isWarning = ({ severity }: FabricTopologyResponse["findings"][number]) => severity !== "SEVERITY_INFO";
  const findings = answer.findings.toSorted((a, b) => Number(isWarning(b)) - Number(isWarning(a)));
  const switches = [...nodes].sort((a, b) => (b.oversubscription_n1 ?? 0) - (a.oversubscription_n1 ?? 0));
  return (
    <>
      {summary === undefined ? null : <FabricSummary summary={summary} />}
      {isTable ? null : <PictureView label="Fabric" render={render} question={question} readout omitsHeading />}
      {missing.length === 0 ? null : (
        <Card title="Missing links" action={<Badge tone="watch">{formatCount(missing.length)}</Badge>}>
          <p>{missing.map(({ leaf_code, spine_code }) => `${leaf_code} – ${spine_code}`).join(", ")}</p>
        </Card>
      )}
      <BusiestLinks answer={answer} most={isTable ? MAX_TABLE_LINKS : MAX_PICTURE_LINKS} name={name} />
      {isTable ? (
        <TableCard
          title="Switches"
          columns={NODE_COLUMNS}
          rows={switches}
          rowKey={({ code }) => code}
          empty="No switch."
        />
      ) : null}
      {findings.length === 0 ? null : (
        <Card
          title="Findings"
          action={<Badge tone={findings.some(isWarning) ? "watch" : "info"}>{formatCount(findings.length)}</Badge>}
        >
          <FindingList findings={findings.slice(0, MAX_INITIAL_FINDINGS)} />
          {findings.length <= MAX_INITIAL_FINDINGS ? null : (
            <details>
              <summary>{formatCount(findings.length - MAX_INITIAL_FINDINGS)} more</summary>
              <FindingList findings={findings.slice(MAX_INITIAL_FINDINGS)} />
            </details>
          )}
        </Card>
      )}
    </>
  );
}

function FabricSummary({ summary }: { readonly summary: NonNullable<FabricTopologyResponse["summary"]> }) {
  return (
    <FigureRow>
      <Figure label="Links up" value={formatCount(summary.links_up)} />
      <Figure
        label="Links down"
        value={formatCount(summary.links_down)}
        tone={summary.links_down > 0 ? "fault" : "ok"}
      />
      <Figure
        label="Congested"
        value={formatCount(summary.congested)}
        tone={summary.congested === 0 ? "ok" : summary.max_util_pct >= 100 ? "fault" : "watch"}
      />
      <Figure label="Busiest link" value={formatPercent(summary.max_util_pct)} />
      <Figure label="19 of 20 links below" value={formatPercent(summary.p95_util_pct)} />
      <Figure label="Bisection" value={formatBandwidth(summary.bisection_mbps)} />
    </FigureRow>
  );
}

/** Table of the busiest links, with a link to the list of all. */
function BusiestLinks(props: { answer: FabricTopologyResponse; most: number; name: string }) {
  const {
    answer: { links },
    most,
    name,
  } = props;
  const getLoad = ({ link, live }: TopologyLink) => (live ? link.utilization_pct : -1);
  const busiest = links.toSorted((a, b) => getLoad(b) - getLoad(a)).slice(0, most);
  const all = formatPageUrl("links", "", { fabric: name, order: "load_pct desc" });
  return (
    <TableCard
      title={
        links.length > most ? `The ${most} busiest of ${formatCount(links.length)} links` : "Links, the busiest first"
      }
      action={links.length > most ? <a href={all}>All links</a> : null}
      caption="Links, the busiest first"
      columns={LINK_COLUMNS}
      rows={busiest}
      rowKey={({ ref }) => ref}
      empty="No link."
    />
  );
}

function FindingList({ findings }: Pick<FabricTopologyResponse, "findings">) {
  return (
    <ul class="findings">
      {findings.map(({ code, ref, message, value }) => (
        <li key={`${code} ${ref} ${message}`}>
          {ref === "" ? null : (
            <>
              <RefLink to={ref} label={getRefName(ref)} />:{" "}
            </>
          )}
          {message}, {value}
        </li>
      ))}
    </ul>
  );
}
