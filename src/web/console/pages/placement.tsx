import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type {
  DevicePlace,
  Finding,
  FindPlacementResponse,
  FittingRack,
  PlacementRefusal,
} from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { StateMark } from "../../shared/marks.tsx";
import { useRenderOptions } from "../../shared/use_theme.ts";
import {
  CallError,
  callRpc,
  callWithSignIn,
  canWrite,
  convertToCallError,
  useCall,
  useSession,
} from "../api/client.ts";
import { ProposalEffects, ProposalFindings, WriteProblem } from "../edit/changes_panel.tsx";
import { EditDialog, ReasonField } from "../edit/many_dialog.tsx";
import { NOT_STORED_ETAG, type ResourceChange, useProposal } from "../edit/proposal.ts";
import { formatQuantity, simplifyMessage } from "../labels.ts";
import { describeRefusal } from "../reason_words.ts";
import { changeSettings, type PageAddress } from "../router.ts";
import { FilterRow, renderFieldInputs } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import {
  Card,
  type Column,
  EmptyText,
  Figure,
  FigureRow,
  joinWithCommas,
  MeterBar,
  RefLink,
  TableCard,
} from "../ui/parts.tsx";
import { type PictureRequest, PictureView } from "../ui/picture.tsx";
import {
  createPlacementRequest,
  EXTRA_PLACEMENT_FIELDS,
  getPlaceKey,
  PLACEMENT_FIELDS,
  PLACEMENT_RPC,
  type PlacementRequest,
} from "./request_fields.ts";

/** Page that finds positions for equal devices; the URL contains the whole request. */
export function PlacementPage({ place }: { readonly place: PageAddress }) {
  const { settings } = place;
  const getValue = (name: string) => settings.get(name) ?? "";
  const request = createPlacementRequest(getValue);
  return (
    <>
      <PageHead title="Where does it fit?" />
      <FilterRow>{renderFieldInputs(PLACEMENT_FIELDS, settings)}</FilterRow>
      <details class="more-fields" open={EXTRA_PLACEMENT_FIELDS.some(({ setting }) => getValue(setting) !== "")}>
        <summary>More: mounting, weight, cooling, spread, reserve</summary>
        <FilterRow>{renderFieldInputs(EXTRA_PLACEMENT_FIELDS, settings)}</FilterRow>
      </details>
      {typeof request === "string" ? (
        <EmptyText>{request}</EmptyText>
      ) : (
        <FoundPositions key={JSON.stringify(request)} request={request} />
      )}
    </>
  );
}

/** Shows the found positions. After a write, shows only the placed devices, so that no device is placed twice. */
function FoundPositions({ request }: { readonly request: PlacementRequest }) {
  const [placed, setPlaced] = useState<readonly DevicePlace[]>();
  if (placed !== undefined) return <PlacedDevices places={placed} askAgain={() => setPlaced(undefined)} />;
  return <PositionSearch request={request} placed={setPlaced} />;
}

function PlacedDevices(props: { readonly places: readonly DevicePlace[]; readonly askAgain: () => void }) {
  const { places, askAgain } = props;
  return (
    <Card title={`Placed ${formatQuantity(places.length, "device")}`}>
      <ul class="plan" aria-label="Placed devices">
        {places.map(({ device_code, rack_code, position_u }) => (
          <li key={device_code}>
            <RefLink to={`device:${device_code}`} /> in <RefLink to={`rack:${rack_code}`} />, U{position_u}
          </li>
        ))}
      </ul>
      <button type="button" onClick={askAgain}>
        Find places for more
      </button>
    </Card>
  );
}

function PositionSearch(props: {
  readonly request: PlacementRequest;
  readonly placed: (places: readonly DevicePlace[]) => void;
}) {
  const { request, placed } = props;
  const asked = useCall(PLACEMENT_RPC, { ...request, render: useRenderOptions() });
  const session = useSession();
  const [writing, setWriting] = useState<readonly DevicePlace[]>();
  return (
    <>
      <ReplyView asked={asked}>
        {(answer) => (
          <PlacementResult
            answer={answer}
            question={{ rpc: PLACEMENT_RPC, request }}
            {...(canWrite(session.reply) && { write: setWriting })}
          />
        )}
      </ReplyView>
      {writing === undefined ? null : (
        <PlacementWriteDialog request={request} places={writing} placed={placed} leave={() => setWriting(undefined)} />
      )}
    </>
  );
}

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
function PlacementResult({ answer, question, write }: PlacementResultProps) {
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
        <StateMark
          state={severity === "SEVERITY_WARNING" ? "watch" : "info"}
          label={severity === "SEVERITY_WARNING" ? "warning" : "information"}
        />{" "}
        {simplifyMessage(message)}
      </>
    ),
  },
];

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

