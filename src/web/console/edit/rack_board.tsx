import { useRef, useState } from "preact/hooks";
import type { GetRackResponse } from "#gen/datacenter/v1/json.ts";
import { watts } from "#words/figures.ts";
import { linkTo } from "../router.ts";
import { Card } from "../ui/parts.tsx";
import { useMayWrite } from "./edit_buttons.tsx";
import { editing } from "./editing.ts";
import type { Chosen } from "./rack_cells.ts";
import { type Box, boxesOf, FACES, type FaceName, freeRows, positionAt } from "./rack_cells.ts";
import { type Move, useMove } from "./rack_move.ts";
import { UnitMenu } from "./unit_menu.tsx";

/**
 * The rack as a person works in it: a free unit takes a new device, and a device is moved by dragging, or with M and the
 * arrow keys. Nothing is written before the dialog that follows is confirmed.
 */
export function RackBoard({ answer }: { readonly answer: GetRackResponse }) {
  const { rack, units } = answer;
  const [chosen, setChosen] = useState<Chosen>();
  const opener = useRef<HTMLElement | null>(null);
  const { move, isMoving, lift, shift, end, startDrag } = useMove(units, (done) => place(answer, done));
  if (!useMayWrite() || units.length === 0) return null;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowUp: () => shift(-1),
    ArrowDown: () => shift(1),
    Enter: () => end(true),
    Escape: () => end(false),
  };
  const close = () => {
    setChosen(undefined);
    opener.current?.focus();
  };
  return (
    <Card title="Arrange">
      <p class="muted">
        Choose a free unit to place a device. Drag a device, or press <kbd>M</kbd> on it and then the arrow keys and{" "}
        <kbd>Enter</kbd>.
      </p>
      <div class="board">
        {(["front", "rear"] as const).map((face) => (
          <Face
            key={face}
            answer={answer}
            face={face}
            move={move}
            choose={(row, target) => {
              opener.current = target;
              setChosen({ face, row });
            }}
            startDrag={startDrag}
            onKey={(event, box) => {
              const act =
                event.key.toLowerCase() === "m" ? () => lift(box, face) : isMoving() ? keys[event.key] : undefined;
              if (act === undefined) return;
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
      <p class="sr-only" role="status">
        {move === undefined ? "" : describeMove(rack.code, answer, move)}
      </p>
    </Card>
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

interface FaceProps {
  readonly answer: GetRackResponse;
  readonly face: FaceName;
  readonly move: Move | undefined;
  readonly choose: (row: number, target: HTMLElement) => void;
  readonly startDrag: (event: PointerEvent, box: Box, face: FaceName) => void;
  readonly onKey: (event: KeyboardEvent, box: Box) => void;
}

function Face({ answer: { units, occupants }, face, move, choose, startDrag, onKey }: FaceProps) {
  const name = face === "front" ? "Front" : "Rear";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div class="board-face" role="group" aria-label={name} data-face={face}>
      <h3>{name}</h3>
      <div class="board-units">
        {units.map(({ u }, row) => (
          <span key={u} class="board-number" style={{ gridRow: row + 1 }}>
            {u}
          </span>
        ))}
        {freeRows(units, face).map((row) => (
          <button
            key={row}
            type="button"
            class="board-free"
            style={{ gridRow: row + 1 }}
            onClick={({ currentTarget }) => choose(row, currentTarget)}
          >
            U{units[row]?.u} is free{units[row]?.reserved === "" ? "" : `, reserved for ${units[row]?.reserved}`}
          </button>
        ))}
        {boxesOf(units, occupants, face).map((box) => (
          <a
            key={box.device.device_code}
            href={linkTo("device", box.device.device_code)}
            class={boxClass(box, move)}
            style={{ gridRow: `${box.top + 1} / ${box.bottom + 2}` }}
            title={box.device.device_code}
            draggable={false}
            aria-keyshortcuts="M"
            onPointerDown={(event) => startDrag(event, box, face)}
            onKeyDown={(event) => onKey(event, box)}
          >
            <span>{box.device.device_code}</span>
            <span class="board-draw">{box.isMounted && box.device.draw_w > 0 ? watts(box.device.draw_w) : ""}</span>
          </a>
        ))}
        {move !== undefined && move.face === face ? <Ghost move={move} /> : null}
      </div>
    </div>
  );
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
