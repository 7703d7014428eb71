import type { AffectedItem, PowerBlastRadiusResponse } from "#gen/datacenter/v1/json.ts";
import {
  formatBandwidth,
  formatCount,
  formatDecimal,
  formatDuration,
  formatKnownSum,
  formatPercent,
  formatWatts,
} from "#words/figures.ts";
import { formatEnum, getRefName } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { formatQuantity } from "../labels.ts";
import { FAILABLE_KINDS } from "../named_refs.ts";
import { changeSettings, changeSubject, formatPageUrl, type PageAddress } from "../router.ts";
import { FilterRow, RefField, renderFieldInputs } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, Card, type Column, EmptyText, Figure, FigureRow, RefLink, TableCard, type Tone } from "../ui/parts.tsx";
import { type PictureRequest, PictureView } from "../ui/picture.tsx";
import { createRequestFromSettings, POWER_FIELDS } from "./request_fields.ts";

export function PowerPage({ place }: { readonly place: PageAddress }) {
  const { subject, settings } = place;
  const more = (settings.get("and") ?? "").split(" ").filter((ref) => ref !== "");
  const render = useRenderOptions();
  const request = {
    source_ref: subject,
    additional_source_refs: more,
    include_protected: true,
    ...createRequestFromSettings(POWER_FIELDS, settings),
    render,
  };
  return (
    <>
      <PageHead kind="What if" title={formatFailureTitle(subject, more)} />
      <FilterRow>
        <RefField
          label="What fails"
          placeholder="UPS-A1, AMS1-A08-A, B03"
          kinds={FAILABLE_KINDS}
          value={subject}
          change={changeSubject}
        />
        <RefField
          label="And at the same time"
          placeholder="UPS-B1"
          kinds={FAILABLE_KINDS}
          value={more.join(" ")}
          change={(and) => changeSettings({ and })}
        />
        {renderFieldInputs(POWER_FIELDS, settings)}
      </FilterRow>
      {subject === "" ? (
        <EmptyText>
          Name a source above, or press “What if this fails” on the page of a device, rack or floor. For example{" "}
          <a href={formatPageUrl("devices", "", { kind: "UPS" })}>one of the UPSes</a>.
        </EmptyText>
      ) : (
        <FailureImpact key={subject} request={request} />
      )}
    </>
  );
}

function formatFailureTitle(subject: string, more: readonly string[]): string {
  if (subject === "") return "What if it fails?";
  const names = [subject, ...more].map(getRefName);
  return names.length === 1 ? `If ${names[0]} fails` : `If ${names.join(" and ")} fail`;
}

function FailureImpact({ request }: { readonly request: object }) {
  const asked = useCall("PowerBlastRadius", request);
  return (
    <ReplyView asked={asked}>
      {(reply) =>
        reply.nodes.length === 0 ? (
          <EmptyText>
            Nothing can fail here: no device and no cooling unit is recorded in <RefLink to={reply.source_ref} />.
          </EmptyText>
        ) : (
          <BlastRadius answer={reply} question={{ rpc: "PowerBlastRadius", request }} />
        )
      }
    </ReplyView>
  );
}

const IMPACT_LABELS: Readonly<Record<string, readonly [Tone, string]>> = {
  IMPACT_STATE_OFFLINE: ["fault", "offline"],
  IMPACT_STATE_DARK: ["fault", "dark"],
  IMPACT_STATE_PARTIAL: ["watch", "partly dark"],
  IMPACT_STATE_DEGRADED: ["watch", "degraded"],
  IMPACT_STATE_ON_BATTERY: ["info", "on battery"],
};

function formatItemDraw({ draw_w, draw_not_recorded }: AffectedItem) {
  if (draw_not_recorded) return "not recorded";
  return draw_w === 0 ? null : formatWatts(draw_w);
}

