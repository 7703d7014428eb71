import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/json.ts";
import { formatWatts } from "#words/figures.ts";
import { StateMark } from "../../shared/marks.tsx";
import { getKeyLabel, isShortcutKey } from "../keys.ts";
import { formatPageUrl } from "../router.ts";
import { joinWithCommas } from "../ui/parts.tsx";
import { useCanWrite } from "./changes_panel.tsx";
import { editStore } from "./form_model.ts";
import {
  type ChosenUnit,
  computeDevicePosition,
  type DeviceBox,
  FACE_VALUES,
  type FaceName,
  listDeviceBoxes,
  listFreeRows,
  type RackUnit,
} from "./rack_cells.ts";
import { UnitMenu } from "./unit_menu.tsx";

/**
 * Elevation of a rack. A writer can add a device to a free unit, and move a device by dragging, or with M and the arrow
 * keys. Nothing is written until the following dialog is confirmed.
 */
export function RackBoard({ answer, view, ...look }: RackViewProps & { readonly view: string }) {
  const { rack, units } = answer;
  const [chosen, setChosen] = useState<ChosenUnit>();
  const opener = useRef<HTMLElement | null>(null);
  const { move, isMoving, startMove, shiftMove, endMove, startDrag } = useDeviceMover(units, (done) =>
    openMoveDialog(answer, done),
  );
  const mayWrite = useCanWrite();
  const faces = (["front", "rear"] as const).filter((face) => view === "" || view === face);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowUp: () => shiftMove(-1),
    ArrowDown: () => shiftMove(1),
    Enter: () => endMove(true),
    Escape: () => endMove(false),
  };
  const { board, ...stops } = useArrowKeyFocus();
  const close = () => {
    setChosen(undefined);
    opener.current?.focus();
  };
  return (
    <section class="card elevation" aria-label="Elevation">
      <div class="board" ref={board} {...stops}>
        {faces.map((face) => (
          <RackFace
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
              const act = isShortcutKey(event, "move")
                ? () => startMove(box, face)
                : isMoving()
                  ? keys[event.key]
                  : undefined;
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
      <UnplacedDevices answer={answer} />
      {mayWrite ? (
        <p class="muted hint">
          A free unit takes a device. Drag one, or <kbd>{getKeyLabel("move")}</kbd>, arrows and <kbd>Enter</kbd> move
          it.
        </p>
      ) : null}
      <p class="sr-only" role="status">
        {move === undefined ? "" : describeMove(rack.code, answer, move)}
      </p>
    </section>
  );
}

/** Devices of the rack that occupy no unit, such as vertical PDUs and blades. */
function UnplacedDevices({ answer: { units, occupants } }: Pick<RackViewProps, "answer">) {
  const placed = new Set(units.flatMap(({ front, rear }) => [...front, ...rear]));
  const others = occupants.filter(({ device_code }) => !placed.has(device_code));
  if (others.length === 0) return null;
  return (
    <p class="unplaced">
      Without a unit:{" "}
      {joinWithCommas(
        others.map(({ device_code }) => (
          <a key={device_code} href={formatPageUrl("device", device_code)}>
            {device_code}
          </a>
        )),
      )}
    </p>
  );
}

/** Opens the dialog that changes a device's unit and face. */
function openMoveDialog({ units }: GetRackResponse, { box, bottom, face }: DeviceMove): void {
  const position_u = computeDevicePosition(units, box, bottom);
  const isSame = bottom === box.bottom && box.device.face === FACE_VALUES[face];
  if (position_u === undefined || isSame) return;
  const identity = { code: box.device.device_code };
  editStore.open({ mode: "edit", kind: "device", identity, change: { position_u, face: FACE_VALUES[face] } });
}

function describeMove(rack: string, { units }: GetRackResponse, { box, bottom, face }: DeviceMove): string {
  const unit = computeDevicePosition(units, box, bottom);
  return `${box.device.device_code} goes to ${rack}, unit ${unit ?? "outside"}, ${face}. Enter confirms, Escape leaves it.`;
}

interface RackViewProps {
  readonly answer: GetRackResponse;
  /** Meaning of the colours: "" for roles, `status` or `power`. */
  readonly coloring: string;
  /** Power paths of each device, one for each inlet. */
  readonly cords: ReadonlyMap<string, readonly string[]>;
}

interface FaceProps extends RackViewProps {
  readonly mayWrite: boolean;
  readonly hasCords: boolean;
  readonly face: FaceName;
  readonly move: DeviceMove | undefined;
  readonly choose: (row: number, target: HTMLElement) => void;
  readonly startDrag: (event: PointerEvent, box: DeviceBox, face: FaceName) => void;
  readonly onKey: (event: KeyboardEvent, box: DeviceBox) => void;
}

function RackFace({ answer, face, move, choose, startDrag, onKey, mayWrite, hasCords, ...look }: FaceProps) {
  const { units, occupants, rack } = answer;
  const watched = new Set(rack.health_reasons.map(({ ref }) => ref));
  const most = Math.max(1, ...occupants.map(({ draw_w }) => draw_w));
  const title = (
    <>
      {face === "front" ? "Front" : "Rear"}
      {hasCords && look.cords.size > 0 ? (
        <span>
          cords <PowerPathDots sides={["A"]} /> A <PowerPathDots sides={["B"]} /> B
        </span>
      ) : null}
    </>
  );
  return (
    <BoardFace face={face} units={units} title={title}>
      {listFreeRows(units, face).map((row) => {
        const owner = units[row]?.reserved ?? "";
        const reserved = owner === "" ? "" : `, reserved for ${owner}`;
        const unitClass = `board-free ${owner === "" ? "" : "board-reserved"}`;
        const title = owner === "" ? undefined : `U${units[row]?.u}${reserved}`;
        return mayWrite ? (
          <button
            key={row}
            type="button"
            class={unitClass}
            title={title}
            data-rows={`${row} ${row}`}
            style={{ gridRow: row + 1 }}
            onClick={({ currentTarget }) => choose(row, currentTarget)}
          >
            U{units[row]?.u} is free{reserved}
          </button>
        ) : (
          <span key={row} class={unitClass} title={title} style={{ gridRow: row + 1 }} />
        );
      })}
      {listDeviceBoxes(units, occupants, face).map((box) => (
        <a
          key={box.device.device_code}
          href={formatPageUrl("device", box.device.device_code)}
          class={`${getDeviceBoxClass(box, move)} ${getDeviceColorClass(box.device, look.coloring, most)}`}
          style={{ gridRow: `${box.top + 1} / ${box.bottom + 2}` }}
          title={formatDeviceTitle(box.device, look.cords)}
          draggable={false}
          aria-keyshortcuts={getKeyLabel("move")}
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
            {hasCords ? <PowerPathDots sides={look.cords.get(box.device.device_code) ?? []} /> : null}
          </span>
        </a>
      ))}
      {move !== undefined && move.face === face ? <MoveOutline move={move} /> : null}
    </BoardFace>
  );
}

function formatDeviceTitle({ device_code }: Occupant, cords: RackViewProps["cords"]): string {
  const sides = cords.get(device_code) ?? [];
  return sides.length === 0 ? device_code : `${device_code}, cords ${sides.map((side) => side || "?").join(" ")}`;
}

/** One dot for each power inlet, coloured by its power path. */
function PowerPathDots({ sides }: { readonly sides: readonly string[] }) {
  return (
    <span class="cords" aria-hidden="true">
      {sides.map((side, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: inlets have no identifier
        <i key={at} class={`cord ${side.toLowerCase()}`} />
      ))}
    </span>
  );
}

const CLASSES_BY_KIND = [
  ["network", /SWITCH|ROUTER|FIREWALL|LOAD_BALANCER/],
  ["passive", /PATCH_PANEL|PDU|CONSOLE|KVM|SENSOR/],
  ["storage", /STORAGE/],
] as const;

/** Returns the background's CSS class for a colouring. `most` is the greatest draw in the rack, in watts. */
function getDeviceColorClass({ kind, role, status, draw_w }: Occupant, coloring: string, most: number): string {
  if (coloring === "power") return `heat${Math.min(4, Math.floor((5 * draw_w) / most))}`;
  if (coloring === "status") return status === "DEVICE_STATUS_ACTIVE" ? "" : /FAILED/.test(status) ? "fault" : "watch";
  return role === "gpu" ? "gpu" : (CLASSES_BY_KIND.find(([, kinds]) => kinds.test(kind))?.[0] ?? "");
}

function getDeviceBoxClass(box: DeviceBox, move: DeviceMove | undefined): string {
  const lifted = move?.box.device.device_code === box.device.device_code ? " lifted" : "";
  return `board-device ${box.side}${box.isMounted ? "" : " through"}${lifted}`;
}

/** Outline of the position that a moved device would take. */
function MoveOutline({ move: { box, bottom } }: { readonly move: DeviceMove }) {
  const top = bottom - (box.bottom - box.top);
  return (
    <span class={`board-ghost ${box.side}`} style={{ gridRow: `${Math.max(top, 0) + 1} / ${bottom + 2}` }}>
      {box.device.device_code}
    </span>
  );
}

type ElementKeyEvent = KeyboardEvent & { readonly currentTarget: HTMLElement };

/** A cell of an elevation, with the rows of units that it occupies. */
interface ElevationCell {
  readonly element: HTMLElement;
  readonly face: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
}

/** Makes an elevation a single tab stop. Arrow keys move in a face or to the other face, Home and End to its ends. */
function useArrowKeyFocus() {
  const board = useRef<HTMLDivElement>(null);
  const lastFocus = useRef({ face: "", top: 0 });
  const updateTabStop = () => {
    const cells = board.current === null ? [] : listElevationCells(board.current);
    const { face, top } = lastFocus.current;
    const stop = cells.find((one) => one.face === face && one.top <= top && top <= one.bottom) ?? cells[0];
    for (const { element } of cells) element.tabIndex = element === stop?.element ? 0 : -1;
  };
  // Runs after each drawing, because a moved or new device changes the cells.
  useLayoutEffect(updateTabStop);
  return {
    board,
    onFocusIn: ({ currentTarget, target }: FocusEvent & { readonly currentTarget: HTMLElement }) => {
      const cell = listElevationCells(currentTarget).find(({ element }) => element === target);
      if (cell === undefined) return;
      lastFocus.current = cell;
      updateTabStop();
    },
    onKeyDown: (event: ElementKeyEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = findNextCell(listElevationCells(event.currentTarget), event.target, event.key);
      if (next === undefined) return;
      event.preventDefault();
      next.element.focus();
    },
  };
}

/** Returns the cells ordered from the top, then from the left. */
function listElevationCells(board: HTMLElement): readonly ElevationCell[] {
  const cells = [...board.querySelectorAll<HTMLElement>("[data-rows]")].map((element): ElevationCell => {
    const [top = 0, bottom = 0] = (element.dataset["rows"] ?? "").split(" ").map(Number);
    const face = element.closest<HTMLElement>("[data-face]")?.dataset["face"] ?? "";
    return { element, face, top, bottom, left: element.offsetLeft };
  });
  return cells.sort((one, other) => one.top - other.top || one.left - other.left);
}

function findNextCell(
  cells: readonly ElevationCell[],
  from: EventTarget | null,
  key: string,
): ElevationCell | undefined {
  const cell = cells.find(({ element }) => element === from);
  if (cell === undefined) return undefined;
  const own = cells.filter(({ face }) => face === cell.face);
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (step !== undefined) return own[own.indexOf(cell) + step];
  if (key === "Home") return own[0];
  if (key === "End") return own.at(-1);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const isToward = (other: ElevationCell) => (key === "ArrowRight" ? other.left > cell.left : other.left < cell.left);
  const beside = own.filter((other) => isToward(other) && other.top <= cell.bottom && cell.top <= other.bottom);
  const others = cells.filter(({ face }) => face !== cell.face);
  return beside[0] ?? others.find(({ bottom }) => bottom >= cell.top) ?? others.at(-1);
}

/** A device being moved, and the rows of its rack that it would occupy. */
interface DeviceMove {
  readonly box: DeviceBox;
  readonly face: FaceName;
  /** Lowest row that the device would occupy; rows are counted from the top. */
  readonly bottom: number;
}

/** Distance in pixels that turns a press into a drag. */
const DRAG_THRESHOLD_PX = 5;

interface DeviceMover {
  readonly move: DeviceMove | undefined;
  /** Whether a device is being moved. Unlike `move`, it is current before the next rendering. */
  readonly isMoving: () => boolean;
  /** Starts to move a device by keys. */
  readonly startMove: (box: DeviceBox, face: FaceName) => void;
  readonly shiftMove: (rows: number) => void;
  readonly endMove: (isDone: boolean) => void;
  readonly startDrag: (event: PointerEvent, box: DeviceBox, face: FaceName) => void;
}

/** Moves a device between units by pointer or keys, and calls `done` with a confirmed move. */
function useDeviceMover(units: GetRackResponse["units"], done: (move: DeviceMove) => void): DeviceMover {
  const [move, setMove] = useState<DeviceMove>();
  const current = useRef<DeviceMove | undefined>(undefined);
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const setCurrentMove = (next: DeviceMove | undefined) => {
    current.current = next;
    setMove(next);
  };
  const endMove = (isDone: boolean) => {
    const last = current.current;
    setCurrentMove(undefined);
    if (isDone && last !== undefined) done(last);
  };
  const clampBottom = (box: DeviceBox, bottom: number) =>
    Math.min(units.length - 1, Math.max(box.bottom - box.top, bottom));
  const startDrag = (event: PointerEvent, box: DeviceBox, face: FaceName) => {
    if (event.button !== 0) return;
    stop.current?.abort();
    const ending = new AbortController();
    stop.current = ending;
    const { signal } = ending;
    const from = { x: event.clientX, y: event.clientY };
    const drag = (moved: PointerEvent) => {
      if (
        current.current === undefined &&
        Math.hypot(moved.clientX - from.x, moved.clientY - from.y) < DRAG_THRESHOLD_PX
      )
        return;
      moved.preventDefault();
      const over = findFaceAt(moved.clientX) ?? face;
      const rows = Math.round((moved.clientY - from.y) / measureRowHeight());
      setCurrentMove({ box, face: over, bottom: clampBottom(box, box.bottom + rows) });
    };
    addEventListener("pointermove", drag, { signal });
    addEventListener(
      "pointerup",
      () => {
        ending.abort();
        if (current.current === undefined) return;
        // The end of a drag must not click the device's link.
        addEventListener("click", (click) => click.preventDefault(), { capture: true, once: true });
        endMove(true);
      },
      { signal },
    );
    const cancel = () => {
      ending.abort();
      endMove(false);
    };
    for (const name of ["pointercancel", "blur"]) addEventListener(name, cancel, { signal });
    addEventListener("keydown", ({ key }) => key === "Escape" && cancel(), { signal });
  };
  return {
    move,
    isMoving: () => current.current !== undefined,
    endMove: endMove,
    startDrag,
    startMove: (box, face) => setCurrentMove({ box, face, bottom: box.bottom }),
    shiftMove: (rows) => {
      const last = current.current;
      if (last !== undefined) setCurrentMove({ ...last, bottom: clampBottom(last.box, last.bottom + rows) });
    },
  };
}

function findFaceAt(x: number): FaceName | undefined {
  const faces = [...document.querySelectorAll<HTMLElement>(".board-face")];
  const found = faces.find((face) => {
    const { left, right } = face.getBoundingClientRect();
    return x >= left && x <= right;
  });
  return found?.dataset["face"] as FaceName | undefined;
}

function measureRowHeight(): number {
  return document.querySelector(".board-number")?.getBoundingClientRect().height || 24;
}

interface BoardFaceProps {
  readonly face: FaceName;
  readonly units: readonly RackUnit[];
  readonly title: ComponentChildren;
  /** Elements that are drawn in the rows of units. */
  readonly children: ComponentChildren;
}

/** One face of a rack as a grid of numbered units, the highest first. */
export function BoardFace({ face, units, title, children }: BoardFaceProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div class="board-face" role="group" aria-label={face === "front" ? "Front" : "Rear"} data-face={face}>
      <h2>{title}</h2>
      <div class="board-units">
        {units.map(({ u }, row) => (
          <span key={u} class="board-number" style={{ gridRow: row + 1 }}>
            {u}
          </span>
        ))}
        {children}
      </div>
    </div>
  );
}
