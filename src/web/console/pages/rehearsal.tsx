import type { ComponentChildren } from "preact";
import type { FailedElement, FailureCause, Impact, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import {
  formatBandwidth,
  formatCount,
  formatDecimal,
  formatKilowatts,
  formatKnownSum,
  formatPercent,
  formatWatts,
} from "#words/figures.ts";
import { getRefName, stripRefKinds } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { formatQuantity } from "../labels.ts";
import { describeWorstFailure, findWorstImpact } from "../overview/rehearsal.ts";
import { convertToConstant, formatPageUrl, type PageAddress } from "../router.ts";
import { FilterRow, renderFieldInputs } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import {
  Badge,
  Card,
  type Column,
  FactList,
  joinWithCommas,
  Pager,
  RefLink,
  Table,
  TableCard,
  type Tone,
  useVisitedPages,
  type VisitedPages,
} from "../ui/parts.tsx";
import { PictureView } from "../ui/picture.tsx";
import { createRequestFromSettings, REHEARSAL_FIELDS } from "./request_fields.ts";

const REHEARSE_FAILURES_RPC = "datacenter.v1.PlanningService/RehearseFailures";
const PAGE_SIZE = 25;

/** Tone and label of each severity. */
const SEVERITY_BADGES: Readonly<Record<string, readonly [Tone, string]>> = {
  FAILURE_SEVERITY_CRITICAL: ["fault", "critical"],
  FAILURE_SEVERITY_HIGH: ["fault", "high"],
  FAILURE_SEVERITY_MEDIUM: ["watch", "medium"],
  FAILURE_SEVERITY_LOW: ["watch", "low"],
  FAILURE_SEVERITY_INFO: ["info", "info"],
};

export function SeverityBadge({ severity }: { readonly severity: string }) {
  const [tone, word] = SEVERITY_BADGES[severity] ?? ["plain", severity];
  return <Badge tone={tone}>{word}</Badge>;
}

/** Page with the effect of every element's failure, the worst cause first. */
export function RehearsalPage({ place }: { readonly place: PageAddress }) {
  const { settings } = place;
  const request = { ...createRequestFromSettings(REHEARSAL_FIELDS, settings), page_size: PAGE_SIZE };
  const pages = useVisitedPages(JSON.stringify(request));
  const asked = useCall(REHEARSE_FAILURES_RPC, { ...request, page_token: pages.token });
  return (
    <>
      <PageHead
        title="Rehearsal"
        kind={
          asked.reply === undefined
            ? "Every element failed in turn"
            : summarizeRehearsal(asked.reply, settings.get("pairs") === "1")
        }
      />
      <FilterRow>{renderFieldInputs(REHEARSAL_FIELDS, settings, { cause: "" })}</FilterRow>
      <ReplyView asked={asked}>
        {(reply) => <CauseTable reply={reply} pages={pages} chosen={settings.get("cause") ?? ""} settings={settings} />}
      </ReplyView>
    </>
  );
}

function summarizeRehearsal(
  { elements_failed, pairs_failed, total_count, revision }: RehearseFailuresResponse,
  pairs: boolean,
): string {
  const what = pairs ? `failed two at a time, ${formatQuantity(pairs_failed, "pair")}` : "failed in turn";
  return `${formatQuantity(elements_failed, "element")} ${what}: ${formatQuantity(total_count, "cause")} of loss at revision ${formatCount(revision)}`;
}

/** Returns the key of a cause: the references of its first element. */
function getCauseKey({ elements }: FailureCause): string {
  return elements[0]?.refs.join(" ") ?? "";
}

function CauseTable(props: {
  readonly reply: RehearseFailuresResponse;
  readonly pages: VisitedPages;
  readonly chosen: string;
  readonly settings: URLSearchParams;
}) {
  const { reply, pages, chosen, settings } = props;
  const { causes, next_page_token, harmless, elements_failed } = reply;
  const shown = causes.find((cause) => getCauseKey(cause) === chosen) ?? causes[0];
  const columns = createCauseColumns(shown, Object.fromEntries(settings));
  return (
    <div class="columns causes-first">
      <Card title="Causes, the worst first" action={<SeverityCounts reply={reply} />}>
        {reply.worst === undefined ? null : (
          <p>
            {describeWorstFailure(reply.worst)} In full: {reply.worst.summary}. The figures below are of one failure; of
            several elements, of the first.
          </p>
        )}
        <Table
          caption="Causes of loss"
          columns={columns}
          rows={causes}
          rowKey={getCauseKey}
          empty={
            elements_failed === 0
              ? "Nothing is recorded here that could fail."
              : "By what is recorded, no failure of these elements causes a loss of this severity."
          }
        />
        <Pager pages={pages} next={next_page_token} />
        {harmless === 0 ? null : (
          <p class="muted">
            {formatQuantity(harmless, "element")} {harmless === 1 ? "takes" : "take"} nothing along.
          </p>
        )}
      </Card>
      {shown === undefined ? null : <CauseDetails key={getCauseKey(shown)} cause={shown} settings={settings} />}
    </div>
  );
}

function SeverityCounts({ reply }: { readonly reply: RehearseFailuresResponse }) {
  return (
    <p class="badges">
      <SeverityCount severity="CRITICAL" value={reply.critical_count} />
      <SeverityCount severity="HIGH" value={reply.high_count} />
      <SeverityCount severity="MEDIUM" value={reply.medium_count} />
      <SeverityCount severity="LOW" value={reply.low_count} />
      <SeverityCount severity="INFO" value={reply.info_count} />
    </p>
  );
}

function SeverityCount({ severity, value }: { readonly severity: string; readonly value: number }) {
  const [tone, word] = SEVERITY_BADGES[`FAILURE_SEVERITY_${severity}`] ?? ["plain", severity];
  return (
    <Badge tone={value > 0 ? tone : "plain"}>
      {formatCount(value)} {word}
    </Badge>
  );
}

function createCauseColumns(
  shown: FailureCause | undefined,
  settings: Readonly<Record<string, string>>,
): readonly Column<FailureCause>[] {
  return [
    {
      name: "Cause",
      cell: (cause) => (
        <a
          href={formatPageUrl("rehearsal", "", { ...settings, cause: getCauseKey(cause) })}
          aria-current={cause === shown ? "true" : undefined}
        >
          {cause.summary.split(": ")[0]}
        </a>
      ),
    },
    { name: "Severity", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    { name: "Racks dark", numeric: true, cell: (cause) => formatCount(findWorstImpact(cause)?.racks_dark ?? 0) },
    {
      name: "Devices offline",
      numeric: true,
      cell: (cause) => formatCount(findWorstImpact(cause)?.it_devices_offline ?? 0),
    },
    { name: "IT load", numeric: true, cell: (cause) => formatImpactLoad(findWorstImpact(cause)) },
    { name: "Cooling", numeric: true, cell: (cause) => formatKilowatts(findWorstImpact(cause)?.cooling_lost_kw ?? 0) },
    { name: "Elements", numeric: true, cell: ({ element_count }) => formatCount(element_count) },
  ];
}

/** Kinds of failures whose picture another page shows. */
const KINDS_DRAWN_ELSEWHERE: ReadonlySet<string> = new Set(["FAILURE_KIND_COOLING", "FAILURE_KIND_SWITCH"]);

/** Evidence for one cause: the failing elements, the effects, and the picture of the first element. */
function CauseDetails(props: { readonly cause: FailureCause; readonly settings: URLSearchParams }) {
  const { cause, settings } = props;
  const [worst] = cause.elements;
  return (
    <section aria-label="Evidence">
      <Card title={stripRefKinds(cause.reason)}>
        {cause.element_count === 1 ? null : (
          <p class="muted">The figures below are of all {formatCount(cause.element_count)} together.</p>
        )}
        <FactList rows={[...listCauseFacts(cause), ...listRelatedFailureFacts(cause, settings)]} />
      </Card>
      <TableCard
        title={describeFailingElements(cause)}
        caption="Failing elements"
        columns={createElementColumns(cause, settings)}
        rows={cause.elements}
        rowKey={({ refs }) => refs.join(" ")}
      />
      {worst === undefined || KINDS_DRAWN_ELSEWHERE.has(cause.kind) ? null : (
        <FailurePicture element={worst} settings={settings} />
      )}
    </section>
  );
}

function describeFailingElements({ element_count, elements }: FailureCause): string {
  if (element_count === 1) return "What fails";
  const all = `${formatCount(element_count)} alike`;
  return elements.length < element_count
    ? `What fails: ${formatCount(elements.length)} of ${all}`
    : `What fails: ${all}`;
}

function formatImpactLoad(impact: Impact | undefined): string {
  return formatKnownSum(impact?.it_load_lost_w, impact?.it_devices_without_draw);
}

function listCauseFacts(cause: FailureCause): readonly (readonly [string, ComponentChildren])[] {
  const { impact, trips, overloads, zones, fabric_lost_mbps, switches_cut_off, single_fed_count } = cause;
  return [
    ["Racks dark", renderElementLinks("rack", cause.racks_dark, impact?.racks_dark ?? 0)],
    ["Racks partly dark", renderElementLinks("rack", cause.racks_partial, impact?.racks_partial ?? 0)],
    ["Devices offline", renderElementLinks("device", cause.devices_lost, impact?.it_devices_offline ?? 0)],
    ["Devices with less supply", formatNonZeroCount(impact?.devices_degraded)],
    ["Fed by one element", formatNonZeroCount(single_fed_count)],
    ["IT load lost", (impact?.it_devices_offline ?? 0) === 0 ? "" : formatImpactLoad(impact)],
    ["Cooling lost", renderElementLinks("crac", cause.cracs_lost, impact?.cracs_offline ?? 0)],
    ["Fabric links lost", fabric_lost_mbps === 0 ? "" : formatBandwidth(fabric_lost_mbps)],
    ["Switches without uplink", renderElementLinks("device", switches_cut_off, cause.switches_cut_off_count)],
    [
      "Devices without data path",
      renderElementLinks("device", cause.devices_without_data_path, cause.devices_without_data_path_count),
    ],
    [
      "Trips",
      renderList(
        trips.map(({ ref, load_before_w, load_w, capacity_w, utilization_pct }) => (
          <>
            <RefLink to={ref} />: {formatWatts(load_before_w)} become {formatWatts(load_w)} of {formatWatts(capacity_w)}
            , <span class="whole">{formatPercent(utilization_pct)}</span>
          </>
        )),
      ),
    ],
    [
      "Overloaded",
      renderList(
        overloads.map(({ ref, load_after_w, capacity_w, utilization_pct }) => (
          <>
            <RefLink to={ref} />: {formatWatts(load_after_w)} of {formatWatts(capacity_w)},{" "}
            {formatPercent(utilization_pct)}
          </>
        )),
      ),
    ],
    [
      "Cooled areas",
      renderList(
        zones.map(({ ref, short, heat_kw, capacity_kw }) => (
          <>
            <RefLink to={ref} />: {formatDecimal(heat_kw, "kW")} of heat for {formatDecimal(capacity_kw, "kW")}
            {short ? ", too little" : ", no reserve left"}
          </>
        )),
      ),
    ],
  ];
}

function formatNonZeroCount(value: number | undefined): string {
  return value === undefined || value === 0 ? "" : formatCount(value);
}

function renderList(items: readonly ComponentChildren[]): ComponentChildren {
  if (items.length === 0) return "";
  return (
    <ul class="findings">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a reply keep their order
        <li key={at}>{item}</li>
      ))}
    </ul>
  );
}

