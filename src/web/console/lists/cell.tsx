import type { ComponentChildren } from "preact";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { formatPageUrl } from "../router.ts";
import { RefLink } from "../ui/parts.tsx";
import { formatColumnFigure, formatColumnText, isFigureColumn } from "./list_kinds.ts";

/** States of enum values. Other values have no state. */
const STATES_BY_VALUE: Readonly<Record<string, State>> = {
  FAULT: "fault",
  WATCH: "watch",
  FAILED: "fault",
  NO_LIVE_SUPPLY: "fault",
  DEAD: "fault",
  DOWN: "fault",
  UNMET: "watch",
  UNKNOWN: "unknown",
  UNDOCUMENTED: "unknown",
};

const STATE_COLUMNS: ReadonlySet<string> = new Set(["health", "status", "supply", "power", "redundancy", "traffic"]);
/** Columns with shares of a limit. Other percentages, such as a limit itself, have no state. */
const SHARE_COLUMNS = new Set(["space_pct", "power_pct", "cooling_pct", "load_pct", "failover_pct", "busiest_pct"]);

/** A table cell: a link, a state, or a figure. `most`, the column's greatest figure, determines the figure's unit. */
export function ListCell(props: {
  readonly row: InventoryRow;
  readonly column: string;
  readonly most?: number | undefined;
}) {
  const { row, column, most } = props;
  const figure = row.figures[column];
  if (figure !== undefined) {
    const words = formatColumnFigure(column, figure, most);
    const state = SHARE_COLUMNS.has(column) && column !== "space_pct" ? getVisibleShareState(figure) : undefined;
    return state === undefined ? <span>{words}</span> : <MarkedText state={state}>{words}</MarkedText>;
  }
  const text = row.texts[column];
  // Shown as a muted word, because an unknown value is neither empty nor 0.
  if (text === undefined && isFigureColumn(column) && isFigureApplicable(row, column))
    return <span class="muted">not recorded</span>;
  if (text === undefined) return <span class="muted none">–</span>;
  const state = STATE_COLUMNS.has(column) ? STATES_BY_VALUE[text] : undefined;
  if (state !== undefined) return <MarkedText state={state}>{formatColumnText(column, text)}</MarkedText>;
  return <span>{renderElementLink(row, column, text)}</span>;
}

/** Whether a figure applies to a row: inlets have no speed, and unracked devices have no unit. */
function isFigureApplicable({ texts }: InventoryRow, column: string): boolean {
  if (column === "speed_mbps") return texts["kind"]?.startsWith("POWER_") !== true;
  return column !== "position_u" || texts["rack"] !== undefined;
}

function MarkedText({ state, children }: { readonly state: State; readonly children: ComponentChildren }) {
  return (
    <span class={`said ${state}`}>
      <StateMark state={state} />
      {children}
    </span>
  );
}

/** Returns a link to the element that a text names, or the formatted text if it names no element. */
function renderElementLink({ texts }: InventoryRow, column: string, text: string): ComponentChildren {
  const floor = `${texts["site"]}/${texts["floor"]}`;
  switch (column) {
    case "site":
      return <RefLink to={`site:${text}`} />;
    case "floor":
      return <RefLink to={`floor:${floor}`} label={text} />;
    case "room":
    case "row":
      return <RefLink to={`${column}:${floor}/${text}`} label={text} />;
    case "rack":
      return <RefLink to={`rack:${text}`} />;
    case "device":
    case "a_device":
    case "b_device":
    case "inside":
      return <RefLink to={`device:${text}`} />;
    case "fabric":
      return <RefLink to={`fabric:${text}`} />;
    case "feed":
      return <RefLink to={`feed:${text}`} />;
    case "leads_to":
    case "failover_ref":
      return <RefLink to={text} />;
    case "source":
      return text.includes(":") ? <RefLink to={text} /> : <a href={formatPageUrl("trace", `port:${text}`)}>{text}</a>;
    case "serves":
      return text.split(", ").map((ref) => <RefLink key={ref} to={ref} label={`${getRefName(ref)} `} />);
    default:
      return formatColumnText(column, text);
  }
}
