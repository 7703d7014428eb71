import type { DevicePlace, Finding, FindPlacementResponse, PlacementRefusal } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { StateMark } from "../../shared/state.tsx";
import { formatQuantity } from "../labels.ts";
import { simplifyMessage } from "../plain_message.ts";
import { describeRefusal } from "../reason_words.ts";
import type { PictureRequest } from "../ui/download.tsx";
import { Figure, FigureRow, joinWithCommas, RefLink } from "../ui/parts.tsx";
import { PictureView } from "../ui/picture.tsx";
import { type Column, TableCard } from "../ui/table.tsx";
import { FittingRacks, PositionTable } from "./placement_places.tsx";

const REFUSAL_COLUMNS: readonly Column<PlacementRefusal>[] = [
  { name: "Reason", cell: ({ reason, message }) => `${describeRefusal(reason)}: ${simplifyMessage(message)}` },
  { name: "Racks", numeric: true, cell: ({ racks }) => formatCount(racks) },
  {
    name: "Such as",
    cell: ({ examples = [] }) => joinWithCommas(examples.map((code) => <RefLink key={code} to={`rack:${code}`} />)),
  },
];

interface PlacementResultProps {
  readonly answer: FindPlacementResponse;
  readonly question: PictureRequest;
  /** Places the chosen devices; absent for people who may not write. */
  readonly write?: (chosen: readonly DevicePlace[]) => void;
}

/** Found positions with their figures, and the reasons why other racks were refused. */
export function PlacementResult({ answer, question, write }: PlacementResultProps) {
  const { placed = 0, requested = 0, proven = false, places = [], refusals = [], limits = [], announced = [] } = answer;
  const total = answer.racks_in_scope ?? 0;
  const refused = answer.racks_refused ?? 0;
  return (
    <>
      <FigureRow>
        <Figure
          label="Devices that fit"
          value={`${formatCount(placed)} of ${formatCount(requested)}`}
          tone={placed < requested ? "watch" : "ok"}
          note={
            placed === requested ? `in ${formatQuantity(answer.racks_used ?? 0, "rack")}` : describeShortfall(proven)
          }
        />
        <Figure label="Racks that take one" value={`${formatCount(total - refused)} of ${formatCount(total)}`} />
        <Figure label="Holds for" value={`revision ${answer.revision ?? 0}`} />
      </FigureRow>
      <PositionTable places={places} write={write} empty={explainNoPosition(answer)} />
      {announced.length === 0 ? null : <AnnouncedFindings announced={announced} />}
      {limits.length === 0 ? null : <RefusalReasons title="Why no further device fits" rows={limits} />}
      {refusals.length === 0 ? null : (
        <RefusalReasons title={`${formatQuantity(refused, "rack")} refused`} rows={refusals} />
      )}
      <FittingRacks racks={answer.racks ?? []} />
      <PictureView label="The floor with the places" render={answer.render} question={question} />
    </>
  );
}

/** Explains why there is no position, and points to the table of reasons if it is not empty. */
function explainNoPosition({ racks_in_scope = 0, refusals = [] }: FindPlacementResponse): string {
  if (racks_in_scope === 0) return "There is no rack in the scope.";
  return `No rack takes such a device.${refusals.length === 0 ? "" : " The reasons are below."}`;
}

function describeShortfall(proven: boolean): string {
  return proven ? "no more fit, whatever places are chosen" : "at least; another choice might fit more";
}

function RefusalReasons({ title, rows }: { readonly title: string; readonly rows: readonly PlacementRefusal[] }) {
  return <TableCard title={title} columns={REFUSAL_COLUMNS} rows={rows} rowKey={({ reason }) => reason} />;
}

const FINDING_COLUMNS: readonly Column<Finding>[] = [
  {
    name: "Finding",
    cell: ({ message, severity }) => (
      <>
        <StateMark state={severity === "SEVERITY_WARNING" ? "watch" : "info"} label={getSeverityLabel(severity)} />{" "}
        {simplifyMessage(message)}
      </>
    ),
  },
];

function getSeverityLabel(severity: string): string {
  return severity === "SEVERITY_WARNING" ? "warning" : "information";
}

function AnnouncedFindings({ announced }: { readonly announced: readonly Finding[] }) {
  return (
    <TableCard
      title="Known before you place"
      columns={FINDING_COLUMNS}
      rows={announced}
      rowKey={({ code, ref }) => `${code} ${ref}`}
    />
  );
}
