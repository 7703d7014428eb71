import { describe, expect, test } from "bun:test";
import { THEMES } from "#dc/model/enum_values.ts";
import type { Item } from "#dc/render/scene.ts";
import { wordsOf } from "../../../support/dc/pictures.ts";
import { cutTexts, overlappingTexts } from "../../../support/dc/scene_checks.ts";
import { edgedShapes, faintShapes, groundedTexts, weakTexts } from "../../../support/dc/scene_grounds.ts";
import { drawingsOf, SCREEN_CASES } from "../../../support/dc/screen_cases.ts";
import { wordFaults } from "../../../support/shown_words.ts";

/** Texts that show when a person points at a part. */
function tipsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => (item.kind === "group" ? [item.tip ?? "", ...tipsOf(item.items)] : []));
}

describe.each(SCREEN_CASES)("$screen of $ref", (asked) => {
  test("has no shape that is hardly seen, in any theme", async () => {
    const faults = (await drawingsOf(asked)).flatMap(([options, { scene }]) => {
      const shapes = edgedShapes(scene);
      return THEMES.flatMap((theme) => faintShapes(shapes, theme).map((fault) => `${options}: ${theme}: ${fault}`));
    });

    expect(faults).toEqual([]);
  });

  test.skipIf(asked.site === "ODD")("names things by the words of the glossary alone", async () => {
    const faults = (await drawingsOf(asked)).flatMap(([options, { scene, elements }]) => {
      const facts = elements.flatMap(({ title, facts: rows }) => [title, ...rows.flat()]);
      const texts = [scene.title, scene.description, ...wordsOf(scene.items), ...tipsOf(scene.items), ...facts];
      return texts.flatMap(wordFaults).map((fault) => `${options}: ${fault}`);
    });

    expect([...new Set(faults)]).toEqual([]);
  });

  test("has no text that is cut, covered, crossed or hard to read, in any theme", async () => {
    const faults = (await drawingsOf(asked)).flatMap(([options, { scene }]) => {
      const texts = groundedTexts(scene);
      return [
        ...cutTexts(scene).map((text) => `cut: ${text}`),
        ...overlappingTexts(scene).map((pair) => `overlapping: ${pair.join(" and ")}`),
        ...texts.filter(({ crossed }) => crossed).map(({ text }) => `crossed: ${text}`),
        ...THEMES.flatMap((theme) => weakTexts(texts, theme).map((fault) => `${theme}: ${fault}`)),
      ].map((fault) => `${options}: ${fault}`);
    });

    expect(faults).toEqual([]);
  });
});