/** Returns the number of elements, links to the listed ones, and the number of unlisted ones; "" for no elements. */
function renderElementLinks(kind: string, codes: readonly string[], all: number): ComponentChildren {
  if (all === 0) return "";
  return (
    <>
      {formatCount(all)}: {joinWithCommas(codes.map((code) => <RefLink key={code} to={`${kind}:${code}`} />))}
      {all > codes.length ? `, and ${formatCount(all - codes.length)} more` : ""}
    </>
  );
}

/** Returns the URL of the what-if page for a failure, with the same options. */
function formatFailureUrl([first = "", ...more]: readonly string[], settings: URLSearchParams): string {
  return formatPageUrl("power", first, {
    and: more.join(" "),
    cascade: settings.get("cascade") ?? "",
    battery: settings.get("battery") ?? "",
    basis: settings.get("basis") ?? "",
  });
}

function createElementColumns({ kind }: FailureCause, settings: URLSearchParams): readonly Column<FailedElement>[] {
  return [
    {
      name: "Element",
      cell: ({ refs }) =>
        KINDS_DRAWN_ELSEWHERE.has(kind) ? (
          <RefLink to={refs[0] ?? ""} label={refs.map(getRefName).join(" and ")} />
        ) : (
          <a href={formatFailureUrl(refs, settings)}>{refs.map(getRefName).join(" and ")}</a>
        ),
    },
    { name: "Racks dark", numeric: true, cell: ({ impact }) => formatCount(impact?.racks_dark ?? 0) },
    { name: "IT load", numeric: true, cell: ({ impact }) => formatImpactLoad(impact) },
    { name: "Trips", cell: ({ tripped_refs }) => tripped_refs.map(getRefName).join(", ") },
  ];
}

