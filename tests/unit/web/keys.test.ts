import { expect, test } from "bun:test";
import { SHORTCUTS } from "#web/console/keys.ts";
import { sourceFiles } from "../../support/source_code.ts";

const SHEET = Object.values(SHORTCUTS).flatMap((keys) =>
  Object.entries<{ readonly shown: string; readonly press?: readonly string[] }>(keys),
);
const FILES = sourceFiles("src/web").filter(({ path }) => /^src\/web\/(?:console|viewer)\//.test(path));

test("no key acts twice on one page", () => {
  const pressed = SHEET.flatMap(([, { press = [] }]) => press);
  expect(pressed.toSorted()).toEqual([...new Set(pressed)].toSorted());
});

test("every letter that the console listens to comes from the table of keys, so that the sheet shows it", () => {
  const letters = FILES.flatMap(({ path, text }) =>
    [...text.matchAll(/\bkey(?:\.to\w+Case\(\))? [!=]== "(\w)"/g)].map(([found]) => `${path}: ${found}`),
  );
  // Ctrl K works in fields and dialogs as well.
  expect(letters).toEqual([`src/web/console/main.tsx: key.toLowerCase() === "k"`]);
  const others = FILES.filter(({ path }) => !path.endsWith("/keys.ts"));
  const isUsed = (name: string) =>
    others.some(({ text }) => text.includes(`"${name}"`) || text.includes(`\n  ${name}: `));
  const acting = SHEET.filter(([, { press }]) => press !== undefined).map(([name]) => name);
  expect(acting.filter((name) => !isUsed(name))).toEqual([]);
});

test("every key that a page names beside a control is on the sheet", () => {
  const sheet = ` ${SHEET.map(([, { shown }]) => shown).join(" ")} `.replaceAll(",", " ");
  const named = FILES.flatMap(({ text }) => [...text.matchAll(/<kbd>([^<{]+)<\/kbd>/g)].map(([, key]) => key ?? ""));
  expect(named.length).toBeGreaterThan(5);
  expect(named.map((key) => key.replace("&gt;", ">")).filter((key) => !sheet.includes(` ${key} `))).toEqual([]);
});
