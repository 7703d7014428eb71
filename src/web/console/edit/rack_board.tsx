import { useRef, useState } from "preact/hooks";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/json.ts";
import { formatWatts } from "#words/figures.ts";
import { StateMark } from "../../shared/state.tsx";
import { formatPageUrl } from "../router.ts";
import { getKeyLabel, isShortcutKey } from "../shell/keys.ts";
import { joinWithCommas } from "../ui/parts.tsx";
import { BoardFace } from "./board_face.tsx";
import { useCanWrite } from "./edit_buttons.tsx";
import { editStore } from "./editing.ts";
import {
  type ChosenUnit,
  computeDevicePosition,
  type DeviceBox,
  FACE_VALUES,
  type FaceName,
  listDeviceBoxes,
  listFreeRows,
} from "./rack_cells.ts";
import { type DeviceMove, useDeviceMover } from "./rack_move.ts";
import { useArrowKeyFocus } from "./rack_stops.ts";
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
      {listFreeRows(units, face).map((row) =>
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
