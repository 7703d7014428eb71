/** Number, type and speed of the requested ports, in the wire's field names; an absent type or speed means any. */
export interface PortDemand {
  readonly count: number;
  readonly type?: string;
  readonly speed_mbps?: number;
}

const PORTS_PATTERN =
  /^(\d+)\s*[xX]\s*(?:(\d+(?:\.\d+)?)\s*([GgMm])(?:\s*\/\s*([a-z0-9][a-z0-9._-]*))?|\/?([a-z0-9][a-z0-9._-]*))$/;

/** Parses `2x25G`, `2x25gbase-x-sfp28` or both, `2x25G/25gbase-x-sfp28`; returns undefined for any other text. */
export function parsePortDemand(text: string): PortDemand | undefined {
  const [, count, speed, unit = "", both, alone] = PORTS_PATTERN.exec(text) ?? [];
  if (count === undefined) return undefined;
  const type = both ?? alone;
  const speedMbps = Number(speed) * (unit.toUpperCase() === "G" ? 1000 : 1);
  return {
    count: Number(count),
    ...(type !== undefined && { type }),
    ...(speed !== undefined && { speed_mbps: speedMbps }),
  };
}
