import { expect, test } from "bun:test";
import { splitIntoBatches } from "#web/console/edit/proposal.ts";

test("splitIntoBatches keeps the cables of a device in its call, and every change once and in order", () => {
  const group = (at: number) => [{ device: { code: `D${at}` } }, { cable: { a: at } }, { cable: { b: at } }];
  const changes = Array.from({ length: 1000 }, (_, at) => group(at)).flat();
  const batches = splitIntoBatches(changes);

  expect(batches.flat()).toEqual(changes);
  expect(batches.every(({ length }) => length <= 1000)).toBe(true);
  expect(batches.map(([first]) => Object.keys(first ?? {}))).toEqual(batches.map(() => ["device"]));
  expect(batches).toHaveLength(4);
});

test("splitIntoBatches sends what fits as it is, splits cables alone, and nothing as nothing", () => {
  const cables = Array.from({ length: 2500 }, (_, at) => ({ cable: { a: at } }));

  expect(splitIntoBatches([])).toEqual([]);
  expect(splitIntoBatches(cables.slice(0, 1000))).toEqual([cables.slice(0, 1000)]);
  expect(splitIntoBatches(cables).map(({ length }) => length)).toEqual([1000, 1000, 500]);
});
