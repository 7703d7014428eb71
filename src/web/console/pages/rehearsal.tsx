import type { FailureCause, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatKilowatts, formatWatts } from "#words/figures.ts";
import { useCall } from "../api/use_call.ts";
import { formatQuantity } from "../labels.ts";
import { describeWorstFailure, findWorstImpact } from "../overview/rehearsal.ts";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { renderFieldInputs } from "../ui/asked_input.tsx";
import { FilterRow } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Pager, useVisitedPages, type VisitedPages } from "../ui/pager.tsx";
import { Badge, Card, type Tone } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { createRequestFromSettings } from "./placement_request.ts";
import { CauseDetails } from "./rehearsal_cause.tsx";
import { REHEARSAL_FIELDS } from "./rehearsal_fields.ts";

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
              : "No failure of these elements causes a loss of this severity."
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
    { name: "IT load", numeric: true, cell: (cause) => formatWatts(findWorstImpact(cause)?.it_load_lost_w ?? 0) },
    { name: "Cooling", numeric: true, cell: (cause) => formatKilowatts(findWorstImpact(cause)?.cooling_lost_kw ?? 0) },
    { name: "Elements", numeric: true, cell: ({ element_count }) => formatCount(element_count) },
  ];
}
