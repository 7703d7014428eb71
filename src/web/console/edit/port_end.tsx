import type { Port } from "#gen/datacenter/v1/json.ts";
import { formatEnum, formatPortType } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { Combobox } from "../ui/combobox.tsx";
import { useDelayedValue } from "../ui/use_delayed.ts";
import { getControlId, useFormContext } from "./field_context.ts";
import { getFieldLabel } from "./field_labels.ts";
import type { FieldProps } from "./field_parts.tsx";
import { formatPath } from "./paths.ts";
import { RefInput } from "./ref_input.tsx";

/** Fields for one end of a cable or link: a device and one of its ports. Offers the free ports. */
export function PortEndFields({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const { device_code = "", port_name = "" } = (value ?? {}) as { device_code?: string; port_name?: string };
  const [deviceId, portId] = [
    getControlId(formatPath([...path, "device_code"])),
    getControlId(formatPath([...path, "port_name"])),
  ];
  const { type: cable = "" } = form.values;
  const free = useFreePorts(device_code).filter(({ kind }) => canPlugCable(kind, String(cable)));
  const matching = free.filter(({ name }) => name.toLowerCase().includes(port_name.toLowerCase()));
  const problem = ["device_code", "port_name", ""]
    .map((name) => form.getProblem(formatPath(name === "" ? path : [...path, name])))
    .find((one) => one !== "");
  const setEnd = (device: string, port: string) => form.setValue(path, { device_code: device, port_name: port });
  const getInputAttributes = (id: string) => ({
    id,
    ...(problem !== undefined && { "aria-invalid": true }),
  });
  return (
    <fieldset class="group end">
      <legend>{getFieldLabel(field)}</legend>
      <div class="form-field">
        <label for={deviceId}>Device</label>
        <RefInput
          common={getInputAttributes(deviceId)}
          name="device_code"
          value={device_code}
          set={(text) => setEnd(text, port_name)}
        />
      </div>
      <div class="form-field">
        <label for={portId}>Port</label>
        <Combobox
          {...getInputAttributes(portId)}
          value={port_name}
          options={(matching.length > 0 ? matching : free).map(({ name, kind, type }) => ({
            value: name,
            name,
            note: [formatEnum(kind, "PORT_KIND"), formatPortType(type)].filter((one) => one !== "").join(", "),
          }))}
          onType={(port) => setEnd(device_code, port)}
          choose={({ name }) => setEnd(device_code, name)}
        />
      </div>
      {problem === undefined ? null : <p class="form-problem">{problem}</p>}
    </fieldset>
  );
}

/** Whether a cable of a type fits a port of a kind. A link, and a cable without a type, fit any port. */
function canPlugCable(kind: string, cable: string): boolean {
  if (cable === "" || cable === "CABLE_TYPE_UNSPECIFIED") return true;
  return kind.startsWith("PORT_KIND_POWER") === (cable === "CABLE_TYPE_POWER");
}

/** Loads the ports of a device that have no cable. */
function useFreePorts(code: string): readonly Port[] {
  const settled = useDelayedValue(code, 200);
  const { reply } = useCall("GetDevice", settled === "" ? undefined : { code: settled });
  if (reply === undefined) return [];
  const taken = new Set(
    reply.cables.flatMap(({ a, b }) => [a, b]).map((end) => `${end.device_code}/${end.port_name}`.toLowerCase()),
  );
  return reply.device.ports.filter(({ name }) => !taken.has(`${reply.device.code}/${name}`.toLowerCase()));
}
