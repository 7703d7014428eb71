import type { Cable, Port } from "#gen/datacenter/v1/json.ts";
import { editStore } from "./editing.ts";
import type { ResourceValues } from "./form_model.ts";

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
