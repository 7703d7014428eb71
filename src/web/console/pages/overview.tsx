import { useState } from "preact/hooks";
import type { ListedWindow, RackTile, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { getRefName, stripRefKinds } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { useCall, useInventory, useRouteCall } from "../api/client.ts";
import type { AuditEntry, FloorOverview, HistoryReply, InventoryOverview } from "../api/replies.ts";
import {
  computeDayEdge,
  describeRequest,
  formatDayAgo,
  groupEntriesByRequest,
  type RequestGroup,
} from "../history/leaf_changes.ts";
import { formatQuantity } from "../labels.ts";
import { CauseList, CurrentFailures, useCurrentFailures, WorstLossSentence } from "../overview/causes.tsx";
import { OverviewGauges } from "../overview/gauges.tsx";
import { describeWorstFailure, NOTHING_TO_FAIL, useFailureRehearsal } from "../overview/rehearsal.ts";
import { WorstFindings } from "../readings/measured.tsx";
import { formatPageUrl } from "../router.ts";
import { createLazyComponent, PageHead, ReplyView } from "../ui/page.tsx";
import { Card, type Column, HealthCounts, RefLink, TableCard, TimeText } from "../ui/parts.tsx";
import { formatTimeSpan, getVerdictState, LIST_WINDOWS_RPC } from "../windows/judgement.tsx";

/** Maximum number of racks of a floor that are drawn as a plan; larger floors show only counts. */
const MAX_DRAWN_RACKS = 1500;

interface FloorCardProps {
  readonly site: string;
  readonly floor: FloorOverview;
}

/** Card of a floor with a plan that shows the effect of the worst single failure on each rack. */
function FloorCard({ site, floor }: FloorCardProps) {
  const { floor_ref, floor_number, racks, cracs, devices } = floor;
  const plan = useCall("FloorPlan", { floor_ref, render: { format: "RENDER_FORMAT_NONE", coloring: "COLORING_RISK" } });
  const placed = plan.reply?.racks ?? [];
  return (
    <Card title={site} action={<a href={formatPageUrl("floor", floor_ref)}>Floor {floor_number}</a>}>
      <p class="muted">
        {formatQuantity(racks, "rack")} · {formatQuantity(devices, "device")} · {formatQuantity(cracs, "cooling unit")}
      </p>
      {plan.error === undefined ? null : <p role="alert">{plan.error.message}</p>}
      {plan.reply === undefined ? null : (
        <>
          {placed.length === 0 ? <p class="muted">No rack has a place on the plan.</p> : null}
          {placed.length > 0 && placed.length <= MAX_DRAWN_RACKS ? (
            <FloorMiniPlan racks={placed} name={getRefName(floor_ref)} />
          ) : null}
          <ImpactLegend racks={[...placed, ...plan.reply.unplaced_racks]} />
          <HealthCounts counts={plan.reply.counts} />
        </>
      )}
    </Card>
  );
}

const IMPACTS = ["dark", "partial", "safe", "unknown"] as const;

function getRackImpact({ risk, devices_without_supply }: RackTile): (typeof IMPACTS)[number] {
  if (risk === "RACK_RISK_DARK") return "dark";
  if (risk === "RACK_RISK_PARTIAL") return "partial";
  return devices_without_supply === 0 ? "safe" : "unknown";
}

/** Legend texts by impact, for one rack and for several. */
const IMPACT_LABELS = {
  dark: ["goes dark", "go dark"],
  partial: ["loses several devices", "lose several devices"],
  safe: ["stays on or loses one device", "stay on or lose one device"],
  unknown: ["has a device without a recorded supply", "have a device without a recorded supply"],
} as const;

/** Margin around the racks, in millimetres. */
const PLAN_MARGIN_MM = 600;

function FloorMiniPlan({ racks, name }: { racks: readonly RackTile[]; name: string }) {
  const boxes = racks.flatMap((rack) =>
    rack.placement === undefined ? [] : [{ rack, ...rotateFootprint(rack.placement) }],
  );
  const left = Math.min(...boxes.map(({ x }) => x)) - PLAN_MARGIN_MM;
  const top = Math.min(...boxes.map(({ y }) => y)) - PLAN_MARGIN_MM;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + PLAN_MARGIN_MM;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + PLAN_MARGIN_MM;
  return (
    <svg class="mini-plan" viewBox={`${left} ${top} ${right - left} ${bottom - top}`}>
      <title>{`Plan of ${name}`}</title>
      {boxes.map(({ rack, x, y, width, height }) => {
        const what = getRackImpact(rack);
        const [middle, centre] = [x + width / 2, y + height / 2];
        return (
          <a
            key={rack.code}
            href={formatPageUrl("rack", rack.code)}
            aria-label={`${rack.code} ${IMPACT_LABELS[what][0]}`}
            tabIndex={-1}
          >
            <title>{`${rack.code}: ${IMPACT_LABELS[what][0]}${what === "unknown" ? "" : " after one failure"}`}</title>
            <rect class={what} x={x} y={y} width={width} height={height} rx="60" />
            {what === "dark" ? (
              <path d={`M${middle - 130} ${centre - 130}l260 260m0 -260l-260 260`} />
            ) : what === "partial" ? (
              <path d={`M${middle} ${centre - 150}l160 280h-320z`} />
            ) : null}
          </a>
        );
      })}
    </svg>
  );
}

/** Returns the rectangle that a rotated footprint occupies on the floor. */
function rotateFootprint({ x_mm, y_mm, width_mm, depth_mm, rotation_deg }: NonNullable<RackTile["placement"]>) {
  const isAcross = rotation_deg % 180 !== 0;
  return { x: x_mm, y: y_mm, width: isAcross ? depth_mm : width_mm, height: isAcross ? width_mm : depth_mm };
}

function ImpactLegend({ racks }: { readonly racks: readonly RackTile[] }) {
  const countRacks = (what: keyof typeof IMPACT_LABELS) => racks.filter((rack) => getRackImpact(rack) === what).length;
  return (
    <ul class="plan-legend" aria-label="After one failure">
      {IMPACTS.filter((what) => what !== "unknown" || countRacks(what) > 0).map((what) => (
        <li key={what}>
          <svg viewBox="0 0 16 16" class="mini-plan key" aria-hidden="true">
            <rect class={what} x="1" y="1" width="14" height="14" rx="2" />
          </svg>
          {formatCount(countRacks(what))} {IMPACT_LABELS[what][countRacks(what) === 1 ? 0 : 1]}
        </li>
      ))}
    </ul>
  );
}

type SiteOverview = InventoryOverview["sites"][number];

/** Maximum number of sites whose worst failure is loaded; the list shows all sites. */
const MAX_SITES = 12;

const sumFloorCounts = ({ floors }: SiteOverview, what: "racks" | "devices" | "cracs") =>
  floors.reduce((sum, floor) => sum + floor[what], 0);

const SITE_COLUMNS: readonly Column<SiteOverview>[] = [
  { name: "Site", cell: ({ site_id }) => <a href={formatPageUrl("site", site_id)}>{site_id}</a> },
  { name: "Racks", numeric: true, cell: (site) => formatCount(sumFloorCounts(site, "racks")) },
  { name: "Devices", numeric: true, cell: (site) => formatCount(sumFloorCounts(site, "devices")) },
  { name: "Worst single failure", cell: ({ site_id }) => <WorstLossSentence scope={`site:${site_id}`} /> },
];

/** Card with a table of the largest sites, each with the effect of its worst single failure. */
function SiteCards({ inventory: { sites } }: { readonly inventory: InventoryOverview }) {
  const bySize = [...sites].sort((a, b) => sumFloorCounts(b, "racks") - sumFloorCounts(a, "racks"));
  return (
    <TableCard
      title="Sites"
      action={<a href={formatPageUrl("sites")}>All {formatCount(sites.length)} sites</a>}
      caption="Sites with the worst failure of each, the largest first"
      columns={SITE_COLUMNS}
      rows={bySize.slice(0, MAX_SITES)}
      rowKey={({ site_id }) => site_id}
      empty="No site is recorded."
    />
  );
}

const MAX_WINDOWS = 4;

/** Current and next maintenance windows; hidden if none is planned. */
function OpenWindowsCard() {
  const { reply } = useCall(LIST_WINDOWS_RPC, {
    states: ["WINDOW_STATE_PLANNED", "WINDOW_STATE_BEGUN"],
    page_size: MAX_WINDOWS,
  });
  if (reply === undefined || reply.windows.length === 0) return null;
  const rest = reply.total_count - reply.windows.length;
  return (
    <Card title="Windows" action={<a href={formatPageUrl("windows")}>All windows</a>}>
      <ul class="failed-now">
        {reply.windows.map((one) => (
          <li key={one.window.code}>
            <StateMark state={one.overdue ? "fault" : getVerdictState(one.verdict)} label="window:" />
            <span>
              {describeWindowTime(one)} <RefLink to={`window:${one.window.code}`} />
              {one.window.title === "" ? "" : `, ${one.window.title}`}. {stripRefKinds(one.summary)}.{" "}
              <span class="muted">{formatTimeSpan(one.window)}</span>
            </span>
          </li>
        ))}
      </ul>
      {rest === 0 ? null : <p class="card-foot">{formatCount(rest)} later.</p>}
    </Card>
  );
}

function describeWindowTime({ overdue, window: { state, starts_at = "" } }: ListedWindow): string {
  if (overdue) return "Overdue:";
  return state === "WINDOW_STATE_BEGUN" || Date.parse(starts_at) <= Date.now() ? "Open now:" : "Next:";
}

const MAX_LINES = 6;
/** Number of log entries that are read to find the last requests. */
const LOG_PAGE_SIZE = 200;

/** Changes since yesterday, one line per request; the requests of an import share a line. */
function NewChangesCard() {
  const [since] = useState(() => formatDayAgo(1));
  const asked = useRouteCall<HistoryReply>("/audit/history", { page_size: String(LOG_PAGE_SIZE) });
  const begin = computeDayEdge(since, "start");
  const oldest = useRouteCall<HistoryReply>("/audit/history", { since: begin, order: "asc", page_size: "1" });
  return (
    <Card title="New since yesterday" action={<a href={formatPageUrl("history", "", { since })}>History</a>}>
      <ReplyView asked={asked}>
        {({ entries, chain }) => {
          const lines = groupJoinedRequests(entries);
          const first = oldest.reply?.entries[0];
          if (lines.length === 0) return <p class="empty">Nothing has been changed yet.</p>;
          return (
            <>
              {oldest.reply === undefined ? null : (
                // The numbers of log entries have no gaps.
                <p class="muted">
                  {first === undefined
                    ? "Nothing is new. The last changes were:"
                    : `${formatQuantity(chain.head_seq - first.seq + 1, "change")}, the latest first.`}
                </p>
              )}
              <ol class="last-changes">
                {lines.slice(0, MAX_LINES).map((line) => (
                  <RequestLine
                    key={line.first.seq}
                    group={line}
                    isCut={entries.length === LOG_PAGE_SIZE && line === lines.at(-1)}
                  />
                ))}
              </ol>
            </>
          );
        }}
      </ReplyView>
    </Card>
  );
}

/** Groups entries by request, and joins consecutive bulk requests of the same person, interface and reason. */
function groupJoinedRequests(entries: readonly AuditEntry[]): readonly RequestGroup[] {
  const lines: RequestGroup[] = [];
  for (const group of groupEntriesByRequest(entries)) {
    const last = lines.at(-1);
    if (last !== undefined && isBulkRequest(group) && isBulkRequest(last) && hasSameOrigin(last.first, group.first))
      lines[lines.length - 1] = { ...last, entries: [...last.entries, ...group.entries] };
    else lines.push(group);
  }
  return lines;
}

/** Whether a request is part of an import or another bulk operation, which needs several requests. */
function isBulkRequest({ first }: RequestGroup): boolean {
  return /^Bulk|Import|ApplyChanges/.test(first.request.method.split("/").at(-1) ?? "");
}

function hasSameOrigin(a: AuditEntry, b: AuditEntry): boolean {
  const [first, second] = [a, b].map(({ actor, request, message }) =>
    JSON.stringify([actor.principal, request.interface, message]),
  );
  return first === second;
}

function RequestLine({ group, isCut }: { readonly group: RequestGroup; readonly isCut: boolean }) {
  const { entries, first } = group;
  const { occurred_at, actor, message, entity } = first;
  return (
    <li>
      <TimeText at={occurred_at} />
      <span class="muted">{actor.principal || "anonymous"}</span>
      <span>
        {message === "" ? "" : `${message}: `}
        {entries.length === 1 ? (
          <>
            {describeRequest(group).replace(getRefName(entity), "").trim()} <RefLink to={entity} />
          </>
        ) : (
          <a href={formatPageUrl("history", "", { request: first.request.id })}>
            {first.request.method === "Import" ? "Import, " : ""}
            {isCut ? <ChangeCount group={group} /> : describeRequest(group)}
          </a>
        )}
      </span>
    </li>
  );
}

/** Number of changes of a request whose entries were not all read. */
function ChangeCount({ group: { entries, first } }: { readonly group: RequestGroup }) {
  const { reply } = useRouteCall<HistoryReply>("/audit/history", {
    request_id: first.request.id,
    order: "asc",
    page_size: "1",
  });
  const begin = reply?.entries[0];
  if (begin === undefined) return <>at least {formatQuantity(entries.length, "change")}</>;
  // Entry numbers are consecutive within a transaction. Between two transactions, other requests may have written.
  const bound = begin.transaction_id === first.transaction_id ? "" : "up to ";
  return (
    <>
      {bound}
      {formatQuantity(first.seq - begin.seq + 1, "change")}
    </>
  );
}

/** Maximum number of floors drawn on the first screen; the list of floors shows all of them. */
const MAX_FLOOR_PLANS = 4;

const EmptyInventory = createLazyComponent(
  async () => (await import("../overview/empty_inventory.tsx")).EmptyInventory,
);

/** The first screen: failed resources, effects of single failures, and free capacity. */
export function OverviewPage() {
  const inventory = useInventory();
  const [isFilled, setFilled] = useState(true);
  const isEmpty =
    inventory.reply !== undefined && inventory.reply.sites.length === 0 && inventory.reply.totals.devices === 0;
  // The first batch fills the inventory while later batches are still being written.
  if (isEmpty || !isFilled) return <EmptyInventory setFilled={setFilled} />;
  if (inventory.reply === undefined) {
    return (
      <>
        <PageHead title="Overview" />
        <ReplyView asked={inventory} shape="tiles">
          {() => null}
        </ReplyView>
      </>
    );
  }
  return <InventoryDashboard inventory={inventory.reply} />;
}

function InventoryDashboard({ inventory }: { readonly inventory: InventoryOverview }) {
  const asked = useFailureRehearsal();
  const failures = useCurrentFailures();
  const floors = inventory.sites.flatMap(({ site_id, floors: all }) => all.map((floor) => ({ site: site_id, floor })));
  return (
    <>
      <PageHead title={formatOverviewTitle(asked.reply, failures)} trail={[]} crumb="Overview">
        {failures?.length === 0 ? <p>No device, feed, cooling unit or link is failed.</p> : null}
      </PageHead>
      <OverviewGauges inventory={inventory} />
      <div class={inventory.sites.length > 1 ? "columns overview sites whole-tables" : "columns overview"}>
        <div>
          <ReplyView asked={asked} shape="rows">
            {(rehearsal) => <CauseList rehearsal={rehearsal} />}
          </ReplyView>
          <NewChangesCard />
        </div>
        <div class={floors.length > 1 ? "small-plans" : undefined}>
          <CurrentFailures failures={failures} />
          {asked.reply === undefined ? null : <WorstFindings most={2} />}
          <OpenWindowsCard />
          {inventory.sites.length > 1 ? <SiteCards inventory={inventory} /> : null}
          {floors.slice(0, inventory.sites.length > 1 ? 0 : MAX_FLOOR_PLANS).map(({ site, floor }) => (
            <FloorCard key={floor.floor_ref} site={site} floor={floor} />
          ))}
          {floors.length > MAX_FLOOR_PLANS && inventory.sites.length === 1 ? (
            <p>
              <a href={formatPageUrl("floors")}>All {floors.length} floors</a>
            </p>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** Returns the page's title: a sentence about current failures and the worst single failure. */
function formatOverviewTitle(
  rehearsal: RehearseFailuresResponse | undefined,
  failures: ReturnType<typeof useCurrentFailures>,
): string {
  if (rehearsal === undefined || failures === undefined) return "Overview";
  const failed = failures.reduce((sum, { list }) => sum + list.total_count, 0);
  const now = failed === 0 ? "" : `${formatQuantity(failed, "thing")} ${failed === 1 ? "is" : "are"} failed. `;
  const none = rehearsal.elements_failed === 0 ? `${NOTHING_TO_FAIL}.` : undefined;
  return `${now}${describeWorstFailure(rehearsal.worst, none)}`;
}
