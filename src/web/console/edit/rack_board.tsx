import { useRef, useState } from "preact/hooks";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/json.ts";
import { formatWatts } from "#words/figures.ts";
import { StateMark } from "../../shared/state.tsx";
import { linkTo } from "../router.ts";
import { isKey, keyShown } from "../shell/keys.ts";
import { BoardFace } from "./board_face.tsx";
import { useMayWrite } from "./edit_buttons.tsx";
import { editing } from "./editing.ts";
import { type Box, boxesOf, type Chosen, FACES, type FaceName, freeRows, positionAt } from "./rack_cells.ts";
import { type Move, useMove } from "./rack_move.ts";
import { useStops } from "./rack_stops.ts";
import { UnitMenu } from "./unit_menu.tsx";

/**
 * The rack as it is seen and worked in: for a writer, a free unit takes a new device, and a device is moved by dragging, or
 * with M and the arrow keys. Nothing is written before the dialog that follows is confirmed.
 */
export function RackBoard({ answer, view, ...look }: LookProps & { readonly view: string }) {
  const { rack, units } = answer;
  const [chosen, setChosen] = useState<Chosen>();
  const opener = useRef<HTMLElement | null>(null);
  const { move, isMoving, lift, shift, end, startDrag } = useMove(units, (done) => place(answer, done));
  const mayWrite = useMayWrite();
  const faces = (["front", "rear"] as const).filter((face) => view === "" || view === face);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowUp: () => shift(-1),
    ArrowDown: () => shift(1),
    Enter: () => end(true),
    Escape: () => end(false),
  };
  const { board, ...stops } = useStops();
  const close = () => {
    setChosen(undefined);
    opener.current?.focus();
  };
  return (
    <section class="card elevation" aria-label="Elevation">
      <div class="board" ref={board} {...stops}>
        {faces.map((face) => (
          <Face
            key={face}
            {...look}
            answer={answer}
            hasCords={face === faces.at(-1)}
            mayWrite={mayWrite}
            face={face}
            move={move}
            choose={(row, target) => {
              opener.current = target;
              setChosen({ face, row });
            }}
            startDrag={startDrag}
            onKey={(event, box) => {
              const act = isKey(event, "move") ? () => lift(box, face) : isMoving() ? keys[event.key] : undefined;
              if (act === undefined || !mayWrite) return;
              act();
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        ))}
        {chosen === undefined ? null : (
          <UnitMenu key={`${chosen.face} ${chosen.row}`} answer={answer} chosen={chosen} close={close} />
        )}
      </div>
      <Unplaced answer={answer} />
      {mayWrite ? (
        <p class="muted hint">
          A free unit takes a device. Drag one, or <kbd>{keyShown("move")}</kbd>, arrows and <kbd>Enter</kbd> move it.
        </p>
      ) : null}
      <p class="sr-only" role="status">
        {move === undefined ? "" : describeMove(rack.code, answer, move)}
      </p>
    </section>
  );
}

/** Devices of the rack that take no unit, such as vertical PDUs and blades. */
function Unplaced({ answer: { units, occupants } }: Pick<LookProps, "answer">) {
  const placed = new Set(units.flatMap(({ front, rear }) => [...front, ...rear]));
  const others = occupants.filter(({ device_code }) => !placed.has(device_code));
  if (others.length === 0) return null;
  return (
    <p class="unplaced">
      Without a unit:{" "}
      {others.map(({ device_code }, at) => (
        <span key={device_code}>
          {at === 0 ? null : ", "}
          <a href={linkTo("device", device_code)}>{device_code}</a>
        </span>
      ))}
    </p>
  );
}

/** Opens the change of a device's unit and face. */
function place({ units }: GetRackResponse, { box, bottom, face }: Move): void {
  const position_u = positionAt(units, box, bottom);
  const isSame = bottom === box.bottom && box.device.face === FACES[face];
  if (position_u === undefined || isSame) return;
  const identity = { code: box.device.device_code };
  editing.open({ mode: "edit", kind: "device", identity, change: { position_u, face: FACES[face] } });
}

function describeMove(rack: string, { units }: GetRackResponse, { box, bottom, face }: Move): string {
  const unit = positionAt(units, box, bottom);
  return `${box.device.device_code} goes to ${rack}, unit ${unit ?? "outside"}, ${face}. Enter confirms, Escape leaves it.`;
}

interface LookProps {
  readonly answer: GetRackResponse;
  /** What the colours show: "" for roles, status or power. */
  readonly coloring: string;
  /** The sides that each device is fed from. */
  readonly cords: ReadonlyMap<string, readonly string[]>;
}

interface FaceProps extends LookProps {
  readonly mayWrite: boolean;
  readonly hasCords: boolean;
  readonly face: FaceName;
  readonly move: Move | undefined;
  readonly choose: (row: number, target: HTMLElement) => void;
  readonly startDrag: (event: PointerEvent, box: Box, face: FaceName) => void;
  readonly onKey: (event: KeyboardEvent, box: Box) => void;
}

function Face({ answer, face, move, choose, startDrag, onKey, mayWrite, hasCords, ...look }: FaceProps) {
  const { units, occupants, rack } = answer;
  const watched = new Set(rack.health_reasons.map(({ ref }) => ref));
  const most = Math.max(1, ...occupants.map(({ draw_w }) => draw_w));
  const title = (
    <>
      {face === "front" ? "Front" : "Rear"}
      {hasCords && look.cords.size > 0 ? (
        <span>
          cords <Cords sides={["A"]} /> A <Cords sides={["B"]} /> B
        </span>
      ) : null}
    </>
  );
  return (
    <BoardFace face={face} units={units} title={title}>
      {freeRows(units, face).map((row) =>
        mayWrite ? (
          <button
            key={row}
            type="button"
            class="board-free"
            data-rows={`${row} ${row}`}
            style={{ gridRow: row + 1 }}
            onClick={({ currentTarget }) => choose(row, currentTarget)}
          >
            U{units[row]?.u} is free{units[row]?.reserved === "" ? "" : `, reserved for ${units[row]?.reserved}`}
          </button>
        ) : (
          <span key={row} class="board-free" style={{ gridRow: row + 1 }} />
        ),
      )}
      {boxesOf(units, occupants, face).map((box) => (
        <a
          key={box.device.device_code}
          href={linkTo("device", box.device.device_code)}
          class={`${boxClass(box, move)} ${tone(box.device, look.coloring, most)}`}
          style={{ gridRow: `${box.top + 1} / ${box.bottom + 2}` }}
          title={titleOf(box.device, look.cords)}
          draggable={false}
          aria-keyshortcuts={keyShown("move")}
          data-rows={`${box.top} ${box.bottom}`}
          onPointerDown={(event) => mayWrite && startDrag(event, box, face)}
          onKeyDown={(event) => onKey(event, box)}
        >
          <span>{box.device.device_code}</span>
          <span class="board-draw">
            {box.isMounted && box.device.draw_w > 0 ? formatWatts(box.device.draw_w) : ""}
            {box.isMounted && watched.has(`device:${box.device.device_code}`) ? (
              <StateMark state="watch" label="finding" />
            ) : null}
            {hasCords ? <Cords sides={look.cords.get(box.device.device_code) ?? []} /> : null}
          </span>
        </a>
      ))}
      {move !== undefined && move.face === face ? <Ghost move={move} /> : null}
    </BoardFace>
  );
}

function titleOf({ device_code }: Occupant, cords: LookProps["cords"]): string {
  const sides = cords.get(device_code) ?? [];
  return sides.length === 0 ? device_code : `${device_code}, cords ${sides.map((side) => side || "?").join(" ")}`;
}

/** A dot for each inlet, by its side. */
function Cords({ sides }: { readonly sides: readonly string[] }) {
  return (
    <span class="cords" aria-hidden="true">
      {sides.map((side, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: inlets have no other name here
        <i key={at} class={`cord ${side.toLowerCase()}`} />
      ))}
    </span>
  );
}

const ROLES = [
  ["network", /SWITCH|ROUTER|FIREWALL|LOAD_BALANCER/],
  ["passive", /PATCH_PANEL|PDU|CONSOLE|KVM|SENSOR/],
  ["storage", /STORAGE/],
] as const;

/** The class of a device's ground, by what the colours show. @param most greatest draw in the rack, in watts */
function tone({ kind, role, status, draw_w }: Occupant, coloring: string, most: number): string {
  if (coloring === "power") return `heat${Math.min(4, Math.floor((5 * draw_w) / most))}`;
  if (coloring === "status") return status === "DEVICE_STATUS_ACTIVE" ? "" : /FAILED/.test(status) ? "fault" : "watch";
  return role === "gpu" ? "gpu" : (ROLES.find(([, kinds]) => kinds.test(kind))?.[0] ?? "");
}

function boxClass(box: Box, move: Move | undefined): string {
  const lifted = move?.box.device.device_code === box.device.device_code ? " lifted" : "";
  return `board-device ${box.side}${box.isMounted ? "" : " through"}${lifted}`;
}

/** Where a device that is moved would be. */
function Ghost({ move: { box, bottom } }: { readonly move: Move }) {
  const top = bottom - (box.bottom - box.top);
  return (
    <span class={`board-ghost ${box.side}`} style={{ gridRow: `${Math.max(top, 0) + 1} / ${bottom + 2}` }}>
      {box.device.device_code}
    </span>
  );
}
