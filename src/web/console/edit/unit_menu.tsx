import { useLayoutEffect, useRef } from "preact/hooks";
import type { Cable, GetRackResponse, Port } from "#gen/datacenter/v1/json.ts";
import { getKeyLabel, isShortcutKey, type ShortcutName } from "../keys.ts";
import { editStore, type ResourceValues } from "./form_model.ts";
import { type ChosenUnit, FACE_VALUES, findFreeBlock, findTemplateDevice, listDeviceBoxes } from "./rack_cells.ts";

/** Menu of actions for a free unit. */
export function UnitMenu(props: {
  readonly answer: GetRackResponse;
  readonly chosen: ChosenUnit;
  readonly close: () => void;
}) {
  const {
    answer,
    chosen: { face, row },
    close,
  } = props;
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => menu.current?.querySelector<HTMLElement>("button")?.focus(), []);
  const unit = answer.units[row];
  if (unit === undefined) return null;
  const { numbers, actions } = listUnitActions(answer, { face, row }, unit.u);
  const runAction = (act: () => void) => {
    close();
    act();
  };
  return (
    <div
      ref={menu}
      class="unit-menu"
      role="menu"
      tabIndex={-1}
      aria-label={`Unit ${unit.u}`}
      style={{ "--row": String(row) }}
      onKeyDown={(event) => {
        event.stopPropagation();
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const found = actions.find(([key]) => isShortcutKey(event, key));
        if (event.key === "Enter" || event.key === " ") return;
        event.preventDefault();
        if (event.key === "Escape" || event.key === "Tab") close();
        else if (by !== undefined) moveMenuFocus(event, by);
        else if (found !== undefined) runAction(found[2]);
      }}
    >
      <p>
        <strong>U{unit.u}</strong> in a free block of {numbers.length} U
      </p>
      {actions.map(([key, name, act]) => (
        <button key={key} type="button" role="menuitem" onClick={() => runAction(act)}>
          {name} <kbd>{getKeyLabel(key)}</kbd>
        </button>
      ))}
    </div>
  );
}

type UnitAction = readonly [key: ShortcutName, name: string, act: () => void];

function listUnitActions({ rack, units, occupants }: GetRackResponse, { face, row }: ChosenUnit, u: number) {
  const block = findFreeBlock(units, row);
  const numbers = units.slice(block.top, block.bottom + 1).map(({ u }) => u);
  const template = findTemplateDevice(listDeviceBoxes(units, occupants, face), row);
  const position = { rack_code: rack.code, position_u: u, face: FACE_VALUES[face] };
  const actions: readonly UnitAction[] = [
    [
      "place",
      "Place a device here",
      () =>
        editStore.open({
          mode: "create",
          kind: "device",
          values: { ...position, kind: "DEVICE_KIND_SERVER", u_height: 1 },
        }),
    ],
    ...(template === undefined
      ? []
      : [
          [
            "duplicate",
            `Duplicate ${template.device_code} here`,
            () =>
              editStore.open({
                mode: "duplicate",
                kind: "device",
                identity: { code: template.device_code },
                change: position,
              }),
          ] as const,
        ]),
    [
      "reserve",
      "Reserve this block",
      () =>
        editStore.open({
          mode: "edit",
          kind: "rack",
          identity: { code: rack.code },
          change: (stored) => addUnitReservation(stored, numbers),
          focus: "reservations",
        }),
    ],
  ];
  return { numbers, actions };
}

/** Returns the stored reservations together with a new reservation of the given units. */
function addUnitReservation({ reservations = [] }: ResourceValues, units: readonly number[]): ResourceValues {
  return { reservations: [...(reservations as readonly ResourceValues[]), { units: units.toSorted((a, b) => a - b) }] };
}

function moveMenuFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, by: number): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + by + items.length) % items.length]?.focus();
}

const POWER_PORT_KINDS: ReadonlySet<string> = new Set(["PORT_KIND_POWER_IN", "PORT_KIND_POWER_OUT"]);

/** Button that connects a free port, or buttons that edit and disconnect the cable of a port. */
export function PortCableButton(props: {
  readonly device: string;
  readonly port: Port;
  readonly cable: Cable | undefined;
}) {
  const { device, port, cable } = props;
  if (cable !== undefined) {
    const identity = { a: cable.a, b: cable.b };
    const isA = cable.a.device_code === device && cable.a.port_name === port.name;
    return (
      <span class="row-actions">
        <button
          type="button"
          class="quiet"
          aria-label={`Edit the cable of ${port.name}`}
          onClick={() =>
            editStore.open({ mode: "edit", kind: "cable", identity, focus: isA ? "b.port_name" : "a.port_name" })
          }
        >
          Edit
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`Disconnect ${port.name}`}
          onClick={() => editStore.open({ mode: "delete", kind: "cable", identity })}
        >
          Disconnect
        </button>
      </span>
    );
  }
  const values: ResourceValues = {
    a: { device_code: device, port_name: port.name },
    ...(POWER_PORT_KINDS.has(port.kind) && { type: "CABLE_TYPE_POWER" }),
  };
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Connect ${port.name}`}
      onClick={() => editStore.open({ mode: "create", kind: "cable", values })}
    >
      Connect
    </button>
  );
}
