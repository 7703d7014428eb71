import type { ComponentChildren } from "preact";
import type { FailedElement, FailureCause } from "#gen/datacenter/v1/json.ts";
import { formatBandwidth, formatCount, formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName, stripRefKinds } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { convertToConstant } from "../address_words.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { Card, FactList, joinWithCommas, RefLink } from "../ui/parts.tsx";
import { PictureView } from "../ui/picture.tsx";
import { type Column, TableCard } from "../ui/table.tsx";

/** Kinds of failures whose picture another page shows. */
const KINDS_DRAWN_ELSEWHERE: ReadonlySet<string> = new Set(["FAILURE_KIND_COOLING", "FAILURE_KIND_SWITCH"]);

/** Evidence for one cause: the failing elements, the effects, and the picture of the first element. */
export function CauseDetails(props: { readonly cause: FailureCause; readonly settings: URLSearchParams }) {
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

function listCauseFacts(cause: FailureCause): readonly (readonly [string, ComponentChildren])[] {
  const { impact, trips, overloads, zones, fabric_lost_mbps, switches_cut_off, single_fed_count } = cause;
  return [
    ["Racks dark", renderElementLinks("rack", cause.racks_dark, impact?.racks_dark ?? 0)],
    ["Racks partly dark", renderElementLinks("rack", cause.racks_partial, impact?.racks_partial ?? 0)],
    ["Devices offline", renderElementLinks("device", cause.devices_lost, impact?.it_devices_offline ?? 0)],
    ["Devices with less supply", formatNonZeroCount(impact?.devices_degraded)],
    ["Fed by one element", formatNonZeroCount(single_fed_count)],
    ["IT load lost", (impact?.it_load_lost_w ?? 0) === 0 ? "" : formatWatts(impact?.it_load_lost_w)],
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
    { name: "IT load", numeric: true, cell: ({ impact }) => formatWatts(impact?.it_load_lost_w ?? 0) },
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
