import { expect, test } from "bun:test";
import { normalizeSettings } from "#web/console/address_words.ts";
import { getPageNumber, listShownColumns } from "#web/console/lists/inventory_rows.ts";
import { findListKindByPage } from "#web/console/lists/list_kinds.ts";
import { parseAddress } from "#web/console/router.ts";

test("normalizeSettings names a condition that has the name of a method of every object", () => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    const { place, wrong } = normalizeSettings(parseAddress(`#/devices?${name}=x&kind=server`));

    expect(wrong.map(({ value }) => value)).toEqual(["x"]);
    expect([...place.settings]).toEqual([["kind", "SERVER"]]);
  }
});

test("listShownColumns names each column of an address once, and getPageNumber asks for no page that a request cannot hold", () => {
  const place = parseAddress("#/devices?columns=kind|rack|kind&page=99999999999");
  const list = findListKindByPage("devices");

  expect(list && listShownColumns(list, place)).toEqual(["kind", "rack"]);
  expect((getPageNumber(place) - 1) * 50).toBeLessThan(2 ** 31);
});
