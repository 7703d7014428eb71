import { PORT_NAME_GRAMMAR, parsePortName } from "../code.ts";
import { createRejection, type ErrorFinding } from "../finding.ts";
import type { Device, Port, PortRef } from "../resources.ts";
import type { SiteReader } from "../site.ts";
import { createSyntaxRejection } from "./checks.ts";
import { checkCode } from "./general.ts";

/** Rejects a missing end, and one whose device code or port name is malformed. */
export function checkEndShape(field: string, end: PortRef | undefined): readonly ErrorFinding[] {
  if (end === undefined)
    return [
      createRejection("REQUIRED_FIELD", field, `End "${field}" is required`, { expected: "a device and its port" }),
    ];
  const code = checkCode(`${field}.device_code`, end.deviceCode);
  if (parsePortName(end.portName) !== undefined) return code;
  return [
    ...code,
    createSyntaxRejection("INVALID_CODE", `${field}.port_name`, "port name", end.portName, PORT_NAME_GRAMMAR),
  ];
}

/** Rejects an end of a fabric link that is malformed; the end may be a device without a port. */
export function checkLinkEndShape(field: string, end: PortRef | undefined): readonly ErrorFinding[] {
  return end?.portName === "" ? checkCode(`${field}.device_code`, end.deviceCode) : checkEndShape(field, end);
}

/** Returns the port at an end, with its device; undefined if missing. Both names must match exactly, including case. */
export async function findEndPort(
  end: PortRef,
  site: SiteReader,
): Promise<{ readonly device: Device; readonly port: Port } | undefined> {
  const device = await site.device(end.deviceCode);
  const port = device?.ports?.find(({ name }) => name === end.portName);
  return device === undefined || port === undefined || device.code !== end.deviceCode ? undefined : { device, port };
}
