import { expect, test } from "bun:test";
import { isChangeInLocation } from "#web/console/history/leaf_changes.ts";

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

test("isChangeInLocation finds what is in a site, room or row, and what has left it", () => {
  expect(isChangeInLocation({ after: at("DH1") }, row("site:S", {}))).toBe(true);
  expect(isChangeInLocation({ after: at("DH1") }, row("room:S/0/DH1"))).toBe(true);
  expect(isChangeInLocation({ before: at("DH1"), after: at("DH2") }, row("room:S/0/DH1"))).toBe(true);
  expect(isChangeInLocation({ before: null, after: at("DH1") }, row("row:S/0/A"))).toBe(true);
  expect(isChangeInLocation({ after: { location: { site_id: "S", room: "DH1" } } }, row("room:S/0/DH1"))).toBe(true);
});

test("isChangeInLocation leaves out other floors, and changes without a place such as those of cables", () => {
  expect(isChangeInLocation({ after: at("DH1", { floor_number: 1 }) }, row("room:S/0/DH1"))).toBe(false);
  expect(isChangeInLocation({ after: at("DH2") }, row("room:S/0/DH1"))).toBe(false);
  expect(isChangeInLocation({ before: { a: {}, b: {} }, after: null }, row("site:S", {}))).toBe(false);
});