interface PlacementWriteDialogProps {
  readonly request: PlacementRequest;
  readonly places: readonly DevicePlace[];
  readonly leave: () => void;
  /** Receives the positions of the placed devices. */
  readonly placed: (places: readonly DevicePlace[]) => void;
}

/** Dialog that checks the chosen devices, shows their effects, and writes them with their cables. */
function PlacementWriteDialog({ request, places, leave, placed }: PlacementWriteDialogProps) {
  const [found, setFound] = useState<readonly DevicePlace[]>();
  const [problem, setProblem] = useState("");
  const [why, setWhy] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog never changes its answer
  useEffect(() => {
    void loadPlacementItems(request, places).then(setFound, (error: unknown) =>
      setProblem(convertToCallError(error).message),
    );
  }, []);
  const changes = useMemo(() => found?.flatMap(createPlacementChanges), [found]);
  const proposal = useProposal({
    changes,
    formatNotice: ({ done }) => {
      const devices = found ?? [];
      placed(devices);
      leave();
      return `Wrote ${formatQuantity(devices.length, "device")} and ${formatQuantity(done - devices.length, "cable")}`;
    },
  });
  const label = proposal.progress === undefined ? `Write ${formatQuantity(places.length, "device")}` : "Writing…";
  return (
    <EditDialog
      title={`Place ${formatQuantity(places.length, "device")}`}
      leave={leave}
      submit={() => void proposal.write(why)}
      button={{ label, disabled: !proposal.canWrite }}
    >
      <div class="edit-body">
        {problem === "" ? null : <p role="alert">{problem}</p>}
        {found === undefined ? null : <PlacementPlan places={found} />}
        {proposal.progress === undefined ? null : (
          <p role="status">
            {proposal.progress} of {changes?.length} written
          </p>
        )}
        <ProposalFindings proposal={proposal} />
        <ProposalEffects proposal={proposal} />
        <WriteProblem proposal={proposal} />
        <ReasonField value={why} set={setWhy} />
      </div>
    </EditDialog>
  );
}

