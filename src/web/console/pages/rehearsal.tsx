import type { FailureCause, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { count, decimal, watts } from "#words/figures.ts";
import { constantOf, FAILURE_KINDS } from "../address_words.ts";
import { useCall } from "../api/use_call.ts";
import { countOf, LOAD_BASES } from "../labels.ts";
import { linkTo, type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters, Switch } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Pager, type Pages, usePages } from "../ui/pager.tsx";
import { Badge, Card, type Tone } from "../ui/parts.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { CauseDetails } from "./rehearsal_cause.tsx";

const RPC = "datacenter.v1.PlanningService/RehearseFailures";
const PAGE_SIZE = 25;

const KINDS = [["", "Supply, cooling and switches"], ...FAILURE_KINDS] as const;

const SEVERITIES = [
  ["", "All"],
  ["low", "Low and worse"],
  ["medium", "Medium and worse"],
  ["high", "High and worse"],
  ["critical", "Critical"],
] as const;

/** How each severity is marked, and the word for it. */
export const SEVERITY_MARKS: Readonly<Record<string, readonly [Tone, string]>> = {
  FAILURE_SEVERITY_CRITICAL: ["fault", "critical"],
  FAILURE_SEVERITY_HIGH: ["fault", "high"],
  FAILURE_SEVERITY_MEDIUM: ["watch", "medium"],
  FAILURE_SEVERITY_LOW: ["watch", "low"],
  FAILURE_SEVERITY_INFO: ["info", "info"],
};

/** What the failure of every element would do, the worst cause first. */
export function Rehearsal({ place }: { readonly place: Place }) {
  const { settings } = place;
  const request = requestOf(settings);
  const pages = usePages(JSON.stringify(request));
  const asked = useCall(RPC, { ...request, page_token: pages.token });
  return (
    <>
      <PageHead
        title="Rehearsal"
        kind={asked.reply === undefined ? "Every element failed in turn" : summaryOf(asked.reply, request.pairs)}
      />
      <RehearsalFilters settings={settings} />
      <Answer asked={asked}>
        {(reply) => <Causes reply={reply} pages={pages} chosen={settings.get("cause") ?? ""} settings={settings} />}
      </Answer>
    </>
  );
}

function requestOf(settings: URLSearchParams) {
  const kind = settings.get("kind") ?? "";
  const severity = settings.get("severity") ?? "";
  return {
    scope_ref: settings.get("scope") ?? "",
    kinds: kind === "" ? [] : [constantOf("FAILURE_KIND", kind)],
    cascade: settings.get("cascade") !== "0",
    assume_battery: settings.get("battery") === "1",
    load_basis: constantOf("LOAD_BASIS", settings.get("basis") ?? ""),
    pairs: settings.get("pairs") === "1",
    min_severity: constantOf("FAILURE_SEVERITY", severity),
    page_size: PAGE_SIZE,
  };
}

function summaryOf(
  { elements_failed, pairs_failed, total_count, revision }: RehearseFailuresResponse,
  pairs: boolean,
): string {
  const what = pairs ? `failed two at a time, ${countOf(pairs_failed, "pair")}` : "failed in turn";
  return `${countOf(elements_failed, "element")} ${what}: ${countOf(total_count, "cause")} of loss at revision ${count(revision)}`;
}

function RehearsalFilters({ settings }: { readonly settings: URLSearchParams }) {
  const text = (name: string) => settings.get(name) ?? "";
  const set = (name: string) => (value: string) => setSettings({ [name]: value, cause: "" });
  return (
    <Filters>
      <RefField
        label="Where elements fail"
        placeholder="AMS1/1/D"
        kinds={["SITE", "FLOOR", "ROOM", "ROW", "RACK"]}
        value={text("scope")}
        change={set("scope")}
      />
      <ChoiceField label="Elements" value={text("kind")} choices={KINDS} change={set("kind")} />
      <ChoiceField label="Severity" value={text("severity")} choices={SEVERITIES} change={set("severity")} />
      <ChoiceField label="Loads by" value={text("basis")} choices={LOAD_BASES} change={set("basis")} />
      <Switch label="Let overloads trip" on={text("cascade") !== "0"} change={(on) => set("cascade")(on ? "" : "0")} />
      <Switch label="Count batteries" on={text("battery") === "1"} change={(on) => set("battery")(on ? "1" : "")} />
      <Switch label="Two at a time" on={text("pairs") === "1"} change={(on) => set("pairs")(on ? "1" : "")} />
    </Filters>
  );
}

/** Key of a cause: the references of its first element. */
function keyOf({ elements }: FailureCause): string {
  return elements[0]?.refs.join(" ") ?? "";
}

function Causes({
  reply,
  pages,
  chosen,
  settings,
}: {
  readonly reply: RehearseFailuresResponse;
  readonly pages: Pages;
  readonly chosen: string;
  readonly settings: URLSearchParams;
}) {
  const { causes, next_page_token, harmless, elements_failed } = reply;
  const shown = causes.find((cause) => keyOf(cause) === chosen) ?? causes[0];
  const columns = columnsOf(shown, Object.fromEntries(settings));
  return (
    <div class="columns causes-first">
      <Card title="Causes, the worst first" action={<SeverityCounts reply={reply} />}>
        <Table
          caption="Causes of loss"
          columns={columns}
          rows={causes}
          rowKey={keyOf}
          empty={
            elements_failed === 0
              ? "Nothing is recorded here that could fail."
              : "No failure of these elements causes a loss of this severity."
          }
        />
        <Pager pages={pages} next={next_page_token} />
        {harmless === 0 ? null : (
          <p class="muted">
            {countOf(harmless, "element")} {harmless === 1 ? "takes" : "take"} nothing along.
          </p>
        )}
      </Card>
      {shown === undefined ? null : <CauseDetails key={keyOf(shown)} cause={shown} settings={settings} />}
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
  const [tone, word] = SEVERITY_MARKS[`FAILURE_SEVERITY_${severity}`] ?? ["plain", severity];
  return (
    <Badge tone={value > 0 ? tone : "plain"}>
      {count(value)} {word}
    </Badge>
  );
}

function columnsOf(
  shown: FailureCause | undefined,
  settings: Readonly<Record<string, string>>,
): readonly Column<FailureCause>[] {
  return [
    {
      name: "Cause",
      cell: (cause) => (
        <a
          href={linkTo("rehearsal", "", { ...settings, cause: keyOf(cause) })}
          aria-current={cause === shown ? "true" : undefined}
        >
          {cause.summary.split(": ")[0]}
        </a>
      ),
    },
    {
      name: "Severity",
      cell: ({ severity }) => {
        const [tone, word] = SEVERITY_MARKS[severity] ?? ["plain", severity];
        return <Badge tone={tone}>{word}</Badge>;
      },
    },
    { name: "Racks dark", numeric: true, cell: ({ impact }) => count(impact?.racks_dark ?? 0) },
    { name: "Devices offline", numeric: true, cell: ({ impact }) => count(impact?.it_devices_offline ?? 0) },
    { name: "IT load", numeric: true, cell: ({ impact }) => watts(impact?.it_load_lost_w ?? 0) },
    { name: "Cooling", numeric: true, cell: ({ impact }) => decimal(impact?.cooling_lost_kw ?? 0, "kW") },
    { name: "Elements", numeric: true, cell: ({ element_count }) => count(element_count) },
  ];
}
