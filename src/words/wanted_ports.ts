/** Ports that are asked for, with the fields of the wire; any speed or type where it is not there. */
export interface WantedPorts {
  readonly count: number;
  readonly type?: string;
  readonly speed_mbps?: number;
}

const PORTS =
  /^(\d+)\s*[xX]\s*(?:(\d+(?:\.\d+)?)\s*([GgMm])(?:\s*\/\s*([a-z0-9][a-z0-9._-]*))?|\/?([a-z0-9][a-z0-9._-]*))$/;

/** Reads `2x25G`, `2x25gbase-x-sfp28` or both, `2x25G/25gbase-x-sfp28`; undefined for another text. */
export function readWantedPorts(text: string): WantedPorts | undefined {
  const [, count, speed, unit = "", both, alone] = PORTS.exec(text) ?? [];
  if (count === undefined) return undefined;
  const type = both ?? alone;
  const speedMbps = Number(speed) * (unit.toUpperCase() === "G" ? 1000 : 1);
  return {
    count: Number(count),
    ...(type !== undefined && { type }),
    ...(speed !== undefined && { speed_mbps: speedMbps }),
  };
}