const ITEM_COLUMNS: readonly Column<AffectedItem>[] = [
  { name: "Item", cell: ({ kind, code }) => <RefLink to={`${formatEnum(kind, "ITEM_KIND").toLowerCase()}:${code}`} /> },
  { name: "Kind", cell: ({ kind }) => formatEnum(kind, "ITEM_KIND") },
  { name: "Role", cell: ({ role }) => role },
  {
    name: "State",
    cell: ({ state }) => {
      const [tone, word] = IMPACT_LABELS[state] ?? ["plain", formatEnum(state, "IMPACT_STATE")];
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  { name: "Rack", cell: ({ rack_code }) => (rack_code === "" ? null : <RefLink to={`rack:${rack_code}`} />) },
  { name: "Draw", numeric: true, cell: formatItemDraw },
  { name: "Inlets lost", cell: ({ lost_inlets }) => lost_inlets.join(", ") },
  { name: "Inlets left", cell: ({ remaining_inlets }) => remaining_inlets.join(", ") },
];

const OVERLOAD_COLUMNS: readonly Column<PowerBlastRadiusResponse["overloads"][number]>[] = [
  { name: "Source", cell: ({ ref }) => <RefLink to={ref} /> },
  { name: "Before", numeric: true, cell: ({ load_before_w }) => formatWatts(load_before_w) },
  { name: "After", numeric: true, cell: ({ load_after_w }) => formatWatts(load_after_w) },
  { name: "Capacity", numeric: true, cell: ({ capacity_w }) => formatWatts(capacity_w) },
  { name: "Load", numeric: true, cell: ({ utilization_pct }) => formatPercent(utilization_pct) },
  {
    name: "Verdict",
    cell: ({ severity }) =>
      severity === "OVERLOAD_SEVERITY_WOULD_TRIP" ? (
        <Badge tone="fault">would trip</Badge>
      ) : (
        <Badge tone="watch">above its derated limit</Badge>
      ),
  },
];

function BlastRadius(props: { readonly answer: PowerBlastRadiusResponse; readonly question: PictureRequest }) {
  const { answer, question } = props;
  const { overloads, cascade_steps, cascade_cut, affected, protected: degraded, truncated, render } = answer;
  return (
    <>
      <ImpactFigures answer={answer} />
      {cascade_steps.length === 0 ? null : (
        <Card title="Cascade">
          <ol>
            {cascade_steps.map(({ step, trips, devices_offline }) => (
              <li key={step}>
                {trips.map(({ ref, load_w, utilization_pct }) => (
                  <span key={ref}>
                    <RefLink to={ref} /> trips at {formatWatts(load_w)} ({formatPercent(utilization_pct)}).{" "}
                  </span>
                ))}
                {formatQuantity(devices_offline, "element")} off in all.
              </li>
            ))}
          </ol>
          {cascade_cut ? <p>More would trip; the service stops after this step.</p> : null}
        </Card>
      )}
      {overloads.length === 0 ? null : (
        <TableCard
          title="Overloads, before and after"
          caption="Overloaded sources"
          columns={OVERLOAD_COLUMNS}
          rows={overloads}
          rowKey={({ ref }) => ref}
        />
      )}
      <PictureView
        label={`Power impact of ${getRefName(answer.source_ref)}`}
        render={render}
        question={question}
        subject={answer.source_ref}
        omitsHeading
      />
      <AffectedItems
        title="Goes dark"
        caption="Off or dark"
        items={affected}
        empty="By what is recorded, nothing goes off."
      />
      <AffectedItems
        title="Degraded"
        caption="Still on, with less supply"
        items={degraded}
        empty="Nothing else is affected."
      />
      {truncated ? <p class="muted">The lists are cut; the figures above count everything.</p> : null}
    </>
  );
}

function AffectedItems(props: {
  readonly title: string;
  readonly caption: string;
  readonly items: readonly AffectedItem[];
  readonly empty: string;
}) {
  const { items, ...texts } = props;
  return <TableCard {...texts} columns={ITEM_COLUMNS} rows={items} rowKey={({ kind, code }) => `${kind} ${code}`} />;
}

function ImpactFigures({ answer }: { readonly answer: PowerBlastRadiusResponse }) {
  const { impact } = answer;
  if (impact === undefined) return null;
  const links = answer.fabric_links_down.length + answer.omitted_fabric_links_down;
  const cutOff = answer.switches_cut_off.length + answer.omitted_switches_cut_off;
  const isolated = answer.devices_without_data_path.length + answer.omitted_devices_without_data_path;
  // A device without a recorded supply may also be lost.
  const noLossTone: Tone = impact.devices_undocumented > 0 ? "unknown" : "ok";
  const getLossTone = (value: number): Tone => (value > 0 ? "fault" : noLossTone);
  const battery = impact.min_ride_through_s;
  return (
    <FigureRow>
      <Figure label="Racks dark" value={formatCount(impact.racks_dark)} tone={getLossTone(impact.racks_dark)} />
      <Figure
        label="Racks partly dark"
        value={formatCount(impact.racks_partial)}
        tone={getLossTone(impact.racks_partial)}
      />
      <Figure
        label="Racks protected"
        value={formatCount(impact.racks_protected)}
        tone="plain"
        note="affected, nothing off"
      />
      <Figure
        label="Devices offline"
        value={formatCount(impact.it_devices_offline)}
        tone={getLossTone(impact.it_devices_offline)}
        note={`and ${formatCount(impact.devices_offline - impact.it_devices_offline)} of power equipment`}
      />
      <Figure label="Devices degraded" value={formatCount(impact.devices_degraded)} />
      <Figure
        label="IT load lost"
        value={formatKnownSum(impact.it_load_lost_w, impact.it_devices_without_draw)}
        tone={getLossTone(impact.it_load_lost_w)}
      />
      <Figure
        label="Cooling lost"
        value={formatDecimal(impact.cooling_lost_kw, "kW")}
        tone={getLossTone(impact.cooling_lost_kw)}
        note={formatQuantity(impact.cracs_offline, "unit")}
      />
      {links === 0 ? null : (
        <Figure
          label="Fabric links down"
          value={formatCount(links)}
          tone="watch"
          note={formatBandwidth(answer.fabric_lost_mbps)}
        />
      )}
      {cutOff === 0 ? null : <Figure label="Switches without uplink" value={formatCount(cutOff)} tone="fault" />}
      {isolated === 0 ? null : <Figure label="Devices without data path" value={formatCount(isolated)} tone="fault" />}
      {battery === undefined ? null : (
        <Figure
          label="Battery lasts"
          value={formatDuration(impact.min_ride_through_at_load_s ?? battery)}
          note={`the shortest; ${formatDuration(battery)} at rated load`}
        />
      )}
      {impact.devices_undocumented === 0 ? null : (
        <Figure
          label="Without recorded inlets"
          value={formatCount(impact.devices_undocumented)}
          note="not counted as off"
        />
      )}
    </FigureRow>
  );
}