function PlacementPlan({ places }: { readonly places: readonly DevicePlace[] }) {
  const cables = places.reduce((sum, { cables: own = [] }) => sum + own.length, 0);
  return (
    <>
      <p>
        Creates {formatQuantity(places.length, "device")} and {formatQuantity(cables, "cable")}:
      </p>
      <ul class="plan">
        {places.map(({ device_code, rack_code, position_u }) => (
          <li key={device_code}>
            <ins>{device_code}</ins> in <RefLink to={`rack:${rack_code}`} />, U{position_u}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Requests the chosen positions again, with the items to write. @throws CallError, also if the positions changed. */
async function loadPlacementItems(
  request: PlacementRequest,
  chosen: readonly DevicePlace[],
): Promise<readonly DevicePlace[]> {
  const { places: all } = await callWithSignIn(() => callRpc(PLACEMENT_RPC, { ...request, include_items: true }));
  const wanted = new Set(chosen.map(getPlaceKey));
  const places = all.filter((place) => wanted.has(getPlaceKey(place)));
  if (places.length === chosen.length) return places;
  throw new CallError("aborted", "The inventory has changed, and so have the places. Close this and look again.");
}

/** Returns the changes that create a device and its cables; none of them may be stored yet. */
function createPlacementChanges({ device, cables }: DevicePlace): readonly ResourceChange[] {
  const etag = NOT_STORED_ETAG;
  return [{ device, etag }, ...cables.map((cable) => ({ cable, etag }))];
}

const POSITION_COLUMNS: readonly Column<DevicePlace>[] = [
  {
    name: "Rack",
    cell: ({ rank, rack_code }) => <RefLink to={`rack:${rack_code}`} label={`${rank}.\u00a0${rack_code}`} />,
  },
  { name: "Unit", numeric: true, cell: ({ position_u }) => `U${position_u}` },
  { name: "New device", cell: ({ device_code }) => device_code },
  {
    name: "Supplies",
    cell: ({ inlets = [] }) =>
      renderUnbrokenNames(inlets.map(({ source_ref }) => source_ref.replace(/^(?:device|port):/, ""))),
  },
  {
    name: "Ports",
    cell: ({ ports = [] }) => renderUnbrokenNames(ports.map((one) => `${one.switch_code}/${one.switch_port}`)),
  },
  {
    name: "Busiest supply, now and after one failure",
    cell: ({ after }) => <LoadAfterPlacement now={after.power_now_pct} failed={after.power_failover_pct} />,
  },
  { name: "Rack draw", numeric: true, cell: ({ after }) => formatWatts(after.rack_draw_w) },
  { name: "Power used", numeric: true, cell: ({ after }) => formatKnownPercent(after.rack_power_pct) },
  { name: "Cooling used", numeric: true, cell: ({ after }) => formatKnownPercent(after.rack_cooling_pct) },
  {
    name: "Air left",
    numeric: true,
    cell: ({ after }) => (after.air_headroom_kw === undefined ? "unknown" : formatDecimal(after.air_headroom_kw, "kW")),
  },
  { name: "Load used", numeric: true, cell: ({ after }) => formatKnownPercent(after.weight_pct) },
  { name: "Free units", numeric: true, cell: ({ after }) => formatCount(after.free_u ?? 0) },
  {
    name: "Free ports",
    numeric: true,
    cell: ({ after }) => (after.free_ports === undefined ? "unknown" : formatCount(after.free_ports)),
  },
];

/** Renders names that a browser does not break at their hyphens. */
function renderUnbrokenNames(names: readonly string[]): ComponentChildren {
  return names.map((name, at) => (
    <span key={name}>
      <span class="whole">
        {name}
        {at < names.length - 1 ? "," : ""}
      </span>{" "}
    </span>
  ));
}

interface PositionTableProps {
  readonly places: readonly DevicePlace[];
  /** Places the chosen devices; undefined for people who may not write. */
  readonly write: ((chosen: readonly DevicePlace[]) => void) | undefined;
  readonly empty: string;
}

/** Table of found positions; a writer can place all devices or chosen ones. */
function PositionTable({ places, write, empty }: PositionTableProps) {
  const [omittedKeys, setOmittedKeys] = useState<ReadonlySet<string>>(new Set());
  const chosen = places.filter((place) => !omittedKeys.has(getPlaceKey(place)));
  const setChosen = (place: DevicePlace, on: boolean) => {
    const next = new Set(omittedKeys);
    if (on) next.delete(getPlaceKey(place));
    else next.add(getPlaceKey(place));
    setOmittedKeys(next);
  };
  const choice: Column<DevicePlace> = {
    name: "Take",
    isCheckbox: true,
    cell: (place) => (
      <input
        type="checkbox"
        aria-label={`Take ${place.device_code} in ${place.rack_code}`}
        checked={!omittedKeys.has(getPlaceKey(place))}
        onChange={({ currentTarget }) => setChosen(place, currentTarget.checked)}
      />
    ),
  };
  const setAll = (on: boolean) => setOmittedKeys(new Set(on ? [] : places.map(getPlaceKey)));
  return (
    <TableCard
      title="Places"
      action={
        write === undefined || places.length === 0 ? undefined : (
          <div class="card-actions">
            <button type="button" onClick={() => setAll(chosen.length < places.length)}>
              {chosen.length < places.length ? "Take all" : "Take none"}
            </button>
            <button type="button" class="primary" disabled={chosen.length === 0} onClick={() => write(chosen)}>
              Place {formatQuantity(chosen.length, "device")}
            </button>
          </div>
        )
      }
      caption="Places with the figures after all of them are taken"
      columns={write === undefined ? POSITION_COLUMNS : [choice, ...POSITION_COLUMNS]}
      rows={places}
      rowKey={({ rank }) => String(rank)}
      empty={empty}
    />
  );
}

/** Maximum number of racks that are listed. */
const MAX_LISTED_RACKS = 40;

/** Table of racks with room for a device. A button limits the search to one rack. */
function FittingRacks({ racks }: { readonly racks: readonly FittingRack[] }) {
  if (racks.length < 2) return null;
  return (
    <TableCard
      title="Racks that take one"
      columns={FITTING_RACK_COLUMNS}
      rows={racks.slice(0, MAX_LISTED_RACKS)}
      rowKey={({ rack_code }) => rack_code}
    >
      {racks.length > MAX_LISTED_RACKS ? (
        <p>And {formatQuantity(racks.length - MAX_LISTED_RACKS, "other rack")}: choose a scope.</p>
      ) : null}
    </TableCard>
  );
}

const FITTING_RACK_COLUMNS: readonly Column<FittingRack>[] = [
  { name: "Rack", cell: ({ rack_code }) => <RefLink to={`rack:${rack_code}`} /> },
  { name: "Fit if no other rack takes any, at most", numeric: true, cell: ({ fits }) => formatCount(fits) },
  { name: "Placed by this answer", numeric: true, cell: ({ placed = 0 }) => formatCount(placed) },
  {
    name: "Choose",
    cell: ({ rack_code }) => (
      <button type="button" onClick={() => changeSettings({ scope: `rack:${rack_code}` })}>
        Only {rack_code}
      </button>
    ),
  },
];

function LoadAfterPlacement(props: { readonly now: number | undefined; readonly failed: number | undefined }) {
  const { now, failed } = props;
  if (now === undefined && failed === undefined) return <>unknown</>;
  return (
    <>
      <MeterBar share={now} after={failed} /> {formatPercent(now)}, {formatPercent(failed)}
    </>
  );
}

function formatKnownPercent(value: number | undefined): string {
  return value === undefined ? "unknown" : formatPercent(value);
}
