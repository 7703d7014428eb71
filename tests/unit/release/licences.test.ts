import { expect, test } from "bun:test";
import { licenceTexts, readLicences } from "../../../release/licences.ts";

test("every package in the executable has a licence text that fits what it declares", () => {
  const licences = readLicences();
  const without = licences.filter(({ text, declared }) => text === null || (text.length < 200 && declared !== "0BSD"));

  expect(licences.length).toBeGreaterThan(100);
  expect(licences.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["bun", "hono", "graphql", "@resvg/resvg-wasm"]),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
  expect(licences.find(({ name }) => name === "@resvg/resvg-wasm")?.text).toContain("Mozilla Public License");
});

test("the printed licences name every package once, and say where to get what is linked under the LGPL", () => {
  const text = licenceTexts();

  for (const { name, version } of readLicences()) expect(text.split(`\n${name} ${version} (`)).toHaveLength(2);
  expect(text).toContain("https://github.com/oven-sh/WebKit");
  expect(text).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
});
