import { expect, test } from "bun:test";
import { isInsideLocation } from "#web/console/history/in_place.ts";

const row = (ref: string, texts: Record<string, string> = { site: "S", floor: "0" }) => ({
  ref,
  name: "",
  texts,
  figures: {},
});
const at = (room: string, more: object = {}) => ({
  code: "R1",
  location: { site_id: "S", floor_number: 0, room, row: "A", ...more },
});

test("isInsideLocation finds what is in a site, room or row, and what has left it", () => {
  expect(isInsideLocation({ after: at("DH1") }, row("site:S", {}))).toBe(true);
  expect(isInsideLocation({ after: at("DH1") }, row("room:S/0/DH1"))).toBe(true);
  expect(isInsideLocation({ before: at("DH1"), after: at("DH2") }, row("room:S/0/DH1"))).toBe(true);
  expect(isInsideLocation({ before: null, after: at("DH1") }, row("row:S/0/A"))).toBe(true);
  expect(isInsideLocation({ after: { location: { site_id: "S", room: "DH1" } } }, row("room:S/0/DH1"))).toBe(true);
});

test("isInsideLocation leaves out other floors, and changes without a place such as those of cables", () => {
  expect(isInsideLocation({ after: at("DH1", { floor_number: 1 }) }, row("room:S/0/DH1"))).toBe(false);
  expect(isInsideLocation({ after: at("DH2") }, row("room:S/0/DH1"))).toBe(false);
  expect(isInsideLocation({ before: { a: {}, b: {} }, after: null }, row("site:S", {}))).toBe(false);
});