/** Returns larger elements whose failure has at least the same effects, and smaller ones that cause a part of them. */
function listRelatedFailureFacts(
  cause: FailureCause,
  settings: URLSearchParams,
): readonly (readonly [string, ComponentChildren])[] {
  const { also_by, omitted_also_by, partly_by, omitted_partly_by, nearer, omitted_nearer } = cause;
  const createRow = (name: string, refs: readonly string[], omitted: number) =>
    [name, <RelatedFailures key={name} refs={refs} omitted={omitted} settings={settings} />] as const;
  return [
    createRow("Also by", also_by, omitted_also_by),
    ...(partly_by.length === 0 ? [] : [createRow("In part by", partly_by, omitted_partly_by)]),
    ...(nearer.length === 0 ? [] : [createRow("Alone, in part by", nearer, omitted_nearer)]),
  ];
}

function RelatedFailures(props: {
  readonly refs: readonly string[];
  readonly omitted: number;
  readonly settings: URLSearchParams;
}) {
  const { refs, omitted, settings } = props;
  if (refs.length === 0) return <>nothing larger alone</>;
  return (
    <>
      {joinWithCommas(
        refs.map((one) => (
          <a key={one} href={formatFailureUrl(one.split(" "), settings)}>
            {one.split(" ").map(getRefName).join(" and ")}
          </a>
        )),
      )}
      {omitted === 0 ? "" : `, and ${formatCount(omitted)} more`}
    </>
  );
}

function FailurePicture(props: { readonly element: FailedElement; readonly settings: URLSearchParams }) {
  const { element, settings } = props;
  const [first = "", ...more] = element.refs;
  const request = {
    source_ref: first,
    additional_source_refs: more,
    cascade: settings.get("cascade") !== "0",
    assume_battery: settings.get("battery") === "1",
    load_basis: convertToConstant("LOAD_BASIS", settings.get("basis") ?? ""),
    max_items: 1,
    render: useRenderOptions(),
  };
  const asked = useCall("PowerBlastRadius", request);
  const name = element.refs.map(getRefName).join(" and ");
  return (
    <Card
      title={`If ${name} ${more.length > 0 ? "fail" : "fails"}`}
      action={<a href={formatFailureUrl(element.refs, settings)}>Everything that it takes</a>}
    >
      <ReplyView asked={asked}>
        {({ render }) => (
          <PictureView
            label={`Power impact of ${name}`}
            render={render}
            question={{ rpc: "PowerBlastRadius", request }}
            subject={first}
            omitsHeading
          />
        )}
      </ReplyView>
    </Card>
  );
}
