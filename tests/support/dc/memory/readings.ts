import { READING_QUANTITIES } from "#dc/model/enum_values.ts";
import type { MeasuredElement, ReadingQuery, StoredReading } from "#dc/model/readings/reading_store.ts";
import { compareByCodePoints } from "#dc/model/ref.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";

export type ReadingTable = Map<string, StoredReading>;

export const readingKey = (key: string, quantity: string) => `${key}\n${quantity}`;

/** Every element that can be measured, worked out from the resources. */
export function elementsOf(
  devices: readonly Device[],
  cracs: readonly Crac[],
  racks: readonly Rack[],
): readonly MeasuredElement[] {
  const whole = (ownerKind: MeasuredElement["ownerKind"], code: string): MeasuredElement => {
    const ownerKey = code.toLowerCase();
    return { key: `${ownerKind}:${ownerKey}`, ref: `${ownerKind}:${code}`, ownerKind, ownerKey, port: "" };
  };
  const ports = devices.flatMap(({ code, ports: all = [] }) =>
    all.flatMap(({ name, powerOut }) => {
      const owner = { ownerKind: "device" as const, ownerKey: code.toLowerCase(), port: name };
      const feed = powerOut?.feedId;
      const port = { key: `port:${code.toLowerCase()}/${name}`, ref: `port:${code}/${name}`, ...owner };
      return feed === undefined ? [port] : [port, { key: `feed:${feed.toLowerCase()}`, ref: `feed:${feed}`, ...owner }];
    }),
  );
  return [
    ...devices.map(({ code }) => whole("device", code)),
    ...cracs.map(({ code }) => whole("crac", code)),
    ...racks.map(({ code }) => whole("rack", code)),
    ...ports,
  ];
}

export function readingsOf(table: ReadingTable, query: ReadingQuery): readonly StoredReading[] {
  const { keys, quantities = READING_QUANTITIES, after, withDays, limit = Number.POSITIVE_INFINITY } = query;
  const order = (a: { key: string; quantity: string }, b: { key: string; quantity: string }) =>
    compareByCodePoints(a.key, b.key) || compareByCodePoints(a.quantity, b.quantity);
  const named = ({ element: { key }, quantity }: StoredReading) => ({ key, quantity });
  return [...table.values()]
    .filter(({ element }) => keys === undefined || keys.includes(element.key))
    .filter(({ quantity }) => quantities.includes(quantity))
    .filter((one) => after === undefined || order(named(one), after) > 0)
    .sort((a, b) => order(named(a), named(b)))
    .slice(0, limit)
    .map((one) => (withDays ? one : { ...one, kept: { ...one.kept, days: { ...one.kept.days, closed: [] } } }));
}
