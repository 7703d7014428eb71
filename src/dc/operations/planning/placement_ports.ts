import type { RequestedPorts } from "#dc/analysis/placement/wanted.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Port } from "#dc/model/resources.ts";
import { type DeviceTemplate, omitUndefinedFields } from "./placement_template.ts";

/** Device ports that are assigned to the requested connections. */
export interface ConnectedPorts {
  /** Types and speeds of the neighbours. Consecutive equal ones are grouped with a count. */
  readonly ports: readonly RequestedPorts[];
  /** Names of the devices' ports, in the order of `ports`. */
  readonly names: readonly string[];
  readonly added: readonly Port[];
}

/**
 * Assigns a device port to each requested connection; for a template without ports, creates the ports.
 * @throws Refusal if the template has too few ports
 */
export function assignDevicePorts({ ports: own }: DeviceTemplate, wanted: readonly RequestedPorts[]): ConnectedPorts {
  const left = own?.filter(({ kind, mgmtOnly }) => kind === "NETWORK" && mgmtOnly !== true);
  const found = { ports: [] as RequestedPorts[], names: [] as string[], added: [] as Port[] };
  for (const [at, { count, ...want }] of wanted.entries()) {
    const field = `ports[${at}]`;
    requirePortKind(field, want);
    for (let number = 0; number < count; number += 1) {
      const port = left === undefined ? createPort(found.names.length, want) : takeMatchingPort(left, want);
      if (port === undefined) throw createTooFewPortsRefusal(field, count);
      if (left === undefined) found.added.push(port);
      found.names.push(port.name);
      found.ports.push({
        count: 1,
        ...omitUndefinedFields({ type: want.type ?? port.type, speedMbps: want.speedMbps ?? port.speedMbps }),
      });
    }
  }
  return { ...found, ports: mergePorts(found.ports) };
}

type PortRequirement = Omit<RequestedPorts, "count">;

function requirePortKind(field: string, { type, speedMbps }: PortRequirement): void {
  if (type !== undefined || speedMbps !== undefined) return;
  const expected = "a speed or a type";
  const message = `Field "${field}.speed_mbps" is required: expected ${expected}`;
  throw refuse("REQUIRED_FIELD", message, { field: `${field}.speed_mbps`, expected });
}

function createPort(number: number, { type, speedMbps }: PortRequirement): Port {
  return { name: `eth${number}`, kind: "NETWORK", ...omitUndefinedFields({ type, speedMbps }) };
}

function takeMatchingPort(ports: Port[], { type, speedMbps }: PortRequirement): Port | undefined {
  const isCompatible = (one: unknown, other: unknown) => one === undefined || other === undefined || one === other;
  const at = ports.findIndex((port) => isCompatible(type, port.type) && isCompatible(speedMbps, port.speedMbps));
  return at < 0 ? undefined : ports.splice(at, 1)[0];
}

function mergePorts(ports: readonly RequestedPorts[]): readonly RequestedPorts[] {
  const made: RequestedPorts[] = [];
  for (const one of ports) {
    const last = made.at(-1);
    if (last !== undefined && last.type === one.type && last.speedMbps === one.speedMbps) {
      made[made.length - 1] = { ...last, count: last.count + 1 };
    } else made.push(one);
  }
  return made;
}

function createTooFewPortsRefusal(field: string, count: number) {
  return refuse("FIELD_CONFLICT", `The device has fewer than ${count} such network ports`, {
    field: `${field}.count`,
    value: count,
    expected: "at most as many as the device has",
  });
}
