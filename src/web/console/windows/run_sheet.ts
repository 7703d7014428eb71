import type { CheckWindowResponse, MaintenanceWindow } from "#gen/datacenter/v1/json.ts";
import { enumWord, listSome, plainRefs } from "#words/names.ts";
import { refWords } from "../edit/refs_field.tsx";
import { contactWords, impactWord, reasonNumbers } from "./window_words.tsx";

/** Codes and failures that a line names. */
const [CODES, FAILURES] = [12, 4];

/** A part of the sheet: lines with a box to tick, in their order. */
export interface SheetPart {
  readonly title: string;
  readonly steps: readonly string[];
}

/** The run sheet of a window: what to do before, while and after its elements are out, from its verdict. */
export function runSheet(window: MaintenanceWindow, judged: CheckWindowResponse | undefined): readonly SheetPart[] {
  const elements = window.element_refs.map(refWords);
  const { before, dark, stop, after } = fromVerdict(judged);
  const parts = [
    { title: "Before", steps: before },
    { title: "Take out, in this order", steps: elements.map((name) => `${name} off`) },
    { title: "Goes dark", steps: dark },
    { title: "Stop and bring back if", steps: stop },
    { title: "Bring back, in this order", steps: elements.toReversed().map((name) => `${name} on`) },
    { title: "Afterwards", steps: [...after, `Mark ${window.code} as done`] },
  ];
  return parts.filter(({ steps }) => steps.length > 0);
}

function fromVerdict(judged: CheckWindowResponse | undefined) {
  if (judged === undefined) return { before: [], dark: [], stop: [], after: [] };
  const { reasons, contacts, next_failures: next, blocking_windows: blocking } = judged;
  const figures = reasons.filter(({ during, limit }) => during !== undefined && limit !== undefined);
  const measured = figures.slice(0, FAILURES);
  const lost = contacts.filter(({ lost_count }) => lost_count > 0);
  return {
    before: [
      `Ask again: the verdict was “${enumWord(judged.verdict, "WINDOW_VERDICT")}” (${impactWord(judged)})`,
      ...contacts.map((one) => `Tell: ${contactWords(one, CODES).join(": ")}`),
      ...measured.map(({ ref, before }) => `Read ${refWords(ref)}${before === undefined ? "" : ", now as recorded"}`),
      ...(next.length === 0
        ? []
        : [
            `See that these are sound: ${listSome(
              next.map(({ ref }) => refWords(ref)),
              CODES,
              next.length + judged.omitted_next_failures,
            )}`,
          ]),
      ...(blocking.length === 0 ? [] : [`Not together with ${blocking.join(", ")}`]),
    ],
    dark: lost.map((one) => listSome(one.lost, 3 * CODES, one.lost_count)),
    stop: [
      ...measured.map((one) => `${refWords(one.ref)}: ${reasonNumbers(one)}`),
      ...next.slice(0, FAILURES).map(({ summary }) => plainRefs(summary.replace(/^If /, ""))),
    ],
    after: [
      ...(lost.length === 0 ? [] : ["See that everything that went dark is on again"]),
      ...measured.map(({ ref }) => `Read ${refWords(ref)} again`),
      ...(contacts.length === 0 ? [] : ["Tell the same people that it is over"]),
    ],
  };
}
